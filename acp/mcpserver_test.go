package acp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
)

const mcpCapable = `{"mcpCapabilities":{"http":true,"sse":true},"sessionCapabilities":{"additionalDirectories":{},"systemPrompt":{"mode":{"override":{}}}}}`

// Lists are always there, in the form that strict agents want, and in the order given (DeepSeek-Reasonix#5553).
func TestSetupOnTheWire_R63_DeepSeekReasonix5553(t *testing.T) {
	for _, tc := range []struct {
		name string
		opts *acp.SessionOptions
		want string
	}{
		{"nothing", nil, `{"cwd":"/","mcpServers":[]}`},
		{"bare servers", &acp.SessionOptions{MCPServers: []acp.MCPServer{
			&acp.MCPServerStdio{Name: "a", Command: "/bin/a"},
			&acp.MCPServerHTTP{Name: "b", URL: "http://127.0.0.1/mcp"},
			&acp.MCPServerSSE{Name: "c", URL: "http://127.0.0.1/sse"},
		}}, `{"cwd":"/","mcpServers":[{"name":"a","command":"/bin/a","args":[],"env":[]},` +
			`{"type":"http","name":"b","url":"http://127.0.0.1/mcp","headers":[]},` +
			`{"type":"sse","name":"c","url":"http://127.0.0.1/sse","headers":[]}]}`},
		{"full servers", &acp.SessionOptions{MCPServers: []acp.MCPServer{
			&acp.MCPServerStdio{Name: "a", Command: "npx", Args: []string{"-y", "x"}, Env: []acp.EnvVariable{{Name: "B", Value: "2"}, {Name: "A", Value: ""}}},
			&acp.MCPServerHTTP{Name: "b", URL: "u", Headers: []acp.HTTPHeader{{Name: "Authorization", Value: "Bearer \"x\""}}},
		}}, `{"cwd":"/","mcpServers":[{"name":"a","command":"npx","args":["-y","x"],"env":[{"name":"B","value":"2"},{"name":"A","value":""}]},` +
			`{"type":"http","name":"b","url":"u","headers":[{"name":"Authorization","value":"Bearer \"x\""}]}]}`},
		{"directories and a prompt", &acp.SessionOptions{
			AdditionalDirectories: []string{"/a", "/b"},
			SystemPrompt:          &acp.SystemPrompt{Content: acp.Text("be brief")},
		}, `{"cwd":"/","mcpServers":[],"additionalDirectories":["/a","/b"],"systemPrompt":{"mode":"append","content":[{"type":"text","text":"be brief"}]}}`},
		{"another prompt", &acp.SessionOptions{
			SystemPrompt: &acp.SystemPrompt{Mode: acp.SystemPromptOverride, Content: acp.Text("x")},
		}, `{"cwd":"/","mcpServers":[],"systemPrompt":{"mode":"override","content":[{"type":"text","text":"x"}]}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			conn, agent := connect(t, &acptest.Script{Capabilities: json.RawMessage(mcpCapable)}, nil)
			_, err := conn.NewSession(t.Context(), "/", tc.opts)
			require.NoError(t, err)
			assert.Equal(t, tc.want, string(agent.Received()[1].Params), "byte for byte")
		})
	}
}

func TestSetupIsRefusedLocally_R63_R29(t *testing.T) {
	stdio := func(name string) acp.MCPServer { return &acp.MCPServerStdio{Name: name, Command: "x"} }
	secret := []acp.HTTPHeader{{Name: "Authorization", Value: "s3cret"}}
	for _, tc := range []struct {
		name         string
		capabilities string
		opts         acp.SessionOptions
		text         string
		unsupported  bool
	}{
		{"twice, agent-shell#603", mcpCapable, acp.SessionOptions{MCPServers: []acp.MCPServer{stdio("a"), stdio("a")}}, `two MCP servers have the name "a"`, false},
		{"no name", mcpCapable, acp.SessionOptions{MCPServers: []acp.MCPServer{stdio("")}}, "MCP server 0 has no name", false},
		{"nil", mcpCapable, acp.SessionOptions{MCPServers: []acp.MCPServer{nil}}, "MCP server 0 is nil", false},
		{"no command", mcpCapable, acp.SessionOptions{MCPServers: []acp.MCPServer{&acp.MCPServerStdio{Name: "a"}}}, `MCP server "a": it has no command`, false},
		{"relative command", mcpCapable, acp.SessionOptions{MCPServers: []acp.MCPServer{&acp.MCPServerStdio{Name: "a", Command: "./x"}}}, "relative path", false},
		{"no variable name", mcpCapable, acp.SessionOptions{MCPServers: []acp.MCPServer{&acp.MCPServerStdio{Name: "a", Command: "x", Env: []acp.EnvVariable{{Value: "s3cret"}}}}}, "has no name", false},
		{"no URL", mcpCapable, acp.SessionOptions{MCPServers: []acp.MCPServer{&acp.MCPServerHTTP{Name: "a", Headers: secret}}}, "it has no URL", false},
		{"http not taken, oh-my-pi#7722", `{}`, acp.SessionOptions{MCPServers: []acp.MCPServer{&acp.MCPServerHTTP{Name: "a", URL: "http://s3cret", Headers: secret}}}, "mcpCapabilities.http", true},
		{"sse not taken", `{"mcpCapabilities":{"http":true}}`, acp.SessionOptions{MCPServers: []acp.MCPServer{&acp.MCPServerSSE{Name: "a", URL: "u"}}}, "mcpCapabilities.sse", true},
		{"directories not taken", `{}`, acp.SessionOptions{AdditionalDirectories: []string{"/a"}}, "additionalDirectories", true},
		{"relative directory", mcpCapable, acp.SessionOptions{AdditionalDirectories: []string{"a"}}, `"a" is not absolute`, false},
		{"prompt not taken", `{}`, acp.SessionOptions{SystemPrompt: &acp.SystemPrompt{Content: acp.Text("x")}}, "a system prompt", true},
		{"mode not taken", `{"sessionCapabilities":{"systemPrompt":{}}}`, acp.SessionOptions{SystemPrompt: &acp.SystemPrompt{Mode: "override", Content: acp.Text("x")}}, `in mode "override"`, true},
		{"empty prompt", mcpCapable, acp.SessionOptions{SystemPrompt: &acp.SystemPrompt{}}, "the system prompt is empty", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			conn, agent := connect(t, &acptest.Script{Capabilities: json.RawMessage(tc.capabilities)}, nil)
			_, err := conn.NewSession(t.Context(), "/", &tc.opts)
			require.ErrorContains(t, err, tc.text)
			assert.NotContains(t, err.Error(), "s3cret")
			assert.Equal(t, tc.unsupported, errors.Is(err, acp.ErrUnsupported))
			assert.Len(t, agent.Received(), 1, "nothing was sent")
		})
	}
}

func TestMCPServersShowNoValues(t *testing.T) {
	shown := []any{
		acp.EnvVariable{Name: "A", Value: "s3cret"},
		acp.HTTPHeader{Name: "A", Value: "s3cret"},
		acp.MCPServerStdio{Name: "n", Env: []acp.EnvVariable{{Name: "A", Value: "s3cret"}}},
		&acp.SessionOptions{MCPServers: []acp.MCPServer{&acp.MCPServerHTTP{Headers: []acp.HTTPHeader{{Name: "A", Value: "s3cret"}}}}},
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		for _, v := range shown {
			assert.NotContains(t, fmt.Sprintf(verb, v), "s3cret")
		}
	}
}
