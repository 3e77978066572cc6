package fakemodel_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakemodel"
)

const responsesUsage = `{"input_tokens":1234,"input_tokens_details":{"cached_tokens":1000},"output_tokens":56,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":1290}`

// responsesRequest is the JSON of a request with one user message.
func responsesRequest(text string, stream bool) string {
	body, err := json.Marshal(map[string]any{
		"model": "fake-model", "stream": stream,
		"input": []any{map[string]any{"type": "message", "role": "user", "content": []any{map[string]any{"type": "input_text", "text": text}}}},
		"tools": []any{
			map[string]any{"type": "custom", "name": "patch"},
			map[string]any{"type": "namespace", "name": "ns", "tools": []any{map[string]any{"type": "function", "name": "t"}}},
		},
	})
	if err != nil {
		panic(err)
	}
	return string(body)
}

func TestResponsesWhole(t *testing.T) {
	message := func(id, text string) string {
		return `{"type":"message","id":"` + id + `","status":"completed","role":"assistant","content":[{"type":"output_text","text":"` + text + `","annotations":[]}]}`
	}
	tests := []struct{ name, text, output string }{
		{"pong", "hello", message("msg_2", "pong")},
		{"empty", "@@EMPTY@@", message("msg_2", "")},
		{"slow", "@@SLOW 2 1@@", message("msg_2", "slow0 slow1 ")},
		{"thinking", "@@THINK@@", `{"type":"reasoning","id":"rs_2","summary":[{"type":"summary_text","text":"pondering"}]},` + message("msg_3", "pong")},
		{"tool", `@@TOOL bash {"command":"ls"}@@`, `{"type":"function_call","id":"fc_2","call_id":"call_3","status":"completed","name":"bash","arguments":"{\"command\":\"ls\"}"}`},
		{"tool in a namespace", "@@TOOL ns/t@@", `{"type":"function_call","id":"fc_2","call_id":"call_3","status":"completed","namespace":"ns","name":"t","arguments":"{}"}`},
		{"tool with a slash in its name", "@@TOOL a/b@@", `{"type":"function_call","id":"fc_2","call_id":"call_3","status":"completed","name":"a/b","arguments":"{}"}`},
		{"custom tool", `@@TOOL patch {"input":"*** Begin"}@@`, `{"type":"custom_tool_call","id":"fc_2","call_id":"call_3","status":"completed","name":"patch","input":"*** Begin"}`},
		{"custom tool without an input", `@@TOOL patch {"a":1}@@`, `{"type":"custom_tool_call","id":"fc_2","call_id":"call_3","status":"completed","name":"patch","input":"{\"a\":1}"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.JSONEq(t, `{"id":"resp_1","object":"response","created_at":1,"status":"completed","error":null,
				"incomplete_details":null,"model":"fake-model","output":[`+tt.output+`],"usage":`+responsesUsage+`}`,
				answered(t, "/v1/responses", responsesRequest(tt.text, false)))
		})
	}
}

func TestResponsesStream(t *testing.T) {
	const (
		begun   = `{"id":"resp_1","object":"response","created_at":1,"status":"in_progress","error":null,"incomplete_details":null,"model":"fake-model","output":[],"usage":null}`
		empty   = `{"type":"message","id":"ID","status":"in_progress","role":"assistant","content":[]}`
		message = `{"type":"message","id":"ID","status":"completed","role":"assistant","content":[{"type":"output_text","text":"TEXT","annotations":[]}]}`
		says    = `"item_id":"ID","output_index":N,"content_index":0`
		thinks  = `"item_id":"rs_2","output_index":0,"summary_index":0`
		thought = `{"type":"reasoning","id":"rs_2","summary":[{"type":"summary_text","text":"pondering"}]}`
		calls   = `"item_id":"fc_2","output_index":0`
	)
	said := func(n, id, text string, pieces ...string) ([]string, string) {
		set := strings.NewReplacer("ID", id, "TEXT", text, "N", n)
		list := []string{
			`{"type":"response.output_item.added","output_index":N,"item":` + empty + `}`,
			`{"type":"response.content_part.added",` + says + `,"part":{"type":"output_text","text":"","annotations":[]}}`,
		}
		for _, piece := range pieces {
			list = append(list, `{"type":"response.output_text.delta",`+says+`,"delta":"`+piece+`"}`)
		}
		list = append(list,
			`{"type":"response.output_text.done",`+says+`,"text":"TEXT"}`,
			`{"type":"response.content_part.done",`+says+`,"part":{"type":"output_text","text":"TEXT","annotations":[]}}`,
			`{"type":"response.output_item.done","output_index":N,"item":`+message+`}`)
		for i := range list {
			list[i] = set.Replace(list[i])
		}
		return list, set.Replace(message)
	}
	pong, pongItem := said("0", "msg_2", "pong", "pong")
	words, wordsItem := said("0", "msg_2", "one two", "one ", "two")
	none, noneItem := said("0", "msg_2", "")
	after, afterItem := said("1", "msg_3", "pong", "pong")
	call := func(kind, name, argument, value string) string {
		return `{"type":"` + kind + `","id":"fc_2","call_id":"call_3",` + name + `,"` + argument + `":"` + value
	}
	function := call("function_call", `"namespace":"ns","name":"t"`, "arguments", "")
	custom := call("custom_tool_call", `"name":"patch"`, "input", "")
	tests := []struct {
		name, text string
		events     []string
		output     string
	}{
		{"pong", "hello", pong, pongItem},
		{"words", "@@TEXT one two@@", words, wordsItem},
		{"empty", "@@EMPTY@@", none, noneItem},
		{"thinking", "@@THINK@@", append([]string{
			`{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_2","summary":[]}}`,
			`{"type":"response.reasoning_summary_part.added",` + thinks + `,"part":{"type":"summary_text","text":""}}`,
			`{"type":"response.reasoning_summary_text.delta",` + thinks + `,"delta":"pondering"}`,
			`{"type":"response.reasoning_summary_text.done",` + thinks + `,"text":"pondering"}`,
			`{"type":"response.reasoning_summary_part.done",` + thinks + `,"part":{"type":"summary_text","text":"pondering"}}`,
			`{"type":"response.output_item.done","output_index":0,"item":` + thought + `}`,
		}, after...), thought + `,` + afterItem},
		{"tool", `@@TOOL ns/t {"a": 1}@@`, []string{
			`{"type":"response.output_item.added","output_index":0,"item":` + function + `","status":"in_progress"}}`,
			`{"type":"response.function_call_arguments.delta",` + calls + `,"delta":"{\"a\": "}`,
			`{"type":"response.function_call_arguments.delta",` + calls + `,"delta":"1}"}`,
			`{"type":"response.function_call_arguments.done",` + calls + `,"name":"t","arguments":"{\"a\": 1}"}`,
			`{"type":"response.output_item.done","output_index":0,"item":` + function + `{\"a\": 1}","status":"completed"}}`,
		}, function + `{\"a\": 1}","status":"completed"}`},
		{"custom tool", `@@TOOL patch {"input":"in"}@@`, []string{
			`{"type":"response.output_item.added","output_index":0,"item":` + custom + `","status":"in_progress"}}`,
			`{"type":"response.custom_tool_call_input.delta",` + calls + `,"delta":"in"}`,
			`{"type":"response.custom_tool_call_input.done",` + calls + `,"input":"in"}`,
			`{"type":"response.output_item.done","output_index":0,"item":` + custom + `in","status":"completed"}}`,
		}, custom + `in","status":"completed"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := append([]string{
				`{"type":"response.created","response":` + begun + `}`,
				`{"type":"response.in_progress","response":` + begun + `}`,
			}, tt.events...)
			finished := strings.NewReplacer("in_progress", "completed", `"output":[]`, `"output":[`+tt.output+`]`, `"usage":null`, `"usage":`+responsesUsage).Replace(begun)
			want = append(want, `{"type":"response.completed","response":`+finished+`}`)

			var got []map[string]any
			require.NoError(t, json.Unmarshal([]byte(answered(t, "/v1/responses", responsesRequest(tt.text, true))), &got))
			for i := range got {
				assert.InDelta(t, i, got[i]["sequence_number"], 0)
				delete(got[i], "sequence_number")
			}
			again, err := json.Marshal(got)
			require.NoError(t, err)
			assert.JSONEq(t, `[`+strings.Join(want, ",")+`]`, string(again))
		})
	}
}

func TestResponsesTextBeforeATool(t *testing.T) {
	for _, stream := range []bool{false, true} {
		_, server := serve(t, &fakemodel.Options{Reply: func(fakemodel.Request) fakemodel.Reply {
			return fakemodel.Reply{Kind: fakemodel.KindTool, Text: "look:", Tool: fakemodel.ToolCall{Name: "t"}}
		}})
		res := postTo(t, server, "/responses", responsesRequest("", stream))
		data := res.body
		if stream {
			events := readEvents(t, res.body)
			assert.Contains(t, events[len(events)-3].data, `"response.function_call_arguments.done","sequence_number":10,"output_index":1`)
			data = events[len(events)-1].data
		}
		assert.Regexp(t, `"output":\[\{"type":"message".*"look:".*\},\{"type":"function_call"`, data)
	}
}

func TestResponsesError(t *testing.T) {
	for _, stream := range []bool{false, true} {
		_, server := serve(t, nil)
		res := postTo(t, server, "/v1/responses", responsesRequest("@@ERR 429@@", stream))
		assert.Equal(t, 429, res.status)
		assert.JSONEq(t, `{"error":{"message":"fake error 429","type":"fake_error","code":"fake_429"}}`, res.body)
	}
}

func TestResponsesInput(t *testing.T) {
	got := understood(t, "/v1/responses", `{
		"model": "m", "stream": true, "unknown": {"x": 1}, "instructions": "s", "text": null,
		"input": [
			{"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "d"}]},
			{"role": "user", "content": "u"},
			{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": "data:"}, {"type": "input_text", "text": "b"}]},
			{"type": "reasoning", "summary": [], "content": null, "encrypted_content": "x"},
			{"type": "function_call", "name": "t", "arguments": "{}", "call_id": "1"},
			{"type": "function_call_output", "call_id": "1", "output": "r1"},
			{"type": "custom_tool_call", "name": "t", "input": "", "call_id": "2"},
			{"type": "custom_tool_call_output", "call_id": "2", "output": [{"type": "input_text", "text": "r2"}]},
			{"type": "local_shell_call", "call_id": "3", "action": {}},
			{"type": "local_shell_call_output", "call_id": "3", "output": {"content": "r3", "ok": true}},
			{"type": "function_call_output", "call_id": "4"},
			{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "said"}]},
			{"type": "message", "role": "user"},
			{"type": "item_reference", "id": "x", "content": 1}
		],
		"tools": [
			{"type": "function", "name": "t", "parameters": {}},
			{"type": "namespace", "name": "mcp__x", "tools": [{"type": "function", "name": "a"}, {"type": "function", "name": "b"}]},
			{"type": "custom", "name": "patch", "format": {}},
			{"type": "web_search"}
		]
	}`)
	assert.Equal(t, fakemodel.Request{
		API: "openai-responses", Model: "m", Stream: true, Tools: []string{"t", "mcp__x/a", "mcp__x/b", "patch", "web_search"},
		Messages: []message{
			{Role: "system", Text: "s"},
			{Role: "developer", Text: "d"},
			user("u"),
			user("a\nb"),
			{Role: "assistant"},
			{Role: "assistant"},
			{Role: "tool", Text: "r1"},
			{Role: "assistant"},
			{Role: "tool", Text: "r2"},
			{Role: "assistant"},
			{Role: "tool", Text: `{"content":"r3","ok":true}`},
			{Role: "tool"},
			{Role: "assistant", Text: "said"},
			user(""),
		},
	}, got)

	got = understood(t, "/v1/responses", `{"model":"m","input":"u"}`)
	assert.Equal(t, fakemodel.Request{API: "openai-responses", Model: "m", Messages: []message{user("u")}}, got)
	assert.Empty(t, understood(t, "/v1/responses", `{"input":null}`).Messages)
}

func TestResponsesRefuses(t *testing.T) {
	tests := []struct{ name, body, message string }{
		{"not JSON", `{`, "cannot read the responses request: unexpected end"},
		{"input", `{"input":1}`, "cannot read the responses request: cannot read an input"},
		{"content", `{"input":[{"type":"message","content":1}]}`, "cannot read the responses request: cannot read a content"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, server := serve(t, nil)
			res := postTo(t, server, "/responses", tt.body)
			assert.Equal(t, http.StatusBadRequest, res.status)
			assert.Contains(t, res.body, tt.message)
		})
	}
}
