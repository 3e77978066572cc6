package fakemcp_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakemcp"
)

func tools(names ...string) func(fakemcp.Entry) bool {
	return func(e fakemcp.Entry) bool { return e.Event == fakemcp.EventTools && slices.Equal(names, e.Tools) }
}

func TestEditedToolsReachTheClient(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	path := filepath.Join(t.TempDir(), "tools.json")
	write(t, path, `{"instructions":"be kind","tools":[{"name":"one"},{"name":"two"}]}`)
	s := serve(ctx, t, fakemcp.Options{Tools: path})
	session, changed := client(ctx, t, s.transport())
	assert.Equal(t, "be kind", session.InitializeResult().Instructions)
	assert.Equal(t, []string{"one", "two"}, toolNames(ctx, t, session))

	write(t, path, `{"tools":[{"name":"two"},{"name":"three"}]}`)
	receive(ctx, t, changed)
	assert.Equal(t, []string{"three", "two"}, toolNames(ctx, t, session))
	await(ctx, t, s.journal, tools("two", "three"))
	_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "one"})
	require.ErrorContains(t, err, `unknown tool "one"`)

	// A file that takes the place of the other.
	write(t, path+".new", `{"tools":[{"name":"two","description":"changed"}]}`)
	require.NoError(t, os.Rename(path+".new", path))
	receive(ctx, t, changed)
	list, err := session.ListTools(ctx, nil)
	require.NoError(t, err)
	require.Len(t, list.Tools, 1)
	assert.Equal(t, "changed", list.Tools[0].Description)

	// A broken file and none change nothing; then there is one again.
	write(t, path, `{"tools":[{"name":"four","nonsense":1}]}`)
	await(ctx, t, s.journal, func(e fakemcp.Entry) bool { return e.Event == fakemcp.EventError })
	require.NoError(t, os.Remove(path))
	_, err = fakemcp.Await(ctx, s.journal, func(entries []fakemcp.Entry) bool {
		return entries[len(entries)-1].Event == fakemcp.EventError && entries[len(entries)-2].Event == fakemcp.EventError
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"two"}, toolNames(ctx, t, session))
	write(t, path, `{"tools":[]}`)
	receive(ctx, t, changed)
	assert.Empty(t, toolNames(ctx, t, session))
	require.NoError(t, session.Close())
	require.NoError(t, receive(ctx, t, s.result))
}

// TestTheEndReadsNoTools ends before a change has settled, in a moment in which
// the file may be half written.
func TestTheEndReadsNoTools(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		after time.Duration // the first look is after a second, and 20ms must be quiet
		told  []string
	}{
		{1010 * time.Millisecond, nil},
		{1030 * time.Millisecond, []string{"error"}},
	} {
		path, journal := filepath.Join(t.TempDir(), "tools.json"), filepath.Join(t.TempDir(), "j")
		write(t, path, `{"tools":[{"na`)
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), tc.after)
			defer cancel()
			require.NoError(t, fakemcp.FollowTools(ctx, path, journal))
		})
		assertTold(t, tc.told, journal)
	}
}

func TestAnswersFollowTheFile(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	path := filepath.Join(t.TempDir(), "tools.json")
	write(t, path, `{"tools":[{"name":"one"}]}`)
	s := serve(ctx, t, fakemcp.Options{Tools: path, Label: "L"})
	session, changed := client(ctx, t, s.transport())
	text, isError := call(ctx, t, session, "one", nil)
	assert.Equal(t, "L/one: {}", text)
	assert.False(t, isError)

	// What clients do not see is no change for them.
	write(t, path, `{"tools":[{"name":"one", "inputSchema": { "type": "object" }, "text":"hello","isError":true,"delay":"5ms"}]}`)
	await(ctx, t, s.journal, tools("one"))
	begin := time.Now()
	text, isError = call(ctx, t, session, "one", map[string]any{"any": 1})
	assert.Equal(t, "hello", text)
	assert.True(t, isError)
	assert.GreaterOrEqual(t, time.Since(begin), 5*time.Millisecond)
	assert.Empty(t, changed)

	write(t, path, `{"tools":[{"name":"one","inputSchema":{"type":"object","required":["x"]}}]}`)
	receive(ctx, t, changed)
	text, _ = call(ctx, t, session, "one", map[string]any{"y": 1})
	assert.Equal(t, `L/one: {"y":1}`, text, "the schema is not enforced")
	require.NoError(t, session.Close())
	require.NoError(t, receive(ctx, t, s.result))
}
