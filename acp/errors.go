package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ErrorCode is a JSON-RPC error code. It is open.
type ErrorCode int64

// The codes of JSON-RPC and of the protocol (ErrorCode).
const (
	CodeParseError     ErrorCode = -32700
	CodeInvalidRequest ErrorCode = -32600
	CodeMethodNotFound ErrorCode = -32601
	CodeInvalidParams  ErrorCode = -32602
	CodeInternalError  ErrorCode = -32603
	CodeCancelled      ErrorCode = -32800
	CodeAuthRequired   ErrorCode = -32000
	CodeNotFound       ErrorCode = -32002 // a resource or session
)

// Error is an error answer of the agent, or of a handler to the agent. It mirrors Error of the protocol.
type Error struct {
	Code    ErrorCode       `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"` // any JSON, as sent
}

func (e *Error) Error() string {
	return fmt.Sprintf("the agent answered with error %d: %s", e.Code, e.Message)
}

var (
	// ErrClosed is the cause of a connection that this side closed.
	ErrClosed = errors.New("the connection is closed")
	// ErrEcho is the cause of a connection whose peer sent our own request back: it is no agent but something that
	// copies its input, such as cat or a terminal.
	ErrEcho = errors.New("the process echoes what it is sent, so it does not speak the protocol")
	// ErrNotACP is the cause of a connection on which only noise came, see ClientOptions.NoiseLimit.
	ErrNotACP = errors.New("the output is not a stream of the protocol")
	// ErrTurnInProgress is returned by Prompt while another turn of the session is open.
	ErrTurnInProgress = errors.New("a turn of this session is still in progress")
	// ErrSessionClosed is returned by calls on a session after Close.
	ErrSessionClosed = errors.New("the session is closed")
	// ErrNotOffered is returned when a session is asked for something that the agent does not offer for it.
	ErrNotOffered = errors.New("the session does not offer it")
	// ErrUnsupported is returned without asking an agent for what it does not advertise.
	ErrUnsupported = errors.New("the agent does not support it")
	// ErrNotAdvertised is returned for a handler of a session that serves what the client has not advertised to the agent.
	ErrNotAdvertised = errors.New("the client has not advertised it")
	// ErrSessionOpen is returned when a session is opened that this connection has open already.
	ErrSessionOpen = errors.New("the session is open already")
	// ErrProtocol is returned when an answer settles a call without being a valid one.
	ErrProtocol = errors.New("the agent broke the protocol")
)

// Phase says what is or was going on.
type Phase string

// The phases: those of starting an agent and a session in order, then what comes after.
const (
	PhaseResolve    Phase = "resolve"     // finding the executable
	PhaseSpawn      Phase = "spawn"       // starting it
	PhaseInitialize Phase = "initialize"  // the handshake
	PhaseSession    Phase = "session/new" // opening a session
	PhaseTurn       Phase = "turn"        // a prompt is being answered
	PhaseIdle       Phase = "idle"        // nothing is pending
)

// StartError tells why an agent could not be started. When it is returned by Connect the process is gone.
type StartError struct {
	Phase  Phase
	Exit   *Exit    // how the process ended, nil if none was started
	Stderr string   // the tail of its standard error
	Noise  []string // the first lines on its standard output that were no frames, at most 64
	// NoiseLines is how many there were.
	NoiseLines int64
	Err        error

	seen outputSeen
}

// Kind tells what went wrong, as far as exit code, output and standard error allow.
func (e *StartError) Kind() StartKind {
	kind, _ := diagnoseStart(e, e.seen)
	return kind
}

// Hint returns what to do next in one sentence, empty if there is nothing to say.
func (e *StartError) Hint() string {
	_, hint := diagnoseStart(e, e.seen)
	return hint
}

func (e *StartError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "cannot start the agent: %s: %v", e.Phase, e.Err)
	if e.Exit != nil && e.Exit.Self() {
		fmt.Fprintf(&b, " (the process %s)", e.Exit)
	}
	if e.Kind() == StartSilent {
		b.WriteString("; the process ran and was silent")
	}
	if len(e.Noise) > 0 {
		fmt.Fprintf(&b, "; its output began with %q", e.Noise[0])
	}
	if tail := lastLine(e.Stderr); tail != "" {
		fmt.Fprintf(&b, "; its standard error ended with %q", tail)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }

// TruncatedError reports an output that ended in the middle of a frame.
type TruncatedError struct {
	Length int // bytes of the half frame
}

func (e *TruncatedError) Error() string {
	return fmt.Sprintf("truncated frame: the output ended after %d bytes of it", e.Length)
}

// ProtocolVersionError reports an agent that wants to speak a version which this package does not.
type ProtocolVersionError struct {
	Got json.RawMessage // protocolVersion as answered
}

func (e *ProtocolVersionError) Error() string {
	return fmt.Sprintf("the agent wants protocol version %s, only version 1 is supported", e.Got)
}

func lastLine(text string) string {
	text = strings.TrimRight(text, "\r\n\t ")
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	const most = 300
	if len(text) > most {
		text = "…" + strings.ToValidUTF8(text[len(text)-most:], "")
	}
	return text
}
