package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// PermissionHandler decides what an agent may do. It mirrors the client's side of session/request_permission.
type PermissionHandler interface {
	// RequestPermission returns the outcome for one request. Requests run side by side, each on a goroutine of its
	// own. When ctx ends the request has been answered already, and what is returned is ignored. An error, or an
	// option that was not offered, rejects.
	RequestPermission(ctx context.Context, req *PermissionRequest) (PermissionOutcome, error)
}

// PermissionFunc is a function as a PermissionHandler.
type PermissionFunc func(ctx context.Context, req *PermissionRequest) (PermissionOutcome, error)

// RequestPermission implements PermissionHandler.
func (f PermissionFunc) RequestPermission(ctx context.Context, req *PermissionRequest) (PermissionOutcome, error) {
	return f(ctx, req)
}

// PermissionRequest asks for leave to run a tool call. It mirrors RequestPermissionRequest of the protocol.
type PermissionRequest struct {
	SessionID SessionID
	ToolCall  ToolCall // merged from all that was read of the call before
	Options   []PermissionOption
	Raw       json.RawMessage // params as sent
}

// PermissionOption is one possible answer. The id is opaque; only the kind says what it means.
type PermissionOption struct {
	ID   string // optionId
	Name string
	Kind PermissionKind
}

// PermissionKind says what an option does. It is open: an unknown kind is never chosen automatically.
type PermissionKind string

// The kinds of the protocol (PermissionOptionKind).
const (
	AllowOnce    PermissionKind = "allow_once"
	AllowAlways  PermissionKind = "allow_always"
	RejectOnce   PermissionKind = "reject_once"
	RejectAlways PermissionKind = "reject_always"
)

// PermissionOutcome is the answer to a request: an option, or, as the zero value, cancelled. It mirrors
// RequestPermissionOutcome of the protocol.
type PermissionOutcome struct {
	OptionID string // empty means cancelled
}

// Cancelled reports whether the outcome is "cancelled". Agents take it as the end of the turn, so a denial should
// select a reject option.
func (o PermissionOutcome) Cancelled() bool { return o.OptionID == "" }

// Option returns the option with this id.
func (r *PermissionRequest) Option(id string) (PermissionOption, bool) {
	for _, o := range r.Options {
		if o.ID == id {
			return o, true
		}
	}
	return PermissionOption{}, false
}

// Allow selects the one option of kind allow_once. If there is none or more than one (a question posed as a
// permission, getpaseo/paseo#1854), it reports false, and a program should not answer by itself.
func (r *PermissionRequest) Allow() (PermissionOutcome, bool) { return r.only(AllowOnce) }

// Reject selects an option of kind reject_once, else one of kind reject_always, else it is cancelled, which is all that
// is left to say no with.
func (r *PermissionRequest) Reject() PermissionOutcome {
	for _, kind := range []PermissionKind{RejectOnce, RejectAlways} {
		for _, o := range r.Options {
			if o.Kind == kind && r.means(o.ID, RejectOnce, RejectAlways) {
				return PermissionOutcome{OptionID: o.ID}
			}
		}
	}
	return PermissionOutcome{}
}

func (r *PermissionRequest) only(kind PermissionKind) (PermissionOutcome, bool) {
	var found PermissionOutcome
	for _, o := range r.Options {
		if o.Kind != kind {
			continue
		}
		if found.OptionID != "" || !r.means(o.ID, kind) {
			return PermissionOutcome{}, false
		}
		found.OptionID = o.ID
	}
	return found, found.OptionID != ""
}

// means reports whether every option with this id is of one of these kinds. An id that says yes and no would leave it to
// the agent which of them it takes.
func (r *PermissionRequest) means(id string, kinds ...PermissionKind) bool {
	return id != "" && !slices.ContainsFunc(r.Options, func(o PermissionOption) bool {
		return o.ID == id && !slices.Contains(kinds, o.Kind)
	})
}

