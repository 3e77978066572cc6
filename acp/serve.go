package acp

import (
	"context"
	"fmt"
	"runtime/debug"
)

// serve takes a request of the agent from the library. It must not wait.
func (c *Conn) serve(in *inbound) {
	if in.method != methodRequestPermission {
		c.countUnknown("request " + c.shown([]byte(in.method)))
		c.handlers.Go(func() {
			defer in.cancel()
			c.wire.reply(in, nil, &Error{Code: CodeMethodNotFound, Message: "method not found: " + in.method})
		})
		return
	}
	c.handlers.Go(func() {
		defer in.cancel()
		c.servePermission(in.ctx, in)
	})
}

// servePermission answers one permission request, whatever its handler does.
func (c *Conn) servePermission(ctx context.Context, in *inbound) {
	req, warnings := decodePermission(in.params)
	c.warnings(req.SessionID, warnings)
	handler := c.client.opts.Permission
	c.mu.Lock()
	session := c.sessions[req.SessionID]
	c.mu.Unlock()
	if session == nil {
		// A child session that was not announced, or one that is gone: the agent must not be left waiting (KiroCrew#3785), and nobody here can say yes.
		c.mu.Lock()
		c.counters.Strangers++
		c.mu.Unlock()
		c.diagnose(Diagnostic{Kind: DiagnosticProtocol, Session: req.SessionID, Text: "a permission request for an unknown session was rejected"})
		c.wire.reply(in, permissionResult{req.Reject()}, nil)
		return
	}
	if session.permission != nil {
		handler = session.permission
	}
	session.completeCall(&req.ToolCall)
	ctx, finish := session.root().beginRequest(ctx)
	defer finish()
	// The answer on cancellation comes from here and not from the handler, which may take its time.
	stop := context.AfterFunc(ctx, func() { c.wire.reply(in, permissionResult{}, nil) })
	defer stop()
	// Whatever becomes of the handler, there is an answer: this is the last chance, and does nothing after another one.
	defer func() { c.wire.reply(in, permissionResult{}, nil) }()
	outcome := c.decideSafely(ctx, handler, req)
	if ctx.Err() == nil {
		c.wire.reply(in, permissionResult{outcome}, nil)
	}
}

// decideSafely survives a handler that panics: the request is rejected.
func (c *Conn) decideSafely(ctx context.Context, handler PermissionHandler, req *PermissionRequest) (outcome PermissionOutcome) {
	defer func() {
		if p := recover(); p != nil {
			c.logger.Error("permission handler panicked", "panic", c.redact.text(fmt.Sprint(p)), "stack", string(debug.Stack()))
			c.diagnose(Diagnostic{Kind: DiagnosticHandler, Session: req.SessionID, Text: "permission handler panicked; the request was rejected"})
			outcome = req.Reject()
		}
	}()
	return c.decide(ctx, handler, req)
}

type permissionResult struct {
	Outcome PermissionOutcome `json:"outcome"`
}
