package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
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
	accepted := false
	endVisit := func() { // before the answer: an agent that has it may ask again
		if in.visit != nil && !accepted {
			c.visits.end(in.visit)
		}
	}
	defer endVisit()
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
	result, err := c.safely(in.method, e.scope.SessionID, func() (any, error) { return c.elicit(ctx, handlers, &e, in) })
	if err == nil && ctx.Err() == nil {
		accepted = result.(elicitationResult).Action == ElicitationAccept
	}
	if err != nil {
		if ctx.Err() == nil {
			c.diagnose(Diagnostic{Kind: DiagnosticHandler, Session: e.scope.SessionID, Text: in.method + ": " + err.Error() + "; it was answered cancel"})
		}
		result = elicitationResult{Action: ElicitationCancel}
	}
	endVisit()
	c.wire.reply(in, result, nil)
}

// elicitationScope finds what a question belongs to, and ends with it. The context has ended if that is nothing here.
func (c *Conn) elicitationScope(in *inbound, e *elicitationParams) (services, context.Context, func()) {
	if e.scope.SessionID != "" {
		if session := c.session(e.scope.SessionID); session != nil {
			ctx, finish := session.beginRequest(in.ctx, ofTurn)
			return session.services, ctx, finish
		}
		c.stranger(in.method, e.scope.SessionID)
	}
	var about *call
	if id, err := strconv.ParseUint(string(e.requestID), 10, 64); err == nil && e.scope.SessionID == "" {
		about = c.wire.underWay(id)
	}
	if about == nil {
		ctx, cancel := context.WithCancel(in.ctx)
		cancel()
		return services{}, ctx, cancel
	}
	e.scope.Method = about.method
	handlers, ctx, finish := c.client.opts.services(), context.Context(nil), context.CancelFunc(nil)
	if session := c.session(about.session); session != nil {
		ctx, finish = session.beginRequest(in.ctx, ofTurn)
		handlers = session.services
	} else {
		ctx, finish = c.beginAside(in.ctx, "")
	}
	over := make(chan struct{})
	c.handlers.Go(func() { // ends with the question or the call
		defer close(over)
		select {
		case <-about.over:
			finish()
		case <-ctx.Done():
		}
	})
	return handlers, ctx, func() {
		finish()
		<-over
	}
}

// elicit asks the user by the handler of the mode.
func (c *Conn) elicit(ctx context.Context, handlers services, e *elicitationParams, in *inbound) (any, error) {
	if e.mode == "url" {
		action, err := handlers.url.ElicitURL(ctx, &URLRequest{
			Scope: e.scope, Message: e.message, ID: e.id, URL: e.url, Completed: in.visit.done, Raw: in.params,
		})
		if err == nil && !action.Known() {
			err = fmt.Errorf("the handler returned the action %q, which there is not", action)
		}
		return elicitationResult{Action: action}, err
	}
	req := &FormRequest{Scope: e.scope, Message: e.message, Raw: in.params}
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

// maxVisits bounds the addresses whose completion is waited for; the oldest are forgotten.
const maxVisits = 256

// visits are the addresses that users were asked to visit and that the agent has not told the completion of.
type visits struct {
	mu   sync.Mutex
	open []*visit // the oldest first
}

// visit is one address. It begins on the reader, so that a completion that is read next finds it.
type visit struct {
	id   string
	done chan struct{}
}

func (v *visits) begin(id string) *visit {
	v.mu.Lock()
	defer v.mu.Unlock()
	begun := &visit{id: id, done: make(chan struct{})}
	if id == "" {
		return begun
	}
	if len(v.open) == maxVisits {
		v.open = slices.Delete(v.open, 0, 1)
	}
	v.open = append(v.open, begun)
	return begun
}

func (v *visits) end(ended *visit) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.open = slices.DeleteFunc(v.open, func(o *visit) bool { return o == ended })
}

func (v *visits) complete(id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.open = slices.DeleteFunc(v.open, func(o *visit) bool {
		if o.id != id {
			return false
		}
		close(o.done)
		return true
	})
}

// visitOf begins the visit that a request is about, if it is about one. It runs on the reader.
func (c *Conn) visitOf(in *inbound) *visit {
	if in.method != methodCreateElicitation || c.offers.Elicitation == nil || c.offers.Elicitation.URL == nil || discriminator(in.params, "mode") != "url" {
		return nil
	}
	var id string
	eachMember(in.params, func(key, value []byte) {
		if text, err := decodeString(value); err == nil && string(key) == "elicitationId" {
			id = text
		}
	})
	return c.visits.begin(id)
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
