package fakeagent

import (
	"encoding/json"
	"fmt"
	"time"
)

// ExitPoint is a point of the conversation at which the agent exits.
type ExitPoint string

// The exit points. Where a request is named, the agent exits without answering it, unless Script.ExitAfterAnswer is
// set.
const (
	ExitAtStart       ExitPoint = "start"          // before anything is read
	ExitAtInitialize  ExitPoint = "initialize"     // on the initialize request
	ExitAtInitialized ExitPoint = "initialized"    // right after the initialize answer
	ExitAtSessionNew  ExitPoint = "session/new"    // on the session/new request
	ExitAtPrompt      ExitPoint = "prompt"         // on the session/prompt request
	ExitAtMidTurn     ExitPoint = "mid-turn"       // after about half of a turn's updates
	ExitAtCancel      ExitPoint = "session/cancel" // on the session/cancel notification
	ExitAtClose       ExitPoint = "session/close"  // on the session/close request
	ExitAtEOF         ExitPoint = "eof"            // at the end of the input, after turns were cancelled
)

// CancelMode says what the agent does with session/cancel.
type CancelMode string

// The ways to treat a cancel.
const (
	CancelHonour  CancelMode = "honour"   // stop and answer "cancelled"
	CancelIgnore  CancelMode = "ignore"   // go on as if nothing had come
	CancelEndTurn CancelMode = "end_turn" // stop, but answer as if the turn had ended by itself
	CancelLate    CancelMode = "late"     // wait Script.CancelDelay, send one more chunk, then answer "cancelled"
)

// PermissionOn says when a turn asks for permission.
type PermissionOn string

// The occasions for a permission request.
const (
	PermissionOnWord   PermissionOn = "word"   // the prompt contains the word "permission" (the default)
	PermissionOnPrompt PermissionOn = "prompt" // every turn
	PermissionNever    PermissionOn = "never"
)

// NoiseAt is a place for noise.
type NoiseAt string

// The places for noise. Text is written as is, so a line of its own needs its "\n".
const (
	NoiseAtStart  NoiseAt = "start"  // once, before anything else
	NoiseAtBefore NoiseAt = "before" // in front of a frame
	NoiseAtAfter  NoiseAt = "after"  // behind a frame and its line end
	NoiseAtGlued  NoiseAt = "glued"  // on the frame's own line, directly in front of it
)

// Noise is something on standard output that is no frame.
type Noise struct {
	// At is the place.
	At NoiseAt `json:"at"`
	// Method chooses the frames: answers to that request, or the agent's own frames with that method, such as
	// "session/update". Empty means every answer.
	Method string `json:"method,omitempty"`
	// Text is written as is.
	Text string `json:"text,omitempty"`
	// Bytes (base64 in JSON) follow Text; for what a string cannot hold, such as invalid UTF-8.
	Bytes []byte `json:"bytes,omitempty"`
}

// Tool says what the tool call of a turn looks like.
type Tool struct {
	// Count is the number of tool calls per turn. Default: 1.
	Count int `json:"count,omitempty"`
	// Kind is the tool kind. Default: "read".
	Kind string `json:"kind,omitempty"`
	// Title is the tool call's title. Default: "Read README.md".
	Title string `json:"title,omitempty"`
	// Status is the final status. Default: "completed".
	Status string `json:"status,omitempty"`
	// NoCreate sends only the tool_call_update, for an id the client never saw.
	NoCreate bool `json:"noCreate,omitempty"`
	// Upsert sends the final state as a second tool_call with the same id instead of a tool_call_update.
	Upsert bool `json:"upsert,omitempty"`
	// Open leaves the call pending for ever.
	Open bool `json:"open,omitempty"`
	// ReuseID uses one toolCallId for all calls of all turns.
	ReuseID bool `json:"reuseId,omitempty"`
}

// Call is a request to the client.
type Call struct {
	// Method is the method called, declared by the client or not.
	Method string `json:"method"`
	// Params are the raw parameters. In an object a missing sessionId is filled in, and the string "$terminalId" stands
	// for the id in the latest terminal/create answer of the turn.
	Params json.RawMessage `json:"params,omitempty"`
}

// RPCError is a JSON-RPC error object.
type RPCError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error returns the message and the code.
func (e *RPCError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// Duration is a time.Duration that is written in JSON as a string such as "150ms".
type Duration time.Duration

// MarshalJSON writes the duration in Go's notation.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

// UnmarshalJSON reads a string in Go's notation.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("cannot read duration: %w", err)
	}
	v, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("cannot read duration: %w", err)
	}
	*d = Duration(v)
	return nil
}

// SignInMode says what a successful authenticate does.
type SignInMode string

// The modes.
const (
	SignInAtOnce    SignInMode = "at-once"    // the agent is signed in
	SignInOnRestart SignInMode = "on-restart" // only an agent that is started afterwards is
)
