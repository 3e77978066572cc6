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

func TestTurnKnobs(t *testing.T) {
	for _, tc := range []struct {
		name, script string
		kinds        []string // of the updates; nil if not looked at
		said         string   // contained in the text
		answer       string   // contained in the answer
	}{
		{
			"updates", `{"updates":3}`,
			[]string{"agent_message_chunk", "agent_message_chunk", "agent_message_chunk"},
			"chunk 0 chunk 1 chunk 2 ", `"stopReason":"end_turn"`,
		},
		{"updateSize", `{"updates":2,"updateSize":10}`, nil, "chunk 0 xxchunk 1 xx", ""},
		{"updateSize too small", `{"updates":1,"updateSize":2}`, nil, "chunk 0 ", ""},
		{"empty", `{"empty":true}`, []string{}, "", `"stopReason":"end_turn"`},
		{"empty wins", `{"empty":true,"updates":3}`, []string{}, "", ""},
		{"stop", `{"stop":42,"empty":true}`, []string{}, "", `"stopReason":42`},
		{"stop null", `{"stop":null}`, nil, note, `"stopReason":null`},
		{"omitStop", `{"omitStop":true,"empty":true}`, []string{}, "", `"result":{"usage"`},
		{
			"error", `{"error":{"code":-32603,"message":"quota","data":{"a":1}},"updates":1}`,
			[]string{"agent_message_chunk"},
			"chunk 0 ", `"error":{"code":-32603,"message":"quota","data":{"a":1}}`,
		},
		{"unknownUpdate", `{"unknownUpdate":true,"updates":1}`, []string{"future_update", "agent_message_chunk"}, "", ""},
		{"unknownRequest", `{"unknownRequest":true,"updates":1}`, nil, "chunk 0  Vendor ask: error -32601.", ""},
		{"unknownRequest in the default turn", `{"unknownRequest":true}`, nil, note + " Vendor ask: error -32601.", ""},
		{
			"callClient", `{"callClient":[{"method":"fs/read_text_file","params":{"path":"/a"}},{"method":"x"}]}`, nil,
			" Client fs/read_text_file: error -32601. Client x: error -32601.", "",
		},
		{"permissionOn never", `{"permissionOn":"never"}`, nil, note, ""},
		{"permissionOn prompt", `{"permissionOn":"prompt"}`, nil, note + " Permission: error -32601.", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			script, err := fakeagent.ParseScript([]byte(tc.script))
			require.NoError(t, err)
			c := dial(t, script)
			f, before := c.prompt(c.open(), "no permissions", `"error":{"code":-32601,"message":"no"}`)
			if tc.kinds != nil {
				assert.ElementsMatch(t, tc.kinds, kinds(before))
			}
			assert.Contains(t, said(before), tc.said)
			assert.Contains(t, f.raw, tc.answer)
		})
	}
}

