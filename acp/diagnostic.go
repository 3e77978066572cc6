package acp

import (
	"log/slog"
	"sync"
)

// DiagnosticKind says what a Diagnostic is about.
type DiagnosticKind string

// The kinds of diagnostics.
const (
	DiagnosticNoise     DiagnosticKind = "noise"     // a line on the agent's output that is no frame; Text is its beginning
	DiagnosticStderr    DiagnosticKind = "stderr"    // a line on the agent's standard error
	DiagnosticProtocol  DiagnosticKind = "protocol"  // a frame that breaks the protocol, and what was done about it
	DiagnosticUnhandled DiagnosticKind = "unhandled" // a method that nobody serves
	DiagnosticHandler   DiagnosticKind = "handler"   // a handler of the caller's that failed
	// DiagnosticInactivity tells of an agent that is silent in the middle of a turn, see Inactivity.
	DiagnosticInactivity DiagnosticKind = "inactivity"
	DiagnosticOverflow   DiagnosticKind = "overflow" // updates that were lost because a consumer did not keep up and the buffers are used up
)

// Diagnostic is something worth knowing that belongs to no session's stream and breaks nothing.
type Diagnostic struct {
	Kind    DiagnosticKind
	Session SessionID // empty if it belongs to none
	Text    string
	// Level is how serious a line of standard error is, as far as it says; Suppressed is how many lines were left out
	// before it because they came too fast (20 a second, after the first 100).
	Level      slog.Level
	Suppressed int
	Dropped    int // how many diagnostics were lost just before this one because the receiver was slow
}

const (
	reporterBacklog = 1024
	reporterBytes   = 16 << 20
	diagnosticText  = 8 << 10
)

// reporter hands things to the caller's function, one after the other, on a goroutine of its own, so that a slow receiver
// delays nobody. The goroutine is started with the connection, stopped by close, and joined by wait.
type reporter[T any] struct {
	fn   func(T)
	done chan struct{}

	size func(T) int // in bytes, nil for what is small

	mu      sync.Mutex
	queue   chan T
	queued  int // bytes
	dropped int
	closed  bool
}

func newReporter[T any](fn func(T), size func(T) int) *reporter[T] {
	if size == nil {
		size = func(T) int { return 0 }
	}
	r := &reporter[T]{fn: fn, size: size, done: make(chan struct{}), queue: make(chan T, reporterBacklog)}
	if fn == nil {
		close(r.done)
		return r
	}
	go func() {
		defer close(r.done)
		for thing := range r.queue {
			r.mu.Lock()
			r.queued -= r.size(thing)
			r.mu.Unlock()
			r.fn(thing)
		}
	}()
	return r
}

// report hands over one thing, which is told how many before it were lost.
func (r *reporter[T]) report(thing T, lost func(thing *T, count int)) {
	if r.fn == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	lost(&thing, r.dropped)
	size := r.size(thing)
	if r.queued > 0 && r.queued+size > reporterBytes {
		r.dropped++
		return
	}
	select {
	case r.queue <- thing:
		r.queued += size
		r.dropped = 0
	default:
		r.dropped++
	}
}

func (r *reporter[T]) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		close(r.queue)
	}
}

func (r *reporter[T]) wait() { <-r.done }

func (c *Conn) diagnose(d Diagnostic) {
	d.Text = c.redact.text(d.Text)
	c.report(d)
}

// report is diagnose for what is masked already.
func (c *Conn) report(d Diagnostic) {
	if len(d.Text) > diagnosticText {
		d.Text = d.Text[:diagnosticText]
	}
	c.reporter.report(d, func(d *Diagnostic, count int) { d.Dropped = count })
}
