package fakemodel_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakemodel"
)

const usageJSON = `{"prompt_tokens":1234,"completion_tokens":56,"total_tokens":1290,"prompt_tokens_details":{"cached_tokens":1000}}`

// chunk is what the tests read of an event.
type chunk struct {
	ID, Object, Model string
	Choices           []struct {
		Delta struct {
			Role      string
			Content   *string
			Reasoning string `json:"reasoning_content"`
			ToolCalls []struct {
				Index    *int
				ID, Type string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		FinishReason *string `json:"finish_reason"`
	}
	Usage json.RawMessage
}

// answer is a stream put together again.
type answer struct {
	role, reasoning, text, finish  string
	toolID, toolName, toolArgs     string
	usage                          string
	usageAlone                     bool
	chunks, contentChunks, argJoin int
}

// parse reads a stream strictly: data lines with blank lines between them, one
// id throughout, and [DONE] as the last thing.
func parse(t *testing.T, stream io.Reader) answer {
	t.Helper()
	var a answer
	var id string
	done := false
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		require.False(t, done, "something after [DONE]")
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		require.True(t, ok, lines.Text())
		require.True(t, lines.Scan(), "an event without an end")
		require.Empty(t, lines.Text())
		if data == "[DONE]" {
			done = true
			continue
		}
		var c chunk
		require.NoError(t, json.Unmarshal([]byte(data), &c))
		require.Equal(t, "chat.completion.chunk", c.Object)
		require.Equal(t, "fake-model", c.Model)
		if id == "" {
			id = c.ID
		}
		require.Equal(t, id, c.ID)
		a.add(t, c)
	}
	require.NoError(t, lines.Err())
	require.True(t, done, "no [DONE]")
	return a
}

func (a *answer) add(t *testing.T, c chunk) {
	t.Helper()
	a.chunks++
	if c.Usage != nil {
		a.usage, a.usageAlone = string(c.Usage), len(c.Choices) == 0
	}
	for _, choice := range c.Choices {
		require.Empty(t, a.finish, "a choice after the finish reason")
		d := choice.Delta
		if a.chunks == 1 {
			a.role = d.Role
		}
		a.reasoning += d.Reasoning
		if d.Content != nil && *d.Content != "" {
			a.text += *d.Content
			a.contentChunks++
		}
		for _, call := range d.ToolCalls {
			require.Equal(t, 0, *call.Index)
			a.toolID += call.ID
			a.toolName += call.Function.Name
			a.toolArgs += call.Function.Arguments
			a.argJoin++
		}
		if choice.FinishReason != nil {
			a.finish = *choice.FinishReason
		}
	}
}

func TestChatStream(t *testing.T) {
	tests := []struct {
		name, text string
		want       answer
	}{
		{"pong", "hello", answer{text: "pong", finish: "stop", chunks: 3, contentChunks: 1}},
		{"words", "@@TEXT one two three@@", answer{text: "one two three", finish: "stop", chunks: 5, contentChunks: 3}},
		{"thinking", "@@THINK@@", answer{reasoning: "pondering", text: "pong", finish: "stop", chunks: 4, contentChunks: 1}},
		{"empty", "@@EMPTY@@", answer{finish: "stop", chunks: 2}},
		{"slow", "@@SLOW 3 1@@", answer{text: "slow0 slow1 slow2 ", finish: "stop", chunks: 5, contentChunks: 3}},
		{
			"tool", `@@TOOL bash {"command": "ls -l"}@@`,
			answer{toolName: "bash", toolArgs: `{"command": "ls -l"}`, finish: "tool_calls", chunks: 6, argJoin: 4},
		},
	}
	for _, tt := range tests {
		for _, include := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				_, server := serve(t, nil)
				more := map[string]any{"stream": true}
				want := tt.want
				if include {
					more["stream_options"] = map[string]any{"include_usage": true}
					want.usageAlone = true
					want.chunks++
				}
				want.role, want.usage = "assistant", usageJSON
				res := post(t, server, chatRequest(tt.text, more))
				assert.Equal(t, http.StatusOK, res.status)
				assert.Equal(t, "text/event-stream", res.contentType)
				got := parse(t, strings.NewReader(res.body))
				if tt.want.toolName != "" {
					assert.Regexp(t, `^call_\d+$`, got.toolID)
					got.toolID = ""
				}
				// The pieces of the arguments depend on where the words end.
				if want.argJoin > 0 {
					assert.Greater(t, got.argJoin, 1)
					want.argJoin, want.chunks = got.argJoin, got.chunks
				}
				assert.Equal(t, want, got)
			})
		}
	}
}

