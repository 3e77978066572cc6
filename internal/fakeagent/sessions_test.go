package fakeagent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakeagent"
)

func openParams(session string) string {
	return fmt.Sprintf(`{"sessionId":%q,"cwd":"/work","mcpServers":[]}`, session)
}

func ofSession(session string) string { return fmt.Sprintf(`{"sessionId":%q}`, session) }

// commands skips to the updates that follow every answer that opens a session, and returns what came before.
func (c *client) commands() []frame {
	c.t.Helper()
	all := c.until(func(f frame) bool { return f.Params.Update.SessionUpdate == "available_commands_update" })
	return all[:len(all)-1]
}

func (c *client) load(session string) (answer frame, replayed []frame) {
	c.t.Helper()
	answer, replayed = c.call("session/load", openParams(session))
	if answer.Error == nil {
		assert.Empty(c.t, c.commands())
	}
	return answer, replayed
}

func updates(frames []frame) []string {
	var all []string
	for _, f := range frames {
		var p struct {
			Params struct{ Update json.RawMessage }
		}
		if json.Unmarshal([]byte(f.raw), &p) == nil && p.Params.Update != nil {
			all = append(all, string(p.Params.Update))
		}
	}
	return all
}

func currentMode(t *testing.T, f frame) string {
	t.Helper()
	require.Nil(t, f.Error)
	var r struct {
		Modes struct {
			CurrentModeID  string
			AvailableModes []json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal(f.Result, &r))
	assert.Len(t, r.Modes.AvailableModes, 2)
	return r.Modes.CurrentModeID
}

func TestLoadReplaysTheHistory(t *testing.T) {
	for _, closed := range []bool{false, true} {
		t.Run(fmt.Sprint(closed), func(t *testing.T) {
			c := dial(t, nil)
			session := c.open()
			_, first := c.prompt(session, `one "quoted" 世界`, `"result":{}`)
			_, second := c.prompt(session, "permission", selected("opt-7"))
			c.call("session/set_mode", fmt.Sprintf(`{"sessionId":%q,"modeId":"plan"}`, session))
			c.must()
			if closed {
				c.call("session/close", ofSession(session))
			}
			answer, replayed := c.load(session)
			assert.Equal(t, "plan", currentMode(t, answer))
			var want []string
			for n, turn := range [][]frame{first, second} {
				text := []string{`one \"quoted\" 世界`, "permission"}[n]
				want = append(want, fmt.Sprintf(`{"sessionUpdate":"user_message_chunk","messageId":"user-%d",`+
					`"content":{"type":"text","text":"%s"}}`, n+1, text))
				want = append(want, updates(turn)...)
			}
			assert.Equal(t, want, updates(replayed))
			for _, f := range replayed {
				assert.Equal(t, session, f.Params.SessionID)
			}
			_, before := c.prompt(session, "go on", `"result":{}`)
			assert.Equal(t, "call-3-1", before[2].Params.Update.ToolCallID, "ids go on too")
		})
	}
}

func TestRecall(t *testing.T) {
	c := dial(t, nil)
	session := c.open()
	_, before := c.prompt(session, "recall", `"result":{}`)
	assert.Equal(t, "history: 0 prompts: ", said(before))
	c.prompt(session, "second", `"result":{}`)
	f, before := c.prompt(session, "recall", `"result":{}`)
	require.Len(t, before, 1)
	assert.Equal(t, "history: 2 prompts: recall | second", said(before))
	assert.Equal(t, "end_turn", stopReason(t, f))
}

func TestResume(t *testing.T) {
	c := dial(t, nil)
	session := c.open()
	c.prompt(session, "one", `"result":{}`)
	c.call("session/close", ofSession(session))
	answer, before := c.call("session/resume", fmt.Sprintf(`{"sessionId":%q,"cwd":"/work"}`, session))
	assert.Equal(t, "default", currentMode(t, answer))
	assert.Empty(t, before)
	assert.Empty(t, c.commands())
	_, before = c.prompt(session, "recall", `"result":{}`)
	assert.Equal(t, "history: 1 prompts: one", said(before))
}

func TestFork(t *testing.T) {
	c := dial(t, nil)
	session := c.open()
	c.prompt(session, "one", `"result":{}`)
	answer, before := c.call("session/fork", fmt.Sprintf(`{"sessionId":%q,"cwd":"/other"}`, session))
	assert.Equal(t, "default", currentMode(t, answer))
	assert.Empty(t, before)
	c.commands()
	var r struct{ SessionID string }
	require.NoError(t, json.Unmarshal(answer.Result, &r))
	require.NotEqual(t, session, r.SessionID)
	c.prompt(session, "only in the first", `"result":{}`)
	c.prompt(r.SessionID, "only in the fork", `"result":{}`)
	for id, want := range map[string]string{
		session:     "history: 2 prompts: one | only in the first",
		r.SessionID: "history: 2 prompts: one | only in the fork",
	} {
		_, before = c.prompt(id, "recall", `"result":{}`)
		assert.Equal(t, want, said(before))
	}
	_, replayed := c.load(r.SessionID)
	assert.Contains(t, said(replayed), "You said: one\n")
	assert.NotContains(t, said(replayed), "only in the first")
	_, replayed = c.load(session)
	assert.NotContains(t, said(replayed), "only in the fork")
}

type page struct {
	Sessions []struct {
		SessionID, CWD, Title, UpdatedAt string
		AdditionalDirectories            []string
	}
	NextCursor *string
}

func (c *client) list(params string) page {
	c.t.Helper()
	f, _ := c.call("session/list", params)
	require.Nil(c.t, f.Error)
	var p page
	require.NoError(c.t, json.Unmarshal(f.Result, &p))
	return p
}

func TestList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := dial(t, &fakeagent.Script{PageSize: 2, Empty: true})
		assert.Empty(t, c.list(`{}`).Sessions)
		var ids []string
		for n := range 5 {
			f, _ := c.call("session/new",
				fmt.Sprintf(`{"cwd":"/dir%d","mcpServers":[],"additionalDirectories":["/a","/b"]}`, n%2))
			var r struct{ SessionID string }
			require.NoError(t, json.Unmarshal(f.Result, &r))
			c.commands()
			ids = append([]string{r.SessionID}, ids...)
			<-time.After(time.Second) // in the bubble's time
		}
		c.prompt(ids[4], strings.Repeat("x", 100), `"result":{}`)
		ids = []string{ids[4], ids[0], ids[1], ids[2], ids[3]} // the oldest has changed last
		var got []string
		params := `{}`
		for {
			p := c.list(params)
			for _, s := range p.Sessions {
				got = append(got, s.SessionID)
				assert.Equal(t, []string{"/a", "/b"}, s.AdditionalDirectories)
				at, err := time.Parse(time.RFC3339, s.UpdatedAt)
				require.NoError(t, err)
				assert.WithinDuration(t, time.Now(), at, time.Minute)
			}
			if p.NextCursor == nil {
				break
			}
			assert.Len(t, p.Sessions, 2)
			params = fmt.Sprintf(`{"cursor":%q}`, *p.NextCursor)
		}
		assert.Equal(t, ids, got)
		first := c.list(`{"cwd":null,"cursor":null}`).Sessions[0]
		assert.Equal(t, strings.Repeat("x", 60)+"…", first.Title)
		p := c.list(`{"cwd":"/dir1"}`)
		require.Len(t, p.Sessions, 2)
		assert.Nil(t, p.NextCursor)
		assert.Equal(t, "/dir1", p.Sessions[0].CWD)
		assert.Empty(t, p.Sessions[0].Title, "never prompted")
		assert.Empty(t, c.list(`{"cwd":"/else"}`).Sessions)
	})
}

