package acp

import "context"

// openRequest is a request of the agent that waits for a handler.
type openRequest struct{ cancel context.CancelFunc }

// completeCall fills in what a request leaves out of the tool call that it is about, from what was read before.
func (s *Session) completeCall(call *ToolCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools.complete(call)
}

// beginRequest enters a request with its session, so that a cancel reaches it.
func (s *Session) beginRequest(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	open := &openRequest{cancel}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if s.state != sessionOpen || s.turn != nil && s.turn.state.cancelled() {
		cancel() // the turn is being cancelled: asked and answered
	} else {
		s.requests[open] = struct{}{}
	}
	return ctx, func() {
		cancel()
		s.mu.Lock()
		delete(s.requests, open)
		s.mu.Unlock()
	}
}

// cancelRequests answers every open request of the session "cancelled" (deepchat#1881).
func (s *Session) cancelRequests() {
	s.mu.Lock()
	open := s.requests
	s.requests = map[*openRequest]struct{}{}
	s.mu.Unlock()
	for r := range open {
		r.cancel()
	}
}
