package fakemcp_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakemcp"
)

// served is a server in this process, over pipes.
type served struct {
	in      io.WriteCloser
	out     io.Reader
	result  chan error
	journal string
}

// serve starts a server whose journal is in a folder of its own, next to the
// tools file if opts has one.
func serve(ctx context.Context, t *testing.T, opts fakemcp.Options) *served {
	t.Helper()
	s := &served{result: make(chan error, 1)}
	opts.Journal = filepath.Join(t.TempDir(), "journal.jsonl")
	s.journal = opts.Journal
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	s.in, s.out = inWrite, outRead
	go func() {
		s.result <- fakemcp.Serve(ctx, inRead, outWrite, &opts)
		_ = outWrite.Close()
	}()
	t.Cleanup(func() {
		_ = inWrite.Close()
		_ = outRead.Close()
	})
	return s
}

// client is a client of the library, and a channel that gets a token per
// notification of a changed list.
func client(ctx context.Context, t *testing.T, transport mcp.Transport) (*mcp.ClientSession, <-chan struct{}) {
	t.Helper()
	changed := make(chan struct{}, 100)
	c := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "4.2"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	session, err := c.Connect(ctx, transport, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session, changed
}

func (s *served) transport() mcp.Transport {
	return &mcp.IOTransport{Reader: io.NopCloser(s.out), Writer: s.in}
}

// limit is a context that ends when a test has gone wrong.
func limit(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func receive[T any](ctx context.Context, t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-ctx.Done():
		require.FailNow(t, "nothing came")
		panic("unreachable")
	}
}

// await waits for the first entry that is wanted.
func await(ctx context.Context, t *testing.T, journal string, wanted func(fakemcp.Entry) bool) fakemcp.Entry {
	t.Helper()
	var found fakemcp.Entry
	_, err := fakemcp.Await(ctx, journal, func(entries []fakemcp.Entry) bool {
		for _, e := range entries {
			if wanted(e) {
				found = e
				return true
			}
		}
		return false
	})
	require.NoError(t, err)
	return found
}

func read(t *testing.T, journal string) []fakemcp.Entry {
	t.Helper()
	entries, err := fakemcp.ReadJournal(journal)
	require.NoError(t, err)
	return entries
}

// told sums up entries: the event, and the method, signal or tools if any.
func told(entries []fakemcp.Entry) []string {
	var lines []string
	for _, e := range entries {
		line := string(e.Event)
		for _, more := range append([]string{e.Method, e.Signal}, e.Tools...) {
			if more != "" {
				line += " " + more
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func toolNames(ctx context.Context, t *testing.T, session *mcp.ClientSession) []string {
	t.Helper()
	list, err := session.ListTools(ctx, nil)
	require.NoError(t, err)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func call(ctx context.Context, t *testing.T, session *mcp.ClientSession, name string, arguments any) (text string, isError bool) {
	t.Helper()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
	require.NoError(t, err)
	require.Len(t, result.Content, 1)
	content, ok := result.Content[0].(*mcp.TextContent)
	require.True(t, ok)
	return content.Text, result.IsError
}

func assertTold(t *testing.T, want []string, journal string) {
	t.Helper()
	assert.Equal(t, want, told(read(t, journal)))
}
