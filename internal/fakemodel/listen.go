package fakemodel

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/acpharness/acpharness/internal/loopback"
)

// Listener serves a fake model on a loopback address. Close stops and joins
// every goroutine of it.
type Listener struct {
	server *Server
	http   *loopback.Server

	stop  func() bool // forgets the context
	once  sync.Once
	close error
}

// Listen serves on addr until ctx ends or Close is called. addr is as in
// [loopback.Bind]. opts may be nil.
func Listen(ctx context.Context, addr string, opts *Options) (*Listener, error) {
	l := &Listener{server: New(opts)}
	var err error
	if l.http, err = loopback.Listen(ctx, addr, l.server, l.server.log); err != nil {
		return nil, err
	}
	l.stop = context.AfterFunc(ctx, func() { _ = l.shut() })
	return l, nil
}

// URL is the root of the server, such as "http://127.0.0.1:4711", without a
// slash at the end.
func (l *Listener) URL() string { return l.http.URL() }

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
		if err := errors.Join(l.http.Break(), l.http.Join()); err != nil {
			l.close = fmt.Errorf("cannot close the fake model: %w", err)
		}
	})
	return l.close
}
