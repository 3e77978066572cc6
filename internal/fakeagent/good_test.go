package fakeagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakeagent"
)

const note = "This is the built-in demo agent of acpharness; there is no model behind it."

func TestInitialize(t *testing.T) {
	c := dial(t, nil)
	f, _ := c.call("initialize", `{"protocolVersion":2}`)
	assert.JSONEq(t, `{"protocolVersion":1,
		"agentInfo":{"name":"acpharness-mock","title":"acpharness built-in agent","version":"1.2.3"},
		"agentCapabilities":{"loadSession":true,"promptCapabilities":{},"mcpCapabilities":{},
			"sessionCapabilities":{"list":{},"resume":{},"fork":{},"delete":{},"close":{},"additionalDirectories":{}}},
		"authMethods":[]}`, string(f.Result))
	f, _ = c.call("initialize", `{}`)
	require.NotNil(t, f.Error)
	assert.Equal(t, -32602, f.Error.Code)
}

func TestSessionNew(t *testing.T) {
	c := dial(t, nil)
	first, second := c.open(), c.openAnother()
	assert.NotEqual(t, first, second)
	c.request("session/new", newParams)
	var r struct {
		Modes struct {
			CurrentModeID  string
			AvailableModes []struct{ ID string }
		}
	}
	require.NoError(t, json.Unmarshal(c.must().Result, &r), "the answer comes before the commands")
	assert.Equal(t, "available_commands_update", c.must().Params.Update.SessionUpdate)
	assert.Equal(t, "default", r.Modes.CurrentModeID)
	assert.Len(t, r.Modes.AvailableModes, 2)
}

func TestDefaultTurn(t *testing.T) {
	c := dial(t, nil)
	session := c.open()
	f, before := c.prompt(session, "say <hi> \u2028 世界", `"result":{}`)
	assert.Equal(t, "You said: say <hi> \u2028 世界\n"+note, said(before))
	assert.Equal(t, []string{"agent_thought_chunk", "plan", "tool_call", "tool_call_update"}, kinds(before)[:4])
	assert.Equal(t, "plan", before[len(before)-1].Params.Update.SessionUpdate)
	assert.Equal(t, "read", before[2].Params.Update.Kind)
	assert.Equal(t, "pending", before[2].Params.Update.Status)
	assert.Equal(t, "completed", before[3].Params.Update.Status)
	pieces := before[4 : len(before)-1]
	assert.Greater(t, len(pieces), 2)
	for _, p := range pieces {
		assert.Equal(t, "msg-1", p.Params.Update.MessageID)
		assert.Equal(t, session, p.Params.SessionID)
	}
	words := len(strings.Fields(said(before)))
	var r struct {
		StopReason string
		Usage      struct{ InputTokens, OutputTokens, TotalTokens int }
	}
	require.NoError(t, json.Unmarshal(f.Result, &r))
	assert.Equal(t, "end_turn", r.StopReason)
	assert.Equal(t, 3, r.Usage.InputTokens)
	assert.GreaterOrEqual(t, r.Usage.OutputTokens, words)
	assert.Equal(t, r.Usage.InputTokens+r.Usage.OutputTokens, r.Usage.TotalTokens)
	_, before = c.prompt(session, "again", `"result":{}`)
	assert.Equal(t, "msg-2", before[5].Params.Update.MessageID)
}

