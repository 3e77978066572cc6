package acp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/acpharness/acpharness/internal/proc"
)

// Conn is a connection to one agent after its handshake.
//
// It owns these goroutines, all started by Connect: a reader, which ends with the stream; a writer, which ends with the
// write queue; the two of the JSON-RPC library, which end with the reader; one per open request of the agent, whose
// context ends with the connection; a reporter, one for the notifications of extensions, a tapper and a spill log if they are needed; and a finisher, which waits for the
// first cause of an end, tears everything down in order, and joins all the others.
type Conn struct {
	client *Client
	logger *slog.Logger
	ctx    context.Context // of handlers; ends with the connection
	cancel context.CancelFunc

	stream  Stream
	lines   *lineStream   // what the stream is made of, nil if it is none of ours
	process *proc.Process // nil if the transport started none
	wire    *wire

	reporter *reporter[Diagnostic]
	notices  *reporter[*ExtensionMessage] // extension notifications
	visits   visits
	tapper   *tapper
	spill    *spillLog
	redact   *redactor // set by run

	agent        Implementation
	offers       clientCapabilities // what the agent was told, which is what is served
	terminals    terminalTable
	capabilities AgentCapabilities
	authMethods  []AuthMethod
	version      json.RawMessage
	handshake    json.RawMessage

	dying    chan struct{} // closed with the first cause
	dieOnce  sync.Once
	dieCause error
	done     chan struct{} // the connection is of no use any more
	ended    chan struct{} // everything is joined
	hurry    context.Context
	rush     context.CancelFunc

	lastSession *Session      // of the update read last; the reader's own
	lastKnown   uint64        // what known was then; an id may be used again
	known       atomic.Uint64 // counts the sessions that are entered, and that are forgotten
	frames      atomic.Int64  // the reader counts these without a lock
	repaired    atomic.Int64
	strangers   atomic.Uint64 // frames for sessions that are not known here
	serving     atomic.Int64  // requests of the agent under way that belong to no session
	lastFrame   atomic.Int64  // when the last valid frame was read, in nanoseconds since began
	remembered  atomic.Int64  // when the process tree was looked at, like lastFrame
	began       time.Time

	readerDone chan struct{}
	writerDone chan struct{}
	handlers   sync.WaitGroup

	mu       sync.Mutex
	sessions map[SessionID]*Session
	held     heldUpdates
	reports  mcpReports
	noise    noiseLog
	counters Counters
	auth     AuthStatus
	authNews uint64 // counts what the agent has told of the sign-in
	err      error
	exit     *Exit
}

// Counters tell what a connection has met so far.
type Counters struct {
	Frames    int64 // valid frames read
	Noise     int64 // lines that were no frames
	Repaired  int64 // frames that had junk in front
	Unmatched int64 // answers to no call: late, repeated or made up
	Unknown   int64 // requests and notifications that nobody serves
	Orphans   int64 // updates for sessions that this connection does not have
	Strangers int64 // requests for sessions that this connection does not have; they are refused
	Spilled   int64 // updates that consumers left lying and that went to disk, counted once for each stream
	Lost      int64 // updates for which a stream has a Gap
}

func newConn(client *Client) *Conn {
	c := &Conn{
		client: client, logger: client.opts.Logger, offers: offersOf(&client.opts),
		reporter: newReporter(client.opts.Diagnostic, nil),
		tapper:   newTapper(client.opts.Tap),
		dying:    make(chan struct{}), done: make(chan struct{}), ended: make(chan struct{}),
		readerDone: make(chan struct{}), writerDone: make(chan struct{}),
		sessions: map[SessionID]*Session{},
	}
	c.spill = newSpillLog(client.opts.Buffers, func(err error) {
		c.diagnose(Diagnostic{Kind: DiagnosticOverflow, Text: err.Error()})
	})
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.notices = newReporter(c.extensionNotified(), func(m *ExtensionMessage) int { return len(m.Params) })
	c.hurry, c.rush = context.WithCancel(context.Background())
	return c
}

// abandon ends a connection that never ran.
func (c *Conn) abandon() {
	c.cancel()
	c.rush()
	c.notices.close()
	c.notices.wait() // they may have something to report
	c.reporter.close()
	c.tapper.close()
	c.reporter.wait()
	c.tapper.wait()
}

