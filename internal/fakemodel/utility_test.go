package fakemodel_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/acpharness/acpharness/internal/fakemodel"
)

func TestUtility(t *testing.T) {
	instructed := func(text string) []message { return []message{{Role: "system", Text: text}, user("@@TEXT a@@")} }
	const claude = "You are Claude Code, Anthropic's official CLI for Claude.\n"
	tests := []struct {
		name string
		req  fakemodel.Request
		want bool
		text string
	}{
		{"title", fakemodel.Request{Messages: instructed("You are a Title generator.")}, true, "pong"},
		{"developer role", fakemodel.Request{Messages: []message{{Role: "developer", Text: "Summarize."}, user("@@HANG@@")}}, true, "pong"},
		{"topic", fakemodel.Request{Messages: instructed(claude + "Analyze if this message is a new topic.")}, true, "pong"},
		{"commands", fakemodel.Request{Messages: instructed(claude + "This policy spec defines how to find the prefix of a command.")}, true, "pong"},
		{"commands, in the prompt", fakemodel.Request{Messages: []message{user("<policy_spec>x</policy_spec>\nCommand: echo @@TEXT a@@")}}, true, "pong"},
		{"summary, in the prompt", fakemodel.Request{Messages: []message{user("Summarize the user's primary intent.\n@@TEXT a@@")}}, true, "pong"},
		{"answer by a tool", fakemodel.Request{Messages: instructed(""), Tools: []string{"respond_in_schema"}}, true, "pong"},
		{"JSON", fakemodel.Request{Messages: instructed(""), JSON: true}, true, "{}"},
		{"JSON with tools", fakemodel.Request{Messages: instructed(""), JSON: true, Schema: json.RawMessage(`{"enum":["allow"]}`), Tools: []string{"a", "b"}}, true, `"allow"`},
		{"with a tool", fakemodel.Request{Messages: instructed("title"), Tools: []string{"bash"}}, false, "a"},
		{"with tools", fakemodel.Request{Messages: instructed("title"), Tools: []string{"bash", "respond_in_schema"}}, false, "a"},
		{"user speaks of a title", fakemodel.Request{Messages: []message{user("@@TEXT title@@")}}, false, "title"},
		{"memory", fakemodel.Request{Messages: []message{user("Managed memory has TWO directories.\nScan the recent conversation history in your context and update durable managed memory.")}, Tools: []string{"a", "b"}}, true, "pong"},
		{"suggestion", fakemodel.Request{Messages: []message{user("[SUGGESTION MODE: Suggest what the user might type next.]")}, Tools: []string{"a", "b"}}, true, "pong"},
		{"other instructions", fakemodel.Request{Messages: instructed(claude)}, false, "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, tt.req.Utility())
			assert.Equal(t, reply{Text: tt.text}, fakemodel.DefaultReply(tt.req))
		})
	}
}

// TestDemandsForJSON asks every API for JSON, in each way there is.
func TestDemandsForJSON(t *testing.T) {
	const (
		schema = `{"type":"object","properties":{"title":{"type":"string"},"n":{"type":"integer"}},"required":["title"]}`
		text   = `{\"title\":\"x\"}`
	)
	tests := []struct{ name, path, body, want string }{
		{"chat, schema", "/chat/completions", `{"response_format":{"type":"json_schema","json_schema":{"schema":` + schema + `}}}`, text},
		{"chat, object", "/chat/completions", `{"response_format":{"type":"json_object"}}`, `"{}"`},
		{"chat, text", "/chat/completions", `{"response_format":{"type":"text"}}`, `"pong"`},
		{"responses", "/responses", `{"input":"a","text":{"format":{"type":"json_schema","schema":` + schema + `}}}`, text},
		{"responses, text", "/responses", `{"input":"a","text":{"verbosity":"low","format":{"type":"text"}}}`, `"pong"`},
		{"anthropic", "/messages", `{"output_config":{"effort":"low","format":{"type":"json_schema","schema":` + schema + `}}}`, text},
		{"anthropic, old", "/messages", `{"output_format":{"type":"json_schema","schema":` + schema + `}}`, text},
		{"anthropic, none", "/messages", `{"output_config":{"effort":"low"}}`, `"pong"`},
		{"gemini", "/models/m:generateContent", `{"generationConfig":{"responseMimeType":"application/json","responseSchema":` + schema + `}}`, text},
		{"gemini, JSON schema", "/models/m:generateContent", `{"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":` + schema + `}}`, text},
		{"gemini, any", "/models/m:generateContent", `{"generationConfig":{"responseMimeType":"application/json"}}`, `"{}"`},
		{"gemini, text", "/models/m:generateContent", `{"generationConfig":{"responseMimeType":"text/plain"}}`, `"pong"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			model, server := serve(t, nil)
			res := postTo(t, server, tt.path, tt.body)
			assert.Contains(t, res.body, tt.want)
			assert.Equal(t, tt.want != `"pong"`, model.Calls()[0].Utility)
		})
	}
}

func TestExample(t *testing.T) {
	const endless = `{"$defs":{"a":{"type":"object","required":["l","r"],"properties":{"l":{"$ref":"#/$defs/a"},"r":{"$ref":"#/$defs/a"}}}},"$ref":"#/$defs/a"}`
	tests := []struct{ name, schema, want string }{
		{"none", ``, `{}`},
		{"not JSON", `{`, `{}`},
		{"not an object", `true`, `{}`},
		{"null", `null`, `{}`},
		{"anything", `{}`, `{}`},
		{"string", `{"type":"string"}`, `"x"`},
		{"number", `{"type":"number"}`, `1`},
		{"number with limits", `{"type":"number","minimum":5,"maximum":9}`, `5`},
		{"number with a low limit", `{"type":"number","maximum":0}`, `0`},
		{"boolean", `{"type":"boolean"}`, `false`},
		{"array", `{"type":"array","items":{"type":"string"}}`, `[]`},
		{"array of two", `{"type":"array","items":{"type":"string"},"minItems":2}`, `["x","x"]`},
		{"null type", `{"type":"null"}`, `null`},
		{"first enum value", `{"type":"string","enum":["allow","deny"]}`, `"allow"`},
		{"const", `{"const":3}`, `3`},
		{"types", `{"type":["null","string"]}`, `"x"`},
		{"only null", `{"type":["null"]}`, `null`},
		{"any of", `{"anyOf":[{"type":"boolean"},{"type":"null"}]}`, `false`},
		{"in capitals", `{"type":"OBJECT","required":["a"],"properties":{"a":{"type":"INTEGER"}}}`, `{"a":1}`},
		{"nested", `{"type":"object","required":["a","b"],"properties":{"a":{"type":"object","required":["c"],"properties":{"c":{"type":"array"}}},"b":{"$ref":"#/$defs/b"},"d":{}},"$defs":{"b":{"type":"boolean"}}}`, `{"a":{"c":[]},"b":false}`},
		{"bad reference", `{"$ref":"#/nowhere/at/all"}`, `{}`},
		{"reference to itself", `{"$ref":"#"}`, `null`},
		{"bad parts", `{"enum":[],"anyOf":[1],"type":1,"required":[1,"a"]}`, `{}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := fakemodel.DefaultReply(fakemodel.Request{JSON: true, Schema: json.RawMessage(tt.schema)})
			assert.JSONEq(t, tt.want, got.Text)
		})
	}

	got := fakemodel.DefaultReply(fakemodel.Request{JSON: true, Schema: json.RawMessage(endless)})
	assert.True(t, json.Valid([]byte(got.Text)))
	assert.Less(t, len(got.Text), 100_000)
}