func TestRefusals(t *testing.T) {
	for _, tc := range []struct {
		name, method, params string
		code                 int
	}{
		{"relative cwd", "session/new", `{"cwd":"work","mcpServers":[]}`, -32602},
		{"no servers", "session/new", `{"cwd":"/work"}`, -32602},
		{"servers null", "session/new", `{"cwd":"/work","mcpServers":null}`, -32602},
		{"servers object", "session/new", `{"cwd":"/work","mcpServers":{}}`, -32602},
		{"env as map", "session/new", `{"cwd":"/w","mcpServers":[{"name":"a","command":"/a","args":[],"env":{}}]}`, -32602},
		{"no env", "session/new", `{"cwd":"/w","mcpServers":[{"name":"a","command":"/a","args":[]}]}`, -32602},
		{"no headers", "session/new", `{"cwd":"/w","mcpServers":[{"type":"http","name":"a","url":"http://a"}]}`, -32602},
		{"params array", "session/new", `[]`, -32602},
		{"prompt in unknown session", "session/prompt", `{"sessionId":"x","prompt":[]}`, -32002},
		{"prompt no array", "session/prompt", `{"sessionId":"SESSION","prompt":"hi"}`, -32602},
		{"prompt missing", "session/prompt", `{"sessionId":"SESSION"}`, -32602},
		{"close unknown", "session/close", `{"sessionId":"x"}`, -32002},
		{"unknown mode", "session/set_mode", `{"sessionId":"SESSION","modeId":"x"}`, -32602},
		{"unknown auth", "authenticate", `{"methodId":"x"}`, -32602},
		{"unknown method", "session/fly", `{}`, -32601},
		{"extension", "_vendor/x", `{}`, -32601},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := dial(t, nil)
			session := c.open()
			f, _ := c.call(tc.method, strings.ReplaceAll(tc.params, "SESSION", session))
			require.NotNil(t, f.Error)
			assert.Equal(t, tc.code, f.Error.Code)
		})
	}
}

