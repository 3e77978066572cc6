package acp

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"
)

// Client is this side of the protocol: who we are and what we offer to agents. It may connect any number of agents.
type Client struct {
	info Implementation
	opts ClientOptions
}

// ClientOptions configure a [Client]. The zero value works.
type ClientOptions struct {
	// ProtocolVersion is the JSON literal that is sent as protocolVersion; empty means 1. Some agents want a string.
	ProtocolVersion string
	// Permission decides permission requests of sessions that have no handler of their own. Nil rejects them.
	Permission PermissionHandler
	// ReadTextFile and WriteTextFile serve the files of sessions that have no handlers of their own. A nil one is neither
	// advertised (clientCapabilities.fs) nor served.
	ReadTextFile  FileReader
	WriteTextFile FileWriter
	// Terminal runs commands for agents. Nil is neither advertised (clientCapabilities.terminal) nor served.
	Terminal TerminalHandler
	// Form and URL answer questions of agents to the user. A nil one is neither advertised (clientCapabilities.elicitation)
	// nor served.
	Form FormHandler
	URL  URLHandler
	// Extension takes the requests and notifications that are none of the protocol's. Without it requests are answered
	// "method not found", and notifications are reported to Diagnostic.
	Extension ExtensionHandler
	// TerminalAuth tells agents that a user can sign in by a terminal (clientCapabilities.auth.terminal), see AuthMethod.
	TerminalAuth bool
	// Diagnostic receives what belongs to no session: noise, standard error, broken frames. It runs on one goroutine
	// of its own and must return before the connection can be closed. May be nil.
	Diagnostic func(Diagnostic)
	// Secrets are values that must not be shown: they are masked, like the values of the agent's environment whose names
	// speak of secrets, in everything that is shown of an agent: its standard error, noise, diagnostics, errors. Values
	// shorter than 6 bytes are not masked, and neither is what sessions, the tap and traces carry.
	Secrets []string
	// Tap sees every frame, secrets included. May be nil.
	Tap Tap
	// Logger receives what happens to connections; nil discards.
	Logger *slog.Logger
	// MaxFrame is the longest frame in bytes that is accepted; 0 means 64 MiB.
	MaxFrame int
	// WriteStall is how long the agent may take no byte of what is written to it before the connection is given up;
	// 0 means 10 s, negative means for ever.
	WriteStall time.Duration
	// NoiseLimit bounds the noise before the first frame of the agent; beyond it the connection ends with ErrNotACP.
	NoiseLimit NoiseLimit
	// Buffers bound what is kept for consumers that do not keep up.
	Buffers Buffers
	// Inactivity says what happens when an agent is silent in the middle of a turn; nothing by default.
	Inactivity Inactivity
	// CumulativeUsage says that this agent's usage adds up over the session, which nothing on the wire tells. It is passed on
	// as Usage.Cumulative.
	CumulativeUsage bool
	// Corrections say where the agent is known to do something else than it advertises. Conn.Capabilities has what is the
	// case, and what does not work is refused without asking the agent. Connect fails on one that is not known.
	Corrections []Correction
	// Subagents lets agents show the sessions of their subagents, as children of the session that they work for
	// (clientCapabilities.subagents). Without it most agents show subagents as tool calls.
	Subagents bool
	// CancelGrace is how long an agent may take to end a turn once it was asked to stop; then the connection ends with a
	// *CancelIgnoredError, its other sessions included, and with it the process. 0 means for ever.
	CancelGrace time.Duration
	// Progress is told of every phase of starting an agent and of opening sessions: when it begins, every few seconds
	// while it lasts, and when it ends. Whoever starts the agent may tell of finding it, too (package provider does, when it
	// is found). Calls for one phase come one after another, from the call concerned or a goroutine that it joins, and must
	// return soon: the phase waits for them. May be nil.
	Progress func(Progress)
	// Timeouts bound the calls that are not prompts.
	Timeouts Timeouts
}

