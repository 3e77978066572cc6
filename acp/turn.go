package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// StopReason says why a turn ended, as the agent sees it. It is open. It mirrors StopReason of the protocol.
type StopReason string

// The stop reasons of the protocol.
const (
	StopEndTurn         StopReason = "end_turn"
	StopMaxTokens       StopReason = "max_tokens"
	StopMaxTurnRequests StopReason = "max_turn_requests"
	StopRefusal         StopReason = "refusal"
	StopCancelled       StopReason = "cancelled"
)

// PromptOptions configure a turn. The zero value works.
type PromptOptions struct {
	// NoUpdates says that nobody will read Turn.Updates, so that nothing is kept for it.
	NoUpdates bool
	// Inactivity is for this turn; nil means ClientOptions.Inactivity.
	Inactivity *Inactivity
}

// Turn is one prompt and all that the agent does about it.
type Turn struct {
	session *Session
	box     *mailbox // nil if nobody may read it
	done    chan struct{}

	// Guarded by session.mu.
	cancelRequested bool
	sent            bool // the prompt is queued: a cancel finds its turn
	ended           bool
	result          TurnResult
	err             error
}

// TurnResult is the outcome of a turn.
type TurnResult struct {
	StopReason      StopReason // as the agent sent it
	CancelRequested bool       // this side asked for a cancel before the outcome was read
	Inactive        bool       // that was because the agent was silent, see Inactivity
	Usage           *Usage     // nil if the agent reported none
	Messages        int        // chunks of the agent's answer
	Thoughts        int        // chunks of its reasoning
	ToolCalls       int        // tool calls announced
	Updates         int        // updates of any kind
	toolUpdates     int        // patches of tool calls, which may be all that is heard of one
	Raw             json.RawMessage
}

// Empty reports whether the agent ended the turn without any answer, thought or tool call. Some agents report a failure
// this way (MoonshotAI/kimi-code#1865).
func (r *TurnResult) Empty() bool {
	return r.Messages == 0 && r.Thoughts == 0 && r.ToolCalls == 0 && r.toolUpdates == 0
}

// Usage counts tokens. Nil members were not reported. Whether it covers the turn or the session is up to the agent.
type Usage struct {
	Total       *int64
	Input       *int64
	Output      *int64
	Thought     *int64
	CachedRead  *int64
	CachedWrite *int64
}

type promptParams struct {
	SessionID SessionID      `json:"sessionId"`
	Prompt    []ContentBlock `json:"prompt"`
}

// Prompt begins a turn. It returns once the prompt is queued for sending; ctx bounds the wait for that. A session has
// one turn at a time: while one is open the error is ErrTurnInProgress. It mirrors session/prompt.
func (s *Session) Prompt(ctx context.Context, prompt []ContentBlock, opts *PromptOptions) (*Turn, error) {
	if opts == nil {
		opts = &PromptOptions{}
	}
	if len(prompt) == 0 {
		return nil, errors.New("cannot prompt: the prompt is empty")
	}
	if slices.Contains(prompt, nil) {
		return nil, errors.New("cannot prompt: a content block is nil")
	}
	turn := &Turn{session: s, done: make(chan struct{})}
	if !opts.NoUpdates {
		turn.box = newMailbox(s.id, s.conn.spill)
	}
	if err := s.beginTurn(turn); err != nil {
		return nil, err
	}
	_, err := s.conn.wire.start(ctx, methodSessionPrompt, promptParams{s.id, prompt}, turn.finish, nil)
	if err != nil {
		turn.finish(answer{err: err})
		return nil, fmt.Errorf("cannot prompt: %w", err)
	}
	turn.wasSent()
	limits := s.conn.client.opts.Inactivity
	if opts.Inactivity != nil {
		limits = *opts.Inactivity
	}
	if limits.enabled() {
		s.conn.background(func() { turn.watch(limits) })
	}
	return turn, nil
}

// beginTurn opens the window of a turn. What nobody adopted of the time before is dropped now.
func (s *Session) beginTurn(turn *Turn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.state != sessionOpen:
		return ErrSessionClosed
	case s.turn != nil:
		return ErrTurnInProgress
	}
	if s.box != nil && !s.box.isAdopted() {
		s.box.discard()
		s.box = nil
	}
	if s.last != nil && s.last.box != nil {
		s.last.box.discard()
	}
	s.turn, s.last = turn, turn
	return nil
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

