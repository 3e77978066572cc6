package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ExtensionHandler takes the requests and notifications of agents that are none of the protocol's. By the protocol their
// methods begin with "_"; those of some agents do not (qwen's craft/drainMidTurnQueue).
type ExtensionHandler interface {
	// HandleRequest returns the result, which is encoded as JSON. Requests run side by side, each on a goroutine of its own.
	// When ctx ends the request has been answered already. An *Error is answered as it is; for a method that it does not know
	// the handler returns ErrUnknownMethod.
	HandleRequest(ctx context.Context, m *ExtensionMessage) (any, error)
	// HandleNotification is called for one notification after the other, in the order they were read, on one goroutine of the
	// connection's own. ctx ends with the connection.
	HandleNotification(ctx context.Context, m *ExtensionMessage)
}

// ErrUnknownMethod is what an ExtensionHandler returns for a request that it does not know. The agent is told so.
var ErrUnknownMethod = errors.New("unknown method")

// ExtensionMessage is a request or notification that is none of the protocol's.
type ExtensionMessage struct {
	Method    string
	SessionID SessionID       // the member sessionId of the params, empty if there is none
	Params    json.RawMessage // as sent, nil if there were none
	Dropped   int             // notifications that were lost just before this one because the handler was slow
}

func newExtensionMessage(method string, params []byte) *ExtensionMessage {
	m := &ExtensionMessage{Method: method, Params: params}
	eachMember(params, func(key, value []byte) {
		if string(key) == "sessionId" {
			m.SessionID = SessionID(bareString(value))
		}
	})
	return m
}

func (c *Conn) serveExtension(in *inbound) {
	m := newExtensionMessage(in.method, in.params)
	ctx, finish := c.beginAside(in.ctx, m.SessionID)
	defer finish()
	c.answerWith(ctx, in, m.SessionID, func() (any, error) {
		result, err := c.client.opts.Extension.HandleRequest(ctx, m)
		if errors.Is(err, ErrUnknownMethod) {
			c.countUnknown("request " + c.shown([]byte(in.method)))
			err = &Error{Code: CodeMethodNotFound, Message: "method not found: " + in.method}
		}
		return result, err
	})
}

// extensionNotified returns what takes notifications, nil if nobody does.
func (c *Conn) extensionNotified() func(*ExtensionMessage) {
	handler := c.client.opts.Extension
	if handler == nil {
		return nil
	}
	return func(m *ExtensionMessage) {
		_, _ = c.safely(m.Method, m.SessionID, func() (any, error) {
			handler.HandleNotification(c.ctx, m)
			return nil, nil //nolint:nilnil // there is no result
		})
	}
}

// extensionNotification takes a notification that this package does not know.
func (c *Conn) extensionNotification(e *envelope) {
	if c.client.opts.Extension == nil || isProtocolMethod(string(e.method)) {
		c.countUnknown("notification " + c.shown(e.method))
		return
	}
	c.notices.report(newExtensionMessage(string(e.method), bytes.Clone(e.params)), func(m **ExtensionMessage, count int) { (*m).Dropped = count })
}

// Call sends a request that is none of the protocol's and returns its result as it was sent. params are encoded as JSON; nil
// are an empty object. A method of the protocol is refused, since this package keeps its books. Timeouts.Control does not
// bound it; ctx does. The error is an *Error of the agent or the cause for which there was no answer.
func (c *Conn) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	if err := checkExtension(method); err != nil {
		return nil, err
	}
	result, err := c.wire.call(ctx, method, orEmpty(params))
	if err != nil {
		return nil, fmt.Errorf("cannot call %s: %w", method, err)
	}
	return result, nil
}

// Notify sends a notification that is none of the protocol's. The rest is as with Call; ctx bounds the wait for room.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	if err := checkExtension(method); err != nil {
		return err
	}
	if err := c.wire.notify(ctx, method, orEmpty(params)); err != nil {
		return fmt.Errorf("cannot notify %s: %w", method, err)
	}
	return nil
}

func orEmpty(params any) any {
	if params == nil {
		return struct{}{}
	}
	return params
}

func checkExtension(method string) error {
	if method == "" || isProtocolMethod(method) {
		return fmt.Errorf("cannot send %q as an extension: it is the protocol's own", method)
	}
	return nil
}

// isProtocolMethod reports whether a method belongs to the protocol, in this version of it or another.
func isProtocolMethod(method string) bool {
	space, _, _ := strings.Cut(method, "/")
	return slices.Contains([]string{
		"initialize", "authenticate", "logout", "session", "fs", "terminal", "elicitation", "$", "auth", "providers", "mcp", "proxy",
	}, space)
}