// NoiseLimit bounds the lines that are no frames before the first frame. Zero values are the defaults, negative ones
// are no limit.
type NoiseLimit struct {
	Lines int // 1000
	Bytes int // 1 MiB
}

// Timeouts bound calls to the agent. Zero values are the defaults, negative ones are no limit. Prompts have none.
type Timeouts struct {
	Spawn      time.Duration // 30 s, opening the transport; a CommandTransport looks at it before it starts the agent
	Initialize time.Duration // 60 s
	NewSession time.Duration // 120 s
	Control    time.Duration // 30 s, everything else
}

const (
	defaultSpawn      = 30 * time.Second
	defaultInitialize = 60 * time.Second
	defaultNewSession = 120 * time.Second
	defaultControl    = 30 * time.Second
	defaultNoiseLines = 1000
	defaultNoiseBytes = 1 << 20
)

// NewClient returns a client that introduces itself as info, whose name and version are always sent: empty ones become
// "acpharness" and "0.0.0", since some agents refuse to go on without them. A nil opts is the zero value.
func NewClient(info Implementation, opts *ClientOptions) *Client {
	c := &Client{info: info}
	if opts != nil {
		c.opts = *opts
	}
	if c.info.Name == "" {
		c.info.Name = "acpharness"
	}
	if c.info.Version == "" {
		c.info.Version = "0.0.0"
	}
	o := &c.opts
	if o.ProtocolVersion == "" {
		o.ProtocolVersion = "1"
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.NoiseLimit.Lines = orDefault(o.NoiseLimit.Lines, defaultNoiseLines)
	o.NoiseLimit.Bytes = orDefault(o.NoiseLimit.Bytes, defaultNoiseBytes)
	o.Timeouts.Spawn = orDefault(o.Timeouts.Spawn, defaultSpawn)
	o.Timeouts.Initialize = orDefault(o.Timeouts.Initialize, defaultInitialize)
	o.Timeouts.NewSession = orDefault(o.Timeouts.NewSession, defaultNewSession)
	o.Timeouts.Control = orDefault(o.Timeouts.Control, defaultControl)
	return c
}

func orDefault[T int | time.Duration](value, standard T) T {
	if value == 0 {
		return standard
	}
	return value
}

// Connect opens the transport and performs the handshake. ctx bounds this call only; the connection lives until Close.
// An error is a *StartError, and then the process is gone.
func (c *Client) Connect(ctx context.Context, t Transport) (*Conn, error) {
	if err := checkCorrections(c.opts.Corrections); err != nil {
		return nil, asStartError(err, PhaseSpawn)
	}
	conn := newConn(c)
	var stream Stream
	err := c.during(PhaseSpawn, func() (err error) {
		opening, cancel := withTimeout(ctx, c.opts.Timeouts.Spawn)
		defer cancel()
		stream, err = t.Connect(opening, &StreamOptions{
			MaxFrame: c.opts.MaxFrame, WriteStall: c.opts.WriteStall, Stderr: conn.stderrLine(),
		})
		return err
	})
	if err != nil {
		conn.abandon()
		return nil, asStartError(err, PhaseSpawn)
	}
	conn.run(stream)
	if err := c.during(PhaseInitialize, func() error { return conn.initialize(ctx) }); err != nil {
		return nil, conn.failStart(PhaseInitialize, err)
	}
	conn.remember()
	c.opts.Logger.Info("agent connected", slog.String("agent", conn.agent.Name), slog.String("version", conn.agent.Version))
	return conn, nil
}

// protocolVersion is the literal as JSON, or an error that names it.
func (c *Client) protocolVersion() (json.RawMessage, error) {
	literal := []byte(c.opts.ProtocolVersion)
	if err := checkJSON(literal); err != nil {
		return nil, &literalError{c.opts.ProtocolVersion}
	}
	return literal, nil
}

type literalError struct{ literal string }

func (e *literalError) Error() string {
	return "cannot use " + e.literal + " as protocolVersion: it is no JSON literal"
}