// known reports whether an option with this id is of a kind of the protocol.
func (r *PermissionRequest) known(id string) bool {
	return slices.ContainsFunc(r.Options, func(o PermissionOption) bool {
		return o.ID == id && slices.Contains([]PermissionKind{AllowOnce, AllowAlways, RejectOnce, RejectAlways}, o.Kind)
	})
}

// decodePermission reads the params of a permission request.
func decodePermission(params []byte) (*PermissionRequest, []Warning) {
	req := &PermissionRequest{Raw: params}
	var d decoder
	d.object("", params, func(key, value []byte) {
		switch string(key) {
		case "sessionId":
			d.str("sessionId", value, (*string)(&req.SessionID))
		case "toolCall":
			req.ToolCall = d.toolCall("toolCall", value)
		case "options":
			d.list("options", value, func(value []byte) {
				var o PermissionOption
				ok := d.item(value, func(key, value []byte) {
					switch string(key) {
					case "optionId":
						d.str("optionId", value, &o.ID)
					case "name":
						d.str("name", value, &o.Name)
					case "kind":
						d.str("kind", value, (*string)(&o.Kind))
					}
				})
				if ok {
					req.Options = append(req.Options, o)
				}
			})
		}
	})
	return req, d.warnings
}

type permissionResult struct {
	Outcome PermissionOutcome `json:"outcome"`
}

// servePermission answers one permission request, whatever its handler does. Unlike other requests it has an answer that
// says "cancelled", and one that says no.
func (c *Conn) servePermission(in *inbound) {
	req, warnings := decodePermission(in.params)
	c.warnings(req.SessionID, warnings)
	session := c.session(req.SessionID)
	if session == nil {
		// The agent must not be left waiting (KiroCrew#3785), and nobody here can say yes.
		c.stranger(in.method, req.SessionID)
		c.wire.reply(in, permissionResult{req.Reject()}, nil)
		return
	}
	session.completeCall(&req.ToolCall)
	ctx, finish := session.beginRequest(in.ctx, ofTurn)
	defer finish()
	if ctx.Err() != nil {
		c.wire.reply(in, permissionResult{}, nil)
		return
	}
	// The answer on cancellation comes from here and not from the handler, which may take its time.
	stop := context.AfterFunc(ctx, func() { c.wire.reply(in, permissionResult{}, nil) })
	defer stop()
	result, err := c.safely(in.method, req.SessionID, func() (any, error) { return c.decide(ctx, session.services.permission, req), nil })
	outcome, decided := result.(PermissionOutcome)
	if err != nil || !decided {
		outcome = req.Reject()
	}
	if ctx.Err() != nil {
		outcome = PermissionOutcome{}
	}
	c.wire.reply(in, permissionResult{outcome}, nil)
}

// decide asks the handler and makes sure of an answer that the agent offered.
func (c *Conn) decide(ctx context.Context, handler PermissionHandler, req *PermissionRequest) PermissionOutcome {
	if handler == nil {
		return req.Reject()
	}
	outcome, err := handler.RequestPermission(ctx, req)
	if err != nil {
		if ctx.Err() == nil {
			c.diagnose(Diagnostic{Kind: DiagnosticHandler, Session: req.SessionID, Text: fmt.Sprintf("permission handler: %v; the request was rejected", err)})
		}
		return req.Reject()
	}
	if outcome.Cancelled() {
		return outcome
	}
	wrong := ""
	switch option, offered := req.Option(outcome.OptionID); {
	case !offered:
		wrong = "an option that was not offered"
	case !req.means(option.ID, AllowOnce, AllowAlways) && !req.means(option.ID, RejectOnce, RejectAlways) && req.known(option.ID):
		wrong = "an id that means yes and no"
	default:
		return outcome
	}
	c.diagnose(Diagnostic{Kind: DiagnosticHandler, Session: req.SessionID, Text: "permission handler chose " + wrong + "; the request was rejected"})
	return req.Reject()
}
