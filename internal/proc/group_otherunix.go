//go:build unix && !linux

package proc

import (
	"os"
	"syscall"
)

const fionread = 0x4004667f // FIONREAD, the same on all BSDs and darwin

// groupHeld is false: the group's id may pass to a stranger once the group is gone.
const groupHeld = false

// awaitLeader reaps the leader as soon as it exits, after which only living members keep the group's id from being
// used again; it is therefore probed before each signal.
func (g *group) awaitLeader() status {
	state, err := g.cmd.Process.Wait()
	if err != nil {
		return status{code: -1} // somebody else has reaped it
	}
	return statusOf(state)
}

func statusOf(state *os.ProcessState) status {
	ws, ok := state.Sys().(syscall.WaitStatus)
	if ok && ws.Signaled() {
		return status{code: -1, signal: signalName(ws.Signal())}
	}
	return status{code: state.ExitCode()}
}

// leaderGone cannot be told without reaping.
func (g *group) leaderGone() bool { return false }

func (g *group) signal(sig syscall.Signal) error {
	if !groupAlive(g.pgid) {
		return nil
	}
	return signalGroup(g.pgid, sig)
}

func (g *group) release() {}

// members can only tell whether there are any.
func (g *group) members() []int {
	if groupAlive(g.pgid) {
		return []int{g.pgid}
	}
	return nil
}
