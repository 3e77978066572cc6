package fakemodel_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/acpharness/acpharness/internal/fakemodel"
)

const anthropicUsage = `{"input_tokens":234,"cache_creation_input_tokens":0,"cache_read_input_tokens":1000,"output_tokens":56}`

// anthropicRequest is the JSON of a request with one user message.
func anthropicRequest(text string, stream bool) string {
	body, err := json.Marshal(map[string]any{
		"model": "fake-model", "stream": stream,
		"messages": []any{map[string]any{"role": "user", "content": text}},
	})
	if err != nil {
		panic(err)
	}
	return string(body)
}

func TestAnthropicWhole(t *testing.T) {
	tests := []struct{ name, text, content, stop string }{
		{"pong", "hello", `{"type":"text","text":"pong"}`, "end_turn"},
		{"empty", "@@EMPTY@@", `{"type":"text","text":""}`, "end_turn"},
		{"slow", "@@SLOW 2 1@@", `{"type":"text","text":"slow0 slow1 "}`, "end_turn"},
		{"thinking", "@@THINK@@", `{"type":"thinking","thinking":"pondering","signature":"c2lnbmF0dXJl"},{"type":"text","text":"pong"}`, "end_turn"},
		{"tool", `@@TOOL Bash {"command":"ls"}@@`, `{"type":"tool_use","id":"toolu_2","name":"Bash","input":{"command":"ls"}}`, "tool_use"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.JSONEq(t, `{"id":"msg_1","type":"message","role":"assistant","model":"fake-model","content":[`+tt.content+`],
				"stop_reason":"`+tt.stop+`","stop_sequence":null,"usage":`+anthropicUsage+`}`,
				answered(t, "/v1/messages?beta=true", anthropicRequest(tt.text, false)))
		})
	}
}

func TestAnthropicStream(t *testing.T) {
	block := func(index int, start string, deltas ...string) string {
		n := strconv.Itoa(index)
		events := `{"type":"content_block_start","index":` + n + `,"content_block":` + start + `},`
		for _, delta := range deltas {
			events += `{"type":"content_block_delta","index":` + n + `,"delta":` + delta + `},`
		}
		return events + `{"type":"content_block_stop","index":` + n + `}`
	}
	const text = `{"type":"text","text":""}`
	tests := []struct{ name, text, blocks, stop string }{
		{"pong", "hello", block(0, text, `{"type":"text_delta","text":"pong"}`), "end_turn"},
		{"words", "@@TEXT one two@@", block(0, text, `{"type":"text_delta","text":"one "}`, `{"type":"text_delta","text":"two"}`), "end_turn"},
		{"empty", "@@EMPTY@@", block(0, text), "end_turn"},
		{
			"thinking", "@@THINK@@",
			block(0, `{"type":"thinking","thinking":"","signature":""}`, `{"type":"thinking_delta","thinking":"pondering"}`, `{"type":"signature_delta","signature":"c2lnbmF0dXJl"}`) +
				`,` + block(1, text, `{"type":"text_delta","text":"pong"}`),
			"end_turn",
		},
		{
			"tool", `@@TOOL Bash {"a": 1}@@`,
			block(0, `{"type":"tool_use","id":"toolu_2","name":"Bash","input":{}}`, `{"type":"input_json_delta","partial_json":"{\"a\": "}`, `{"type":"input_json_delta","partial_json":"1}"}`),
			"tool_use",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			begun := strings.Replace(anthropicUsage, "56", "1", 1)
			assert.JSONEq(t, `[
				{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"fake-model","content":[],"stop_reason":null,"stop_sequence":null,"usage":`+begun+`}},
				`+tt.blocks+`,
				{"type":"message_delta","delta":{"stop_reason":"`+tt.stop+`","stop_sequence":null},"usage":`+anthropicUsage+`},
				{"type":"message_stop"}]`,
				answered(t, "/v1/messages?beta=true", anthropicRequest(tt.text, true)))
		})
	}
}

func TestAnthropicTextBeforeATool(t *testing.T) {
	for _, stream := range []bool{false, true} {
		_, server := serve(t, &fakemodel.Options{Reply: func(fakemodel.Request) fakemodel.Reply {
			return fakemodel.Reply{Kind: fakemodel.KindTool, Text: "look:", Tool: fakemodel.ToolCall{Name: "t"}}
		}})
		res := postTo(t, server, "/messages", anthropicRequest("", stream))
		assert.Regexp(t, `(?s)"text":"look:".*"tool_use","id":"toolu_2","name":"t","input":\{\}.*"stop_reason":"tool_use"`, res.body)
	}
}

func TestAnthropicError(t *testing.T) {
	tests := []struct {
		status int
		kind   string
	}{
		{400, "invalid_request_error"},
		{401, "authentication_error"},
		{403, "permission_error"},
		{404, "not_found_error"},
		{413, "request_too_large"},
		{418, "invalid_request_error"},
		{429, "rate_limit_error"},
		{500, "api_error"},
		{503, "api_error"},
		{529, "overloaded_error"},
	}
	for _, tt := range tests {
		for _, stream := range []bool{false, true} {
			code := strconv.Itoa(tt.status)
			t.Run(code, func(t *testing.T) {
				_, server := serve(t, nil)
				res := postTo(t, server, "/v1/messages", anthropicRequest("@@ERR "+code+"@@", stream))
				assert.Equal(t, tt.status, res.status)
				assert.JSONEq(t, `{"type":"error","error":{"type":"`+tt.kind+`","message":"fake error `+code+`"}}`, res.body)
			})
		}
	}
}