// finish settles the turn, once. With an answer it runs on the reader, in the order of the frames: everything read
// before is filed already.
func (t *Turn) finish(a answer) {
	s := t.session
	s.mu.Lock()
	if t.ended {
		s.mu.Unlock()
		return
	}
	t.ended = true
	t.result.CancelRequested = t.cancelRequested
	t.err = a.err
	var warnings []Warning
	if a.err == nil {
		t.result.Raw = a.result
		warnings = t.result.decode(a.result)
		if t.result.StopReason == "" {
			t.err = fmt.Errorf("%w: the answer to the prompt has no stop reason", ErrProtocol)
		}
	}
	if s.turn == t {
		s.turn = nil
	}
	s.mu.Unlock()
	s.conn.warnings(s.id, warnings)
	if t.box != nil {
		t.box.end()
	}
	close(t.done)
}

func (r *TurnResult) decode(raw []byte) []Warning {
	var d decoder
	d.object("result", raw, func(key, value []byte) {
		switch string(key) {
		case "stopReason":
			d.str("stopReason", value, (*string)(&r.StopReason))
		case "usage":
			r.Usage = d.usage("usage", value)
		}
	})
	return d.warnings
}

func (d *decoder) usage(name string, raw []byte) *Usage {
	u := &Usage{}
	ok := d.object(name, raw, func(key, value []byte) {
		switch string(key) {
		case "totalTokens":
			d.optInt("totalTokens", value, &u.Total)
		case "inputTokens":
			d.optInt("inputTokens", value, &u.Input)
		case "outputTokens":
			d.optInt("outputTokens", value, &u.Output)
		case "thoughtTokens":
			d.optInt("thoughtTokens", value, &u.Thought)
		case "cachedReadTokens":
			d.optInt("cachedReadTokens", value, &u.CachedRead)
		case "cachedWriteTokens":
			d.optInt("cachedWriteTokens", value, &u.CachedWrite)
		}
	})
	if !ok {
		return nil
	}
	return u
}

// Updates returns the turn's stream, which ends with the turn: the window of the session's stream from the prompt to
// its outcome. The call itself adopts the stream; a second call gets an empty one. It may be called until the next
// prompt, after the turn's end as well. Leaving the loop unsubscribes and cancels nothing.
func (t *Turn) Updates() iter.Seq[SessionNotification] {
	if t.box == nil || !t.box.adopt() {
		return nothing
	}
	return t.box.all()
}

// Done is closed when the outcome is known.
func (t *Turn) Done() <-chan struct{} { return t.done }

// Wait returns the outcome once it is known; by then everything read before it is in Updates. It does not wait for a
// consumer. The error is an *Error of the agent, the cause for which the connection or the session ended, ErrProtocol for
// an answer that is none, or that of ctx, which ends the waiting only. With any error but that one the result is there all
// the same and has the counts so far.
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
// that the turn ended well. Open permission requests are answered "cancelled". A turn that is over is left alone.
func (t *Turn) Cancel(ctx context.Context) error {
	s := t.session
	s.mu.Lock()
	if t.ended || t.cancelRequested {
		s.mu.Unlock()
		return nil
	}
	t.cancelRequested = true
	sent := t.sent
	s.mu.Unlock()
	if !sent { // the prompt is on its way to the queue, where a cancel must not be before it; Prompt sends it then
		return nil
	}
	return t.sendCancel(ctx)
}

// wasSent says that the prompt is queued, and has the cancel sent that came before.
func (t *Turn) wasSent() {
	c := t.session.conn
	t.session.mu.Lock()
	t.sent = true
	cancelled := t.cancelRequested && !t.ended
	t.session.mu.Unlock()
	if cancelled {
		c.background(func() {
			ctx, cancel := withTimeout(c.ctx, c.client.opts.Timeouts.Control)
			defer cancel()
			_ = t.sendCancel(ctx)
		})
	}
}

func (t *Turn) sendCancel(ctx context.Context) error {
	s := t.session
	// The cancel goes first: an agent that is told "cancelled" before it may take that for the user's answer and end the
	// turn as if nothing had happened.
	defer s.cancelRequests()
	if err := s.conn.wire.notify(ctx, methodSessionCancel, sessionParams{s.id}); err != nil {
		s.mu.Lock()
		t.cancelRequested = t.ended && t.cancelRequested
		s.mu.Unlock()
		return fmt.Errorf("cannot cancel: %w", err)
	}
	return nil
}
