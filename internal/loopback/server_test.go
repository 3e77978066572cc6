package loopback_test

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/loopback"
)

func TestServer(t *testing.T) {
	began := make(chan struct{})
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hang" {
			close(began)
			<-r.Context().Done()
			return
		}
		_, _ = io.WriteString(w, "hello")
	})
	server, err := loopback.Listen(t.Context(), "", handler, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	assert.Regexp(t, `^http://127\.0\.0\.1:\d+$`, server.URL())
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func(path string) (string, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL()+path, http.NoBody)
		require.NoError(t, err)
		res, err := client.Do(req)
		if err != nil {
			return "", err
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		return string(text), err
	}
	text, err := get("/")
	require.NoError(t, err)
	assert.Equal(t, "hello", text)

	broken := make(chan error, 1)
	go func() {
		_, err := get("/hang")
		broken <- err
	}()
	<-began
	require.NoError(t, server.Break())
	require.NoError(t, server.Join())
	require.Error(t, <-broken, "a request that was being answered ends")
	_, err = get("/")
	require.Error(t, err)
}

func TestSocket(t *testing.T) {
	socket, err := loopback.Bind(t.Context(), "localhost:0")
	require.NoError(t, err)
	server := socket.Serve(http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	_, err = loopback.Bind(t.Context(), strings.TrimPrefix(server.URL(), "http://"))
	require.ErrorContains(t, err, "cannot listen on ", "it is taken")
	require.NoError(t, server.Break())
	require.NoError(t, server.Join())

	socket, err = loopback.Bind(t.Context(), "")
	require.NoError(t, err)
	require.NoError(t, socket.Close())
	require.ErrorIs(t, socket.Close(), net.ErrClosed)
}

func TestListenRefuses(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	_, err := loopback.Listen(t.Context(), "0.0.0.0:0", http.NotFoundHandler(), log)
	require.ErrorIs(t, err, loopback.ErrNotLoopback)
	require.ErrorContains(t, err, `cannot listen on "0.0.0.0:0": `)

	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	_, err = loopback.Listen(t.Context(), taken.Addr().String(), http.NotFoundHandler(), log)
	require.Error(t, err)
	assert.True(t, strings.HasPrefix(err.Error(), "cannot listen on "), err)
}
