package terminal

import (
	"context"
	"fmt"
	"sync"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/internal/proc"
)

// hosted is one command. It is an acp.HostedTerminal.
//
// It has no goroutine of its own: those of its process write to out and end with Kill and Release, which join them.
type hosted struct {
	process *proc.Process
	out     *ring

	releaseOnce sync.Once
	released    chan struct{} // closed by Release
}

// Output returns what is kept of the output. It is complete, as far as the command itself wrote it, once Exit is set; what
// the command has left running may add to it. After Release it is empty.
func (t *hosted) Output() acp.TerminalOutput {
	out := acp.TerminalOutput{}
	if isClosed(t.process.Settled()) { // asked for first, so that an end is never shown with less than all
		status := statusOf(t.process.Exit())
		out.Exit = &status
	}
	out.Output, out.Truncated = t.out.text(out.Exit != nil)
	return out
}

// Wait returns how the command ended. Of one that even SIGKILL did not end it returns an empty status after Release.
func (t *hosted) Wait(ctx context.Context) (acp.TerminalExitStatus, error) {
	select {
	case <-t.process.Settled(): // an end that is known is told even if ctx has ended
		return statusOf(t.process.Exit()), nil
	default:
	}
	select {
	case <-t.process.Settled():
		return statusOf(t.process.Exit()), nil
	case <-t.released:
		return statusOf(t.process.Exit()), nil
	case <-ctx.Done():
		return acp.TerminalExitStatus{}, fmt.Errorf("cannot wait for a command: %w", context.Cause(ctx))
	}
}

// Kill ends the command with everything that it has started, and what it has left running: SIGTERM, and after
// Options.KillGrace, or as soon as ctx ends, SIGKILL. It returns when nothing is left. The output stays.
func (t *hosted) Kill(ctx context.Context) error {
	end := t.process.Stop(ctx)
	if len(end.Leftover) > 0 {
		return fmt.Errorf("cannot end all of a command: %d processes are left: %v", len(end.Leftover), end.Leftover)
	}
	return nil
}

// Release does what Kill does and frees the output.
func (t *hosted) Release(ctx context.Context) error {
	err := t.Kill(ctx)
	t.releaseOnce.Do(func() {
		t.out.free()
		close(t.released)
	})
	return err
}

// statusOf has neither a code nor a signal if it is not known how the command ended.
func statusOf(e *proc.Exit) acp.TerminalExitStatus {
	switch {
	case e == nil:
		return acp.TerminalExitStatus{}
	case e.Signal != "":
		return acp.TerminalExitStatus{Signal: e.Signal}
	case e.Code < 0:
		return acp.TerminalExitStatus{}
	}
	code := int64(e.Code)
	return acp.TerminalExitStatus{ExitCode: &code}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
