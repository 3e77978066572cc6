package fakeagent_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakeagent"
)

func TestParseScript(t *testing.T) {
	s, err := fakeagent.ParseScript([]byte(`{"slowStart":"1m30s","agentInfo":null,"exitAt":"mid-turn","exitCode":3,
		"noise":[{"at":"before","method":"initialize","text":"log\n","bytes":"/w=="}],"requestID":-1,
		"tool":{"count":2,"reuseId":true},"error":{"code":-32603,"message":"x","data":[1]},
		"callClient":[{"method":"fs/read_text_file","params":{"path":"/a"}}],
		"mcp":{"file":"/a","profile":"slow","notice":"none","delay":"1s"}}`))
	require.NoError(t, err)
	assert.Equal(t, &fakeagent.Script{
		SlowStart: fakeagent.Duration(90 * time.Second), AgentInfo: json.RawMessage(`null`),
		ExitAt: fakeagent.ExitAtMidTurn, ExitCode: 3,
		Noise:     []fakeagent.Noise{{At: fakeagent.NoiseAtBefore, Method: "initialize", Text: "log\n", Bytes: []byte{0xff}}},
		RequestID: json.RawMessage(`-1`), Tool: &fakeagent.Tool{Count: 2, ReuseID: true},
		Error:      &fakeagent.RPCError{Code: -32603, Message: "x", Data: json.RawMessage(`[1]`)},
		CallClient: []fakeagent.Call{{Method: "fs/read_text_file", Params: json.RawMessage(`{"path":"/a"}`)}},
		MCP: &fakeagent.MCPScript{
			File: "/a", Profile: fakeagent.MCPSlow, Notice: fakeagent.MCPNoticeNone,
			Delay: fakeagent.Duration(time.Second),
		},
	}, s)
	data, err := json.Marshal(s)
	require.NoError(t, err)
	again, err := fakeagent.ParseScript(data)
	require.NoError(t, err)
	assert.Equal(t, s, again)
	zero, err := json.Marshal(fakeagent.Script{})
	require.NoError(t, err)
	assert.JSONEq(t, `{}`, string(zero))
}

