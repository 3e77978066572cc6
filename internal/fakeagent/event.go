package fakeagent

import "encoding/json"

// EventKind is the kind of a frame the agent received.
type EventKind string

// The kinds of frames.
const (
	EventRequest      EventKind = "request"
	EventNotification EventKind = "notification"
	EventResponse     EventKind = "response"
	EventInvalid      EventKind = "invalid" // no JSON-RPC 2.0 frame
)

// Event is one line the agent received, blank lines excepted.
type Event struct {
	// Kind is what the line is.
	Kind EventKind
	// Method is the frame's method; for a response that of the agent's request it answers, empty if it answers none.
	Method string
	// ID is the raw id, nil if there is none.
	ID json.RawMessage
	// Params are the raw params of a request or notification.
	Params json.RawMessage
	// Result is the raw result of a response.
	Result json.RawMessage
	// Error is the error of a response; for an invalid frame the error it is answered with.
	Error *RPCError
	// Raw is the line as it came, without its line end.
	Raw []byte
}
