package acp

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// Turn is one prompt and all that the agent does about it.
type Turn struct {
	session *Session
	opts    PromptOptions
	prompt  []ContentBlock // until it is sent
	box     *mailbox       // nil if nobody may read it
	done    chan struct{}

	// Guarded by session.mu.
	state       turnState
	tried       bool // somebody has begun to send the prompt
	afterCancel bool // the turn before it was cancelled
	first       bool // of its session here
	result      TurnResult
	err         error
	askedAt     time.Time // when the cancel was written
	askedAgain  bool
	stderrFrom  int64 // marks of the process's standard error
	stderrTo    int64
}

// on takes an event, in whatever order events come, and returns what is left to do for whoever reports it. With an answer
// it runs on the reader, in the order of the frames: everything read before is filed already.
func (t *Turn) on(e turnEvent, a answer) turnAction {
	s := t.session
	s.mu.Lock()
	before := t.state
	var action turnAction
	t.state, action = before.after(e)
	var warnings []Warning
	var next *Turn
	switch action {
	case actSettle:
		t.result.CancelRequested = before.cancelled()
		t.stderrTo = s.conn.stderrMark()
		warnings, t.err = t.result.settle(a, t.tried)
		t.result.Suspicion = t.suspicion()
		if u := t.result.Usage; u != nil {
			u.Cumulative = s.conn.client.opts.CumulativeUsage
		}
		next = s.over(t)
	case actSettleHere:
		t.result.Outcome, t.result.CancelRequested = OutcomeCancelled, true
		next = s.over(t)
	default:
		s.mu.Unlock()
		return action
	}
	lingers := s.lingering == t
	s.mu.Unlock()
	s.conn.warnings(s.id, warnings)
	switch {
	case t.box == nil:
	case lingers:
		time.AfterFunc(t.opts.LateGrace, t.endWindow)
	default:
		t.box.end()
	}
	close(t.done)
	s.root().releaseTerminals(false)
	if next != nil {
		s.conn.background(func() { _ = next.send(s.conn.ctx) })
	}
	return action
}

// endWindow ends the grace for late updates, if the next turn has not ended it.
func (t *Turn) endWindow() {
	s := t.session
	s.mu.Lock()
	if s.lingering == t {
		s.lingering = nil
	}
	s.mu.Unlock()
	t.box.end()
}

// suspicion looks whether the outcome is what it seems. The session's lock is held.
func (t *Turn) suspicion() Suspicion {
	r := &t.result
	switch {
	case r.CancelRequested || t.err != nil:
		return ""
	case r.StopReason == StopCancelled:
		return SuspectUnasked
	case !r.Empty():
		return ""
	case t.afterCancel:
		return SuspectStale
	case t.first && (t.session.origin == OriginLoaded || t.session.origin == OriginResumed):
		return SuspectLoad
	}
	return ""
}

// note files an update with the turn. The session's lock is held.
func (t *Turn) note(l *letter) {
	t.result.Updates++
	switch l.kind {
	case KindAgentMessageChunk:
		t.result.Messages++
	case KindAgentThoughtChunk:
		t.result.Thoughts++
	case KindToolCall:
		t.result.ToolCalls++
	case KindToolCallUpdate:
		t.result.toolUpdates++
	default:
	}
	if t.box != nil {
		t.box.put(*l)
	}
}

// ignoresCancel reports, once, that the agent goes on though it was asked to stop: some lose a cancel that comes before they
// have really begun (goose#12108). The session's lock is held.
func (t *Turn) ignoresCancel(l *letter) bool {
	if t.state != turnCancelling || t.askedAgain || t.askedAt.IsZero() || !isHistory(l.kind) || time.Since(t.askedAt) < askAgainAfter {
		return false
	}
	t.askedAgain = true
	return true
}

// askAgainAfter is after how long an agent that goes on is asked to stop once more.
const askAgainAfter = 2 * time.Second

// Updates returns the turn's stream, which ends with the turn, or PromptOptions.LateGrace later: the window of the session's
// stream from the prompt to its outcome. The call itself adopts the stream; a second call gets an empty one. It may be called
// until the next turn begins, after the turn's end as well. Leaving the loop unsubscribes and cancels nothing.
func (t *Turn) Updates() iter.Seq[SessionNotification] {
	if t.box == nil || !t.box.adopt() {
		return nothing
	}
	return t.box.all()
}

