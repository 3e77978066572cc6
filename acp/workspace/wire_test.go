package workspace_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
	"github.com/acpharness/acpharness/acp/workspace"
)

// TestOverTheWire is a workspace as the handler of a client.
func TestOverTheWire(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir := filepath.Join(base, "proj")
	put(t, filepath.Join(dir, "old.txt"), "1\r\n2\r\n3")
	put(t, filepath.Join(base, "secret.txt"), "SECRET")
	var calls []acptest.Call
	call := func(method string, params map[string]any) {
		raw, err := json.Marshal(params)
		require.NoError(t, err)
		calls = append(calls, acptest.Call{Method: method, Params: raw})
	}
	call("fs/read_text_file", map[string]any{"path": filepath.Join(dir, "old.txt"), "line": 2, "limit": 1})
	call("fs/write_text_file", map[string]any{"path": filepath.Join(dir, "a", "new.txt"), "content": "n\n"})
	call("fs/read_text_file", map[string]any{"path": filepath.Join(dir, "a", "new.txt")})
	call("fs/read_text_file", map[string]any{"path": filepath.Join(dir, "none.txt")})
	call("fs/read_text_file", map[string]any{"path": filepath.Join(base, "secret.txt")})
	call("fs/write_text_file", map[string]any{"path": filepath.Join(base, "secret.txt"), "content": "n"})

	agent := acptest.NewAgent(&acptest.Script{CallClient: calls})
	t.Cleanup(agent.Close)
	files := workspace.New(nil)
	client := acp.NewClient(acp.Implementation{Name: "test", Version: "1"}, &acp.ClientOptions{ReadTextFile: files, WriteTextFile: files})
	conn, err := client.Connect(t.Context(), agent)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close(context.Background())) })
	session, err := conn.NewSession(t.Context(), dir, nil)
	require.NoError(t, err)
	turn, err := session.Prompt(t.Context(), acp.Text("go"), nil)
	require.NoError(t, err)
	_, err = turn.Wait(t.Context())
	require.NoError(t, err)

	var answers []string
	for _, e := range agent.Received() {
		switch {
		case e.Kind != "response":
		case e.Error != nil:
			answers = append(answers, fmt.Sprint(e.Error.Code))
		default:
			answers = append(answers, string(e.Result))
		}
	}
	assert.Equal(t, []string{`{"content":"2\r\n"}`, `{}`, `{"content":"n\n"}`, "-32002", "-32602", "-32602"}, answers)
	assert.Equal(t, "n\n", text(t, filepath.Join(dir, "a", "new.txt")))
	assert.Equal(t, "SECRET", text(t, filepath.Join(base, "secret.txt")))
}
