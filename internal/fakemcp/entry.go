package fakemcp

import (
	"encoding/json"
	"time"
)

// Event says what an Entry is about.
type Event string

// The events.
const (
	// EventStart: a process or a listener is up. Args, Env, CWD and Tools are set.
	EventStart Event = "start"
	// EventReceived: a client sent a message, be it known to the server or not.
	EventReceived Event = "received"
	// EventTools: the tools file has new content, which Tools names.
	EventTools Event = "tools"
	// EventStream: a client opened the stream over which its HTTP session is
	// told of changes. From here on it is.
	EventStream Event = "stream"
	// EventSignal: the process got a signal.
	EventSignal Event = "signal"
	// EventEOF: the client closed its end: the standard input, or, with Session
	// set, its HTTP session, after which the server goes on.
	EventEOF Event = "eof"
	// EventExit: the server has ended. Error is set unless a client, a signal or
	// Close ended it.
	EventExit Event = "exit"
	// EventError: Error says what went wrong: a message that cannot be read, a
	// stream that broke, a tools file that cannot be used, an HTTP request that
	// is refused.
	EventError Event = "error"
)

// The transports.
const (
	// Stdio is a pair of streams with a message on each line.
	Stdio = "stdio"
	// HTTP is streamable HTTP.
	HTTP = "http"
)

// Entry is one line of a journal. What does not apply is missing.
type Entry struct {
	// Time is when it happened, in UTC. It never goes back within a process
	// unless the clock does.
	Time time.Time `json:"t"`
	// Label tells servers apart.
	Label string `json:"label"`
	// PID and PPID are the process and what started it.
	PID  int `json:"pid"`
	PPID int `json:"ppid"`
	// Event is what happened.
	Event Event `json:"event"`
	// Transport is Stdio or HTTP.
	Transport string `json:"transport,omitempty"`
	// Session is the id of the HTTP session, for initialize the one it opens.
	Session string `json:"session,omitempty"`
	// Method and ID are those of the message; an answer has no method, a
	// notification no id.
	Method string          `json:"method,omitempty"`
	ID     json.RawMessage `json:"id,omitempty"`
	// Client, ProtocolVersion and Capabilities are what the client says of
	// itself in initialize, or in the metadata of another message.
	Client          *Client         `json:"client,omitempty"`
	ProtocolVersion string          `json:"protocolVersion,omitempty"`
	Capabilities    json.RawMessage `json:"capabilities,omitempty"`
	// Tool and Arguments are those of tools/call.
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Tools are the names of the tools.
	Tools []string `json:"tools,omitempty"`
	// Signal is the name of the signal, such as "SIGTERM".
	Signal string `json:"signal,omitempty"`
	// Args are the arguments by which the configuration of a server can be told
	// apart, Env its variables whose names begin with FAKEMCP_, CWD is its
	// working directory.
	Args []string          `json:"args,omitempty"`
	Env  map[string]string `json:"env,omitempty"`
	CWD  string            `json:"cwd,omitempty"`
	// Error says what went wrong.
	Error string `json:"error,omitempty"`
}

// Client is what a client calls itself.
type Client struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}
