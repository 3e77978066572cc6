package acp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
)

// serve takes a request of the agent from the library. It must not wait.
func (c *Conn) serve(in *inbound) {
	answer := c.service(in.method)
	c.handlers.Go(func() {
		defer in.cancel()
		answer(in)
	})
}

// service returns what answers a method. What is not offered is not served.
func (c *Conn) service(method string) func(*inbound) {
	switch o := &c.offers; {
	case method == methodRequestPermission:
		return c.servePermission
	case method == methodReadTextFile && o.FS.ReadTextFile:
		return c.serveReadTextFile
	case method == methodWriteTextFile && o.FS.WriteTextFile:
		return c.serveWriteTextFile
	case method == methodCreateTerminal && o.Terminal:
		return c.serveCreateTerminal
	case method == methodTerminalOutput && o.Terminal:
		return c.serveTerminalOutput
	case method == methodWaitForTerminalExit && o.Terminal:
		return c.serveWaitForTerminalExit
	case method == methodKillTerminal && o.Terminal:
		return c.serveKillTerminal
	case method == methodReleaseTerminal && o.Terminal:
		return c.serveReleaseTerminal
	case method == methodCreateElicitation && o.Elicitation != nil:
		return c.serveElicitation
	case c.client.opts.Extension != nil && !isProtocolMethod(method):
		return c.serveExtension
	}
	return c.serveNothing
}

func (c *Conn) serveNothing(in *inbound) {
	c.countUnknown("request " + c.shown([]byte(in.method)))
	c.wire.reply(in, nil, &Error{Code: CodeMethodNotFound, Message: "method not found: " + in.method})
}

// params are the params of a request as they are read.
type params struct {
	raw      []byte
	warnings []Warning
	missing  string // the first required member that was not sent, or not as what it is
}

// each hands the members to fn.
func (p *params) each(fn func(d *decoder, key string, value []byte)) {
	var d decoder
	d.object("", p.raw, func(key, value []byte) { fn(&d, string(key), value) })
	p.warnings = d.warnings
}

func (p *params) want(member string, sent bool) {
	if !sent && p.missing == "" {
		p.missing = member
	}
}

// serveSession answers a request for a service of a session with what do returns, whatever that does: it may fail, panic, or go on
// after the request was cancelled, and there is one answer.
func (c *Conn) serveSession(in *inbound, id SessionID, p *params, do func(context.Context, *Session) (any, error)) {
	c.warnings(id, p.warnings)
	if p.missing != "" {
		c.wire.reply(in, nil, &Error{Code: CodeInvalidParams, Message: "cannot read the params: " + p.missing + " is missing"})
		return
	}
	session := c.session(id)
	if session == nil {
		c.stranger(in.method, id)
		c.wire.reply(in, nil, &Error{Code: CodeNotFound, Message: "unknown session"})
		return
	}
	ctx, finish := session.beginRequest(in.ctx, aside)
	defer finish()
	c.answerWith(ctx, in, id, func() (any, error) { return do(ctx, session) })
}

// answerWith answers a request with what do returns, or "cancelled" as soon as ctx ends.
func (c *Conn) answerWith(ctx context.Context, in *inbound, id SessionID, do func() (any, error)) {
	cancelled := &Error{Code: CodeCancelled, Message: "the request was cancelled"}
	if ctx.Err() != nil {
		c.wire.reply(in, nil, cancelled)
		return
	}
	stop := context.AfterFunc(ctx, func() { c.wire.reply(in, nil, cancelled) })
	defer stop()
	result, err := c.safely(in.method, id, func() (any, error) {
		result, err := do()
		if err != nil {
			return nil, err
		}
		return encoded(result) // by code of the handler's, perhaps
	})
	if err != nil {
		c.wire.reply(in, nil, c.handlerError(err))
	} else {
		c.wire.reply(in, result, nil)
	}
}

// rawResult is a result that is JSON already.
type rawResult []byte

func (r rawResult) appendJSON(dst []byte) []byte { return append(dst, r...) }

func encoded(result any) (rawResult, error) {
	raw, err := appendValue(nil, result)
	if err == nil {
		err = checkJSON(raw)
	}
	if err != nil {
		return nil, errors.New("cannot encode the result")
	}
	return raw, nil
}

// safely runs a handler that may panic.
func (c *Conn) safely(what string, id SessionID, do func() (any, error)) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.logger.Error("handler panicked", "method", what, "panic", c.redact.text(fmt.Sprint(p)), "stack", string(debug.Stack()))
			c.diagnose(Diagnostic{Kind: DiagnosticHandler, Session: id, Text: "the handler of " + what + " panicked"})
			result, err = nil, errors.New("the handler failed")
		}
	}()
	return do()
}

// handlerError is a handler's error as the answer to the agent.
func (c *Conn) handlerError(err error) *Error {
	var rpc *Error
	switch {
	case errors.As(err, &rpc):
		return rpc
	case errors.Is(err, fs.ErrNotExist):
		return &Error{Code: CodeNotFound, Message: c.redact.text(err.Error())}
	case errors.Is(err, context.Canceled):
		return &Error{Code: CodeCancelled, Message: "the request was cancelled"}
	}
	return &Error{Code: CodeInternalError, Message: c.redact.text(err.Error())}
}

// session returns the session of an id, nil if there is none.
func (c *Conn) session(id SessionID) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

// stranger tells of a request for a session that is not known: a child that was not announced, or one that is gone.
func (c *Conn) stranger(method string, id SessionID) {
	c.mu.Lock()
	c.counters.Strangers++
	c.mu.Unlock()
	c.diagnose(Diagnostic{Kind: DiagnosticProtocol, Session: id, Text: method + " for an unknown session was refused"})
}
