package fakeagent

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"sync"
	"syscall"
	"time"
)

// Version is that of the agent in programs, which is not theirs. It is raised when what the agent does with its
// configuration changes, so that what was found out about one version is not taken for true of another.
const Version = "1.0.0"

// Options configure Serve. The zero value is a good agent.
type Options struct {
	// Script says how the agent behaves; nil is a good agent.
	Script *Script
	// Version is the version in agentInfo if the script names none. Default: "0.0.0".
	Version string
	// AgentFile is the agent's configuration, with its MCP servers; Script.MCP may name another one. Default: none, and
	// the agent has nothing to do with MCP.
	AgentFile string
	// mcpPatience is how long a server may take to start. Default: 5 s. Tests have less of it.
	mcpPatience time.Duration
	// Stderr takes log lines. Default: they are dropped.
	Stderr io.Writer
	// Journal, if set, is told every frame received, in order and before the agent acts on it. It is called on the
	// reading goroutine and must not block.
	Journal func(Event)
}

// Serve speaks to one client until r ends, ctx ends, or the script exits the agent.
//
// It returns nil at the end of r, or when the client has gone while it wrote; an *ExitError if the script exits the
// agent; the cause of ctx's end; and an error that says what is wrong if the script, r or w is bad. At the end of r
// running turns are cancelled and answered first. Serve closes neither r nor w when r ends; to stop early it interrupts
// blocked reads and writes by deadlines where r and w (and Stderr, if the script logs) have them and by closing them
// else.
//
// All goroutines and all MCP servers have ended when Serve returns. The exception are blocked reads and writes that cannot be interrupted,
// as on the standard streams of a process, after ctx ended or the script demanded an exit: there the process ends next.
func Serve(ctx context.Context, r io.Reader, w io.Writer, opts *Options) error {
	if opts == nil {
		opts = &Options{}
	}
	script := opts.Script
	if script == nil {
		script = &Script{}
	}
	if err := script.validate(); err != nil {
		return &ScriptError{err}
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	s := newServer(script, opts, w, end)
	defer s.mcp.close()
	readDone, controlDone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(readDone)
		s.read(ctx, r)
	}()
	go func() {
		defer close(controlDone)
		s.control(ctx)
	}()
	select {
	case <-controlDone:
	case <-ctx.Done():
	}
	if ctx.Err() == nil { // control ends by itself only after the reader has
		<-readDone
		return s.input.err
	}
	if done, ok := s.interruptOutput(); ok {
		<-controlDone
		done()
	}
	if done, ok := interruptRead(r); ok {
		<-readDone
		done()
	}
	return endOf(context.Cause(ctx))
}

// ScriptError tells that a script made in Go contradicts itself.
type ScriptError struct{ err error }

// Error names the members at fault.
func (e *ScriptError) Error() string { return "cannot use script: " + e.err.Error() }

// Unwrap returns the reason.
func (e *ScriptError) Unwrap() error { return e.err }

// endOf makes the end of a conversation by the client no error.
func endOf(err error) error {
	if isGone(err) {
		return nil
	}
	return err
}

func isGone(err error) bool {
	for _, gone := range []error{io.EOF, io.ErrClosedPipe, net.ErrClosed, fs.ErrClosed, syscall.EPIPE} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

// server is the agent at work. Serve starts two goroutines and joins both: read, which ends with r or ctx, and control,
// which handles frames in the order they came and ends with the queue or ctx. control starts one goroutine per turn, and
// one per session that is opened late, and one that follows the agent file; a turn ends by itself, by cancel or with ctx, and control joins all before it ends.
type server struct {
	script  *Script
	version string
	stderr  io.Writer
	journal func(Event)
	out     *output
	input   *queue
	end     context.CancelCauseFunc // ends the agent; the first cause is the result of Serve
	started chan struct{}           // closed by control once reading may begin
	turns   sync.WaitGroup
	store   *store
	mcp     *mcpHub         // nil without an agent file
	life    context.Context // ends with the input; made and ended by control

	authLeft      int  // refusals of session/new still to come; only control uses it
	authenticated bool // of Script.SignIn; only control uses it

	mu       sync.Mutex // guards what follows; nothing blocks under it
	sessions map[string]*session
	turning  int              // turns that have not been answered
	pending  map[string]*call // by raw id; answered calls are removed
	nextID   int
}

func newServer(script *Script, opts *Options, w io.Writer, end context.CancelCauseFunc) *server {
	s := &server{
		script: script, version: opts.Version, stderr: opts.Stderr, journal: opts.Journal, end: end,
		input: newQueue(), started: make(chan struct{}), authLeft: script.AuthRequired, authenticated: script.wasSignedIn(),
		store:    newStore(script.Store),
		sessions: map[string]*session{}, pending: map[string]*call{},
	}
	if s.version == "" {
		s.version = "0.0.0"
	}
	if s.stderr == nil {
		s.stderr = io.Discard
	}
	s.out = newOutput(w, script, end)
	s.mcp = newMCPHub(s, opts)
	return s
}

func (s *server) exit() { s.end(&ExitError{Code: s.script.ExitCode}) }

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
