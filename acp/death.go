package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// PipeState says what became of the pipes to an agent that went away.
type PipeState string

// The states.
const (
	PipeClosed   PipeState = "closed"   // the agent closed its output, which is how most ends are seen
	PipeBroken   PipeState = "broken"   // the agent took no more input
	PipeUnusable PipeState = "unusable" // its output cannot be read any further, see DeathError.Err
)

// DeathError is the one record of an agent that went away by itself: the cause of its connection's end, and the error of
// every call and turn that was pending then.
type DeathError struct {
	// Exit is how the process ended; nil when it is not known to have ended: it closed its output and lived on.
	Exit *Exit
	// Phase is what was going on: initialize, session/new, a turn, or nothing.
	Phase Phase
	Pipe  PipeState
	// Uptime is how long the connection lived.
	Uptime time.Duration
	// LastFrame is how long before the end the last valid frame was read; 0 if there never was one.
	LastFrame time.Duration
	Stderr    string // the tail of its standard error
	Err       error  // what the reader or writer met, io.EOF at a clean end
}

func (e *DeathError) Error() string {
	var b strings.Builder
	switch {
	case e.Exit != nil && e.Exit.Self():
		fmt.Fprintf(&b, "the agent %s", e.Exit)
	case e.Pipe == PipeClosed:
		b.WriteString("the agent closed its output and is not known to have exited")
	default:
		b.WriteString("the agent is gone")
	}
	fmt.Fprintf(&b, " (in phase %s)", e.Phase)
	if e.Err != nil && !errors.Is(e.Err, io.EOF) {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	if tail := lastLine(e.Stderr); tail != "" {
		fmt.Fprintf(&b, "; its standard error ended with %q", tail)
	}
	return b.String()
}

// Unwrap returns what the reader or writer met.
func (e *DeathError) Unwrap() error { return e.Err }

// deathRecord turns the first cause into the error that everything fails with. When the agent went away it waits, a
// moment, for what the process has to say about it.
func (c *Conn) deathRecord() error {
	gone, ok := errors.AsType[*agentGoneError](c.dieCause)
	if !ok {
		return c.dieCause
	}
	if gone.writing { // what the agent said before it stopped listening counts
		wait, cancel := context.WithTimeout(c.hurry, exitPatience)
		select {
		case <-c.readerDone:
		case <-wait.Done():
		}
		cancel()
	}
	death := &DeathError{Err: gone.met, Pipe: gone.pipe(), Phase: c.phase(), Uptime: time.Since(c.began)}
	if last := c.lastFrame.Load(); last > 0 {
		death.LastFrame = death.Uptime - time.Duration(last)
	}
	if c.process != nil {
		c.lastWill(death)
	}
	return death
}

// phase is what was going on, told by what is pending.
func (c *Conn) phase() Phase {
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	phase := PhaseIdle
	for _, call := range c.wire.calls {
		switch call.method {
		case methodInitialize:
			return PhaseInitialize
		case methodSessionNew, methodSessionLoad, methodSessionResume, methodSessionFork:
			phase = PhaseSession
		case methodSessionPrompt:
			if phase == PhaseIdle {
				phase = PhaseTurn
			}
		}
	}
	return phase
}
