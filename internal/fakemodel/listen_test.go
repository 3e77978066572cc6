package fakemodel_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakemodel"
	"github.com/acpharness/acpharness/internal/loopback"
)

func TestListenRefuses(t *testing.T) {
	tests := []struct {
		addr     string
		loopback bool
	}{
		{":0", true},
		{"0.0.0.0:0", true},
		{"[::]:0", true},
		{"192.0.2.1:0", true},
		{"[::ffff:192.0.2.1]:0", true},
		{"127.0.0.1.example.com:0", true},
		{"example.com:80", true},
		{"127.0.0.1", false},
		{"127.0.0.1:http:x", false},
		{"127.0.0.1:99999", false},
	}
	for _, tt := range tests {
		t.Run(tt.addr, func(t *testing.T) {
			l, err := fakemodel.Listen(t.Context(), tt.addr, nil)
			if err == nil {
				_ = l.Close()
			}
			require.ErrorContains(t, err, "cannot listen on ")
			if tt.loopback {
				assert.ErrorIs(t, err, loopback.ErrNotLoopback)
			}
		})
	}
}

// ask posts one chat message with a client of its own and returns the answer.
func ask(ctx context.Context, url, text string) (string, error) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	res, err := send(ctx, client, http.MethodPost, url+"/v1/chat/completions", strings.NewReader(chatRequest(text, nil)))
	return res.body, err
}

func TestListenServes(t *testing.T) {
	for _, addr := range []string{"", "127.0.0.1:0", "localhost:0", "[::ffff:127.0.0.1]:0"} {
		t.Run(addr, func(t *testing.T) {
			l, err := fakemodel.Listen(t.Context(), addr, nil)
			require.NoError(t, err)
			assert.Regexp(t, `^http://127\.0\.0\.1:[1-9]\d*$`, l.URL())
			answer, err := ask(t.Context(), l.URL(), "hello")
			require.NoError(t, err)
			assert.Contains(t, answer, "pong")
			assert.Len(t, l.Calls(), 1)
			require.NoError(t, l.Close())
			require.NoError(t, l.Close())

			_, err = ask(t.Context(), l.URL(), "hello")
			assert.Error(t, err)
			assert.Len(t, l.Calls(), 1, "the journal outlives the listener")
		})
	}
}

func TestListenEnds(t *testing.T) {
	tests := []struct {
		name string
		end  func(l *fakemodel.Listener, cancel func())
	}{
		{"by Close", func(l *fakemodel.Listener, _ func()) { _ = l.Close() }},
		{"by the context", func(_ *fakemodel.Listener, cancel func()) { cancel() }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			begun := make(chan fakemodel.Call, 1)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			l, err := fakemodel.Listen(ctx, "", &fakemodel.Options{Journal: func(c fakemodel.Call) { begun <- c }})
			require.NoError(t, err)
			// A connection without a request must not hold Close up either.
			idle, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(l.URL(), "http://"))
			require.NoError(t, err)
			defer idle.Close()
			failed := make(chan error, 1)
			go func() {
				_, err := ask(t.Context(), l.URL(), "@@HANG@@")
				failed <- err
			}()
			assert.Equal(t, fakemodel.KindHang, (<-begun).Kind)
			tt.end(l, cancel)
			assert.Error(t, <-failed)
			assert.NoError(t, l.Close())
		})
	}
}

func TestListenWithEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l, err := fakemodel.Listen(ctx, "", nil)
	if err == nil {
		require.NoError(t, l.Close())
		return
	}
	assert.ErrorIs(t, err, context.Canceled)
}

// logged is a log one can wait for.
type logged struct {
	once sync.Once
	line chan string
}

func (l *logged) Write(p []byte) (int, error) {
	l.once.Do(func() { l.line <- string(p) })
	return len(p), nil
}

func TestPanicInReplyIsLogged(t *testing.T) {
	log := &logged{line: make(chan string, 1)}
	l, err := fakemodel.Listen(t.Context(), "", &fakemodel.Options{
		Reply: func(fakemodel.Request) fakemodel.Reply { panic("oops") },
		Log:   slog.New(slog.NewTextHandler(log, nil)),
	})
	require.NoError(t, err)
	_, err = ask(t.Context(), l.URL(), "hello")
	assert.Error(t, err)
	assert.Contains(t, <-log.line, "oops")
	require.NoError(t, l.Close())
}

