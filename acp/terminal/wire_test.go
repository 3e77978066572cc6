package terminal_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
	"github.com/acpharness/acpharness/acp/terminal"
)

// An agent runs a command and asks for all there is to know of it; then it asks for one that there is not.
func TestAnAgentRunsCommands(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	raw := func(v any) json.RawMessage {
		b, err := json.Marshal(v)
		require.NoError(t, err)
		return b
	}
	id := raw(map[string]string{"terminalId": "$terminalId"})
	script := &acptest.Script{CallClient: []acptest.Call{
		{Method: "terminal/create", Params: raw(map[string]any{"command": self, "args": []string{"a€😀"}, "outputByteLimit": 5})},
		{Method: "terminal/wait_for_exit", Params: id},
		{Method: "terminal/output", Params: id},
		{Method: "terminal/kill", Params: id},
		{Method: "terminal/release", Params: id},
		{Method: "terminal/output", Params: id},
		{Method: "terminal/create", Params: raw(map[string]any{"command": "no-such-command"})},
	}}
	agent := acptest.NewAgent(script)
	defer agent.Close()
	client := acp.NewClient(acp.Implementation{Name: "test", Version: "1"}, &acp.ClientOptions{
		Terminal: terminal.New(&terminal.Options{Env: childEnv("print")}),
	})
	conn, err := client.Connect(t.Context(), agent)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	session, err := conn.NewSession(t.Context(), t.TempDir(), nil)
	require.NoError(t, err)
	turn, err := session.Prompt(t.Context(), acp.Text("run"), nil)
	require.NoError(t, err)
	var said string
	for n := range turn.Updates() {
		if chunk, ok := n.Update.(*acp.AgentMessageChunk); ok {
			said += chunk.Content.(*acp.TextContent).Text
		}
	}
	for _, want := range []string{
		`terminal/create: ok {"terminalId":"terminal-1"}`,
		`terminal/wait_for_exit: ok {"exitCode":0}`,
		`terminal/output: ok {"output":"😀","truncated":true,"exitStatus":{"exitCode":0}}`,
		`terminal/kill: ok {}`,
		`terminal/release: ok {}`,
		`terminal/output: error -32002`,
		`terminal/create: error -32002`,
	} {
		assert.Contains(t, said, want)
	}
}
