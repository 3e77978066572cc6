package acp

import "context"

// openRequest is a request of the agent that waits for a handler.
type openRequest struct {
	cancel context.CancelFunc
	tie    requestTie
	asker  *Session // a child of the session, perhaps
}

// requestTie says what a request of the agent ends with.
type requestTie int

const (
	ofTurn requestTie = iota // a question: the cancel of the turn answers it
	aside                    // a service: it ends with the session
)

// completeCall fills in what a request leaves out of the tool call that it is about, from what was read before.
func (s *Session) completeCall(call *ToolCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools.complete(call)
}

// beginRequest enters a request with the session's root, so that a cancel reaches it and the watchdog knows of it. Once its context
// has ended it has been answered, however long its handler takes.
func (s *Session) beginRequest(ctx context.Context, tie requestTie) (context.Context, func()) {
	return s.root().enterRequest(ctx, tie, s)
}

func (s *Session) enterRequest(ctx context.Context, tie requestTie, asker *Session) (context.Context, func()) {
	gone := asker != s && asker.gone()
	ctx, cancel := context.WithCancel(ctx)
	open := &openRequest{cancel, tie, asker}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if gone || s.state == sessionClosed || tie == ofTurn && (s.state != sessionOpen || s.turn != nil && s.turn.state.cancelled()) {
		cancel() // asked and answered
	} else {
		s.requests[open] = struct{}{}
	}
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		delete(s.requests, open)
		s.mu.Unlock()
	})
	return ctx, cancel
}

// beginAside is beginRequest for a request that may be of no session: then the connection counts it, and the watchdogs of all its
// turns pause.
func (c *Conn) beginAside(ctx context.Context, id SessionID) (context.Context, func()) {
	if s := c.session(id); s != nil {
		return s.beginRequest(ctx, aside)
	}
	c.strangers.Add(1)
	c.serving.Add(1)
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(ctx, func() { c.serving.Add(-1) })
	return ctx, cancel
}

// cancelRequests answers every open question of the session "cancelled" (deepchat#1881).
func (s *Session) cancelRequests() {
	s.endRequests(func(r *openRequest) bool { return r.tie == ofTurn })
}

func (s *Session) endRequests(which func(*openRequest) bool) {
	s.mu.Lock()
	var ended []*openRequest
	for r := range s.requests {
		if which(r) {
			ended = append(ended, r)
			delete(s.requests, r)
		}
	}
	s.mu.Unlock()
	for _, r := range ended {
		r.cancel()
	}
}

// gone reports whether the session is closed.
func (s *Session) gone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == sessionClosed
}