func TestEnvelopes(t *testing.T) {
	for _, tc := range []struct {
		name, line, id string
		code           int
	}{
		{"cut json", `{"jsonrpc":"2.0","id":9,`, `null`, -32700},
		{"text", `hello`, `null`, -32700},
		{"bad utf-8", "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"\xff\"}", `null`, -32700},
		{"batch", `[{"jsonrpc":"2.0","id":9,"method":"x"}]`, `null`, -32600},
		{"scalar", `7`, `null`, -32600},
		{"null", `null`, `null`, -32600},
		{"no version", `{"id":9,"method":"initialize"}`, `9`, -32600},
		{"object id", `{"jsonrpc":"2.0","id":{},"method":"x"}`, `null`, -32600},
		{"method number", `{"jsonrpc":"2.0","id":9,"method":1}`, `9`, -32600},
		{"nothing", `{"jsonrpc":"2.0"}`, `null`, -32600},
		{"string id", `{"jsonrpc":"2.0","id":"<a>\u00e9","method":"x"}`, `"<a>\u00e9"`, -32601},
		{"big id", `{"jsonrpc":"2.0","id":9007199254740993,"method":"x"}`, `9007199254740993`, -32601},
		{"fraction id", `{"jsonrpc":"2.0","id":1.0,"method":"x"}`, `1.0`, -32601},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"x"}`, `null`, -32601},
		{"upper-case names", `{"jsonrpc":"2.0","ID":9,"METHOD":"x"}`, `null`, -32600},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := dial(t, nil)
			c.send("%s", "")
			c.send("%s", `{"jsonrpc":"2.0","method":"_unknown/notification"}`)
			c.send("%s", `{"jsonrpc":"2.0","id":77,"result":{}}`)
			c.send("%s", tc.line)
			f := c.must()
			require.NotNil(t, f.Error)
			assert.Equal(t, tc.code, f.Error.Code)
			assert.Contains(t, f.raw, `{"jsonrpc":"2.0","id":`+tc.id+`,"error":`)
		})
	}
}

func TestJournal(t *testing.T) {
	c := dial(t, nil)
	session := c.open()
	c.send(`nonsense`)
	c.must()
	c.cancel(session)
	c.prompt(session, "permission", `"error":{"code":-32603,"message":"no"}`)
	requests := c.journal(fakeagent.EventRequest)
	require.Len(t, requests, 3)
	assert.Equal(t, "initialize", requests[0].Method)
	assert.JSONEq(t, initParams, string(requests[0].Params))
	assert.Equal(t, "session/cancel", c.journal(fakeagent.EventNotification)[0].Method)
	invalid := c.journal(fakeagent.EventInvalid)
	require.Len(t, invalid, 1)
	assert.Equal(t, "nonsense", string(invalid[0].Raw))
	assert.Equal(t, -32700, invalid[0].Error.Code)
	responses := c.journal(fakeagent.EventResponse)
	require.Len(t, responses, 1)
	assert.Equal(t, "session/request_permission", responses[0].Method)
	assert.EqualError(t, responses[0].Error, "no (-32603)")
}

func TestSetMode(t *testing.T) {
	c := dial(t, nil)
	session := c.open()
	f, _ := c.call("session/set_mode", fmt.Sprintf(`{"sessionId":%q,"modeId":"plan"}`, session))
	assert.JSONEq(t, `{}`, string(f.Result))
	assert.Equal(t, "plan", c.must().Params.Update.CurrentModeID)
}

func TestCloseEndsTheTurnFirst(t *testing.T) {
	c := dial(t, &fakeagent.Script{NeverEnd: true, Cancel: fakeagent.CancelIgnore})
	session := c.open()
	prompt := c.request("session/prompt", promptParams(session, "hi"))
	c.until(says("hi"))
	closing := c.request("session/close", fmt.Sprintf(`{"sessionId":%q}`, session))
	all := c.until(answers(prompt))
	assert.Equal(t, "cancelled", stopReason(t, all[len(all)-1]))
	f := c.must()
	assert.Equal(t, closing, string(f.ID))
	assert.JSONEq(t, `{}`, string(f.Result))
	f, _ = c.call("session/prompt", promptParams(session, "hi"))
	require.NotNil(t, f.Error)
	assert.Equal(t, -32002, f.Error.Code)
}

func TestBusySessionAndOtherSessions(t *testing.T) {
	c := dial(t, &fakeagent.Script{PermissionOn: fakeagent.PermissionOnWord})
	one, two := c.open(), c.openAnother()
	first := c.request("session/prompt", promptParams(one, "permission please"))
	asked := c.until(calls("session/request_permission"))
	f, _ := c.call("session/prompt", promptParams(one, "me too"))
	require.NotNil(t, f.Error)
	assert.Equal(t, -32600, f.Error.Code)
	f, before := c.prompt(two, "hi", `"result":{}`)
	assert.Equal(t, "end_turn", stopReason(t, f))
	assert.Contains(t, said(before), "You said: hi")
	c.send(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":"opt-7"}}}`,
		asked[len(asked)-1].ID)
	all := c.until(answers(first))
	assert.Equal(t, "end_turn", stopReason(t, all[len(all)-1]))
}

func TestManySessionsAtOnce(t *testing.T) {
	const n = 8
	c := dial(t, nil)
	sessions := []string{c.open()}
	for range n - 1 {
		sessions = append(sessions, c.openAnother())
	}
	open := map[string]bool{}
	for i, s := range sessions {
		open[c.request("session/prompt", promptParams(s, fmt.Sprintf("text %d", i)))] = true
	}
	bySession := map[string][]frame{}
	for len(open) > 0 {
		f := c.must()
		if f.Method == "" {
			assert.Equal(t, "end_turn", stopReason(t, f))
			delete(open, string(f.ID))
			continue
		}
		bySession[f.Params.SessionID] = append(bySession[f.Params.SessionID], f)
	}
	for i, s := range sessions {
		assert.Equal(t, fmt.Sprintf("You said: text %d\n%s", i, note), said(bySession[s]))
	}
}

