package grants

import (
	"context"
	"log/slog"

	"github.com/acpharness/acpharness/acp"
)

// Options change how a handler uses a store.
type Options struct {
	// Log is told what is used, remembered and not remembered, from the goroutine of the request.
	Log func(Event)
}

// EventKind says what happened.
type EventKind string

// The kinds of events.
const (
	EventUsed       EventKind = "used"       // a grant answered a request
	EventRemembered EventKind = "remembered" // a person's "always" was stored
	EventFailed     EventKind = "failed"     // the store could not be read or written, or the call is too vague to be remembered
)

// Event is one use of a store.
type Event struct {
	Kind    EventKind
	Request *acp.PermissionRequest `json:"-"`
	Grant   Grant                  // of EventUsed and EventRemembered
	Err     error                  // of EventFailed
}

// LogValue implements slog.LogValuer, without what a call or a grant is about.
func (e Event) LogValue() slog.Value {
	attrs := []slog.Attr{
		slog.String("event", string(e.Kind)), slog.String("session", string(e.Request.SessionID)),
		slog.String("tool_call", e.Request.ToolCall.ID),
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("error", e.Err.Error()))
	} else {
		attrs = append(attrs, slog.String("grant", e.Grant.ID))
	}
	return slog.GroupValue(attrs...)
}

// Handler answers what was granted, once, and asks next about everything else; if next is a person who chooses an option of
// kind allow_always, that is remembered. Whatever next is, its allow_always counts as a person's. A nil next rejects.
//
// A grant answers only a request with one option that says yes once. The answers of next go to the agent as they are, and
// trouble with the store changes none of them: it means that next is asked, and asked again.
func (s *Store) Handler(scope Scope, next acp.PermissionHandler, opts *Options) (acp.PermissionHandler, error) {
	if _, err := scope.resolve(); err != nil {
		return nil, err
	}
	log := func(Event) {}
	if opts != nil && opts.Log != nil {
		log = opts.Log
	}
	return acp.PermissionFunc(func(ctx context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
		grant, found, err := s.Find(scope, &req.ToolCall)
		if err != nil {
			log(Event{Kind: EventFailed, Request: req, Err: err})
		}
		if found {
			if outcome, ok := req.Allow(); ok {
				log(Event{Kind: EventUsed, Request: req, Grant: grant})
				return outcome, nil
			}
		}
		if next == nil {
			return req.Reject(), nil
		}
		outcome, err := next.RequestPermission(ctx, req)
		if err != nil || ctx.Err() != nil || !isAlways(req, outcome) { // an answer that comes too late is none
			return outcome, err
		}
		if grant, err = s.Remember(ctx, scope, &req.ToolCall); err != nil {
			log(Event{Kind: EventFailed, Request: req, Err: err})
		} else {
			log(Event{Kind: EventRemembered, Request: req, Grant: grant})
		}
		return outcome, nil
	}), nil
}

// isAlways reports whether an answer means allow_always and nothing else.
func isAlways(req *acp.PermissionRequest, outcome acp.PermissionOutcome) bool {
	always := false
	for _, o := range req.Options {
		if o.ID == outcome.OptionID && o.ID != "" {
			if o.Kind != acp.AllowAlways {
				return false
			}
			always = true
		}
	}
	return always
}
