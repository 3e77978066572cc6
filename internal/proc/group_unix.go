//go:build unix

package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// group is a process group whose leader is our child.
type group struct {
	cmd  *exec.Cmd
	pgid int
}

// status is how the leader ended.
type status struct {
	code   int
	signal string
}

var errUnsafeGroup = errors.New("refusing to signal this process group")

// sysProcAttr makes the child the leader of a group, and with a terminal of the session that it controls.
func sysProcAttr(s *Spec) *syscall.SysProcAttr {
	if s.Console != nil && s.Console.Terminal != nil {
		return &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1} // stdout is where the child finds it
	}
	return &syscall.SysProcAttr{Setpgid: true}
}

func newGroup(cmd *exec.Cmd) (*group, error) {
	return &group{cmd: cmd, pgid: cmd.Process.Pid}, nil
}

// canTerminate says that there is a request to end which a process may act on.
const canTerminate = true

// terminate asks the group to end.
func (g *group) terminate() { _ = g.signal(unix.SIGTERM) }

// kill kills the group, and the leader even if it has moved to another group.
func (g *group) kill() {
	_ = g.signal(unix.SIGKILL)
	_ = g.cmd.Process.Kill()
}

// signalGroup sends a signal to every process of a group. A group that is gone already is no error. Signalling group
// 0 or 1, or our own, would hit the host or the whole system.
func signalGroup(pgid int, sig syscall.Signal) error {
	if pgid <= 1 || pgid == unix.Getpgrp() {
		return fmt.Errorf("cannot signal group %d: %w", pgid, errUnsafeGroup)
	}
	if err := unix.Kill(-pgid, sig); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("cannot signal group %d: %w", pgid, err)
	}
	return nil
}

// groupAlive asks the system whether a group has any member, zombies included.
func groupAlive(pgid int) bool {
	err := unix.Kill(-pgid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}

func signalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(sig))
}

// unread returns how many bytes are waiting in a pipe; 0 if that is unknown.
func unread(f *os.File) int {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	n := 0
	if conn.Control(func(fd uintptr) {
		if v, err := unix.IoctlGetInt(int(fd), fionread); err == nil {
			n = v
		}
	}) != nil {
		return 0
	}
	return n
}
