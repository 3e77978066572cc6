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
	Stages   []StopStage // the steps taken to end the process and its group
	Leftover []int       // processes of its group that survived even the last step
	Running  bool        // the process itself survived all of it

	text string
}

// StopStage is one step of a staged stop: "close stdin", "terminate" or "kill".
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
	if strings.HasPrefix(exit.text, "killed") {
		exit.text = "was " + exit.text
	}
	return exit
}
