package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/parity/probe"
	"github.com/acpharness/acpharness/provider"
)

// stopGrace bounds the stop of the agent at the end.
const stopGrace = 15 * time.Second

// talk starts an agent, has fn talk to it, and stops it: in steps or, at the second stage of an interrupt, at once. It
// returns the end of the agent's standard error, and the error of the start or of fn.
func (a *app) talk(ctx context.Context, s probe.Subject, opts *provider.ConnectOptions, fn func(*acp.Conn) error) (stderr string, err error) {
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
	conn := p.Conn()
	release := context.AfterFunc(hard, func() { kill(conn) })
	defer release()
	err = fn(conn)
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	if err := p.Close(stopping); err != nil {
		a.logger.Warn("agent not stopped cleanly", "err", err)
	}
	return conn.StderrTail(), err
}

// kill ends a connection and the agent's process tree without waiting for them.
func kill(conn *acp.Conn) {
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
		return err.Error() + "; sign in with the agent's own command first, acpctl probe shows the ways it offers"
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