// Stderr returns what the agent's process wrote on its standard error from the turn's beginning to its end, or until now: as
// far as the last 64 KiB have it, in whole lines, with secrets masked. All sessions share it. Some agents tell of a failure
// nowhere else (MoonshotAI/kimi-code#1865).
func (t *Turn) Stderr() string {
	s := t.session
	s.mu.Lock()
	from, to, over, tried := t.stderrFrom, t.stderrTo, t.state == turnEnded, t.tried
	s.mu.Unlock()
	if s.conn.process == nil || !tried {
		return ""
	}
	if !over {
		to = s.conn.stderrMark()
	}
	return s.conn.redact.text(s.conn.process.StderrLines(from, to))
}

// Session returns the session that the turn belongs to.
func (t *Turn) Session() *Session { return t.session }

// Done is closed when the outcome is known.
func (t *Turn) Done() <-chan struct{} { return t.done }

// Wait returns the outcome once it is known; by then everything read before it is in Updates. It does not wait for a
// consumer. The error is an *Error of the agent, the cause for which the connection or the session ended, ErrProtocol for
// an answer that is none, or that of ctx, which ends the waiting only. With any error but that one the result is there all
// the same and has the outcome and the counts so far. A prompt whose outcome is unknown is not sent again by itself.
func (t *Turn) Wait(ctx context.Context) (*TurnResult, error) {
	select {
	case <-t.done:
	default:
		select {
		case <-t.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	result := t.result
	return &result, t.err
}

// Cancel asks the agent to stop. The outcome still comes through Wait: agents finish what they must and may even say
// that the turn ended well. Open questions are answered "cancelled". A turn that is queued is over at once; one
// that is over is left alone.
func (t *Turn) Cancel(ctx context.Context) error {
	if t.on(eventCancel, answer{}) == actAskToStop || t.isBeingAsked() {
		return t.askToStop(ctx)
	}
	return nil
}

// isBeingAsked reports whether the cancel of somebody else is not written yet. It may never be: its context may end.
func (t *Turn) isBeingAsked() bool {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	return t.state == turnCancelling && t.askedAt.IsZero()
}

// askToStop sends the cancel, unless the turn is over by then: it must not reach a later one (devspace#358).
func (t *Turn) askToStop(ctx context.Context) error {
	s := t.session
	// The cancel goes first: an agent that is told "cancelled" before it may take that for the user's answer and end the
	// turn as if nothing had happened.
	defer s.cancelRequests()
	if err := t.writeCancel(ctx, false); err != nil {
		s.mu.Lock()
		if t.askedAt.IsZero() { // otherwise another cancel was written
			t.state, _ = t.state.after(eventNotAsked)
		}
		s.mu.Unlock()
		return fmt.Errorf("cannot cancel: %w", err)
	}
	grace := t.opts.CancelGrace
	if grace == 0 {
		grace = s.conn.client.opts.CancelGrace
	}
	if grace > 0 {
		s.conn.background(func() { t.insist(grace) })
	}
	return nil
}

// writeCancel writes a cancel if the turn has not ended when there is room for it, and none was written or another one is
// wanted.
func (t *Turn) writeCancel(ctx context.Context, again bool) error {
	s := t.session
	stillWanted := &condition{&s.mu, func() bool {
		if t.state == turnOpen { // a cancel that was given up meanwhile has set it back
			t.state, _ = t.state.after(eventCancel)
		}
		wanted := t.state == turnCancelling && (again || t.askedAt.IsZero())
		if wanted {
			t.askedAt = time.Now()
		}
		return wanted
	}}
	return s.conn.wire.notifyIf(ctx, methodSessionCancel, sessionParams{s.id}, stillWanted)
}

// insist ends the connection of an agent that ignores a cancel (hermes-agent#79196).
func (t *Turn) insist(grace time.Duration) {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-timer.C:
		t.session.conn.die(&CancelIgnoredError{SessionID: t.session.id, Waited: grace})
	case <-t.done:
	case <-t.session.conn.dying:
	}
}

// CancelIgnoredError is the cause of a connection that was given up because its agent did not end a turn when it was asked to.
type CancelIgnoredError struct {
	SessionID SessionID
	Waited    time.Duration
}

func (e *CancelIgnoredError) Error() string {
	return fmt.Sprintf("the agent did not end the turn of session %s within %v of its cancel", e.SessionID, e.Waited)
}
