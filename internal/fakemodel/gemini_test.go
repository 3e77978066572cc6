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

const (
	geminiUsage  = `{"promptTokenCount":1234,"candidatesTokenCount":56,"totalTokenCount":1290,"cachedContentTokenCount":1000}`
	geminiWhole  = "/v1beta/models/fake-model:generateContent"
	geminiEvents = "/v1beta/models/fake-model:streamGenerateContent?alt=sse"
	geminiArray  = "/v1beta/models/fake-model:streamGenerateContent?key=secret"
)

// geminiRequest is the JSON of a request with one user message.
func geminiRequest(text string) string {
	body, err := json.Marshal(map[string]any{
		"contents": []any{map[string]any{"role": "user", "parts": []any{map[string]any{"text": text}}}},
	})
	if err != nil {
		panic(err)
	}
	return string(body)
}

// geminiChunk is a chunk of an answer, the last one if it is told.
func geminiChunk(last bool, parts string) string {
	chunk := `{"candidates":[{"content":{"role":"model","parts":[` + parts + `]},"index":0}],"modelVersion":"fake-model","responseId":"resp_1"}`
	if last {
		chunk = strings.Replace(chunk, `"index":0}]`, `"index":0,"finishReason":"STOP"}],"usageMetadata":`+geminiUsage, 1)
	}
	return chunk
}

