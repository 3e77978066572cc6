package acp

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestImplementation_goose9765(t *testing.T) {
	tests := []struct {
		name string
		raw  string
		want Implementation
	}{
		{"Missing", ``, Implementation{}},
		{"Null_kotlinsdk581", `null`, Implementation{}},
		{"Empty", `{}`, Implementation{}},
		{"Text", `"kiro"`, Implementation{}},
		{"List", `["kiro","1.0"]`, Implementation{}},
		{"Whole", `{"name":"a","title":"A","version":"1.2.3"}`, Implementation{"a", "A", "1.2.3"}},
		{"EmptyVersion", `{"name":"a","version":""}`, Implementation{Name: "a"}},
		{"NullVersion", `{"name":"a","version":null}`, Implementation{Name: "a"}},
		{"NumberVersion", `{"name":"a","version":7}`, Implementation{Name: "a"}},
		{"ObjectVersion", `{"name":"a","version":{"major":1}}`, Implementation{Name: "a"}},
		{"PrefixedVersion", `{"name":"a","version":"v2.21"}`, Implementation{Name: "a", Version: "v2.21"}},
		{"Sentence", `{"version":"kiro-cli 2.21.0 (abc)"}`, Implementation{Version: "kiro-cli 2.21.0 (abc)"}},
		{"Zero", `{"version":"0.0.0"}`, Implementation{Version: "0.0.0"}},
		{"Nightly", `{"version":"2.21.0-nightly.3+g1a2b"}`, Implementation{Version: "2.21.0-nightly.3+g1a2b"}},
		{"VersionWithNewline", `{"version":"2.21.0\n"}`, Implementation{Version: "2.21.0\n"}},
		{"NumberName", `{"name":1,"title":[],"version":"1.0.0"}`, Implementation{Version: "1.0.0"}},
		{"UnknownMembers", `{"name":"a","homepage":"x","_meta":{}}`, Implementation{Name: "a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, implementation([]byte(tt.raw)))
		})
	}
}

func TestAgentCapabilities(t *testing.T) {
	tests := []struct {
		name  string
		raw   string
		want  AgentCapabilities
		warns []string
	}{
		{name: "Empty", raw: `{}`},
		{name: "Null_kotlinsdk581", raw: `null`},
		{name: "NullMembers_kotlinsdk581", raw: `{"loadSession":null,"promptCapabilities":null,"mcpCapabilities":{"http":null},"sessionCapabilities":{"list":null},"auth":null}`},
		{
			name: "All",
			raw: `{"loadSession":true,"promptCapabilities":{"image":true,"audio":true,"embeddedContext":true},"mcpCapabilities":{"http":true,"sse":true},` +
				`"sessionCapabilities":{"list":{},"delete":{},"resume":{},"close":{},"fork":{},"additionalDirectories":{},"systemPrompt":{"mode":{"override":{}}},"archive":{},"status":{},"title":{}},"auth":{"logout":{},"status":{}},"providers":{},"future":{}}`,
			want: AgentCapabilities{
				LoadSession: true, Prompt: PromptCapabilities{true, true, true}, MCP: MCPCapabilities{true, true},
				Session: SessionCapabilities{true, true, true, true, true, true, true, true, true, true, true}, Logout: true, AuthStatus: true, Providers: true,
			},
		},
		{
			name: "MarkersAsBooleans", raw: `{"sessionCapabilities":{"list":true,"close":false},"auth":{"logout":true}}`,
			want: AgentCapabilities{Session: SessionCapabilities{List: true}, Logout: true},
		},
		{name: "SystemPromptWithoutOverride", raw: `{"sessionCapabilities":{"systemPrompt":{}}}`, want: AgentCapabilities{Session: SessionCapabilities{SystemPrompt: true}}},
		{name: "NoMCP_fastagent827", raw: `{"loadSession":false}`},
		{
			name: "WrongTypes", raw: `{"loadSession":"yes","promptCapabilities":[],"mcpCapabilities":{"http":1,"sse":true},"sessionCapabilities":{"list":"x","fork":{}},"auth":{"logout":[]}}`,
			want:  AgentCapabilities{MCP: MCPCapabilities{SSE: true}, Session: SessionCapabilities{Fork: true}},
			warns: []string{"c.loadSession", "c.promptCapabilities", "c.mcpCapabilities.http", "c.sessionCapabilities.list", "c.auth.logout"},
		},
		{name: "Text", raw: `"all"`, warns: []string{"c"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var d decoder
			got := d.agentCapabilities("c", []byte(tt.raw))
			tt.want.Raw = json.RawMessage(tt.raw)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.warns, paths(d.warnings))
		})
	}
}

func TestAuthMethods(t *testing.T) {
	var d decoder
	got := d.authMethods("m", []byte(`[{"id":"a","name":"A","description":null,"vars":[1]},null,"b",{"id":1,"type":"terminal"}]`))
	assert.Equal(t, []AuthMethod{
		{ID: "a", Name: "A", Raw: json.RawMessage(`{"id":"a","name":"A","description":null,"vars":[1]}`)},
		{Type: "terminal", Raw: json.RawMessage(`{"id":1,"type":"terminal"}`)},
	}, got)
	assert.Equal(t, []string{"m[0].vars[0]", "m[1]", "m[2]", "m[3].id"}, paths(d.warnings))
	assert.Nil(t, d.authMethods("m", []byte("null")))
}
