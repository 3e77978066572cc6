package acp

import (
	"strings"
	"time"

	"github.com/acpharness/acpharness/internal/proc"
)

// Exit is the record of how an agent's process ended.
type Exit struct {
	Code   int    // exit code, -1 if a signal ended the process or it still runs
	Signal string // such as "SIGKILL", empty if none
	// By says what this side had last done before the process ended: "self" is nothing at all, then "stdin closed",
	// "terminated" and "killed".
	By       string
	Uptime   time.Duration
	Stages   []StopStage  // the steps taken to end the process, its group, and who had left that
	Swept    []TreeMember // processes that had left the group and were ended
	Daemons  []TreeMember // known daemons that were left alone
	Leftover []int        // processes of the tree that survived even the last step
	Running  bool         // the process itself survived all of it

	text string
}

// TreeMember is a process of an agent's tree outside its group.
type TreeMember struct {
	PID  int
	Name string
}

// Tree is the size of an agent's process tree at one time.
type Tree struct {
	Known     bool  // false where the system cannot tell, which is everywhere but on Linux
	Processes int   // living ones
	RSS       int64 // their resident memory in bytes; what they share counts once for each
	Stopped   bool  // the process itself is stopped by a signal
}

// StopStage is one step of a staged stop: "close stdin", "terminate", "kill" or "sweep".
type StopStage struct {
	Name string
	Took time.Duration
}

// Self reports whether the process ended without any doing of this side.
func (e *Exit) Self() bool { return e.By == proc.Self.String() && !e.Running }

func (e *Exit) String() string { return e.text }

func exitOf(e *proc.Exit) *Exit {
	if e == nil {
		return nil
	}
	exit := &Exit{
		Code: e.Code, Signal: e.Signal, By: e.By.String(), Uptime: e.Uptime,
		Leftover: e.Leftover, Running: e.Running, text: e.String(),
	}
	for _, s := range e.Stages {
		exit.Stages = append(exit.Stages, StopStage(s))
	}
	for _, m := range e.Swept {
		exit.Swept = append(exit.Swept, TreeMember{m.PID, m.Name})
	}
	for _, m := range e.Daemons {
		exit.Daemons = append(exit.Daemons, TreeMember{m.PID, m.Name})
	}
	if strings.HasPrefix(exit.text, "killed") {
		exit.text = "was " + exit.text
	}
	return exit
}