// run starts the goroutines.
func (c *Conn) run(stream Stream) {
	c.stream = stream
	c.began = time.Now()
	var env []string
	switch s := stream.(type) {
	case *processStream:
		c.process, c.lines, env = s.process, s.lineStream, s.env
	case *lineStream:
		c.lines = s
	}
	c.redact = newRedactor(env, c.client.opts.Secrets)
	c.wire = newWire(c.ctx, c.serve)
	go c.read()
	go c.write()
	go c.finish()
}

// Agent returns what the process said of itself at initialize (agentInfo). Anything missing, null or of a wrong type
// is empty.
func (c *Conn) Agent() Implementation { return c.agent }

// Capabilities returns what the agent advertised at initialize (agentCapabilities), with the corrections of ClientOptions.
func (c *Conn) Capabilities() AgentCapabilities { return c.capabilities }

// ProtocolVersion returns protocolVersion as the agent answered it, nil if it left it out.
func (c *Conn) ProtocolVersion() json.RawMessage { return c.version }

// Handshake returns the result of initialize as it was sent.
func (c *Conn) Handshake() json.RawMessage { return c.handshake }

// PID returns the process id of the agent, 0 if the transport started no process.
func (c *Conn) PID() int {
	if c.process == nil {
		return 0
	}
	return c.process.PID()
}

// Tree returns how large the agent's process tree is now. It reads the system's list of processes.
func (c *Conn) Tree() Tree {
	if c.process == nil {
		return Tree{}
	}
	t := c.process.Tree()
	return Tree{Known: t.Known, Processes: t.Processes, RSS: t.RSS, Stopped: t.Stopped}
}

// remember has the process tree looked at, so that what leaves it later is known to belong to it. It costs a look at all
// processes of the machine, so it is done once a second at most.
func (c *Conn) remember() {
	if c.process == nil {
		return
	}
	now, last := int64(time.Since(c.began)), c.remembered.Load()
	if (last == 0 || now-last > int64(time.Second)) && c.remembered.CompareAndSwap(last, now) {
		c.process.Snapshot()
	}
}

// Counters returns a snapshot of what the connection has met so far.
func (c *Conn) Counters() Counters {
	c.mu.Lock()
	defer c.mu.Unlock()
	counters := c.counters
	counters.Spilled, counters.Lost = c.spill.toDisk.Load(), c.spill.lost.Load()
	counters.Frames, counters.Repaired = c.frames.Load(), c.repaired.Load()
	return counters
}

// Noise returns the first lines of the agent's output that were no frames, at most 64 of at most 256 bytes each.
func (c *Conn) Noise() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.noise.sample...)
}

// StderrTail returns the end of the agent's standard error.
func (c *Conn) StderrTail() string {
	if c.process == nil {
		return ""
	}
	tail := c.process.StderrTail()
	if len(tail) >= stderrKept { // it begins in the middle of a line, perhaps of a secret
		if _, rest, ok := strings.Cut(tail, "\n"); ok {
			tail = rest
		}
	}
	return c.redact.text(tail)
}

func (c *Conn) stderrMark() int64 {
	if c.process == nil {
		return 0
	}
	return c.process.StderrMark()
}

// stderrKept is what the process keeps of its standard error.
const stderrKept = 64 << 10

// Done is closed when the connection is of no use any more; Err says why.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns nil while the connection lives, then why it ended: ErrClosed after Close, a *DeathError when the agent went
// away, an *InactivityError when it was given up, ErrEcho or ErrNotACP when there never was one.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Exit returns how the agent's process ended: nil until its tree has been stopped, which is after Done and before Close
// returns, and for transports that start none. A DeathError has a record of its own.
func (c *Conn) Exit() *Exit {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.exit
}

// Close ends the connection and, in steps, the agent's whole process tree (on Linux with those who left its group,
// elsewhere its group): its input is closed, then it gets SIGTERM, then SIGKILL (see StopGrace). The end of ctx skips to SIGKILL. When Close returns nil every goroutine has been joined.
// It may be called often and from anywhere but a handler of this connection. It returns an error only if ctx ended
// before everything was joined.
func (c *Conn) Close(ctx context.Context) error {
	c.die(ErrClosed)
	select {
	case <-c.ended:
		return nil
	case <-ctx.Done():
	}
	c.rush()
	patience := time.NewTimer(joinPatience)
	defer patience.Stop()
	select {
	case <-c.ended:
		return nil
	case <-patience.C:
		return errors.New("cannot close the connection: a handler or a process does not end")
	}
}

