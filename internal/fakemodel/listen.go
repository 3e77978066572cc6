package fakemodel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// ErrNotLoopback says that an address is not one of the loopback interface.
var ErrNotLoopback = errors.New("not a loopback address")

// Listener serves a fake model on a loopback address. It runs one goroutine
// that accepts connections and, through net/http, one per connection; Close
// stops and joins them all.
type Listener struct {
	server *Server
	http   *http.Server
	url    string
	served chan error     // the result of the accepting goroutine
	conns  sync.WaitGroup // connections from accept to close

	stop  func() bool // forgets the context
	once  sync.Once
	close error
}

// Listen serves on addr until ctx ends or Close is called. addr is "" for a
// free port of 127.0.0.1, or the host and port of a loopback address, "localhost"
// meaning 127.0.0.1; every other host, and none, is refused with ErrNotLoopback.
// opts may be nil.
func Listen(ctx context.Context, addr string, opts *Options) (*Listener, error) {
	local, err := loopback(addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %q: %w", addr, err)
	}
	var config net.ListenConfig
	ln, err := config.Listen(ctx, "tcp", local)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %q: %w", addr, err)
	}
	l := &Listener{
		server: New(opts),
		url:    "http://" + ln.Addr().String(),
		served: make(chan error, 1),
	}
	l.http = &http.Server{
		Handler:           l.server,
		ReadHeaderTimeout: 10 * time.Second,
		ConnState:         l.track,
		ErrorLog:          slog.NewLogLogger(l.server.log.Handler(), slog.LevelWarn),
	}
	go func() { l.served <- l.http.Serve(ln) }()
	l.stop = context.AfterFunc(ctx, func() { _ = l.shut() })
	return l, nil
}

// loopback checks an address and completes it.
func loopback(addr string) (string, error) {
	if addr == "" {
		return "127.0.0.1:0", nil
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	if host == "localhost" {
		// Not resolved: a hosts file could lead anywhere.
		return net.JoinHostPort("127.0.0.1", port), nil
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.Unmap().IsLoopback() {
		return "", ErrNotLoopback
	}
	return net.JoinHostPort(ip.Unmap().String(), port), nil
}

// track counts connections. The first call for a connection comes from the
// accepting goroutine, so that no connection is added after that has ended.
func (l *Listener) track(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		l.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		l.conns.Done()
	case http.StateActive, http.StateIdle:
	}
}

// URL is the root of the server, such as "http://127.0.0.1:4711", without a
// slash at the end.
func (l *Listener) URL() string { return l.url }

// Calls returns a copy of the journal; see [Server.Calls].
func (l *Listener) Calls() []Call { return l.server.Calls() }

// Close breaks all connections, ends all replies and returns when nothing of
// them runs any more. It must not be called from Options.Reply or
// Options.Journal. Later calls return what the first one did.
func (l *Listener) Close() error {
	l.stop()
	return l.shut()
}

func (l *Listener) shut() error {
	l.once.Do(func() {
		l.server.Close()
		err := l.http.Close()
		if served := <-l.served; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		// Again, for a connection that was being accepted the first time.
		err = errors.Join(err, l.http.Close())
		l.conns.Wait()
		if err != nil {
			l.close = fmt.Errorf("cannot close the fake model: %w", err)
		}
	})
	return l.close
}