func TestChatStreamBig(t *testing.T) {
	_, server := serve(t, nil)
	res := post(t, server, chatRequest("@@BIG 1000000@@", map[string]any{"stream": true}))
	got := parse(t, strings.NewReader(res.body))
	assert.Len(t, got.text, 1_000_000)
	assert.Equal(t, 8, got.contentChunks)
}

func TestChatWhole(t *testing.T) {
	tests := []struct {
		name, text, message, finish string
	}{
		{"pong", "hello", `{"role":"assistant","content":"pong"}`, "stop"},
		{"thinking", "@@THINK@@", `{"role":"assistant","content":"pong","reasoning_content":"pondering"}`, "stop"},
		{"empty", "@@EMPTY@@", `{"role":"assistant","content":""}`, "stop"},
		{"slow", "@@SLOW 2 1@@", `{"role":"assistant","content":"slow0 slow1 "}`, "stop"},
		{
			"tool", `@@TOOL bash {"command":"ls"}@@`,
			`{"role":"assistant","content":null,"tool_calls":[{"id":"call_2","type":"function","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}]}`,
			"tool_calls",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, server := serve(t, nil)
			res := post(t, server, chatRequest(tt.text, nil))
			assert.Equal(t, http.StatusOK, res.status)
			assert.JSONEq(t, `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"fake-model",
				"choices":[{"index":0,"message":`+tt.message+`,"finish_reason":"`+tt.finish+`"}],
				"usage":`+usageJSON+`}`, res.body)
		})
	}
}

func TestChatError(t *testing.T) {
	for _, stream := range []bool{false, true} {
		_, server := serve(t, nil)
		res := post(t, server, chatRequest("@@ERR 429@@", map[string]any{"stream": stream}))
		assert.Equal(t, 429, res.status)
		assert.JSONEq(t, `{"error":{"message":"fake error 429","type":"fake_error","code":"fake_429"}}`, res.body)
	}
}

func TestChatContentForms(t *testing.T) {
	var got fakemodel.Request
	_, server := serve(t, &fakemodel.Options{Reply: func(r fakemodel.Request) fakemodel.Reply {
		got = r
		return fakemodel.Reply{}
	}})
	res := post(t, server, `{
		"model": "m", "stream": false, "unknown": {"x": 1},
		"messages": [
			{"role": "system", "content": "s"},
			{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "data:"}}, {"type": "text", "text": "b"}]},
			{"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "t", "arguments": "{}"}}]},
			{"role": "assistant"},
			{"role": "tool", "tool_call_id": "1", "content": [{"type": "text", "text": "r"}]}
		],
		"tools": [{"type": "function", "function": {"name": "t", "parameters": {}}}, {"type": "function", "function": {"name": "u"}}]
	}`)
	require.Equal(t, http.StatusOK, res.status)
	assert.Equal(t, fakemodel.Request{
		API: "openai-chat", Model: "m", UserAgent: "Go-http-client/1.1", Tools: []string{"t", "u"},
		Messages: []fakemodel.Message{
			{Role: "system", Text: "s"},
			{Role: "user", Text: "a\nb"},
			{Role: "assistant"},
			{Role: "assistant"},
			{Role: "tool", Text: "r"},
		},
	}, got)
}

func TestCustomReply(t *testing.T) {
	tests := []struct {
		name   string
		reply  fakemodel.Reply
		status int
		text   string
	}{
		{"text before a tool call", fakemodel.Reply{Kind: fakemodel.KindTool, Text: "look:", Tool: fakemodel.ToolCall{Name: "t"}}, 200, `"content":"look:","tool_calls":[{"id":"call_2","type":"function","function":{"name":"t","arguments":"{}"}}]`},
		{"message of an error", fakemodel.Reply{Kind: fakemodel.KindError, Status: 418, Text: "tea"}, 418, `"message":"tea"`},
		{"status that is no error", fakemodel.Reply{Kind: fakemodel.KindError, Status: 200}, 500, `"message":"fake error 500"`},
		{"unknown kind", fakemodel.Reply{Kind: "sing"}, 500, `the fake model has no reply kind \"sing\"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, server := serve(t, &fakemodel.Options{Reply: func(fakemodel.Request) fakemodel.Reply { return tt.reply }})
			res := post(t, server, chatRequest("hello", nil))
			assert.Equal(t, tt.status, res.status)
			assert.Contains(t, res.body, tt.text)
		})
	}
}
