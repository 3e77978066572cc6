package fakeagent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakeagent"
)

func TestHandshakeKnobs(t *testing.T) {
	for _, tc := range []struct {
		name, script string
		want         map[string]string // member of the result: JSON, empty if absent
	}{
		{"agentInfo", `{"agentInfo":{"name":"x","version":7}}`, map[string]string{"agentInfo": `{"name":"x","version":7}`}},
		{"agentInfo null", `{"agentInfo":null}`, map[string]string{"agentInfo": `null`}},
		{"agentInfo wins", `{"agentInfo":{},"version":"9"}`, map[string]string{"agentInfo": `{}`}},
		{"omitAgentInfo", `{"omitAgentInfo":true}`, map[string]string{"agentInfo": "", "protocolVersion": "1"}},
		{"version", `{"version":"0.47.0"}`, map[string]string{
			"agentInfo": `{"name":"acpharness-mock","title":"acpharness built-in agent","version":"0.47.0"}`,
		}},
		{"protocolVersion", `{"protocolVersion":"2025-01-01"}`, map[string]string{"protocolVersion": `"2025-01-01"`}},
		{"omitProtocolVersion", `{"omitProtocolVersion":true}`, map[string]string{"protocolVersion": ""}},
		{"capabilities", `{"capabilities":{"loadSession":null}}`, map[string]string{
			"agentCapabilities": `{"loadSession":null}`,
		}},
		{"authMethods", `{"authMethods":[{"id":"a"}]}`, map[string]string{"authMethods": `[{"id":"a"}]`}},
		{"nullOptionals", `{"nullOptionals":true}`, map[string]string{
			"protocolVersion": "1", "agentCapabilities": "null", "agentInfo": "null", "authMethods": "null",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			script, err := fakeagent.ParseScript([]byte(tc.script))
			require.NoError(t, err)
			f, _ := dial(t, script).call("initialize", initParams)
			var result map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(f.Result, &result))
			for member, want := range tc.want {
				got, has := result[member]
				require.Equal(t, want != "", has, member)
				if has {
					assert.JSONEq(t, want, string(got), member)
				}
			}
		})
	}
}

func TestRawValuesLeaveAsGiven(t *testing.T) {
	const info = `{"name":"<a> & b","n":1.50,"e":"\u00e9"}`
	f, _ := dial(t, &fakeagent.Script{AgentInfo: json.RawMessage(info)}).call("initialize", initParams)
	assert.Contains(t, f.raw, `"agentInfo":`+info)
}

func TestSlowStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := dial(t, &fakeagent.Script{SlowStart: fakeagent.Duration(10 * time.Second)})
		begin := time.Now()
		c.call("initialize", initParams)
		assert.Equal(t, 10*time.Second, time.Since(begin))
	})
}

func TestSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := dial(t, &fakeagent.Script{Silent: true})
		for range 3 {
			c.request("initialize", initParams)
		}
		c.send("garbage")
		synctest.Wait()
		assert.Empty(t, c.lines)
		assert.Len(t, c.journal(fakeagent.EventRequest), 3)
		require.NoError(t, c.conn.Close())
		assert.NoError(t, c.wait())
	})
}

