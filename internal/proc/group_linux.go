package proc

import (
	"errors"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const fionread = unix.TIOCINQ

// groupHeld says that the group's id stays ours until release.
const groupHeld = true

// awaitLeader waits for the leader's exit without reaping it: it stays a zombie until release, and with it the group's
// id stays ours.
func (g *group) awaitLeader() status {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_PID, g.pgid, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if err == nil {
			return statusOfInfo(&info)
		}
		if !errors.Is(err, unix.EINTR) {
			return status{code: -1} // somebody else has reaped it
		}
	}
}

// leaderGone reports, without waiting, whether the leader has exited.
func (g *group) leaderGone() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, g.pgid, &info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil)
	return err == nil && info.Signo != 0
}

// statusOfInfo reads si_status, which x/sys does not name. It comes after si_pid and si_uid in a union that is
// aligned like a pointer and follows three ints.
func statusOfInfo(info *unix.Siginfo) status {
	const word = unsafe.Sizeof(uintptr(0))
	const union = (12 + word - 1) / word * word
	value := *(*int32)(unsafe.Add(unsafe.Pointer(info), union+8))
	const cldExited = 1
	if info.Code == cldExited {
		return status{code: int(value)}
	}
	return status{code: -1, signal: signalName(syscall.Signal(value))}
}

func (g *group) signal(sig syscall.Signal) error { return signalGroup(g.pgid, sig) }

// release reaps the leader.
func (g *group) release() { _, _ = g.cmd.Process.Wait() }

// members lists the living processes of the group. Zombies do not count: in a container without an init process
// orphans stay zombies for ever.
func (g *group) members() []int { return g.membersIn("/proc") }

func (g *group) membersIn(proc string) []int {
	pids, err := scanGroup(proc, g.pgid)
	if err == nil {
		return pids
	}
	// Without /proc the group has to be probed, and a zombie leader would answer.
	if g.leaderGone() {
		g.release()
	}
	if groupAlive(g.pgid) {
		return []int{g.pgid}
	}
	return nil
}

func scanGroup(proc string, pgid int) ([]int, error) {
	t, err := readTableIn(proc)
	if err != nil {
		return nil, err
	}
	var pids []int
	for pid, p := range t.procs {
		if p.alive && p.pgrp == pgid {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids, nil
}