func TestDelete(t *testing.T) {
	c := dial(t, &fakeagent.Script{NeverEnd: true, Updates: 1})
	session := c.open()
	prompt := c.request("session/prompt", promptParams(session, "hi"))
	c.until(says("chunk 0 "))
	f, before := c.call("session/delete", ofSession(session))
	assert.JSONEq(t, `{}`, string(f.Result))
	require.Len(t, before, 1)
	assert.Equal(t, prompt, string(before[0].ID), "the turn is answered first")
	assert.Empty(t, c.list(`{}`).Sessions)
	for _, method := range []string{"session/load", "session/resume", "session/fork", "session/delete"} {
		f, _ := c.call(method, openParams(session))
		require.NotNil(t, f.Error, method)
		assert.Equal(t, -32002, f.Error.Code, method)
		assert.Contains(t, f.Error.Message, "Session not found")
	}
}

func TestSetupRefusals(t *testing.T) {
	bad := map[string]string{
		"relative cwd":       `"cwd":"work"`,
		"relative directory": `"cwd":"/w","additionalDirectories":["a"]`,
		"directory object":   `"cwd":"/w","additionalDirectories":{}`,
		"prompt text":        `"cwd":"/w","systemPrompt":"be good"`,
		"prompt mode":        `"cwd":"/w","systemPrompt":{"mode":"replace","content":[{"type":"text","text":"x"}]}`,
		"prompt empty":       `"cwd":"/w","systemPrompt":{"mode":"append","content":[]}`,
		"prompt image":       `"cwd":"/w","systemPrompt":{"mode":"append","content":[{"type":"image","data":""}]}`,
		"servers":            `"cwd":"/w","mcpServers":{}`,
	}
	c := dial(t, nil)
	session := c.open()
	for _, method := range []string{"session/new", "session/load", "session/resume", "session/fork"} {
		for name, members := range bad {
			if !strings.Contains(members, "mcpServers") {
				members += `,"mcpServers":[]`
			}
			f, _ := c.call(method, fmt.Sprintf(`{"sessionId":%q,%s}`, session, members))
			require.NotNil(t, f.Error, method+name)
			assert.Equal(t, -32602, f.Error.Code, method+name)
		}
	}
	for method, params := range map[string]string{
		"session/load": fmt.Sprintf(`{"sessionId":%q,"cwd":"/w"}`, session), "session/list": `{"cwd":"x"}`,
		"session/delete": `[]`,
	} {
		f, _ := c.call(method, params)
		require.NotNil(t, f.Error, method)
		assert.Equal(t, -32602, f.Error.Code, method)
	}
	for _, cursor := range []string{"!", "", "aGVsbG8"} {
		f, _ := c.call("session/list", fmt.Sprintf(`{"cursor":%q}`, cursor))
		require.NotNil(t, f.Error, cursor)
		assert.Equal(t, -32602, f.Error.Code, cursor)
	}
}

func TestLoadOfASessionWithAnOpenTurn(t *testing.T) {
	c := dial(t, nil)
	session := c.open()
	id := c.request("session/prompt", promptParams(session, "permission"))
	asked := c.until(calls("session/request_permission"))
	_, replayed := c.load(session)
	assert.Len(t, replayed, len(asked), "the prompt is new, the request is no update")
	c.send(`{"jsonrpc":"2.0","id":%s,%s}`, asked[len(asked)-1].ID, selected("opt-7"))
	all := c.until(answers(id))
	assert.Equal(t, "end_turn", stopReason(t, all[len(all)-1]))
}
