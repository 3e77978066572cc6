package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/permission"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/provider"
)

// converse starts the agent, plays the turn and stops the agent. connect has the environment.
func (a *app) converse(ctx context.Context, o *runOptions, view runView, connect provider.ConnectOptions) *runResult {
	connect.Dir = o.cwd
	connect.Client = acp.ClientOptions{Diagnostic: view.diagnostic}
	result := &runResult{}
	if result.err = a.serve(o, view, &connect); result.err != nil {
		return result
	}
	result.stderr, result.err = a.talk(ctx, o.subject, &connect, func(agent *started) error {
		return a.turn(ctx, o, view, agent, result)
	})
	return result
}

// turn opens a session and plays one turn in it.
func (a *app) turn(ctx context.Context, o *runOptions, view runView, agent *started, result *runResult) error {
	var lost error
	session, err := agent.open(ctx, func(ctx context.Context, conn *acp.Conn) (s *acp.Session, err error) {
		s, lost, err = o.stored.open(ctx, conn, o.cwd, o.sessionOptions(conn))
		return s, err
	})
	if err != nil {
		return &exitError{sessionCode(err), err}
	}
	conn := agent.Conn()
	if lost != nil {
		fmt.Fprintf(a.streams.Err, "acpctl: the history is lost, this is a new session: %s\n", ui.OneLine(lost.Error(), 0))
	}
	result.again = o.continuation(conn, session)
	view.session(o.subject.Name, session, lost != nil)
	wire := o.tripWire()
	updates := session.Updates() // the whole session's: what comes before the turn, and late after it
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		for n := range updates {
			result.take(n)
			view.update(n)
			if o.once != nil {
				o.once.Note(n)
			}
			if n.Late { // such as the mode before it was set
				continue
			}
			if left := wire.Note(n); left != nil {
				view.violation(left)
			}
		}
	}()
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelGrace)
		defer cancel()
		_ = session.Close(closing) // ends the stream in any case
		<-shown
	}()
	turn, err := session.Prompt(ctx, acp.Text(o.prompt), &acp.PromptOptions{NoUpdates: true})
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { cancelTurn(ctx, conn, turn) })
	defer stop()
	result.turn, err = turn.Wait(context.WithoutCancel(ctx))
	if rpc, ok := errors.AsType[*acp.Error](err); ok {
		err = fmt.Errorf("the turn failed: %w", rpc)
	}
	return err
}

// sessionOptions are what is wanted of the session.
func (o *runOptions) sessionOptions(conn *acp.Conn) acp.SessionOptions {
	opts := acp.SessionOptions{Settings: o.settings, Replay: acp.ReplayDrop}
	if conn.Capabilities().Session.AdditionalDirectories {
		opts.AdditionalDirectories = o.dirs
	}
	return opts
}

// tripWire notices when the agent leaves the mode that was asked for.
func (o *runOptions) tripWire() *permission.TripWire {
	opts := &permission.TripWireOptions{}
	if o.mode != "" {
		opts.Allowed = []string{o.mode}
	}
	return permission.NewTripWire(opts)
}

// cancelTurn asks the agent to stop; if it does not, the end of the connection ends the turn.
func cancelTurn(ctx context.Context, conn *acp.Conn, turn *acp.Turn) {
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelGrace)
	defer cancel()
	_ = turn.Cancel(grace)
	select {
	case <-turn.Done():
	case <-grace.Done():
		kill(conn)
	}
}

// sessionCode is the exit code for an agent that opened no session.
func sessionCode(err error) int {
	switch {
	case acp.IsAuthRequired(err):
		return exitAuth
	case notSet(err):
		return exitFailed
	case errors.Is(err, context.DeadlineExceeded):
		return exitTimeout
	default:
		return exitStart
	}
}

// notSet reports whether the session was there, and could not be set as it was wanted.
func notSet(err error) bool {
	_, ok := errors.AsType[*acp.NotAppliedError](err)
	return ok || errors.Is(err, acp.ErrNotOffered)
}

// cutShort returns why ctx has ended, nil if it has not.
func cutShort(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	return errors.New("interrupted")
}