func TestEcho(t *testing.T) {
	c := dial(t, &fakeagent.Script{Echo: true})
	for _, line := range []string{`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, "", "text \r", `{"id":1}`} {
		c.send("%s", line)
		assert.Equal(t, line, c.must().raw)
	}
}

func TestAuthRequired(t *testing.T) {
	for times, want := range map[int][]int{0: {0, 0}, 2: {-32000, -32000, 0, 0}, -1: {-32000, -32000, -32000}} {
		t.Run(fmt.Sprint(times), func(t *testing.T) {
			c := dial(t, &fakeagent.Script{AuthRequired: times})
			f, _ := c.call("initialize", initParams)
			assert.Equal(t, times != 0, strings.Contains(string(f.Result), `"mock-login"`))
			for _, code := range want {
				f, _ := c.call("session/new", newParams)
				if code == 0 {
					require.Nil(t, f.Error)
					continue
				}
				require.NotNil(t, f.Error)
				assert.Equal(t, code, f.Error.Code)
				f, _ = c.call("authenticate", `{"methodId":"mock-login"}`)
				assert.JSONEq(t, `{}`, string(f.Result))
			}
		})
	}
}

func TestStderr(t *testing.T) {
	for _, size := range []int{1, 80, 81, 5000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			c := dial(t, &fakeagent.Script{Stderr: size})
			c.call("initialize", initParams)
			require.NoError(t, c.conn.Close())
			require.NoError(t, c.wait())
			assert.Equal(t, size, c.stderr.Len())
			assert.True(t, strings.HasSuffix(c.stderr.String(), "\n"))
		})
	}
}

func TestFullStderrHoldsTheHandshakeUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		log, w := io.Pipe()
		var out strings.Builder
		result := make(chan error, 1)
		r := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + initParams + "}\n")
		go func() {
			result <- fakeagent.Serve(ctx, r, &out, &fakeagent.Options{
				Script: &fakeagent.Script{Stderr: 1000}, Stderr: w,
			})
		}()
		_, err := log.Read(make([]byte, 80))
		require.NoError(t, err)
		synctest.Wait()
		assert.Empty(t, result)
		cancel()
		require.ErrorIs(t, <-result, context.Canceled)
		assert.Empty(t, out.String())
	})
}

func TestExit(t *testing.T) {
	for _, tc := range []struct {
		at       fakeagent.ExitPoint
		after    bool
		answered []string // of initialize 1, session/new 2, session/prompt 3, session/close 4
	}{
		{fakeagent.ExitAtStart, false, nil},
		{fakeagent.ExitAtInitialize, false, nil},
		{fakeagent.ExitAtInitialize, true, []string{"1"}},
		{fakeagent.ExitAtInitialized, false, []string{"1"}},
		{fakeagent.ExitAtSessionNew, false, []string{"1"}},
		{fakeagent.ExitAtSessionNew, true, []string{"1", "2"}},
		{fakeagent.ExitAtPrompt, false, []string{"1", "2"}},
		{fakeagent.ExitAtPrompt, true, []string{"1", "2", "3"}},
		{fakeagent.ExitAtMidTurn, false, []string{"1", "2"}},
		{fakeagent.ExitAtCancel, false, []string{"1", "2", "3"}},
		{fakeagent.ExitAtClose, false, []string{"1", "2", "3"}},
		{fakeagent.ExitAtClose, true, []string{"1", "2", "3", "4"}},
		{fakeagent.ExitAtEOF, false, []string{"1", "2", "3", "4"}},
	} {
		t.Run(fmt.Sprint(tc.at, " ", tc.after), func(t *testing.T) {
			c := dial(t, &fakeagent.Script{
				ExitAt: tc.at, ExitCode: 7, ExitAfterAnswer: tc.after, Updates: 4,
			})
			answered, frames := c.conversation(tc.at == fakeagent.ExitAtCancel)
			if tc.at == fakeagent.ExitAtEOF {
				require.NoError(t, c.conn.Close())
			}
			var exit *fakeagent.ExitError
			require.ErrorAs(t, c.wait(), &exit)
			assert.Equal(t, 7, exit.Code)
			assert.Equal(t, tc.answered, answered)
			if tc.at == fakeagent.ExitAtMidTurn {
				assert.Equal(t, "chunk 0 chunk 1 ", said(frames))
			}
		})
	}
}

// conversation goes on as long as the agent does. It returns the ids answered and all frames.
func (c *client) conversation(cancel bool) (answered []string, frames []frame) {
	session := ""
	for n := 1; n <= 4; n++ {
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, n,
			[]string{"initialize", "session/new", "session/prompt", "session/close"}[n-1],
			[]string{initParams, newParams, promptParams(session, "hi"), fmt.Sprintf(`{"sessionId":%q}`, session)}[n-1])
		if n == 4 && cancel {
			line = fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, session)
		}
		if _, err := fmt.Fprintln(c.conn, line); err != nil {
			return answered, frames
		}
		for {
			f, ok := c.next()
			if !ok {
				return answered, frames
			}
			frames = append(frames, f)
			if f.Method != "" {
				continue
			}
			answered = append(answered, string(f.ID))
			var r struct{ SessionID string }
			if json.Unmarshal(f.Result, &r) == nil && r.SessionID != "" {
				session = r.SessionID
			}
			break
		}
	}
	return answered, frames
}

func TestExitCodeZero(t *testing.T) {
	err := dial(t, &fakeagent.Script{ExitAt: fakeagent.ExitAtStart}).wait()
	var exit *fakeagent.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 0, exit.Code)
	assert.ErrorContains(t, err, "code 0")
}
