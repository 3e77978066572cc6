package fakemodel_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakemodel"
)

// fuzzDecode feeds bodies to an API: it never panics, and whatever it accepts
// can be answered in every way with valid JSON.
func fuzzDecode(f *testing.F, api string, seeds ...string) {
	f.Helper()
	for _, seed := range append(seeds, ``, `null`, `[]`, `{}`, `{"tools":[{}],"model":null}`) {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, kind := range []fakemodel.Kind{fakemodel.KindText, fakemodel.KindTool} {
			whole, stream, err := fakemodel.Answer(api, body, func(r fakemodel.Request) fakemodel.Reply {
				usual := fakemodel.DefaultReply(r)
				if r.JSON {
					assert.True(t, json.Valid([]byte(usual.Text)))
				}
				reply := fakemodel.Reply{Kind: kind, Thinking: "hm", Text: firstLine(usual.Text)}
				reply.Tool = fakemodel.ToolCall{Name: "t", Args: json.RawMessage(`{"input": "a b"}`)}
				if len(r.Tools) > 0 {
					reply.Tool.Name = r.Tools[len(r.Tools)-1]
				}
				return reply
			})
			if err != nil {
				return
			}
			assert.True(t, json.Valid([]byte(whole)), whole)
			events := readEvents(t, stream)
			require.NotEmpty(t, events)
			for _, e := range events {
				assert.True(t, e.data == "[DONE]" || json.Valid([]byte(e.data)), e.data)
			}
		}
	})
}

// firstLine keeps what a body makes the model say small.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line[:min(len(line), 100)]
}

func FuzzDecodeChat(f *testing.F) {
	fuzzDecode(f, fakemodel.APIChat,
		chatRequest("@@TEXT a b@@", map[string]any{"stream": true}),
		`{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"tool","content":"r"}],"tools":[{"function":{"name":"t"}}]}`,
		`{"response_format":{"type":"json_schema","json_schema":{"schema":{"type":"array","minItems":1e9,"items":{"$ref":"#"}}}}}`)
}

func FuzzDecodeResponses(f *testing.F) {
	fuzzDecode(f, fakemodel.APIResponses,
		responsesRequest("@@THINK@@", true),
		`{"instructions":"s","input":[{"role":"user","content":"u"},{"type":"function_call"},{"type":"function_call_output","output":{"a":1}}],"tools":[{"type":"namespace","name":"n","tools":[{"type":"custom","name":"a"}]}]}`,
		`{"input":"u","text":{"format":{"type":"json_schema","schema":{"required":["a"],"properties":{"a":{"type":["null","number"]}}}}}}`)
}

func FuzzDecodeAnthropic(f *testing.F) {
	fuzzDecode(f, fakemodel.APIAnthropic,
		anthropicRequest("@@SLOW 1 1@@", true),
		`{"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"r"}]},{"type":"text","text":"u"}]}],"tools":[{"name":"t"}]}`,
		`{"output_config":{"format":{"type":"json_schema","schema":{"anyOf":[{"const":{}}]}}}}`)
}

func FuzzDecodeGemini(f *testing.F) {
	fuzzDecode(f, fakemodel.APIGemini,
		geminiRequest("@@EMPTY@@"),
		`{"systemInstruction":{"parts":[{"text":"s"}]},"contents":[{"role":"model","parts":[{"thought":true,"text":"t"}]},{"parts":[{"functionResponse":{"response":{"output":"r"}}}]}],"tools":[{"functionDeclarations":[{"name":"t"}]}]}`,
		`{"system_instruction":{"parts":[{"text":"s"}]},"tools":{"function_declarations":[{"name":"t"}]}}`,
		`{"generationConfig":{"responseMimeType":"application/json","responseSchema":{"type":"OBJECT","enum":[]}}}`)
}