func TestAnthropicMessages(t *testing.T) {
	got := understood(t, "/v1/messages", `{
		"model": "m", "stream": true, "unknown": {"x": 1},
		"system": [{"type": "text", "text": "s1"}, {"type": "text", "text": "s2", "cache_control": {"type": "ephemeral"}}],
		"messages": [
			{"role": "user", "content": [{"type": "text", "text": "<system-reminder>x</system-reminder>"}, {"type": "text", "text": "a"}, {"type": "image", "source": {}}]},
			{"role": "assistant", "content": [{"type": "thinking", "thinking": "t"}, {"type": "text", "text": "b"}, {"type": "text", "text": "c"}, {"type": "tool_use", "id": "1", "name": "t", "input": {}}]},
			{"role": "user", "content": [{"type": "text", "text": ""}, {"type": "tool_result", "tool_use_id": "1", "content": "r1"}, {"type": "tool_result", "tool_use_id": "2", "content": [{"type": "text", "text": "r2"}, {"type": "image", "source": {}}]}, {"type": "text", "text": "d"}]},
			{"role": "assistant", "content": [{"type": "tool_use", "id": "3", "name": "t", "input": {}}, {"type": "web_search_tool_result", "content": {"type": "error"}}]},
			{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "3"}]},
			{"role": "user", "content": "e"},
			{"role": "user", "content": [{"type": "image", "source": {}}]}
		],
		"tools": [{"name": "t", "input_schema": {}}, {"type": "web_search_20250305", "name": "web_search"}]
	}`)
	assert.Equal(t, fakemodel.Request{
		API: "anthropic-messages", Model: "m", Stream: true, Tools: []string{"t", "web_search"},
		Messages: []message{
			{Role: "system", Text: "s1\ns2"},
			user("<system-reminder>x</system-reminder>"),
			user("a"),
			{Role: "assistant", Text: "b\nc"},
			{Role: "tool", Text: "r1"},
			{Role: "tool", Text: "r2"},
			user(""),
			user("d"),
			{Role: "assistant"},
			{Role: "tool"},
			user("e"),
			user(""),
		},
	}, got)

	got = understood(t, "/v1/messages", `{"model":"m","system":"s"}`)
	assert.Equal(t, fakemodel.Request{API: "anthropic-messages", Model: "m", Messages: []message{{Role: "system", Text: "s"}}}, got)
}

// TestAnthropicReminders has the blocks that agents put around prompts and
// results.
func TestAnthropicReminders(t *testing.T) {
	const (
		reminder = `{"type":"text","text":"<system-reminder>\nx\n</system-reminder>"}`
		blank    = `{"type":"text","text":" "}`
		failed   = `{"type":"text","text":"@@ERR 400@@"}`
		prompt   = `{"type":"text","text":"@@TEXT a@@"}`
		plain    = `{"type":"text","text":"hello"}`
		result   = `{"type":"tool_result","tool_use_id":"1","content":"ok"}`
	)
	tests := []struct{ name, blocks, want string }{
		{"before a prompt", reminder + `,` + prompt, "a"},
		{"after a prompt", prompt + `,` + reminder + `,` + blank, "a"},
		{"after a result", result + `,` + reminder + `,` + blank, "done after tool: ok"},
		{"before a result", reminder + `,` + result, "done after tool: ok"},
		{"prompt after a result", result + `,` + reminder + `,` + prompt, "a"},
		{"plain prompt after a result", result + `,` + plain, "pong"},
		{"failed prompt before one", failed + `,` + plain + `,` + reminder, "pong"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := `{"messages":[{"role":"user","content":"@@TOOL t@@"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"t","input":{}}]},{"role":"user","content":[` + tt.blocks + `]}]}`
			assert.Contains(t, answered(t, "/v1/messages", body), `"content":[{"type":"text","text":"`+tt.want+`"}]`)
		})
	}
}

func TestAnthropicRefuses(t *testing.T) {
	tests := []struct{ name, path, body, message string }{
		{"not JSON", "/messages", `{`, "cannot read the messages request: unexpected end"},
		{"content", "/messages", `{"messages":[{"role":"user","content":1}]}`, "cannot read the messages request: cannot read a content"},
		{"system", "/messages", `{"system":1}`, "cannot read the messages request: cannot read a content"},
		{"count", "/messages/count_tokens", `[]`, "cannot read the messages request"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, server := serve(t, nil)
			res := postTo(t, server, tt.path, tt.body)
			assert.Equal(t, http.StatusBadRequest, res.status)
			assert.Contains(t, res.body, `{"type":"error","error":{"type":"invalid_request_error","message":"`+tt.message)
		})
	}
}
