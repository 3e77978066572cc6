package acp

import (
	"context"
	"fmt"
	"time"
)

// Inactivity says what happens when the agent is silent in the middle of a turn. A turn has no other limit: agents work
// for hours, and only silence tells work from a hang. What counts is a valid frame of the session, or of one that this
// connection does not know, such as a child's; noise does not. The clock stands still while the agent waits for an answer
// of this side, while its process is stopped, and while the machine sleeps. Zero values do nothing.
type Inactivity struct {
	Warn   time.Duration // a Diagnostic of kind inactivity is reported, once for each silence
	Cancel time.Duration // the turn is cancelled, see Turn.Cancel
	Kill   time.Duration // the connection ends with an *InactivityError, and with it the process
}

// InactivityError is the cause of a connection that was given up because its agent was silent in the middle of a turn.
type InactivityError struct {
	Silence time.Duration // how long there was no valid frame, pauses not counted
}

func (e *InactivityError) Error() string {
	return fmt.Sprintf("the agent was silent for %v in the middle of a turn", e.Silence.Round(time.Millisecond))
}

func (i Inactivity) enabled() bool { return i.Warn > 0 || i.Cancel > 0 || i.Kill > 0 }

// interval is how often the watchdog looks: often enough for its shortest limit, never in a hurry.
func (i Inactivity) interval() time.Duration {
	shortest := time.Hour
	for _, limit := range []time.Duration{i.Warn, i.Cancel, i.Kill} {
		if limit > 0 {
			shortest = min(shortest, limit)
		}
	}
	return min(max(shortest/20, 5*time.Millisecond), 5*time.Second)
}

// pulse is what the watchdog sees of a session at a glance.
type pulse struct {
	frames  uint64 // grows with every valid frame
	waiting bool   // the agent waits for an answer of ours
}

func (s *Session) pulse() pulse {
	s.mu.Lock()
	defer s.mu.Unlock()
	return pulse{
		frames:  s.seq + s.asked + s.conn.strangers.Load(),
		waiting: len(s.requests) > 0 || s.conn.serving.Load() > 0,
	}
}

// watch is the watchdog of one turn. Its goroutine is started by Prompt, ends with the turn, and is joined with the
// handlers of the connection.
func (t *Turn) watch(limits Inactivity) {
	s := t.session
	interval := limits.interval()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	var silence time.Duration
	var warned, stopped bool
	last, seen := time.Now(), s.pulse()
	for {
		select {
		case <-t.done:
			return
		case <-ticker.C:
		}
		now, pulse := time.Now(), s.pulse()
		// A tick that comes much too late slept with the machine, or with this process: that time is nobody's.
		passed := min(now.Sub(last), 2*interval)
		last = now
		switch {
		case pulse.frames != seen.frames:
			seen, silence, warned = pulse, 0, false
			continue
		case pulse.waiting:
			continue
		case s.conn.stopped():
			if !stopped {
				stopped = true
				s.conn.diagnose(Diagnostic{Kind: DiagnosticInactivity, Session: s.id, Text: "the agent's process is stopped, not dead"})
			}
			continue
		}
		if t.over() || s.pulse().frames != seen.frames {
			continue // something came while the process was looked at
		}
		stopped = false
		silence += passed
		if limits.Warn > 0 && silence >= limits.Warn && !warned {
			warned = true
			s.conn.diagnose(Diagnostic{Kind: DiagnosticInactivity, Session: s.id, Text: fmt.Sprintf("no valid frame for %v in the middle of a turn", silence.Round(time.Millisecond))})
		}
		if limits.Cancel > 0 && silence >= limits.Cancel {
			t.cancelForSilence()
		}
		if limits.Kill > 0 && silence >= limits.Kill {
			s.conn.die(&InactivityError{Silence: silence})
			return
		}
	}
}

// cancelForSilence cancels the turn once; the outcome says why.
func (t *Turn) cancelForSilence() {
	t.session.mu.Lock()
	done := t.state.cancelled() || t.state == turnEnded
	if !done {
		t.result.Inactive = true
	}
	t.session.mu.Unlock()
	if done {
		return
	}
	// Without room in the write queue now, the next tick tries again.
	now, cancel := context.WithCancel(t.session.conn.ctx)
	cancel()
	_ = t.Cancel(now)
}

func (t *Turn) over() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// stopped reports whether the agent's process is stopped by a signal.
func (c *Conn) stopped() bool { return c.process != nil && c.process.Tree().Stopped }
