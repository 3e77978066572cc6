package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/parity/probe"
	"github.com/acpharness/acpharness/provider"
)

// stopGrace bounds the stop of the agent at the end.
const stopGrace = 15 * time.Second

// started is an agent that was started for one command. A sign-in may put another process in its place.
type started struct {
	connector provider.Connector
	opts      *provider.ConnectOptions

	mu sync.Mutex
	p  provider.Provider // nil once it is gone
}

// Conn returns the connection to the agent.
func (s *started) Conn() *acp.Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.p == nil {
		return nil
	}
	return s.p.Conn()
}

// open opens a session and signs in if the agent asks for it and that needs nobody.
func (s *started) open(ctx context.Context, open provider.SessionOpener) (*acp.Session, error) {
	p, session, err := provider.OpenSession(ctx, s.connector, s.p, open, &provider.SignInOptions{Connect: s.opts})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.p = p
	return session, err
}

// talk starts an agent, has fn talk to it, and stops it: in steps or, at the second stage of an interrupt, at once. It
// returns the end of the agent's standard error, and the error of the start or of fn.
func (a *app) talk(ctx context.Context, s probe.Subject, opts *provider.ConnectOptions, fn func(*started) error) (stderr string, err error) {
	hard := a.hard.use()
	opts.ClientInfo, opts.StateDir = a.info, a.ledger()
	opts.Client.Logger, opts.Client.Tap = a.logger, a.trace.tap(s.Name)
	p, err := s.Connector.Connect(ctx, opts)
	if err != nil {
		if start, ok := errors.AsType[*acp.StartError](err); ok {
			stderr = start.Stderr
		}
		return stderr, err
	}
	agent := &started{connector: s.Connector, opts: opts, p: p}
	release := context.AfterFunc(hard, func() { kill(agent.Conn()) })
	defer release()
	err = fn(agent)
	conn := agent.Conn()
	if conn == nil {
		return "", err
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	if err := conn.Close(stopping); err != nil {
		a.logger.Warn("agent not stopped cleanly", "err", err)
	}
	return conn.StderrTail(), err
}

// kill ends a connection and the agent's process tree without waiting for them.
func kill(conn *acp.Conn) {
	if conn == nil {
		return
	}
	now, cancel := context.WithCancel(context.Background())
	cancel()
	_ = conn.Close(now)
}

// timeoutError says that --timeout is over. It is a context.DeadlineExceeded.
type timeoutError struct{ limit time.Duration }

func (e *timeoutError) Error() string { return fmt.Sprintf("the timeout of %v is over", e.limit) }

func (*timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// within bounds ctx by --timeout, 0 for no bound.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, &timeoutError{limit})
}

// explain is an error with what to do about it.
func explain(err error) string {
	if acp.IsAuthRequired(err) {
		return err.Error() + "; sign in with acpctl login, or with the agent's own command"
	}
	if start, ok := errors.AsType[*acp.StartError](err); ok && start.Hint() != "" {
		return err.Error() + "; " + start.Hint()
	}
	return err.Error()
}

// tellStderr shows the end of what the agent wrote to its standard error.
func tellStderr(streams *ui.Streams, stderr string) {
	if tail := strings.TrimSpace(stderr); tail != "" {
		fmt.Fprintf(streams.Err, "acpctl: the agent's standard error ended:\n%s\n", ui.Plain(lastLines(tail, 10)))
	}
}

func lastLines(text string, most int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
