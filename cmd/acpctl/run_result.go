package main

import (
	"context"
	"errors"
	"strings"

	"github.com/acpharness/acpharness/acp"
)

// runResult is all that is known of a run at its end.
type runResult struct {
	text   strings.Builder
	turn   *acp.TurnResult // nil if there was no turn
	err    error
	exit   *acp.Exit
	stderr string
	cause  error // why the run was cut short, nil if it was not
	code   int
}

// take keeps the text of the answer.
func (r *runResult) take(n acp.SessionNotification) {
	if text, ok := answerText(n.Update); ok && !n.Late {
		r.text.WriteString(text)
	}
}

// answerText returns the text of a piece of the agent's answer.
func answerText(u acp.Update) (string, bool) {
	chunk, ok := u.(*acp.AgentMessageChunk)
	if !ok {
		return "", false
	}
	text, ok := chunk.Content.(*acp.TextContent)
	if !ok {
		return "", false
	}
	return text.Text, true
}

func (r *runResult) exitCode(ctx context.Context) int {
	switch {
	case errors.Is(r.cause, context.DeadlineExceeded):
		return exitTimeout
	case r.cause != nil:
		return exitInterrupted
	case r.err != nil:
		return exitCode(ctx, r.err)
	case r.turn.StopReason == acp.StopRefusal, r.turn.StopReason == acp.StopEndTurn && r.turn.Empty():
		return exitRefused
	case r.turn.StopReason == acp.StopEndTurn:
		return exitOK
	default:
		return exitFailed
	}
}

// problem says in words why a run did not succeed, empty if it did.
func (r *runResult) problem() string {
	switch {
	case r.cause != nil && r.turn == nil:
		return r.cause.Error() + ": " + r.err.Error()
	case r.cause != nil:
		return r.cause.Error() + "; the turn was cancelled"
	case r.err != nil && acp.IsAuthRequired(r.err):
		return r.err.Error() + "; sign in with the agent's own command first, acpctl probe shows the ways it offers"
	case r.err != nil:
		if start, ok := errors.AsType[*acp.StartError](r.err); ok && start.Hint() != "" {
			return r.err.Error() + "; " + start.Hint()
		}
		return r.err.Error()
	case r.turn.StopReason == acp.StopRefusal:
		return "the agent refused the turn"
	case r.turn.StopReason == acp.StopEndTurn && r.turn.Empty():
		return "the agent ended the turn without an answer; its stderr (-v) may say why"
	case r.turn.StopReason != acp.StopEndTurn:
		return "the turn ended with stop reason " + string(r.turn.StopReason)
	}
	return ""
}
