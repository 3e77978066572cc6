package fakemcp

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/acpharness/acpharness/internal/loopback"
)

// Listener serves streamable HTTP on a loopback address. It runs one goroutine
// that waits for the end, those of the HTTP server, and through the library a few
// per session. Close stops and joins them all.
type Listener struct {
	server   *server
	sessions *sessions
	http     *loopback.Server

	once   sync.Once
	stop   chan struct{} // closed by Close
	done   chan struct{} // closed when nothing runs any more
	result error         // set before done
}

// Listen serves on addr until ctx ends, a signal comes or Close is called. addr
// is as in [loopback.Bind]. opts may be nil.
func Listen(ctx context.Context, addr string, opts *Options) (*Listener, error) {
	socket, err := loopback.Bind(ctx, addr) // before the journal says that there is a server
	if err != nil {
		return nil, err
	}
	s, err := begin(opts, HTTP)
	if err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	l := &Listener{server: s, sessions: newSessions(s), stop: make(chan struct{}), done: make(chan struct{})}
	l.http = socket.Serve(l.sessions.handler(), s.log)
	go l.run(ctx)
	return l, nil
}

// URL is what a client is to be configured with, such as
// "http://127.0.0.1:4711/mcp".
func (l *Listener) URL() string { return l.http.URL() + endpoint }

// Wait returns when nothing of the server runs any more: nil after Close or a
// signal, the cause of ctx's end, or what went wrong.
func (l *Listener) Wait() error {
	<-l.done
	return l.result
}

// Close breaks all connections, ends all sessions and returns when nothing of
// them runs any more, with what Wait does.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.stop) })
	return l.Wait()
}

func (l *Listener) run(ctx context.Context) {
	defer close(l.done)
	var reason error
	select {
	case sig := <-l.server.signals:
		l.server.signalled(sig) // before anything else: the next signal may be a kill
	case <-ctx.Done():
		reason = context.Cause(ctx)
	case <-l.stop:
	}
	l.server.finish()
	err := l.http.Break()
	l.sessions.close()
	err = errors.Join(err, l.http.Join())
	if err != nil {
		err = fmt.Errorf("cannot close the fake MCP server: %w", err)
	}
	l.result = l.server.end(errors.Join(reason, err))
}
