package fakeagent

import (
	"context"
	"encoding/json"
	"strconv"
)

// call is a request of the agent that the client has not answered yet.
type call struct {
	method string
	answer chan Event // has room for the one answer
}

// start sends a request to the client. The call stays registered until it is answered, even if nobody waits any more,
// so that the journal can name what a late answer belongs to.
func (s *server) start(ctx context.Context, method string, params any) (*call, error) {
	c := &call{method: method, answer: make(chan Event, 1)}
	id := s.register(c)
	frame, err := s.frame(id, method, params)
	if err != nil {
		return nil, err
	}
	return c, s.out.frames(ctx, frame, nil, nil)
}

func (s *server) register(c *call) json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	id := json.RawMessage(strconv.Itoa(s.nextID))
	if first := s.script.RequestID; first != nil {
		switch {
		case s.nextID == 1:
			id = first
		case string(id) == string(first):
			s.nextID++
			id = json.RawMessage(strconv.Itoa(s.nextID))
		}
	}
	s.pending[string(id)] = c
	return id
}

// settled returns the call that a response answers, nil if there is none. Ids match byte for byte.
func (s *server) settled(ev *Event) *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.pending[string(ev.ID)]
	if c != nil {
		delete(s.pending, string(ev.ID))
		ev.Method = c.method
	}
	return c
}

// wait returns the client's answer, or an error once ctx has ended.
func (c *call) wait(ctx context.Context) (Event, error) {
	select {
	case ev := <-c.answer:
		if ctx.Err() != nil { // the cancel came first
			return Event{}, context.Cause(ctx)
		}
		return ev, nil
	case <-ctx.Done():
		return Event{}, context.Cause(ctx)
	}
}
