//go:build unix

package proc_test

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/acpharness/acpharness/internal/proc"
)

func unixChild(mode string, args []string) int {
	switch mode {
	case "raise":
		sig, _ := strconv.Atoi(args[0])
		_ = unix.Kill(os.Getpid(), syscall.Signal(sig))
		sleep()
	case "fd-flags": // prints whether its three pipes are blocking
		for fd := range 3 {
			flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
			fmt.Fprint(os.Stdout, err == nil && flags&unix.O_NONBLOCK == 0, " ")
		}
		fmt.Fprintln(os.Stdout, unix.Getpgrp() == os.Getpid())
	case "terminal":
		return terminalChild()
	default:
		return treeChild(mode, args)
	}
	return 99
}

// dead reports whether a process is gone, or a zombie that its adoptive parent has not reaped.
func dead(pid int) bool {
	if unix.Kill(pid, 0) != nil {
		return true
	}
	return procState(pid) == 'Z'
}

// procState returns the state letter from /proc, 0 if there is none.
func procState(pid int) byte {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if i := bytes.LastIndexByte(stat, ')'); i >= 0 && i+2 < len(stat) {
		return stat[i+2]
	}
	return 0
}

func requireDead(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool { return dead(pid) }, 10*time.Second, 5*time.Millisecond, "process %d lives", pid)
}

// requireReaped says that a child of ours has left no zombie.
func requireReaped(t *testing.T, pid int) {
	t.Helper()
	_, err := unix.Wait4(pid, nil, unix.WNOHANG, nil)
	require.ErrorIs(t, err, unix.ECHILD)
}

func readPID(t *testing.T, p *proc.Process) int {
	t.Helper()
	pid, err := strconv.Atoi(readLine(t, p))
	require.NoError(t, err)
	return pid
}
