package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
)

// FormHandler has users fill in forms for agents. It mirrors the client's side of elicitation/create in mode form.
type FormHandler interface {
	// ElicitForm returns the user's answer. Calls run side by side. When ctx ends the agent has been answered "cancel" already.
	// An error, and content that the form does not allow, is answered "cancel" and reported to ClientOptions.Diagnostic.
	ElicitForm(ctx context.Context, req *FormRequest) (FormAnswer, error)
}

// URLHandler has users visit addresses for agents. It mirrors the client's side of elicitation/create in mode url.
type URLHandler interface {
	// ElicitURL shows the user the whole address and asks whether to open it; nothing is to be opened without that. It returns
	// ElicitationAccept once the user has agreed, and does not wait for what happens at the address. The rest is as with
	// FormHandler.
	ElicitURL(ctx context.Context, req *URLRequest) (ElicitationAction, error)
}

// ElicitationAction is what a user did with a question (the action of CreateElicitationResponse).
type ElicitationAction string

// The actions of the protocol.
const (
	ElicitationAccept  ElicitationAction = "accept"  // it was answered
	ElicitationDecline ElicitationAction = "decline" // it was refused
	ElicitationCancel  ElicitationAction = "cancel"  // it was put away without an answer
)

// Known reports whether the protocol defines a.
func (a ElicitationAction) Known() bool {
	switch a {
	case ElicitationAccept, ElicitationDecline, ElicitationCancel:
		return true
	}
	return false
}

// ElicitationScope is what a question belongs to (ElicitationSessionScope, ElicitationRequestScope).
type ElicitationScope struct {
	SessionID  SessionID // empty if it belongs to a request
	ToolCallID string    // of that session, empty if not sent
	Method     string    // of the call of ours that it belongs to, such as authenticate or session/new; empty for a session's
}

// FormRequest asks for a form to be filled in (ElicitationFormMode). Forms never ask for secrets, says the protocol.
type FormRequest struct {
	Scope   ElicitationScope
	Message string
	Form    Form
	Raw     json.RawMessage
}

// FormAnswer is a user's answer to a form. Content is for ElicitationAccept: by the names of the fields, values that are a
// string, bool, int, int64, float64 or []string.
type FormAnswer struct {
	Action  ElicitationAction
	Content map[string]any
}

// URLRequest asks for an address to be visited (ElicitationUrlMode).
type URLRequest struct {
	Scope   ElicitationScope
	Message string
	ID      string // elicitationId
	URL     string
	// Completed is closed when the agent tells that what was to be done at the address is done (elicitation/complete). It may
	// never be.
	Completed <-chan struct{}
	Raw       json.RawMessage
}

type elicitationResult struct {
	Action  ElicitationAction `json:"action"`
	Content map[string]any    `json:"content,omitzero"`
}

// elicitationParams are the params of both modes as they are read.
type elicitationParams struct {
	scope         ElicitationScope
	requestID     []byte
	mode, message string
	schema        []byte
	id, url       string
}

func (c *Conn) serveElicitation(in *inbound) {
	var e elicitationParams
	p := params{raw: in.params}
	p.each(func(d *decoder, key string, value []byte) {
		switch key {
		case "sessionId":
			d.str(key, value, (*string)(&e.scope.SessionID))
		case "toolCallId":
			d.str(key, value, &e.scope.ToolCallID)
		case "requestId":
			e.requestID = value
		case "mode":
			d.str(key, value, &e.mode)
		case "message":
			d.str(key, value, &e.message)
		case "requestedSchema":
			e.schema = value
		case "elicitationId":
			d.str(key, value, &e.id)
		case "url":
			d.str(key, value, &e.url)
		}
	})
	c.warnings(e.scope.SessionID, p.warnings)
	offers := c.offers.Elicitation
	switch {
	case e.mode == "form" && offers.Form != nil && e.schema != nil, e.mode == "url" && offers.URL != nil && e.url != "":
	default:
		c.wire.reply(in, nil, &Error{Code: CodeInvalidParams, Message: "cannot ask the user: no question in a mode that was offered"})
		return
	}
	handlers, ctx, finish := c.elicitationScope(in, &e)
	defer finish()
	stop := context.AfterFunc(ctx, func() { c.wire.reply(in, elicitationResult{Action: ElicitationCancel}, nil) })
	defer stop()
	if ctx.Err() != nil {
		return
	}
	result, err := c.safely(in.method, e.scope.SessionID, func() (any, error) { return c.elicit(ctx, handlers, &e, in.params) })
	if err != nil {
		if ctx.Err() == nil {
			c.diagnose(Diagnostic{Kind: DiagnosticHandler, Session: e.scope.SessionID, Text: in.method + ": " + err.Error() + "; it was answered cancel"})
		}
		result = elicitationResult{Action: ElicitationCancel}
	}
	c.wire.reply(in, result, nil)
}