func TestToolKnobs(t *testing.T) {
	type card struct{ update, id, kind, status string }
	for _, tc := range []struct {
		name, script string
		want         []card // of two turns
	}{
		{"default", `{"updates":1,"tool":{}}`, []card{
			{"tool_call", "call-1-1", "read", "pending"},
			{"tool_call_update", "call-1-1", "", "completed"},
			{"tool_call", "call-2-1", "read", "pending"},
			{"tool_call_update", "call-2-1", "", "completed"},
		}},
		{"kind and status", `{"tool":{"kind":"execute","status":"failed","title":"Run"}}`, []card{
			{"tool_call", "call-1-1", "execute", "pending"},
			{"tool_call_update", "call-1-1", "", "failed"},
			{"tool_call", "call-2-1", "execute", "pending"},
			{"tool_call_update", "call-2-1", "", "failed"},
		}},
		{"no create", `{"tool":{"noCreate":true}}`, []card{
			{"tool_call_update", "call-1-1", "", "completed"}, {"tool_call_update", "call-2-1", "", "completed"},
		}},
		{"upsert", `{"updates":1,"tool":{"upsert":true,"reuseId":true}}`, []card{
			{"tool_call", "call-reused", "read", "pending"},
			{"tool_call", "call-reused", "read", "completed"},
			{"tool_call", "call-reused", "read", "pending"},
			{"tool_call", "call-reused", "read", "completed"},
		}},
		{"open", `{"updates":1,"tool":{"open":true,"count":2}}`, []card{
			{"tool_call", "call-1-1", "read", "pending"},
			{"tool_call", "call-1-2", "read", "pending"},
			{"tool_call", "call-2-1", "read", "pending"},
			{"tool_call", "call-2-2", "read", "pending"},
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			script, err := fakeagent.ParseScript([]byte(tc.script))
			require.NoError(t, err)
			c := dial(t, script)
			session := c.open()
			var got []card
			for range 2 {
				_, before := c.prompt(session, "hi", `"result":{}`)
				for _, f := range before {
					if u := f.Params.Update; u.ToolCallID != "" {
						got = append(got, card{u.SessionUpdate, u.ToolCallID, u.Kind, u.Status})
					}
				}
			}
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestLargeUpdates(t *testing.T) {
	for _, size := range []int{70_000, 20_000_000} {
		c := dial(t, &fakeagent.Script{Updates: 1, UpdateSize: size})
		_, before := c.prompt(c.open(), "hi", `"result":{}`)
		assert.Len(t, said(before), size)
	}
}

func TestUpdateDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := dial(t, &fakeagent.Script{Updates: 3, UpdateDelay: fakeagent.Duration(time.Second), LateUpdates: 1})
		session := c.open()
		begin := time.Now()
		c.prompt(session, "hi", `"result":{}`)
		assert.Equal(t, 3*time.Second, time.Since(begin))
		c.until(says("late 0 "))
		assert.Equal(t, 4*time.Second, time.Since(begin))
	})
}

func TestEarlyAndLateUpdates(t *testing.T) {
	c := dial(t, &fakeagent.Script{EarlyUpdates: 2, LateUpdates: 2, Updates: 1})
	c.call("initialize", initParams)
	f, early := c.call("session/new", newParams)
	assert.Equal(t, "early 0 early 1 ", said(early))
	assert.Contains(t, string(f.Result), early[0].Params.SessionID)
	_, before := c.prompt(early[0].Params.SessionID, "hi", `"result":{}`)
	assert.Equal(t, "chunk 0 ", said(before))
	assert.Equal(t, "late 0 late 1 ", said([]frame{c.must(), c.must()}))
}

func TestUnknownNotification(t *testing.T) {
	c := dial(t, &fakeagent.Script{UnknownNotification: true, UnknownUpdate: true, Updates: 1})
	_, before := c.prompt(c.open(), "hi", `"result":{}`)
	assert.Equal(t, "_vendor/notice", before[0].Method)
	assert.Nil(t, before[0].ID)
	assert.Contains(t, string(before[1].Params.Update.Content), `"type":"video"`)
}

func TestRequestID(t *testing.T) {
	for raw, second := range map[string]string{
		"": "2", "0": "2", "-1": "2", "9007199254740993": "2", `"perm-7f<"`: "2", "2": "3", `"2"`: "2",
	} {
		t.Run(raw, func(t *testing.T) {
			script := &fakeagent.Script{CallClient: []fakeagent.Call{{Method: "one"}, {Method: "two"}}, Empty: true}
			first := "1"
			if raw != "" {
				script.RequestID, first = json.RawMessage(raw), raw
			}
			c := dial(t, script)
			_, before := c.prompt(c.open(), "hi", `"result":{}`)
			require.Len(t, before, 2)
			assert.Equal(t, first, string(before[0].ID))
			assert.Equal(t, second, string(before[1].ID))
			answered := c.journal(fakeagent.EventResponse)
			require.Len(t, answered, 2)
			assert.Equal(t, []string{"one", "two"}, []string{answered[0].Method, answered[1].Method})
		})
	}
}

func TestOddResponsesOfTheClient(t *testing.T) {
	for _, tc := range []struct{ name, reply, want string }{
		{"null result", `"result":null`, "ok null"},
		{"both, error null", `"result":1,"error":null`, "ok 1"},
		{"both", `"result":1,"error":{"code":-1,"message":"x"}`, "error -1"},
		{"neither", `"x":1`, "error -32600"},
		{"error is text", `"error":"no"`, "error -32600"},
		{"long", `"result":"` + strings.Repeat("é", 300) + `"`, `ok "` + strings.Repeat("é", 199) + "…"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := dial(t, &fakeagent.Script{UnknownRequest: true})
			_, before := c.prompt(c.open(), "hi", tc.reply)
			assert.Contains(t, said(before), "Vendor ask: "+tc.want+".")
		})
	}
}

func TestResponseWithAnotherIDIsNoAnswer(t *testing.T) {
	c := dial(t, &fakeagent.Script{UnknownRequest: true})
	id := c.request("session/prompt", promptParams(c.open(), "hi"))
	c.until(calls("_vendor/ask"))
	c.send(`{"jsonrpc":"2.0","id":"1","result":{}}`)
	c.send(`{"jsonrpc":"2.0","id":1,"error":{"code":-5,"message":"x"}}`)
	assert.Contains(t, said(c.until(answers(id))), "Vendor ask: error -5.")
	assert.Empty(t, c.journal(fakeagent.EventResponse)[0].Method)
}

func TestCallClientParams(t *testing.T) {
	script, err := fakeagent.ParseScript([]byte(`{"empty":true,"callClient":[
		{"method":"terminal/create","params":{"command":"ls"}},
		{"method":"terminal/output","params":{"terminalId":"$terminalId","sessionId":"other"}},
		{"method":"odd","params":[1]}]}`))
	require.NoError(t, err)
	c := dial(t, script)
	session := c.open()
	_, before := c.prompt(session, "hi", `"result":{"terminalId":"term \"1\""}`)
	require.Len(t, before, 3)
	for n, want := range []string{
		fmt.Sprintf(`{"command":"ls","sessionId":%q}`, session),
		`{"terminalId":"term \"1\"","sessionId":"other"}`,
		`[1]`,
	} {
		var f struct{ Params json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(before[n].raw), &f))
		assert.JSONEq(t, want, string(f.Params))
	}
}
