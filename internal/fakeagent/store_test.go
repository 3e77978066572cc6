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

func TestStoreOutlivesTheAgent(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sessions")
	script := &fakeagent.Script{Store: dir, Updates: 2}
	c := dial(t, script)
	c.call("initialize", initParams)
	f, _ := c.call("session/new", `{"cwd":"/work","mcpServers":[{"name":"a","command":"/a","args":[],"env":[]}],`+
		`"additionalDirectories":["/more"],"systemPrompt":{"mode":"append","content":[{"type":"text","text":"be good"}]}}`)
	c.commands()
	var r struct{ SessionID string }
	require.NoError(t, json.Unmarshal(f.Result, &r))
	session := r.SessionID
	_, turn := c.prompt(session, "one", `"result":{}`)
	require.NoError(t, c.conn.Close())
	require.NoError(t, c.wait())

	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1, "no temporary files are left")
	info, err := files[0].Info()
	require.NoError(t, err)
	assert.Equal(t, session+".json", files[0].Name())
	if filepath.Separator == '/' {
		assert.Equal(t, os.FileMode(0o600), info.Mode())
	}
	var saved map[string]json.RawMessage
	text, err := os.ReadFile(filepath.Join(dir, files[0].Name()))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &saved))
	assert.JSONEq(t, `["/more"]`, string(saved["additionalDirectories"]))
	assert.JSONEq(t, `{"mode":"append","content":[{"type":"text","text":"be good"}]}`, string(saved["systemPrompt"]))
	assert.JSONEq(t, `[{"name":"a","command":"/a","args":[],"env":[]}]`, string(saved["mcpServers"]))

	c = dial(t, script)
	assert.Equal(t, session, c.list(`{"cwd":"/work"}`).Sessions[0].SessionID)
	f, _ = c.call("session/prompt", promptParams(session, "hi"))
	require.NotNil(t, f.Error, "it is not open yet")
	_, replayed := c.load(session)
	assert.Equal(t, updates(turn), updates(replayed)[1:])
	_, before := c.prompt(session, "recall", `"result":{}`)
	assert.Equal(t, "history: 1 prompts: one", said(before))

	other := dial(t, script)
	f, _ = other.call("session/fork", openParams(session))
	require.Nil(t, f.Error)
	other.commands()
	assert.Len(t, c.list(`{}`).Sessions, 2)
	f, _ = c.call("session/delete", ofSession(session))
	require.Nil(t, f.Error)
	f, _ = other.call("session/resume", openParams(session))
	require.NotNil(t, f.Error)
	assert.Equal(t, -32002, f.Error.Code)
}

func TestStoreHasWhatTheClientSawOfAKilledTurn(t *testing.T) {
	for name, script := range map[string]*fakeagent.Script{
		"never ends": {Updates: 2, NeverEnd: true},
		"asks":       {Updates: 2, UnknownRequest: true},
		"exits":      {Updates: 4, ExitAt: fakeagent.ExitAtMidTurn},
	} {
		t.Run(name, func(t *testing.T) {
			script.Store = t.TempDir()
			c := dial(t, script)
			session := c.open()
			c.request("session/prompt", promptParams(session, "hi"))
			seen := c.until(says("chunk 1 "))
			if script.UnknownRequest {
				c.until(calls("_vendor/ask"))
			}
			c.stop()
			require.Error(t, c.wait())
			c = dial(t, &fakeagent.Script{Store: script.Store})
			_, replayed := c.load(session)
			assert.Equal(t, updates(seen), updates(replayed)[1:])
		})
	}
}

func TestStoreIgnoresNamesOutsideIt(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(dir, "outside.json")
	require.NoError(t, os.WriteFile(outside, []byte(`{"sessionId":"x"}`), 0o600))
	c := dial(t, &fakeagent.Script{Store: filepath.Join(dir, "store")})
	assert.Empty(t, c.list(`{}`).Sessions, "there is no folder yet")
	for _, method := range []string{"session/load", "session/delete"} {
		f, _ := c.call(method, openParams("../outside"))
		require.NotNil(t, f.Error)
		assert.Equal(t, -32002, f.Error.Code)
	}
	assert.FileExists(t, outside)
}

func TestStoreThatFails(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bad.json"), []byte(`{`), 0o600))
	c := dial(t, &fakeagent.Script{Store: dir})
	for _, call := range [][2]string{{"session/list", `{}`}, {"session/load", openParams("bad")}} {
		f, _ := c.call(call[0], call[1])
		require.NotNil(t, f.Error)
		assert.Equal(t, -32603, f.Error.Code)
	}
	c = dial(t, &fakeagent.Script{Store: filepath.Join(dir, "bad.json")})
	c.request("session/new", newParams)
	assert.ErrorContains(t, c.wait(), "cannot save session")
}

func TestLateUpdatesDoNotBringADeletedSessionBack(t *testing.T) {
	dir := t.TempDir()
	c := dial(t, &fakeagent.Script{Store: dir, Unsolicited: 50, Updates: 1})
	session := c.open()
	c.prompt(session, "hi", `"result":{}`)
	f, _ := c.call("session/delete", ofSession(session))
	require.Nil(t, f.Error)
	c.prompt(c.openAnother(), "hi", `"result":{}`)
	assert.NoFileExists(t, filepath.Join(dir, fmt.Sprintf("%s.json", session)))
}
