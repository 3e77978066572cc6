package fakemcp

import (
	"context"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Serve speaks to one client, one message on a line, until in or ctx ends, a
// signal comes or a stream breaks. At the end of in everything asked is answered
// first, without delays. It returns nil then and after a signal, the cause of
// ctx's end, or what is wrong. opts may be nil.
//
// To stop early, Serve interrupts blocked reads and writes by deadlines where in
// and out have them and by closing them else. All goroutines have ended when it
// returns, unless one is in a read or write that cannot be interrupted, as on
// the standard streams of a process: there the process ends next.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opts *Options) error {
	s, err := begin(opts, Stdio)
	if err != nil {
		return err
	}
	return s.end(s.serve(ctx, newLines(s, in, out)))
}

func (s *server) serve(ctx context.Context, conn *lines) error {
	session, err := s.mcp.Connect(ctx, conn, nil)
	if err != nil {
		return fmt.Errorf("cannot serve: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err := <-ended:
		conn.stop()
		if err != nil {
			return fmt.Errorf("cannot serve: %w", err)
		}
		return nil
	case sig := <-s.signals:
		s.signalled(sig) // before anything else: the next signal may be a kill
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	s.finish()
	s.closeSession(session, conn, ended)
	conn.stop()
	return err
}

// closeSession ends a session that is at work and joins what it runs, unless a
// write is stuck that nothing can interrupt.
func (s *server) closeSession(session *mcp.ServerSession, conn *lines, ended <-chan error) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = session.Close()
		s.log.Debug("session ended", "error", <-ended)
	}()
	joinWriter(conn.stream, closed)
}