func TestGeminiWhole(t *testing.T) {
	tests := []struct{ name, text, parts string }{
		{"pong", "hello", `{"text":"pong"}`},
		{"empty", "@@EMPTY@@", `{"text":""}`},
		{"slow", "@@SLOW 2 1@@", `{"text":"slow0 slow1 "}`},
		{"thinking", "@@THINK@@", `{"text":"pondering","thought":true},{"text":"pong"}`},
		{"tool", `@@TOOL run {"command":"ls"}@@`, `{"functionCall":{"name":"run","args":{"command":"ls"}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := geminiChunk(true, tt.parts)
			assert.JSONEq(t, want, answered(t, geminiWhole, geminiRequest(tt.text)))
			assert.JSONEq(t, "["+want+"]", answered(t, geminiArray, geminiRequest(tt.text)))
		})
	}
}

func TestGeminiStream(t *testing.T) {
	last := geminiChunk(true, `{"text":""}`)
	tests := []struct {
		name, text string
		chunks     []string
	}{
		{"pong", "hello", []string{geminiChunk(false, `{"text":"pong"}`), last}},
		{"words", "@@TEXT one two@@", []string{geminiChunk(false, `{"text":"one "}`), geminiChunk(false, `{"text":"two"}`), last}},
		{"empty", "@@EMPTY@@", []string{last}},
		{"thinking", "@@THINK@@", []string{geminiChunk(false, `{"text":"pondering","thought":true}`), geminiChunk(false, `{"text":"pong"}`), last}},
		{"tool", `@@TOOL run {"a":1}@@`, []string{geminiChunk(true, `{"functionCall":{"name":"run","args":{"a":1}}}`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.JSONEq(t, `[`+strings.Join(tt.chunks, ",")+`]`, answered(t, geminiEvents, geminiRequest(tt.text)))
		})
	}
}

func TestGeminiTextBeforeATool(t *testing.T) {
	for _, path := range []string{geminiWhole, geminiEvents, geminiArray} {
		_, server := serve(t, &fakemodel.Options{Reply: func(fakemodel.Request) fakemodel.Reply {
			return fakemodel.Reply{Kind: fakemodel.KindTool, Text: "look:", Tool: fakemodel.ToolCall{Name: "t"}}
		}})
		res := postTo(t, server, path, geminiRequest(""))
		assert.Regexp(t, `(?s)"text":"look:".*"functionCall":\{"name":"t","args":\{\}\}.*"STOP"`, res.body)
	}
}

func TestGeminiError(t *testing.T) {
	tests := []struct {
		status int
		word   string
	}{
		{400, "INVALID_ARGUMENT"},
		{401, "UNAUTHENTICATED"},
		{403, "PERMISSION_DENIED"},
		{404, "NOT_FOUND"},
		{418, "INVALID_ARGUMENT"},
		{429, "RESOURCE_EXHAUSTED"},
		{500, "INTERNAL"},
		{502, "INTERNAL"},
		{503, "UNAVAILABLE"},
		{504, "DEADLINE_EXCEEDED"},
	}
	for _, tt := range tests {
		for _, path := range []string{geminiWhole, geminiEvents} {
			code := strconv.Itoa(tt.status)
			t.Run(code, func(t *testing.T) {
				_, server := serve(t, nil)
				res := postTo(t, server, path, geminiRequest("@@ERR "+code+"@@"))
				assert.Equal(t, tt.status, res.status)
				assert.JSONEq(t, `{"error":{"code":`+code+`,"message":"fake error `+code+`","status":"`+tt.word+`"}}`, res.body)
			})
		}
	}
}

func TestGeminiContents(t *testing.T) {
	got := understood(t, "/base/v1beta/models/some:model:streamGenerateContent?alt=sse", `{
		"unknown": {"x": 1},
		"systemInstruction": {"role": "user", "parts": [{"text": "s1"}, {"text": "s2"}]},
		"contents": [
			{"parts": [{"text": "a"}, {"inlineData": {}}, {"text": "b"}]},
			{"role": "model", "parts": [{"text": "secret", "thought": true}, {"text": "c"}, {"functionCall": {"name": "t", "args": {}}}]},
			{"role": "user", "parts": [{"text": "d"}, {"functionResponse": {"name": "t", "response": {"output": "r1"}}}, {"functionResponse": {"name": "t", "response": { "error" : "r2" }}}]},
			{"role": "model", "parts": [{"functionCall": {"name": "t", "args": {}}}]},
			{"role": "user", "parts": [{"functionResponse": {"name": "t"}}]},
			{"role": "user"}
		],
		"tools": [{"functionDeclarations": [{"name": "t"}, {"name": "u"}]}, {"googleSearch": {}}]
	}`)
	assert.Equal(t, fakemodel.Request{
		API: "gemini", Model: "some:model", Stream: true, Tools: []string{"t", "u"},
		Messages: []message{
			{Role: "system", Text: "s1\ns2"},
			user("a\nb"),
			{Role: "assistant", Text: "c"},
			{Role: "tool", Text: "r1"},
			{Role: "tool", Text: `{"error":"r2"}`},
			user("d"),
			{Role: "assistant"},
			{Role: "tool"},
			user(""),
		},
	}, got)

	for _, path := range []string{geminiWhole, geminiArray} {
		got = understood(t, path, `{}`)
		assert.Equal(t, fakemodel.Request{API: "gemini", Model: "fake-model"}, got)
	}
}

func TestGeminiSpellings(t *testing.T) {
	want := fakemodel.Request{
		API: "gemini", Model: "fake-model", Tools: []string{"t"}, JSON: true, Schema: []byte(`{"some_name":"a<b"}`),
		Messages: []message{{Role: "system", Text: "s"}, {Role: "tool", Text: `{"some_name":"a<b"}`}},
	}
	for _, body := range []string{
		`{
			"systemInstruction": {"parts": [{"text": "s"}]},
			"contents": [{"parts": [{"functionResponse": {"response": {"some_name": "a<b"}}}]}],
			"tools": {"functionDeclarations": [{"name": "t"}]},
			"generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": {"some_name":"a<b"}}
		}`,
		`{
			"system_instruction": {"parts": [{"text": "s"}]},
			"contents": [{"parts": [{"function_response": {"response": {"some_name": "a<b"}}}]}],
			"tools": [{"function_declarations": [{"name": "t"}]}],
			"generation_config": {"response_mime_type": "application/json", "response_schema": {"some_name":"a<b"}}
		}`,
	} {
		assert.Equal(t, want, understood(t, geminiWhole, body))
	}
}

func TestGeminiRefuses(t *testing.T) {
	for _, path := range []string{geminiWhole, geminiEvents, geminiArray, "/models/m:countTokens"} {
		_, server := serve(t, nil)
		res := postTo(t, server, path, `{"contents":1}`)
		assert.Equal(t, http.StatusBadRequest, res.status)
		assert.Contains(t, res.body, `{"error":{"code":400,"message":"cannot read the Gemini request: `)
		assert.Contains(t, res.body, `"status":"INVALID_ARGUMENT"`)
	}
}
