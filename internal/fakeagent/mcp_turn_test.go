package fakeagent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakeagent"
	"github.com/acpharness/acpharness/internal/fakemcp"
	"github.com/acpharness/acpharness/internal/fakemodel"
)

func TestMCPToolCallIsAnnouncedAndItsResultGoesBack(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write(agentFile(entries{"s": b.server("s")}, "*"))
	b.start(fakeagent.MCPScript{})
	session := b.begin()
	f, before := b.prompt(session, `@@TOOL s_beta {"x":"1"}@@`, "")
	assert.Equal(t, "end_turn", stopReason(t, f))
	require.Len(t, before, 3)
	assert.Equal(t, []string{"tool_call", "tool_call_update", "agent_message_chunk"}, kinds(before))
	assert.Contains(t, before[0].raw, `"rawInput":{"x":"1"}`)
	assert.Contains(t, before[0].raw, `"title":"s_beta"`)
	assert.Equal(t, "completed", before[1].Params.Update.Status)
	assert.Contains(t, before[1].raw, `s/beta: {\"x\":\"1\"}`)
	assert.Equal(t, `done after tool: s/beta: {"x":"1"}`, said(before))
	assert.Equal(t, "no such tool: s_gamma", b.use(session, "s_gamma"))

	b.call("session/close", fmt.Sprintf(`{"sessionId":%q}`, session))
	b.call("session/load", fmt.Sprintf(`{"sessionId":%q,"cwd":"/work","mcpServers":[]}`, session))
	assert.Equal(t, "s_alpha s_beta", b.offered(session))
	calls := b.model.Calls()
	var roles []string
	for _, m := range calls[len(calls)-1].History {
		roles = append(roles, m.Role)
	}
	turn := []string{"user", "assistant", "tool", "assistant"}
	assert.Equal(t, append(append(turn, turn...), "user"), roles, "the conversation is that of the session, for good")
}

func TestMCPPermission(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, tool string
		change     settings // of the file
		entry      []any    // of the server
		asks       bool
	}{
		{"nothing allows", "s_alpha", settings{"allowedTools": nil}, nil, true},
		{"another is allowed", "s_alpha", settings{"allowedTools": []string{"@other", "@s/beta", "*"}}, nil, true},
		{"the server is allowed", "s_alpha", settings{"allowedTools": []string{"@s"}}, nil, false},
		{"the tool is allowed", "s_beta", settings{"allowedTools": []string{"@s/beta"}}, nil, false},
		{"approved", "s_beta", settings{"allowedTools": nil}, []any{"autoApprove", []string{"beta"}}, false},
		{"another is approved", "s_alpha", settings{"allowedTools": nil}, []any{"autoApprove", []string{"beta"}}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			content := agentFile(entries{"s": b.server("s", tc.entry...)}, "*")
			for name, value := range tc.change {
				with(content, name, value)
			}
			b.write(content)
			b.start(fakeagent.MCPScript{})
			session := b.begin()
			for reply, want := range map[string]string{
				selected("opt-7"): "s/" + tc.tool[2:] + `: {"x":"1"}`, selected("opt-9"): "not permitted: rejected (reject_once)",
			} {
				_, before := b.prompt(session, fmt.Sprintf(`@@TOOL %s {"x":"1"}@@`, tc.tool), reply)
				asked := 0
				for _, f := range before {
					if f.Method == "session/request_permission" {
						asked++
						assert.Equal(t, "other", f.Params.ToolCall.Kind)
						assert.NotEmpty(t, f.Params.ToolCall.ToolCallID)
					}
				}
				if !tc.asks {
					assert.Zero(t, asked)
					want = "s/" + tc.tool[2:] + `: {"x":"1"}`
				} else {
					assert.Equal(t, 1, asked)
				}
				assert.Equal(t, "done after tool: "+want, said(before))
			}
		})
	}
}

func TestMCPCancelEndsATurnAtEveryStep(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	tools := b.file + ".tools"
	require.NoError(t, os.WriteFile(tools, []byte(`{"tools":[{"name":"alpha","delay":"1h"}]}`), 0o600))
	env := b.env("s")
	env[serverTools] = tools
	b.write(agentFile(entries{"s": b.server("s", "env", env), "ask": b.server("ask")}, "*"))
	b.start(fakeagent.MCPScript{})
	session := b.begin()
	for name, step := range map[string]struct {
		prompt string
		wait   func()
		status string
	}{
		"model":      {"@@HANG@@", func() {}, ""},
		"permission": {"@@TOOL ask_alpha@@", func() { b.until(calls("session/request_permission")) }, "failed"},
		"tool": {"@@TOOL s_alpha@@", func() {
			b.await(func(e fakemcp.Entry) bool { return e.Method == "tools/call" }, 1)
		}, "failed"},
	} {
		id := b.request("session/prompt", promptParams(session, step.prompt))
		step.wait()
		b.cancel(session)
		all := b.until(answers(id))
		assert.Equal(t, "cancelled", stopReason(t, all[len(all)-1]), name)
		if step.status != "" {
			assert.Equal(t, step.status, all[len(all)-2].Params.Update.Status, name)
		}
	}
	b.await(func(e fakemcp.Entry) bool { return e.Method == "notifications/cancelled" }, 1)
	assert.Equal(t, "ask_alpha ask_beta s_alpha", b.offered(session), "the session goes on")
}

func TestMCPModelThatFailsOrNeverEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write(agentFile(entries{"s": b.server("s")}, "*"))
	b.start(fakeagent.MCPScript{})
	session := b.begin()
	f, _ := b.prompt(session, "@@ERR 503@@", "")
	require.NotNil(t, f.Error)
	assert.Equal(t, -32603, f.Error.Code)
	assert.Contains(t, f.Error.Message, "status 503")
	assert.Equal(t, "s_alpha s_beta", b.offered(session), "the session goes on")

	greedy, err := fakemodel.Listen(t.Context(), "127.0.0.1:0", &fakemodel.Options{Reply: func(fakemodel.Request) fakemodel.Reply {
		return fakemodel.Reply{Kind: fakemodel.KindTool, Tool: fakemodel.ToolCall{Name: "s_alpha", Args: json.RawMessage(`{}`)}}
	}})
	require.NoError(t, err)
	defer func() { require.NoError(t, greedy.Close()) }()
	c := dial(t, &fakeagent.Script{MCP: &fakeagent.MCPScript{File: b.file, Model: greedy.URL()}})
	f, before := c.prompt(c.open(), "hi", "")
	assert.Equal(t, "end_turn", stopReason(t, f))
	assert.Equal(t, "I have called tools often enough.", said(before))
	assert.Len(t, greedy.Calls(), 8)
}

func TestMCPWithoutAModel(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write(agentFile(entries{"s": b.server("s")}, "@s/beta"))
	c := dialWith(t, fakeagent.Options{AgentFile: b.file})
	session := c.open()
	_, before := c.prompt(session, "tools", "")
	assert.Equal(t, "s_beta", said(before))
	_, before = c.prompt(session, "hi", "")
	assert.Equal(t, "You said: hi\n"+note, said(before))
	require.NoError(t, os.Remove(b.file))
	b.await(happened("s", fakemcp.EventExit), 1)
	_, before = c.prompt(session, "tools", "")
	assert.Equal(t, "no tools", said(before))

	c = dial(t, nil)
	_, before = c.prompt(c.open(), "tools", "")
	assert.Equal(t, "You said: tools\n"+note, said(before), "there is no file")
}
