package fakeagent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

const (
	methodInitialize   = "initialize"
	methodAuthenticate = "authenticate"
	methodNew          = "session/new"
	methodLoad         = "session/load"
	methodResume       = "session/resume"
	methodFork         = "session/fork"
	methodList         = "session/list"
	methodDelete       = "session/delete"
	methodPrompt       = "session/prompt"
	methodCancel       = "session/cancel"
	methodClose        = "session/close"
	methodSetMode      = "session/set_mode"
	methodSetOption    = "session/set_config_option"
	methodSetModel     = "session/set_model"
	methodUpdate       = "session/update"
	methodPermission   = "session/request_permission"
	methodCancelCall   = "$/cancel_request"
)

const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeAuthRequired   = -32000
	codeNotFound       = -32002
)

type object = map[string]any

func rpcErrorf(code int, format string, args ...any) *RPCError {
	return &RPCError{Code: code, Message: fmt.Sprintf(format, args...)}
}

func noMethod(method string) *RPCError {
	return rpcErrorf(codeNoMethod, "Method not found: %s", method)
}

// classify says what a line is. It reads members by their exact names, which decoding into a struct would not.
func classify(line []byte) Event {
	ev := Event{Kind: EventInvalid, Raw: line}
	if !utf8.Valid(line) {
		ev.Error = rpcErrorf(codeParse, "Parse error: not valid UTF-8")
		return ev
	}
	if !json.Valid(line) {
		ev.Error = rpcErrorf(codeParse, "Parse error")
		return ev
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(line, &m); err != nil || m == nil {
		ev.Error = rpcErrorf(codeInvalidRequest, "Invalid request: not a single JSON-RPC object")
		return ev
	}
	if id, ok := m["id"]; ok {
		if !validID(id) {
			ev.Error = rpcErrorf(codeInvalidRequest, "Invalid request: id must be a string, a number or null")
			return ev
		}
		ev.ID = id
	}
	method, hasMethod := m["method"]
	switch {
	case hasMethod && string(m["jsonrpc"]) != `"2.0"`:
		ev.Error = rpcErrorf(codeInvalidRequest, `Invalid request: jsonrpc must be "2.0"`)
	case hasMethod:
		if method[0] != '"' || json.Unmarshal(method, &ev.Method) != nil {
			ev.Error = rpcErrorf(codeInvalidRequest, "Invalid request: method must be a string")
			return ev
		}
		ev.Params = m["params"]
		ev.Kind = EventNotification
		if ev.ID != nil {
			ev.Kind = EventRequest
		}
	case ev.ID != nil:
		ev.Kind = EventResponse
		ev.Result, ev.Error = outcomeOf(m)
	default:
		ev.Error = rpcErrorf(codeInvalidRequest, "Invalid request: neither method nor id")
	}
	return ev
}

// outcomeOf never leaves a call of the agent hanging: a response that says nothing usable becomes an error.
func outcomeOf(m map[string]json.RawMessage) (json.RawMessage, *RPCError) {
	if raw, ok := m["error"]; ok && string(raw) != "null" {
		e := &RPCError{}
		if json.Unmarshal(raw, e) != nil {
			return nil, rpcErrorf(codeInvalidRequest, "the client's error is no error object")
		}
		return nil, e
	}
	result, ok := m["result"]
	if !ok {
		return nil, rpcErrorf(codeInvalidRequest, "the client's response has neither result nor error")
	}
	return result, nil
}

func validID(id json.RawMessage) bool {
	switch id[0] {
	case '"', '-', 'n', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return true
	default:
		return false
	}
}

// encode is json.Marshal without the escaping for HTML, which would change raw values.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// envelope puts a frame together from raw parts, so that an id leaves exactly as it came.
func envelope(id json.RawMessage, method, member string, value any) ([]byte, error) {
	body, err := encode(value)
	if err != nil {
		return nil, fmt.Errorf("cannot encode %s: %w", member, err)
	}
	frame := make([]byte, 0, len(body)+len(id)+len(method)+64)
	frame = append(frame, `{"jsonrpc":"2.0"`...)
	if id != nil {
		frame = append(append(frame, `,"id":`...), id...)
	}
	if method != "" {
		name, err := encode(method)
		if err != nil {
			return nil, fmt.Errorf("cannot encode method: %w", err)
		}
		frame = append(append(frame, `,"method":`...), name...)
	}
	frame = append(append(frame, `,"`+member+`":`...), body...)
	return append(frame, '}'), nil
}

// decodeParams turns a mistake in params into the error to answer with.
func decodeParams(raw json.RawMessage, into any) *RPCError {
	if len(raw) == 0 {
		return rpcErrorf(codeInvalidParams, "Invalid params: missing")
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return rpcErrorf(codeInvalidParams, "Invalid params: %v", err)
	}
	return nil
}
