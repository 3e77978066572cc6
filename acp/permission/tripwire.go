package permission

import (
	"context"
	"slices"
	"sync"

	"github.com/acpharness/acpharness/acp"
)

// TripWireOptions say what is expected of an agent. Modes are ids; without lists of modes none is a violation.
type TripWireOptions struct {
	Allowed   []string // the only modes that a session may be in; nil for all that are not forbidden
	Forbidden []string // modes that a session must not be in
	// AsksFor are the tool kinds that the agent asks about before it acts.
	AsksFor []acp.ToolKind
	// AsksLate is for agents that call a tool in progress before they ask (codex): only a completed one is a violation.
	AsksLate bool
}

// TripWire notices when an agent does what it was not expected to: work in a mode that approves everything, or run tools
// without asking (github/copilot-cli#4537). It prevents nothing; what follows a violation is the caller's choice.
//
// Whoever consumes the updates of sessions shows them to Note, and the handler that answers their requests is wrapped by
// Handler. A trip-wire serves any number of sessions and goroutines. Of each session it remembers the latest 1000 calls.
type TripWire struct {
	opts TripWireOptions

	mu       sync.Mutex
	sessions map[acp.SessionID]*watched
}

// watched is what is known of one session.
type watched struct {
	modes map[string]string // by what reported it: the id of an option, or "" for the mode itself
	calls map[string]*watchedCall
	order []string // of calls, the oldest first
}

// watchedCall is a tool call as far as it was told of.
type watchedCall struct {
	kind   acp.ToolKind
	status acp.ToolCallStatus
	asked  bool
	raised bool
}

// maxCalls bounds what is remembered of a session.
const maxCalls = 1000

// NewTripWire returns a trip-wire. Without options it never raises anything.
func NewTripWire(opts *TripWireOptions) *TripWire {
	w := &TripWire{sessions: map[acp.SessionID]*watched{}}
	if opts != nil {
		w.opts = *opts
		w.opts.Allowed, w.opts.Forbidden = slices.Clone(opts.Allowed), slices.Clone(opts.Forbidden)
		w.opts.AsksFor = slices.Clone(opts.AsksFor)
	}
	return w
}

// Note looks at one update and returns the violation in it, nil if there is none. Updates of a session come in their order.
// History that was replayed is no violation; what a full buffer lost (acp.Gap) is not seen.
func (w *TripWire) Note(n acp.SessionNotification) *Violation {
	if n.Replayed {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var v *Violation
	switch u := n.Update.(type) {
	case *acp.CurrentModeUpdate:
		v = w.mode(n.SessionID, "", u.ModeID)
	case *acp.ConfigOptionUpdate:
		v = w.options(n.SessionID, u.Options)
	case *acp.ToolCallStart:
		v = w.toolCall(n.SessionID, &u.ToolCall, true)
	case *acp.ToolCallUpdate:
		v = w.toolCall(n.SessionID, &u.ToolCall, false)
	}
	if v != nil {
		v.Seq = n.Seq
	}
	return v
}

// Opened looks at the mode in which a session was opened.
func (w *TripWire) Opened(session acp.SessionID, modes *acp.SessionModes, options []acp.ConfigOption) *Violation {
	w.mu.Lock()
	defer w.mu.Unlock()
	if modes != nil {
		if v := w.mode(session, "", modes.Current); v != nil {
			return v
		}
	}
	return w.options(session, options)
}

// Forget drops what is known of a session that has ended.
func (w *TripWire) Forget(session acp.SessionID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.sessions, session)
}

// Handler returns next as a handler whose requests the trip-wire sees. A nil next rejects.
func (w *TripWire) Handler(next acp.PermissionHandler) acp.PermissionHandler {
	return acp.PermissionFunc(func(ctx context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
		w.asked(req.SessionID, &req.ToolCall)
		if next == nil {
			return req.Reject(), nil
		}
		return next.RequestPermission(ctx, req)
	})
}

// asked is called before the request is answered, and so before the agent can go on with the call.
func (w *TripWire) asked(session acp.SessionID, call *acp.ToolCall) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.session(session).call(call.ID)
	if c.status.Final() { // the id is used again, and the request comes first
		*c = watchedCall{}
	}
	c.asked = true
}

func (w *TripWire) session(id acp.SessionID) *watched {
	s := w.sessions[id]
	if s == nil {
		s = &watched{modes: map[string]string{}, calls: map[string]*watchedCall{}}
		w.sessions[id] = s
	}
	return s
}

func (s *watched) call(id string) *watchedCall {
	c := s.calls[id]
	if c == nil {
		if len(s.order) == maxCalls {
			delete(s.calls, s.order[0])
			s.order = slices.Delete(s.order, 0, 1)
		}
		c = &watchedCall{}
		s.calls[id] = c
		s.order = append(s.order, id)
	}
	return c
}
