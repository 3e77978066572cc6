package fakeagent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakeagent"
)

func TestSettingsAreSet(t *testing.T) {
	script := fakeagent.Script{
		ConfigOptions: json.RawMessage(`[{"id":"effort","name":"Effort","type":"select","currentValue":"low","options":[{"value":"low","name":"L"}]}]`),
		Models:        json.RawMessage(`{"currentModelId":"small","availableModels":[{"modelId":"small","name":"S"}]}`),
	}
	for _, ignored := range []bool{false, true} {
		script.IgnoreSet = ignored
		c := dial(t, &script)
		c.call("initialize", initParams)
		session := c.openAnother()
		f, _ := c.call("session/set_config_option", fmt.Sprintf(`{"sessionId":%q,"configId":"effort","value":"high"}`, session))
		want := "high"
		if ignored {
			want = "low"
		}
		assert.Contains(t, string(f.Result), `"currentValue":"`+want+`"`)
		f, _ = c.call("session/set_model", fmt.Sprintf(`{"sessionId":%q,"modelId":"big"}`, session))
		assert.JSONEq(t, `{}`, string(f.Result))
		f, _ = c.call("session/set_config_option", fmt.Sprintf(`{"sessionId":%q,"configId":"none","value":1}`, session))
		assert.Equal(t, -32602, f.Error.Code)
	}
}

func TestSignIn(t *testing.T) {
	for _, tt := range []struct {
		mode  fakeagent.SignInMode
		atOne bool // after authenticate, in the same agent
	}{{fakeagent.SignInAtOnce, true}, {fakeagent.SignInOnRestart, false}} {
		script := fakeagent.Script{SignIn: tt.mode, SignInFile: filepath.Join(t.TempDir(), "token")}
		refused := func(c *client) bool {
			f, _ := c.call("session/new", newParams)
			return f.Error != nil && f.Error.Code == -32000
		}
		c := dial(t, &script)
		c.call("initialize", initParams)
		assert.True(t, refused(c))
		f, _ := c.call("authenticate", `{"methodId":"mock-login"}`)
		require.Nil(t, f.Error)
		assert.Equal(t, tt.atOne, !refused(c), tt.mode)
		again := dial(t, &script)
		again.call("initialize", initParams)
		assert.False(t, refused(again), "an agent that is started afterwards is signed in")
		require.NoError(t, os.Remove(script.SignInFile))
		require.NoError(t, script.WriteSignIn())
		require.Error(t, (&fakeagent.Script{}).WriteSignIn())
	}
	for _, bad := range []string{`{"signIn":"at-once"}`, `{"signInFile":"x"}`, `{"signIn":"soon","signInFile":"x"}`, `{"configOptions":{}}`, `{"models":[]}`} {
		_, err := fakeagent.ParseScript([]byte(bad))
		require.Error(t, err, bad)
	}
}