func TestInputIsReadWhateverTheChunks(t *testing.T) {
	text := strings.Repeat("长", 100_000)
	input := fmt.Sprintf("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":%s}\r\n\r\n"+
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/prompt\",\"params\":%s}", initParams, promptParams("x", text))
	for _, size := range []int{1, 7, 4096, len(input)} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			var out strings.Builder
			var seen []fakeagent.Event
			r := &chunked{data: input, size: size}
			err := fakeagent.Serve(context.Background(), r, &out, &fakeagent.Options{
				Journal: func(ev fakeagent.Event) { seen = append(seen, ev) },
			})
			require.NoError(t, err)
			require.Len(t, seen, 2, "a last line without a line end counts")
			assert.Contains(t, string(seen[1].Params), text)
			assert.Contains(t, out.String(), `"version":"0.0.0"`)
			assert.Contains(t, out.String(), `{"jsonrpc":"2.0","id":2,"error":{"code":-32002`)
		})
	}
}

type chunked struct {
	data string
	size int
}

func (c *chunked) Read(p []byte) (int, error) {
	if c.data == "" {
		return 0, io.EOF
	}
	n := copy(p, c.data[:min(c.size, len(c.data))])
	c.data = c.data[n:]
	return n, nil
}

func TestEnds(t *testing.T) {
	t.Run("EOF answers open turns", func(t *testing.T) {
		ours, theirs := io.Pipe()
		out, w := io.Pipe()
		result := make(chan error, 1)
		go func() {
			result <- fakeagent.Serve(context.Background(), ours, w, &fakeagent.Options{
				Script: &fakeagent.Script{NeverEnd: true, Updates: 1, Cancel: fakeagent.CancelIgnore},
			})
			_ = w.Close()
		}()
		go func() {
			_, _ = io.WriteString(theirs, `{"jsonrpc":"2.0","id":1,"method":"session/new","params":`+newParams+"}\n")
		}()
		buf := make([]byte, 1<<16)
		n, err := out.Read(buf)
		require.NoError(t, err)
		var f frame
		require.NoError(t, json.Unmarshal(buf[:n], &f))
		var r struct{ SessionID string }
		require.NoError(t, json.Unmarshal(f.Result, &r))
		go func() {
			_, _ = io.WriteString(theirs, `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":`+
				promptParams(r.SessionID, "hi")+"}\n")
			_ = theirs.Close()
		}()
		rest, err := io.ReadAll(out)
		require.NoError(t, err)
		assert.Contains(t, string(rest), `"id":2,"result":{"stopReason":"cancelled"`)
		assert.NoError(t, <-result)
	})
	t.Run("client gone", func(t *testing.T) {
		c := dial(t, &fakeagent.Script{Updates: 1000})
		c.request("session/prompt", promptParams(c.open(), "hi"))
		require.NoError(t, c.conn.Close())
		assert.NoError(t, c.wait())
	})
	t.Run("context", func(t *testing.T) {
		c := dial(t, &fakeagent.Script{NeverEnd: true})
		c.request("session/prompt", promptParams(c.open(), "hi"))
		c.stop()
		assert.ErrorIs(t, c.wait(), context.Canceled)
	})
	t.Run("context while nobody reads", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		r, in := io.Pipe()
		out, w := io.Pipe()
		result := make(chan error, 1)
		go func() { result <- fakeagent.Serve(ctx, r, w, nil) }()
		_, err := io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"x"}`+"\n")
		require.NoError(t, err)
		cancel()
		assert.ErrorIs(t, <-result, context.Canceled)
		_, err = out.Read(make([]byte, 1))
		assert.Error(t, err)
	})
	t.Run("bad reader and writer", func(t *testing.T) {
		broken := errors.New("broken")
		err := fakeagent.Serve(context.Background(), failing{broken}, io.Discard, nil)
		require.ErrorIs(t, err, broken)
		err = fakeagent.Serve(context.Background(), strings.NewReader("x\n"), failing{broken}, nil)
		require.ErrorIs(t, err, broken)
	})
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error)  { return 0, f.err }
func (f failing) Write([]byte) (int, error) { return 0, f.err }
