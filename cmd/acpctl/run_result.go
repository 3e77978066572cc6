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
	stderr string
	again  string // the command line that continues the session, empty if there is none
	cause  error  // why the run was cut short, nil if it was not
	killed bool   // at the second stage of an interrupt
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
	case r.killed:
		return exitInterrupted
	case errors.Is(r.cause, context.DeadlineExceeded):
		return exitTimeout
	case r.cause != nil:
		return exitInterrupted
	case r.err != nil:
		return exitCode(ctx, r.err)
	case r.turn.Outcome == acp.OutcomeRefused, r.turn.Outcome == acp.OutcomeCompleted && r.turn.Empty():
		return exitRefused
	case r.turn.Outcome == acp.OutcomeCompleted:
		return exitOK
	default:
		return exitFailed
	}
}

// problem says in words why a run did not succeed, empty if it did.
func (r *runResult) problem() string {
	switch {
	case r.killed:
		return "interrupted twice; the agent was not waited for"
	case r.cause != nil && r.turn == nil:
		return r.cause.Error() + ": " + r.err.Error()
	case r.cause != nil && r.err != nil:
		return r.cause.Error() + "; the turn was cancelled, which the agent did not confirm"
	case r.cause != nil:
		return r.cause.Error() + "; the turn was cancelled"
	case r.err != nil:
		return explain(r.err)
	}
	switch r.turn.Outcome {
	case acp.OutcomeCompleted:
		if r.turn.Empty() {
			return "the agent ended the turn without an answer; its stderr (-v) may say why"
		}
		return ""
	case acp.OutcomeRefused:
		return "the agent refused the turn"
	case acp.OutcomeCancelled:
		return "the agent cancelled the turn"
	default:
		return "the turn ended with stop reason " + string(r.turn.StopReason)
	}
}

// doubt says in words why the outcome may not be what it looks like, empty if nothing speaks for that.
func (r *runResult) doubt() string {
	if r.turn == nil {
		return ""
	}
	switch r.turn.Suspicion {
	case acp.SuspectLoad:
		return "the agent may have accepted a session that it cannot use: its first turn is empty"
	case acp.SuspectUnasked:
		return "nobody has asked the agent to cancel the turn: it may have cancelled all its sessions, or call good turns so"
	case acp.SuspectStale:
		return "the empty answer may be what was left of the turn before, which was cancelled"
	default:
		return string(r.turn.Suspicion)
	}
}
