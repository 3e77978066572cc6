package fakemcp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakemcp"
	"github.com/acpharness/acpharness/internal/loopback"
)

// listen starts a listener with a journal of its own, and closes it in the end.
func listen(ctx context.Context, t *testing.T, opts fakemcp.Options) (l *fakemcp.Listener, journal string) {
	t.Helper()
	journal = filepath.Join(t.TempDir(), "journal.jsonl")
	opts.Journal = journal
	l, err := fakemcp.Listen(ctx, "", &opts)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l, journal
}

// web is a transport to it, over connections that the end of the test closes.
func web(t *testing.T, l *fakemcp.Listener) mcp.Transport {
	t.Helper()
	return &mcp.StreamableClientTransport{Endpoint: l.URL(), HTTPClient: httpClient(t), MaxRetries: -1}
}

func httpClient(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// ask sends a request of its own making and returns the status and the answer.
func ask(ctx context.Context, t *testing.T, method, url string, header http.Header, body string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	require.NoError(t, err)
	if header != nil {
		req.Header = header
		req.Host = header.Get("Host")
	}
	res, err := httpClient(t).Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(text)
}

func streamOf(id string) func(fakemcp.Entry) bool {
	return func(e fakemcp.Entry) bool { return e.Session == id && e.Event == fakemcp.EventStream }
}

func TestListenJournalsASession(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	path := filepath.Join(t.TempDir(), "tools.json")
	write(t, path, `{"instructions":"be kind","tools":[{"name":"one"}]}`)
	l, journal := listen(ctx, t, fakemcp.Options{Label: "web", Tools: path})
	assert.Regexp(t, `^http://127\.0\.0\.1:[1-9]\d*/mcp$`, l.URL())
	session, changed := client(ctx, t, web(t, l))
	assert.NotEmpty(t, session.ID())
	assert.Equal(t, "be kind", session.InitializeResult().Instructions)
	await(ctx, t, journal, streamOf(session.ID()))
	text, _ := call(ctx, t, session, "one", map[string]any{"x": "y"})
	assert.Equal(t, `web/one: {"x":"y"}`, text)
	write(t, path, `{"tools":[{"name":"two"}]}`)
	receive(ctx, t, changed)
	assert.Equal(t, []string{"two"}, toolNames(ctx, t, session))
	require.NoError(t, session.Close())
	require.NoError(t, l.Close())
	require.NoError(t, l.Close())

	entries := read(t, journal)
	lines := told(entries)
	assert.Equal(t, []string{"start one", "received server/discover", "received initialize"}, lines[:3])
	assert.Subset(t, lines, []string{"received notifications/initialized", "stream", "received tools/call", "tools two", "received tools/list"})
	assert.Equal(t, []string{"eof", "exit"}, lines[len(lines)-2:])
	for _, e := range entries {
		assert.Equal(t, fakemcp.HTTP, e.Transport)
		switch {
		case e.Event == fakemcp.EventReceived && e.Method == "server/discover":
			assert.Empty(t, e.Session)
		case e.Event == fakemcp.EventReceived, e.Event == fakemcp.EventStream, e.Event == fakemcp.EventEOF:
			assert.Equal(t, session.ID(), e.Session, "%+v", e)
		default:
			assert.Empty(t, e.Session)
		}
	}
	assert.Equal(t, &fakemcp.Client{Name: "tester", Version: "4.2"}, entries[2].Client)
}

func TestListenServesManySessions(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	path := filepath.Join(t.TempDir(), "tools.json")
	write(t, path, `{"tools":[{"name":"one"}]}`)
	l, journal := listen(ctx, t, fakemcp.Options{Tools: path})
	const clients, calls = 5, 20
	ready, done := make(chan string, clients), make(chan error, clients)
	changes := make([]<-chan struct{}, clients)
	for n := range clients {
		session, changed := client(ctx, t, web(t, l))
		changes[n] = changed
		ready <- session.ID()
		go func() {
			for range calls {
				if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "one", Arguments: map[string]any{"id": session.ID()}}); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	ids := map[string]bool{}
	for range clients {
		id := receive(ctx, t, ready)
		ids[id] = true
		await(ctx, t, journal, streamOf(id))
		require.NoError(t, receive(ctx, t, done))
	}
	assert.Len(t, ids, clients)
	write(t, path, `{"tools":[]}`)
	for _, changed := range changes {
		receive(ctx, t, changed)
	}
	counts := map[string]int{}
	for _, e := range read(t, journal) {
		if e.Tool != "" {
			assert.JSONEq(t, `{"id":"`+e.Session+`"}`, string(e.Arguments))
			counts[e.Session]++
		}
	}
	for id := range ids {
		assert.Equal(t, calls, counts[id])
	}
}

func TestListenAnswersWhatIsNoConversation(t *testing.T) {
	t.Parallel()
	l, journal := listen(limit(t), t, fakemcp.Options{})
	root := strings.TrimSuffix(l.URL(), "/mcp")
	for _, tc := range []struct {
		method, url, body string
		header            http.Header
		status            int
		answer            string // a part of it
		told              string // of the journal
	}{
		{
			method: "POST", url: l.URL(), body: `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, status: 200,
			answer: `"id":1,"error":{"code":-32601`, told: "received server/discover",
		},
		{method: "POST", url: l.URL(), body: `{"jsonrpc":"2.0","method":"notifications/x"}`, status: 202, told: "received notifications/x"},
		{method: "POST", url: l.URL(), body: `{"jsonrpc":"2.0","id":2,"method":"ping"}`, status: 400, answer: "begins with initialize", told: "received ping"},
		{
			method: "POST", url: l.URL(), body: `{"jsonrpc":"2.0","id":3,"method":"ping"}`, status: 404, answer: `"id":3,"error"`,
			header: http.Header{"Mcp-Session-Id": {"gone"}}, told: "received ping",
		},
		{method: "POST", url: l.URL(), body: `{oops`, status: 400, answer: `-32700`, told: "error"},
		{method: "POST", url: l.URL(), body: `{"id":5,"method":"ping"}`, status: 400, answer: `"id":5,"error":{"code":-32600`, told: "error"},
		{method: "POST", url: l.URL(), body: `{"id":6,"result":{}}`, status: 400, answer: `{"jsonrpc":"2.0","error":{"code":-32600`, told: "error"},
		{method: "POST", url: l.URL(), body: strings.Repeat(" ", 17<<20), status: 400, told: "error"},
		{
			method: "POST", url: l.URL(), body: `{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":5}}`, status: 200,
			answer: `"error"`, told: "received initialize",
		},
		{method: "GET", url: l.URL(), status: 404, told: "error"},
		{method: "DELETE", url: l.URL(), status: 404, told: "error"},
		{method: "PUT", url: l.URL(), status: 405, told: "error"},
		{method: "GET", url: root + "/.well-known/oauth-protected-resource?key=secret", status: 404, told: "error"},
		{
			method: "POST", url: l.URL(), body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`, status: 403,
			header: http.Header{"Host": {"example.org"}}, told: "error",
		},
		{
			method: "POST", url: l.URL(), body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`, status: 403,
			header: http.Header{"Origin": {"https://example.org"}}, told: "error",
		},
	} {
		status, answer := ask(t.Context(), t, tc.method, tc.url, tc.header, tc.body)
		name := tc.method + " " + tc.url + " " + tc.body[:min(len(tc.body), 99)]
		assert.Equal(t, tc.status, status, name)
		assert.Contains(t, answer, tc.answer, name)
		lines := told(read(t, journal))
		assert.Equal(t, tc.told, lines[len(lines)-1], name)
	}
	text, err := os.ReadFile(journal)
	require.NoError(t, err)
	assert.Contains(t, string(text), "cannot serve GET /.well-known/oauth-protected-resource: Not Found")
	assert.NotContains(t, string(text), "secret")
}

func TestListenJournalsRefusedStreams(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	l, journal := listen(ctx, t, fakemcp.Options{})
	session, _ := client(ctx, t, web(t, l))
	await(ctx, t, journal, streamOf(session.ID()))
	for _, tc := range []struct {
		lastEvent []string
		status    int
		problem   string
	}{
		{nil, 409, "cannot serve GET /mcp: Conflict"},
		{[]string{"1_2"}, 400, "cannot serve GET /mcp: Bad Request"},
	} {
		header := http.Header{"Mcp-Session-Id": {session.ID()}, "Accept": {"text/event-stream"}, "Last-Event-Id": tc.lastEvent}
		status, _ := ask(ctx, t, http.MethodGet, l.URL(), header, "")
		assert.Equal(t, tc.status, status)
		entries := read(t, journal)
		last := entries[len(entries)-1]
		assert.Equal(t, fakemcp.EventError, last.Event)
		assert.Equal(t, session.ID(), last.Session)
		assert.Equal(t, tc.problem, last.Error)
	}
}

func TestListenEndsASessionBeforeItsAnswers(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	path := filepath.Join(t.TempDir(), "tools.json")
	write(t, path, `{"tools":[{"name":"slow","delay":"1h"}]}`)
	l, journal := listen(ctx, t, fakemcp.Options{Tools: path})
	session, _ := client(ctx, t, web(t, l))
	called := make(chan struct{})
	go func() {
		defer close(called)
		_, _ = session.CallTool(ctx, &mcp.CallToolParams{Name: "slow"})
	}()
	await(ctx, t, journal, func(e fakemcp.Entry) bool { return e.Tool == "slow" })
	header := http.Header{"Mcp-Session-Id": {session.ID()}}
	status, _ := ask(ctx, t, http.MethodDelete, l.URL(), header, "")
	assert.Equal(t, http.StatusNoContent, status)
	status, _ = ask(ctx, t, http.MethodDelete, l.URL(), header, "")
	assert.Equal(t, http.StatusNotFound, status)
	require.NoError(t, l.Close())
	receive(ctx, t, called)
}

func TestListenStartsWithItsAddress(t *testing.T) {
	t.Parallel()
	l, _ := listen(limit(t), t, fakemcp.Options{})
	taken := strings.TrimSuffix(strings.TrimPrefix(l.URL(), "http://"), "/mcp")
	journal := filepath.Join(t.TempDir(), "j")
	_, err := fakemcp.Listen(t.Context(), taken, &fakemcp.Options{Journal: journal})
	require.ErrorContains(t, err, "cannot listen on ")
	assert.NoFileExists(t, journal)
}

func TestListenEnds(t *testing.T) {
	t.Parallel()
	cause := errors.New("enough")
	for name, tc := range map[string]struct {
		end  func(l *fakemcp.Listener, signals chan<- os.Signal, cancel context.CancelCauseFunc) error
		want error
		told []string
	}{
		"by Close": {
			end:  func(l *fakemcp.Listener, _ chan<- os.Signal, _ context.CancelCauseFunc) error { return l.Close() },
			told: []string{"exit"},
		},
		"by a signal": {
			end: func(l *fakemcp.Listener, signals chan<- os.Signal, _ context.CancelCauseFunc) error {
				signals <- syscall.SIGTERM
				return l.Wait()
			},
			told: []string{"signal SIGTERM", "exit"},
		},
		"by its context": {
			end: func(l *fakemcp.Listener, _ chan<- os.Signal, cancel context.CancelCauseFunc) error {
				cancel(cause)
				return l.Wait()
			},
			want: cause,
			told: []string{"exit"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test := limit(t)
			dir := t.TempDir()
			write(t, dir+"/tools", `{"tools":[{"name":"slow","delay":"1h"}]}`)
			ctx, cancel := context.WithCancelCause(test)
			signals := make(chan os.Signal, 1)
			l, err := fakemcp.Listen(ctx, "localhost:0", &fakemcp.Options{Journal: dir + "/journal", Tools: dir + "/tools", Signals: signals})
			require.NoError(t, err)
			session, _ := client(test, t, web(t, l))
			await(test, t, dir+"/journal", streamOf(session.ID()))
			called := make(chan struct{})
			go func() {
				defer close(called)
				_, _ = session.CallTool(test, &mcp.CallToolParams{Name: "slow"})
			}()
			await(test, t, dir+"/journal", func(e fakemcp.Entry) bool { return e.Tool == "slow" })
			require.ErrorIs(t, tc.end(l, signals, cancel), tc.want)
			receive(test, t, called)
			assert.Equal(t, tc.told, told(read(t, dir+"/journal"))[len(told(read(t, dir+"/journal")))-len(tc.told):])
			cancel(nil)
		})
	}
}

func TestListenIsForThisMachine(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0"} {
		_, err := fakemcp.Listen(t.Context(), addr, nil)
		require.ErrorIs(t, err, loopback.ErrNotLoopback, addr)
	}
	_, err := fakemcp.Listen(t.Context(), "", &fakemcp.Options{Tools: filepath.Join(t.TempDir(), "none")})
	require.ErrorContains(t, err, "cannot read the tools")
}
