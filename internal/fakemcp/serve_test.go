package fakemcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakemcp"
)

func TestServeJournalsASession(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	s := serve(ctx, t, fakemcp.Options{Label: "demo", Args: []string{"--one", "two"}})
	session, _ := client(ctx, t, s.transport())
	assert.Equal(t, []string{"alpha", "beta"}, toolNames(ctx, t, session))
	text, isError := call(ctx, t, session, "beta", map[string]any{"x": "<a> & b"})
	assert.JSONEq(t, `{"x":"<a> & b"}`, strings.TrimPrefix(text, "demo/beta: "))
	assert.False(t, isError)
	require.NoError(t, session.Close())
	require.NoError(t, receive(ctx, t, s.result))

	assertTold(t, []string{
		"start alpha beta", "received server/discover", "received initialize", "received notifications/initialized",
		"received tools/list", "received tools/call", "eof", "exit",
	}, s.journal)
	entries := read(t, s.journal)
	cwd, err := os.Getwd()
	require.NoError(t, err)
	assert.Equal(t, cwd, entries[0].CWD)
	assert.Equal(t, []string{"--one", "two"}, entries[0].Args)
	for i, e := range entries {
		assert.Equal(t, "demo", e.Label)
		assert.Equal(t, fakemcp.Stdio, e.Transport)
		assert.Equal(t, os.Getpid(), e.PID)
		assert.Equal(t, os.Getppid(), e.PPID)
		assert.Empty(t, e.Session)
		if i > 0 {
			assert.False(t, e.Time.Before(entries[i-1].Time))
		}
	}
	hello := entries[2]
	assert.Equal(t, &fakemcp.Client{Name: "tester", Version: "4.2"}, hello.Client)
	assert.Equal(t, "2025-11-25", hello.ProtocolVersion)
	assert.NotEmpty(t, hello.ID)
	assert.True(t, json.Valid(hello.Capabilities))
	assert.Equal(t, hello.Client, entries[1].Client, "from the metadata of server/discover")
	assert.Empty(t, entries[3].ID)
	assert.Equal(t, "beta", entries[5].Tool)
	assert.JSONEq(t, `{"x":"<a> & b"}`, string(entries[5].Arguments))
}

// hello is what a client begins with, as lines.
const hello = `{"jsonrpc":"2.0","id":"hi","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// unknown is a request that is refused.
const unknown = `{"jsonrpc":"2.0","id":1,"method":"unknown"}` + "\n"

// converse gives a server its whole input at once and returns its answers.
func converse(t *testing.T, input string, opts fakemcp.Options) (answers []string, journal string) {
	t.Helper()
	ctx := limit(t)
	s := serve(ctx, t, opts)
	go func() {
		_, _ = io.WriteString(s.in, input)
		_ = s.in.Close()
	}()
	lines := bufio.NewScanner(s.out)
	for lines.Scan() {
		answers = append(answers, lines.Text())
	}
	require.NoError(t, receive(ctx, t, s.result))
	return answers, s.journal
}

func TestServeAnswersUnknownRequestsAtAnyTime(t *testing.T) {
	t.Parallel()
	answers, journal := converse(t, `
{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
{"jsonrpc":"2.0","method":"notifications/whatever"}
{"jsonrpc":"2.0","id":1,"method":"tools/list"}
`+hello+`{"jsonrpc":"2.0","id":2,"method":"prompts/list"}
{"jsonrpc":"2.0","id":3,"method":"ping"}`, fakemcp.Options{})
	require.Len(t, answers, 5)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"method not found: \"server/discover\""}}`, answers[0])
	all := strings.Join(answers[1:], "\n")
	assert.Contains(t, all, `"id":1,"error":{`)
	assert.Contains(t, all, `"id":"hi","result":{"capabilities":{"tools":{"listChanged":true}},"protocolVersion":"2025-06-18"`)
	assert.Contains(t, all, `"id":2,"error":{"code":-32601`)
	assert.Contains(t, all, `"id":3,"result":{}`)
	assertTold(t, []string{
		"start alpha beta", "received server/discover", "received notifications/whatever", "received tools/list",
		"received initialize", "received notifications/initialized", "received prompts/list", "received ping", "eof", "exit",
	}, journal)
	assert.Equal(t, "2026-07-28", read(t, journal)[1].ProtocolVersion)
}

func TestServeSurvivesMalformedLines(t *testing.T) {
	t.Parallel()
	answers, journal := converse(t, `{oops
[{"jsonrpc":"2.0","id":1,"method":"ping"}]
{"id":1,"method":"ping"}
{"jsonrpc":"2.0","id":"x","method":5}
{"jsonrpc":"2.0","id":{},"method":"ping"}
{"id":2,"result":{}}
"`+strings.Repeat("x", 17<<20)+`"
`+hello+`{"jsonrpc":"2.0","id":9,"result":{}}
{"jsonrpc":"2.0","id":5,"method":"ping"}
`, fakemcp.Options{})
	require.Len(t, answers, 4)
	assert.Contains(t, answers[0], `"id":1,"error":{"code":-32600,"message":"cannot read a message: `)
	assert.Contains(t, answers[1], `"id":"x","error":{"code":-32600,`)
	assert.Contains(t, answers[3], `"id":5,"result":{}`)
	assertTold(t, []string{
		"start alpha beta", "error", "error", "error", "error", "error", "error", "error", "received initialize",
		"received notifications/initialized", "received", "received ping", "eof", "exit",
	}, journal)
	assert.Contains(t, read(t, journal)[1].Error, "cannot read a message: invalid character")
}