// joinPatience is how long Close waits beyond its context for what has been killed to be gone.
const joinPatience = 10 * time.Second

// die records the first cause of the connection's end and wakes the finisher. It never waits.
func (c *Conn) die(cause error) {
	c.dieOnce.Do(func() {
		c.dieCause = cause
		close(c.dying)
	})
}

// finish tears the connection down once there is a cause.
func (c *Conn) finish() {
	defer close(c.ended)
	<-c.dying
	c.settleAll(c.deathRecord())
	c.endProcess()
	<-c.readerDone
	<-c.writerDone
	c.wire.join()
	c.releaseAll(c.hurry, c.terminals.close())
	c.handlers.Wait()
	c.spill.stop()
	c.spill.wait()
	c.notices.close()
	c.notices.wait() // they may have something to report
	c.reporter.close()
	c.tapper.close()
	c.reporter.wait()
	c.tapper.wait()
	c.rush()
}

// lastWill asks the process how it ended.
func (c *Conn) lastWill(death *DeathError) {
	wait, cancel := context.WithTimeout(c.hurry, exitPatience)
	defer cancel()
	select {
	case <-c.process.Exited():
		c.process.FlushStderr(wait)
	case <-wait.Done():
	}
	death.Exit = exitOf(c.process.Exit())
	death.Stderr = c.StderrTail()
	if death.Pipe == PipeBroken && death.Exit != nil {
		death.Err = io.EOF // a write that failed because the process ended says nothing more than that
	}
}

// exitPatience is how long the end of an agent's output may come before the end of its process.
const exitPatience = time.Second

// background runs fn on a goroutine that the end of the connection joins. If that end has begun, fn does not run.
func (c *Conn) background(fn func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.handlers.Go(fn)
	}
}

// settleAll fails everything that is pending with one cause.
func (c *Conn) settleAll(cause error) {
	c.mu.Lock()
	c.err = cause
	sessions := make([]*Session, 0, len(c.sessions))
	for _, s := range c.sessions {
		sessions = append(sessions, s)
	}
	c.mu.Unlock()
	c.wire.shut(cause)
	c.cancel()
	for _, s := range sessions {
		s.connectionEnded()
	}
	close(c.done)
	c.logger.Info("agent disconnected", slog.Any("cause", cause))
}

// endProcess lets the writer finish, closes the agent's input and stops its process group.
func (c *Conn) endProcess() {
	_, gone := errors.AsType[*agentGoneError](c.dieCause)
	c.wire.out.close(gone)
	flush, cancel := context.WithTimeout(c.hurry, flushPatience)
	select {
	case <-c.writerDone:
	case <-flush.Done():
	}
	cancel()
	if c.process == nil {
		_ = c.stream.CloseWrite()
		_ = c.stream.Close()
		return
	}
	exit := exitOf(c.process.Stop(c.hurry))
	c.mu.Lock()
	c.exit = exit
	c.mu.Unlock()
}

// flushPatience is how long the frames that are queued at the end may take.
const flushPatience = 500 * time.Millisecond

// write is the one writer.
func (c *Conn) write() {
	defer close(c.writerDone)
	for {
		f, ok := c.wire.out.next()
		if !ok {
			return
		}
		c.tapper.frame(ToAgent, f.data)
		err := c.stream.WriteFrame(f.data)
		c.wire.out.written(f)
		if err != nil {
			c.wire.out.close(true)
			c.die(&agentGoneError{met: err, writing: true})
			return
		}
	}
}

// agentGoneError marks the causes for which the process is asked what it has to say.
type agentGoneError struct {
	met     error
	writing bool
}

func (e *agentGoneError) pipe() PipeState {
	switch {
	case e.writing:
		return PipeBroken
	case errors.Is(e.met, io.EOF):
		return PipeClosed
	default:
		return PipeUnusable
	}
}

func (e *agentGoneError) Error() string { return e.met.Error() }
