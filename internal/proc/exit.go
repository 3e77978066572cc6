package proc

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Initiator names our last step before the leader's exit, which is who has to answer for that exit. A stop that we
// asked for is not a crash, and a signal from elsewhere is not ours (compozy/compozy#436, openclaw/acpx#29).
type Initiator int

const (
	// Self means the leader exited before we did anything.
	Self Initiator = iota
	// StdinClosed means we had closed its stdin.
	StdinClosed
	// Terminated means we had sent SIGTERM to its group.
	Terminated
	// Killed means we had killed its group.
	Killed
)

// String returns the name of the initiator.
func (i Initiator) String() string {
	switch i {
	case Self:
		return "self"
	case StdinClosed:
		return "stdin closed"
	case Terminated:
		return "terminated"
	case Killed:
		return "killed"
	default:
		return fmt.Sprintf("Initiator(%d)", int(i))
	}
}

// StageTiming is one step of the stop and the time from taking it to its end: success or the end of its grace.
type StageTiming struct {
	Name string // "close stdin", "terminate", "kill" or "sweep"
	Took time.Duration
}

// Exit is the record of a process's end.
type Exit struct {
	// Code is the exit code; -1 if the leader was killed by a signal, still runs, or its status is unknown.
	Code int
	// Signal is the name of the signal that killed the leader, such as "SIGKILL", or "".
	Signal string
	// By is our last step before the leader's exit.
	By Initiator
	// Uptime is the time from the start to the observed exit of the leader.
	Uptime time.Duration
	// Stages are the steps taken to end the leader, the rest of its group, and those who had left it, in order. This
	// and what follows is complete in the record that Stop returns.
	Stages []StageTiming
	// Swept are the processes outside the group that we have ended.
	Swept []Swept
	// Daemons are the known daemons that were left alone, with what they had started.
	Daemons []Swept
	// Leftover are the processes of the tree that were still alive 5s after SIGKILL, or that we could not or must not
	// signal; normally empty. Where the system cannot list a group, the group's own id stands for all of them.
	Leftover []int
	// Running is true if the leader itself has survived all of it (a process stuck in the kernel). Nothing is known
	// about its exit then, and Uptime is the time until we gave up.
	Running bool
}

// String describes the end in one line. It says "exited" only of a leader that has exited by itself.
func (e *Exit) String() string {
	var b strings.Builder
	switch {
	case e.Running:
		b.WriteString("still running")
	case e.Signal != "":
		b.WriteString("killed by " + e.Signal)
	case e.Code < 0:
		b.WriteString("ended with unknown status")
	default:
		fmt.Fprintf(&b, "exited with code %d", e.Code)
	}
	fmt.Fprintf(&b, " after %v", e.Uptime.Round(time.Millisecond))
	if who := e.cause(); who != "" {
		b.WriteString(" (" + who + ")")
	}
	if n := len(e.Swept); n > 0 {
		fmt.Fprintf(&b, "; %d outside its group ended", n)
	}
	if n := len(e.Daemons); n > 0 {
		fmt.Fprintf(&b, "; %d left alone as known daemons", n)
	}
	if n := len(e.Leftover); n > 0 && !e.Running {
		fmt.Fprintf(&b, "; %d of its tree still alive: %v", n, e.Leftover)
	}
	return b.String()
}

func (e *Exit) cause() string {
	switch e.By {
	case StdinClosed:
		return "after we closed its stdin"
	case Terminated:
		if e.Signal == "SIGTERM" {
			return "sent by us"
		}
		return "after our SIGTERM"
	case Killed:
		if e.Signal == "SIGKILL" {
			return "sent by us"
		}
		return "after we killed it"
	case Self:
		return ""
	default:
		return e.By.String()
	}
}

func (e *Exit) clone() *Exit {
	c := *e
	c.Stages = slices.Clone(e.Stages)
	c.Swept = slices.Clone(e.Swept)
	c.Daemons = slices.Clone(e.Daemons)
	c.Leftover = slices.Clone(e.Leftover)
	return &c
}