func TestJournal(t *testing.T) {
	var mu sync.Mutex
	var told []fakemodel.Call
	model, server := serve(t, &fakemodel.Options{Journal: func(c fakemodel.Call) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, c)
		if len(c.History) > 0 {
			c.History[0].Text = "spoiled"
		}
	}})
	bodies := []string{
		`{"model":"m","stream":true,"messages":[{"role":"system","content":"s"},{"role":"user","content":"@@TOOL t {}@@"}],"tools":[{"type":"function","function":{"name":"t"}}]}`,
		`{"model":"m","messages":[{"role":"system","content":"Write a title."},{"role":"user","content":"hello"}]}`,
		`{"model":"m","messages":[{"role":"user","content":"@@ERR 503@@"}]}`,
		`[]`,
	}
	for _, body := range bodies {
		post(t, server, body)
	}
	_, err := send(t.Context(), server.Client(), http.MethodGet, server.URL+"/v1/models?key=secret", http.NoBody)
	require.NoError(t, err)

	const chat, agent = "/v1/chat/completions", "Go-http-client/1.1"
	want := []fakemodel.Call{
		{
			Seq: 1, Method: "POST", Path: chat, UserAgent: agent, API: fakemodel.APIChat, Model: "m", Stream: true,
			Tools: []string{"t"}, History: []message{{Role: "system", Text: "s"}, user("@@TOOL t {}@@")}, LastUser: "@@TOOL t {}@@", Kind: fakemodel.KindTool, Status: 200,
		},
		{
			Seq: 2, Method: "POST", Path: chat, UserAgent: agent, API: fakemodel.APIChat, Model: "m",
			History: []message{{Role: "system", Text: "Write a title."}, user("hello")}, LastUser: "hello", Kind: fakemodel.KindText, Status: 200, Utility: true,
		},
		{
			Seq: 3, Method: "POST", Path: chat, UserAgent: agent, API: fakemodel.APIChat, Model: "m",
			History: []message{user("@@ERR 503@@")}, LastUser: "@@ERR 503@@", Kind: fakemodel.KindError, Status: 503,
		},
		{Seq: 4, Method: "POST", Path: chat, UserAgent: agent, API: fakemodel.APIChat, Kind: fakemodel.KindError, Status: 400},
		{Seq: 5, Method: "GET", Path: "/v1/models", UserAgent: agent, API: fakemodel.APIModels, Status: 200},
	}
	got := model.Calls()
	for i := range got {
		assert.False(t, got[i].Time.IsZero())
		got[i].Time = time.Time{}
	}
	assert.Equal(t, want, got)
	mu.Lock()
	assert.Len(t, told, len(want))
	mu.Unlock()

	got[0].Tools[0], got[0].History[0].Text = "spoiled", "spoiled"
	assert.Equal(t, want[0].Tools, model.Calls()[0].Tools)
	assert.Equal(t, want[0].History, model.Calls()[0].History)
}

func TestJournalCuts(t *testing.T) {
	model, server := serve(t, nil)
	long := strings.Repeat("é", 5000)
	messages := []any{map[string]any{"role": "tool", "content": "r" + long}}
	for range 200 {
		messages = append(messages, map[string]any{"role": "user", "content": long})
	}
	post(t, server, chatRequest("", map[string]any{"messages": messages}))
	c := model.Calls()[0]
	require.Len(t, c.History, 200)
	assert.Equal(t, user(long[:2*256]+" … "+long[:2*256]), c.History[0], "the tool result is the oldest")
	assert.Equal(t, long[:2*2048]+" … "+long[:2*2048], c.LastUser, "both ends")
	assert.Equal(t, "r"+long[:2*2047]+" … "+long[:2*2048], c.LastTool)
}

func TestJournalForgetsTheOldest(t *testing.T) {
	model := fakemodel.New(nil)
	for range 10_001 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodHead, "/", http.NoBody)
		require.NoError(t, err)
		model.ServeHTTP(discard{}, req)
	}
	calls := model.Calls()
	assert.LessOrEqual(t, len(calls), 10_000)
	assert.Equal(t, 10_001, calls[len(calls)-1].Seq)
	assert.Greater(t, calls[0].Seq, 1)
}

// discard is a response writer that forgets.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

func TestManyClients(t *testing.T) {
	l, err := fakemodel.Listen(t.Context(), "", nil)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			answer, err := ask(t.Context(), l.URL(), "@@TEXT same@@")
			assert.NoError(t, err)
			assert.Contains(t, answer, "same")
		})
	}
	wg.Wait()
	calls := l.Calls()
	require.Len(t, calls, 16)
	for i, c := range calls {
		assert.Equal(t, i+1, c.Seq)
	}
	require.NoError(t, l.Close())
}