func TestServeAnswersEverythingBeforeItEnds(t *testing.T) {
	t.Parallel()
	tools := t.TempDir() + "/tools.json"
	write(t, tools, `{"tools":[{"name":"slow","delay":"1h","text":"at last"}]}`)
	answers, _ := converse(t, hello+`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow"}}
{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"slow"}}
`, fakemcp.Options{Tools: tools})
	require.Len(t, answers, 3)
	assert.Contains(t, answers[1], "at last")
	assert.Contains(t, answers[2], "at last")
}

func TestServeEndsThoughAnIDIsUsedTwice(t *testing.T) {
	t.Parallel()
	tools := t.TempDir() + "/tools.json"
	write(t, tools, `{"tools":[{"name":"slow","delay":"1h"}]}`)
	slow := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow"}}` + "\n"
	answers, _ := converse(t, hello+slow+slow+slow, fakemcp.Options{Tools: tools})
	assert.NotEmpty(t, answers)
}

// ends leaves out the messages, which may still come in when a signal has come.
func ends(entries []fakemcp.Entry) []string {
	return told(slices.DeleteFunc(entries, func(e fakemcp.Entry) bool {
		return e.Event == fakemcp.EventReceived || e.Event == fakemcp.EventStart
	}))
}

func TestServeEndsWithASignal(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	signals := make(chan os.Signal, 2)
	s := serve(ctx, t, fakemcp.Options{Signals: signals})
	client(ctx, t, s.transport())
	signals <- syscall.SIGTERM
	signals <- os.Interrupt
	require.NoError(t, receive(ctx, t, s.result))
	assert.Equal(t, []string{"signal SIGTERM", "signal SIGINT", "exit"}, ends(read(t, s.journal)))
}

func TestServeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(limit(t))
	s := serve(ctx, t, fakemcp.Options{})
	client(ctx, t, s.transport())
	cancel(cause)
	require.ErrorIs(t, receive(limit(t), t, s.result), cause)
	entries := read(t, s.journal)
	assert.Equal(t, fakemcp.EventExit, entries[len(entries)-1].Event)
	assert.Equal(t, "enough", entries[len(entries)-1].Error)
}

func TestServeEndsThoughNobodyReads(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	signals := make(chan os.Signal, 1)
	s := serve(ctx, t, fakemcp.Options{Signals: signals})
	_, err := io.WriteString(s.in, hello)
	require.NoError(t, err)
	signals <- syscall.SIGHUP
	require.NoError(t, receive(ctx, t, s.result))
	assert.Equal(t, []string{"signal SIGHUP", "exit"}, ends(read(t, s.journal)))
}

func TestServeEndsThoughNobodyReadsARefusal(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	signals := make(chan os.Signal, 1)
	s := serve(ctx, t, fakemcp.Options{Signals: signals})
	_, err := io.WriteString(s.in, unknown)
	require.NoError(t, err)
	await(ctx, t, s.journal, func(e fakemcp.Entry) bool { return e.Method == "unknown" })
	signals <- syscall.SIGTERM
	require.NoError(t, receive(ctx, t, s.result))
	assert.Equal(t, []string{"signal SIGTERM", "exit"}, ends(read(t, s.journal)))
}

func TestServeEndsWhenAStreamBreaks(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	closed, gone := io.Pipe()
	require.NoError(t, closed.CloseWithError(broken))
	for name, tc := range map[string]struct {
		in      io.Reader
		out     io.Writer
		problem string
		told    []string
	}{
		"input": {
			in: io.MultiReader(strings.NewReader(unknown), iotest.ErrReader(broken)), out: io.Discard,
			problem: "cannot read from the client",
			told:    []string{"start alpha beta", "received unknown", "error", "exit"},
		},
		"output": {
			in: strings.NewReader(unknown), out: gone,
			problem: "cannot write a frame",
			told:    []string{"start alpha beta", "received unknown", "error", "exit"},
		},
	} {
		journal := t.TempDir() + "/journal"
		err := fakemcp.Serve(limit(t), tc.in, tc.out, &fakemcp.Options{Journal: journal})
		require.ErrorIs(t, err, broken, name)
		assertTold(t, tc.told, journal)
		entries := read(t, journal)
		assert.Contains(t, entries[2].Error, tc.problem)
		assert.Equal(t, "cannot serve: "+entries[2].Error, entries[3].Error)
	}
}

func TestServeEndsWhenTheReaderIsGone(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	s := serve(ctx, t, fakemcp.Options{})
	closer, ok := s.out.(io.Closer)
	require.True(t, ok)
	require.NoError(t, closer.Close())
	_, err := io.WriteString(s.in, hello)
	if err != nil {
		require.ErrorIs(t, err, io.ErrClosedPipe)
	}
	require.Error(t, receive(ctx, t, s.result))
	entries := read(t, s.journal)
	assert.NotEmpty(t, entries[len(entries)-1].Error)
}

func TestServeNeedsGoodFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir+"/bad.json", `{"tools":[],"more":1}`)
	for _, tools := range []string{"bad.json", "missing.json", "no/folder.json"} {
		journal := dir + "/" + strings.ReplaceAll(tools, "/", "-") + "l"
		err := fakemcp.Serve(t.Context(), strings.NewReader(""), io.Discard, &fakemcp.Options{Journal: journal, Tools: dir + "/" + tools})
		require.Error(t, err, tools)
		assertTold(t, []string{"start", "error", "exit"}, journal)
	}
	err := fakemcp.Serve(t.Context(), strings.NewReader(""), io.Discard, &fakemcp.Options{Journal: dir + "/no/journal"})
	require.ErrorContains(t, err, "cannot open the journal")
	require.NoError(t, fakemcp.Serve(t.Context(), strings.NewReader(""), io.Discard, nil))
}