func TestParseScriptRefuses(t *testing.T) {
	for _, tc := range []struct{ name, script, want string }{
		{"unknown member", `{"slow":1}`, `unknown field "slow"`},
		{"unknown nested member", `{"tool":{"x":1}}`, `unknown field "x"`},
		{"trailing data", `{} {}`, "more data"},
		{"no json", `silent`, "cannot read script"},
		{"number as duration", `{"slowStart":5}`, "cannot read duration"},
		{"bad duration", `{"slowStart":"5 parsecs"}`, "cannot read duration"},
		{"exit point", `{"exitAt":"later"}`, "exitAt"},
		{"cancel", `{"cancel":"maybe"}`, "cancel"},
		{"permission", `{"permissionOn":"friday"}`, "permissionOn"},
		{"negative", `{"updates":-1}`, "updates: must not be negative"},
		{"negative tool", `{"tool":{"count":-1}}`, "tool.count"},
		{"noise place", `{"noise":[{"at":"inside"}]}`, "noise.at"},
		{"noise nowhere", `{"noise":[{"text":"x"}]}`, "noise: at is missing"},
		{"glued line", `{"noise":[{"at":"glued","text":"x\n"}]}`, "glued"},
		{"call without method", `{"callClient":[{}]}`, "callClient"},
		{"request id", `{"requestID":{}}`, "requestID"},
		{"answer before start", `{"exitAt":"start","exitAfterAnswer":true}`, "exitAfterAnswer"},
		{"answer in mid turn", `{"exitAt":"mid-turn","exitAfterAnswer":true}`, "exitAfterAnswer"},
		{"negative page", `{"pageSize":-1}`, "pageSize"},
		{"negative delay", `{"newDelay":"-1s"}`, "newDelay"},
		{"negative replay", `{"replayUpdates":-1}`, "replayUpdates"},
		{"negative late replay", `{"replayLate":-1}`, "replayLate"},
		{"negative unsolicited", `{"unsolicited":-1}`, "unsolicited"},
		{"error as text", `{"loadError":"no"}`, "loadError"},
		{"unknown member of an error", `{"loadError":{"text":"no"}}`, `unknown field "text"`},
		{"child as object", `{"child":{}}`, "child"},
		{
			"silent load", `{"loadSilent":true,"loadError":{"code":1,"message":"x"},"replayLate":1}`,
			"loadSilent: contradicts loadError, replayLate",
		},
		{"refused load", `{"loadError":{"code":1,"message":"x"},"replayNone":true}`, "loadError: contradicts replayNone"},
		{"no replay", `{"replayNone":true,"replayUpdates":3}`, "replayNone: contradicts replayUpdates"},
		{"cancelled and stop", `{"cancelled":true,"stop":"end_turn"}`, "cancelled: contradicts stop"},
		{"cancelled and error", `{"cancelled":true,"error":{"code":1,"message":"x"}}`, "cancelled: contradicts error"},
		{"cancelled and not", `{"cancelled":true,"cancel":"end_turn"}`, "cancelled: contradicts cancel end_turn"},
		{"desync without cancel", `{"desync":true,"cancel":"ignore"}`, "desync: contradicts cancel ignore"},
		{"desync of no session", `{"desync":true,"cancelKillsSession":true}`, "desync: contradicts cancelKillsSession"},
		{"kill without cancel", `{"cancelKillsSession":true,"cancel":"ignore"}`, "cancelKillsSession: contradicts"},
		{"echo in an empty turn", `{"empty":true,"echoPrompt":true}`, "empty: contradicts echoPrompt"},
		{"no child to announce", `{"childAnnounced":true}`, "there is no child"},
		{"no child to ask", `{"childPermission":true}`, "there is no child"},
		{"unknown member of mcp", `{"mcp":{"servers":{}}}`, `unknown field "servers"`},
		{"profile", `{"mcp":{"profile":"perfect"}}`, "mcp.profile"},
		{"notice", `{"mcp":{"notice":"server"}}`, "mcp.notice"},
		{"negative delay of mcp", `{"mcp":{"profile":"slow","delay":"-1s"}}`, "mcp.delay: must not be negative"},
		{"delay of no slow agent", `{"mcp":{"delay":"1s"}}`, `mcp.delay: only profile "slow" has one`},
		{"model without a scheme", `{"mcp":{"model":"127.0.0.1:80"}}`, "mcp.model: want a URL"},
		{"model of no server", `{"mcp":{"model":"file:///tmp"}}`, "mcp.model: want a URL"},
		{
			"a model and turns without one", `{"mcp":{"model":"http://a"},"empty":true,"callClient":[{"method":"m"}],"permissionOn":"never"}`,
			"mcp.model: contradicts empty, callClient, permissionOn",
		},
		{"no last answer", `{"exitAt":"prompt","noNewlineAtEOF":true}`, "noNewlineAtEOF"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := fakeagent.ParseScript([]byte(tc.script))
			assert.ErrorContains(t, err, tc.want)
		})
	}
}

func TestServeRefusesABadScript(t *testing.T) {
	for name, s := range map[string]*fakeagent.Script{
		"stop":             {Stop: json.RawMessage(`{`)},
		"error.data":       {Error: &fakeagent.RPCError{Data: json.RawMessage(`x`)}},
		"usage":            {Usage: json.RawMessage(`x`)},
		"loadError.data":   {LoadError: &fakeagent.RPCError{Data: json.RawMessage(`x`)}},
		"resumeError.data": {ResumeError: &fakeagent.RPCError{Data: json.RawMessage(`x`)}},
		"callClient":       {CallClient: []fakeagent.Call{{Method: "m", Params: json.RawMessage(`{`)}, {Method: "n"}}},
	} {
		err := fakeagent.Serve(context.Background(), strings.NewReader(""), io.Discard, &fakeagent.Options{Script: s})
		var scriptErr *fakeagent.ScriptError
		require.ErrorAs(t, err, &scriptErr)
		assert.ErrorContains(t, err, name)
	}
}
