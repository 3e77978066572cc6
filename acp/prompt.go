package acp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// PromptOptions configure a turn. The zero value works.
type PromptOptions struct {
	// NoUpdates says that nobody will read Turn.Updates, so that nothing is kept for it.
	NoUpdates bool
	// Inactivity is for this turn; nil means ClientOptions.Inactivity.
	Inactivity *Inactivity
	// Busy says what to do while another turn of the session is open; the zero value refuses.
	Busy BusyPolicy
	// LateGrace keeps Turn.Updates open for so long after the outcome, or until the next turn begins: agents send the end of
	// their answer after it (opencode#17505). What comes then is flagged as late and is not in the counts of the result.
	LateGrace time.Duration
	// CancelGrace is how long the agent may take to end this turn once it was asked to stop; 0 means
	// ClientOptions.CancelGrace.
	CancelGrace time.Duration
}

// BusyPolicy says what a prompt does while another turn of the session is open. A session has one turn at a time: what
// agents do with two differs too much (fast-agent#465).
type BusyPolicy int

const (
	// BusyReject returns ErrTurnInProgress. The zero value.
	BusyReject BusyPolicy = iota
	// BusyQueue sends the prompt when the turns before it are over, however they ended. Until then it can be cancelled
	// without the agent ever hearing of it. It does not outlive its session.
	BusyQueue
	// BusyReplace cancels the open turn and what is queued, and sends the prompt when the agent has ended that turn.
	BusyReplace
)

type promptParams struct {
	SessionID SessionID      `json:"sessionId"`
	Prompt    []ContentBlock `json:"prompt"`
}

// Prompt begins a turn. It returns once the prompt is queued for sending, or queued behind other turns (PromptOptions.Busy);
// ctx bounds the wait for that. While another turn is open the error is ErrTurnInProgress unless a policy says otherwise. It
// mirrors session/prompt.
func (s *Session) Prompt(ctx context.Context, prompt []ContentBlock, opts *PromptOptions) (*Turn, error) {
	if opts == nil {
		opts = &PromptOptions{}
	}
	if s.parent != nil {
		return nil, fmt.Errorf("cannot prompt: %w", ErrChildSession)
	}
	if len(prompt) == 0 {
		return nil, errors.New("cannot prompt: the prompt is empty")
	}
	if slices.Contains(prompt, nil) {
		return nil, errors.New("cannot prompt: a content block is nil")
	}
	turn := &Turn{session: s, opts: *opts, prompt: prompt, done: make(chan struct{})}
	if !opts.NoUpdates {
		turn.box = newMailbox(s.id, s.conn.spill)
	}
	replaced, begun, err := s.line(turn)
	if err != nil {
		return nil, err
	}
	for _, t := range slices.Backward(replaced) { // what is queued goes first, or it would be sent when the open turn ends
		_ = t.Cancel(ctx) // if the agent cannot be asked, the prompt waits for the turn's own end
	}
	if begun {
		if err := turn.send(ctx); err != nil {
			return nil, err
		}
	}
	return turn, nil
}

// line puts a turn in its place: at work if there is no other, else as its policy says. It returns the turns that it
// replaces, and whether it is to be sent now.
func (s *Session) line(turn *Turn) (replaced []*Turn, begun bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != sessionOpen {
		return nil, false, ErrSessionClosed
	}
	if s.turn == nil { // then nothing is queued either
		s.begin(turn)
		return nil, true, nil
	}
	switch turn.opts.Busy {
	case BusyReplace:
		replaced = append([]*Turn{s.turn}, s.queue...)
	case BusyQueue:
	default:
		return nil, false, ErrTurnInProgress
	}
	s.queue = append(s.queue, turn)
	return replaced, false, nil
}

// begin opens the window of a turn. What nobody adopted of the time before is dropped now. The lock is held.
func (s *Session) begin(turn *Turn) {
	turn.state, _ = turn.state.after(eventBegin)
	s.dropUnread()
	turn.first = true
	if last := s.last; last != nil {
		turn.first, turn.afterCancel = false, last.result.CancelRequested
		if !last.tried { // the agent knows nothing of it
			turn.first, turn.afterCancel = last.first, last.afterCancel
		}
		if last.box != nil {
			last.box.discard()
		}
	}
	for _, child := range s.children {
		child.mu.Lock()
		child.dropUnread()
		child.mu.Unlock()
	}
	turn.stderrFrom = s.conn.stderrMark()
	s.turn, s.last, s.lingering = turn, turn, nil
}

// dropUnread frees what nobody has adopted of the stream outside of turns. The lock is held.
func (s *Session) dropUnread() {
	if s.box != nil && !s.box.isAdopted() {
		s.box.discard()
		s.box = nil
	}
}

// over takes a turn that has ended out of the line, and returns the next if there is one to be sent now. The lock is held.
func (s *Session) over(turn *Turn) *Turn {
	if s.turn != turn {
		s.queue = slices.DeleteFunc(s.queue, func(t *Turn) bool { return t == turn })
		return nil
	}
	s.turn, s.turnEnd = nil, time.Now()
	if turn.opts.LateGrace > 0 && turn.box != nil {
		s.lingering = turn
	}
	if s.state != sessionOpen || len(s.queue) == 0 {
		return nil
	}
	next := s.queue[0]
	s.queue = slices.Delete(s.queue, 0, 1)
	s.begin(next)
	return next
}

// send sends the prompt of a turn that has begun. The error is for whoever waits for that; the turn has its own.
func (t *Turn) send(ctx context.Context) error {
	s := t.session
	params := promptParams{s.id, t.prompt}
	t.prompt = nil // a long one need not stay
	// A turn that has ended meanwhile, with its session, is not sent: its outcome says so.
	wanted := &condition{&s.mu, func() bool {
		t.tried = t.state != turnEnded
		return t.tried
	}}
	err := s.conn.wire.startIf(ctx, methodSessionPrompt, params, func(a answer) { t.on(eventSettled, a) }, wanted)
	if errors.Is(err, errUnwanted) {
		<-t.done
		s.mu.Lock()
		defer s.mu.Unlock()
		return fmt.Errorf("cannot prompt: %w", t.err)
	}
	if err != nil {
		t.on(eventSettled, answer{err: &notSentError{err}})
		return fmt.Errorf("cannot prompt: %w", err)
	}
	if t.on(eventSent, answer{}) == actAskToStop {
		s.conn.background(func() {
			ctx, cancel := withTimeout(s.conn.ctx, s.conn.client.opts.Timeouts.Control)
			defer cancel()
			_ = t.askToStop(ctx)
		})
	}
	limits := s.conn.client.opts.Inactivity
	if t.opts.Inactivity != nil {
		limits = *t.opts.Inactivity
	}
	if limits.enabled() {
		s.conn.background(func() { t.watch(limits) })
	}
	return nil
}

// notSentError is the cause of a turn whose prompt did not get as far as the write queue.
type notSentError struct{ err error }

func (e *notSentError) Error() string { return e.err.Error() }

func (e *notSentError) Unwrap() error { return e.err }