// elicitationScope finds what a question belongs to. The context has ended if that is nothing here.
func (c *Conn) elicitationScope(in *inbound, e *elicitationParams) (services, context.Context, func()) {
	if e.scope.SessionID != "" {
		if session := c.session(e.scope.SessionID); session != nil {
			ctx, finish := session.root().beginRequest(in.ctx, ofTurn)
			return session.services, ctx, finish
		}
		c.stranger(in.method, e.scope.SessionID)
	} else if id, err := strconv.ParseUint(string(e.requestID), 10, 64); err == nil {
		e.scope.Method = c.wire.methodOf(id)
	}
	ctx, cancel := context.WithCancel(in.ctx)
	if e.scope.Method == "" {
		cancel()
	}
	return c.client.opts.services(), ctx, cancel
}

// elicit asks the user by the handler of the mode.
func (c *Conn) elicit(ctx context.Context, handlers services, e *elicitationParams, raw []byte) (any, error) {
	if e.mode == "url" {
		action, err := handlers.url.ElicitURL(ctx, &URLRequest{
			Scope: e.scope, Message: e.message, ID: e.id, URL: e.url, Completed: c.visits.begin(e.id), Raw: raw,
		})
		if err == nil && !action.Known() {
			err = fmt.Errorf("the handler returned the action %q, which there is not", action)
		}
		if err != nil || action != ElicitationAccept {
			c.visits.end(e.id)
		}
		return elicitationResult{Action: action}, err
	}
	req := &FormRequest{Scope: e.scope, Message: e.message, Raw: raw}
	var d decoder
	req.Form = d.form("requestedSchema", e.schema)
	c.warnings(e.scope.SessionID, d.warnings)
	answer, err := handlers.form.ElicitForm(ctx, req)
	switch {
	case err != nil:
		return nil, err
	case answer.Action == ElicitationAccept:
		if err := req.Form.Check(answer.Content); err != nil {
			return nil, err
		}
		return elicitationResult(answer), nil
	case !answer.Action.Known():
		return nil, fmt.Errorf("the handler returned the action %q, which there is not", answer.Action)
	}
	return elicitationResult{Action: answer.Action}, nil
}

// maxVisits bounds the addresses whose completion is waited for.
const maxVisits = 256

// visits are the addresses that users were asked to visit and that the agent has not told the completion of.
type visits struct {
	mu   sync.Mutex
	open map[string]chan struct{}
}

func (v *visits) begin(id string) <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	if done := v.open[id]; done != nil {
		return done
	}
	done := make(chan struct{})
	if id != "" && len(v.open) < maxVisits {
		if v.open == nil {
			v.open = map[string]chan struct{}{}
		}
		v.open[id] = done
	}
	return done
}

func (v *visits) end(id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.open, id)
}

// complete reports whether somebody was told.
func (v *visits) complete(id string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	done := v.open[id]
	if done == nil {
		return false
	}
	delete(v.open, id)
	close(done)
	return true
}

// elicitationCompleted takes elicitation/complete.
func (c *Conn) elicitationCompleted(params []byte) {
	var id string
	var d decoder
	d.object("", params, func(key, value []byte) {
		if string(key) == "elicitationId" {
			d.str("elicitationId", value, &id)
		}
	})
	c.warnings("", d.warnings)
	c.visits.complete(id)
}
