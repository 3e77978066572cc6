package fakemcp

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// methodInitialize begins a conversation.
const methodInitialize = "initialize"

// message is what a client sent.
type message struct {
	entry Entry // what the journal says of it
	rpc   jsonrpc.Message
}

// malformed is a text that is no message.
type malformed struct {
	err    error
	answer *jsonrpc.Response // its id is not valid if the text has none to answer
}

func newMalformed(reason error, rawID json.RawMessage) *malformed {
	code := int64(jsonrpc.CodeInvalidRequest)
	if _, is := errors.AsType[*json.SyntaxError](reason); is {
		code = jsonrpc.CodeParseError
	}
	var value any
	_ = json.Unmarshal(rawID, &value)
	id, _ := jsonrpc.MakeID(value)
	err := fmt.Errorf("cannot read a message: %w", reason)
	return &malformed{err: err, answer: refuse(id, code, err.Error())}
}

// parse reads one message.
func parse(text []byte) (*message, *malformed) {
	var envelope struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	err := json.Unmarshal(text, &envelope)
	var rpc jsonrpc.Message
	if err == nil {
		rpc, err = jsonrpc.DecodeMessage(text)
	}
	if err != nil {
		if envelope.Result != nil || envelope.Error != nil {
			envelope.ID = nil // an answer gets none
		}
		return nil, newMalformed(err, envelope.ID)
	}
	m := &message{rpc: rpc, entry: Entry{Event: EventReceived, Method: envelope.Method}}
	if string(envelope.ID) != "null" {
		m.entry.ID = envelope.ID
	}
	m.entry.describe(envelope.Method, envelope.Params)
	return m, nil
}

// describe takes from the parameters what is worth an own member. The reader of
// a journal sees parameters of a wrong type as missing ones.
func (e *Entry) describe(method string, params json.RawMessage) {
	var p struct {
		ProtocolVersion string          `json:"protocolVersion"`
		ClientInfo      *Client         `json:"clientInfo"`
		Capabilities    json.RawMessage `json:"capabilities"`
		Name            string          `json:"name"`
		Arguments       json.RawMessage `json:"arguments"`
		Meta            struct {
			ProtocolVersion string          `json:"io.modelcontextprotocol/protocolVersion"`
			ClientInfo      *Client         `json:"io.modelcontextprotocol/clientInfo"`
			Capabilities    json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(params, &p)
	e.ProtocolVersion, e.Client, e.Capabilities = p.Meta.ProtocolVersion, p.Meta.ClientInfo, p.Meta.Capabilities
	switch method {
	case methodInitialize:
		e.ProtocolVersion, e.Client, e.Capabilities = p.ProtocolVersion, p.ClientInfo, p.Capabilities
	case "tools/call":
		e.Tool, e.Arguments = p.Name, p.Arguments
	}
}

// request returns the message if it is one that wants an answer.
func (m *message) request() (*jsonrpc.Request, bool) {
	r, ok := m.rpc.(*jsonrpc.Request)
	return r, ok && r.IsCall()
}

// known reports whether the message is for the library. That has answers of its
// own for more than a server with tools promises, among them some that are not
// "method not found" before initialize, and over HTTP some that are no JSON.
func (m *message) known() bool {
	r, ok := m.rpc.(*jsonrpc.Request)
	if !ok {
		return true // an answer
	}
	switch r.Method {
	case methodInitialize, "ping", "tools/list", "tools/call":
		return r.IsCall()
	case "notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/roots/list_changed":
		return !r.IsCall()
	default:
		return false
	}
}

// refusal is the answer to a message that is not known, nil if it gets none.
func (m *message) refusal() *jsonrpc.Response {
	r, ok := m.request()
	if !ok {
		return nil
	}
	return refuse(r.ID, jsonrpc.CodeMethodNotFound, fmt.Sprintf("method not found: %q", r.Method))
}

func refuse(id jsonrpc.ID, code int64, reason string) *jsonrpc.Response {
	return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: code, Message: reason}}
}
