package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/provider"
)

// converse starts the agent, plays the turn and stops the agent. connect has the environment.
func (a *app) converse(ctx context.Context, o *runOptions, view runView, connect provider.ConnectOptions) *runResult {
	connect.Dir = o.cwd
	connect.Client = acp.ClientOptions{
		Diagnostic: view.diagnostic,
		Permission: acp.PermissionFunc(func(ctx context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			outcome, err := o.policy.RequestPermission(ctx, req)
			view.permission(req, outcome)
			return outcome, err
		}),
	}
	result := &runResult{}
	result.stderr, result.err = a.talk(ctx, o.subject, &connect, func(conn *acp.Conn) error {
		return a.turn(ctx, o, view, conn, result)
	})
	return result
}

// turn opens a session and plays one turn in it.
func (a *app) turn(ctx context.Context, o *runOptions, view runView, conn *acp.Conn, result *runResult) error {
	session, lost, err := o.stored.open(ctx, conn, o.cwd)
	if err != nil {
		return &exitError{sessionCode(err), err}
	}
	if lost != nil {
		fmt.Fprintf(a.streams.Err, "acpctl: the history is lost, this is a new session: %s\n", ui.OneLine(lost.Error(), 0))
	}
	result.again = o.continuation(conn, session)
	view.session(o.subject.Name, session, lost != nil)
	updates := session.Updates() // the whole session's: what comes before the turn, and late after it
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		for n := range updates {
			result.take(n)
			view.update(n)
		}
	}()
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelGrace)
		defer cancel()
		_ = session.Close(closing) // ends the stream in any case
		<-shown
	}()
	if o.recipe != nil && o.recipe.Mode != "" {
		if err := session.SetMode(ctx, o.recipe.Mode); err != nil {
			return err
		}
	}
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
	case errors.Is(err, context.DeadlineExceeded):
		return exitTimeout
	default:
		return exitStart
	}
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
