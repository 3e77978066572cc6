//go:build unix

package terminal_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func unixChild(mode string) {
	if mode == "session" { // prints whether it leads the session, and what keeps it from opening the terminal
		sid, _ := unix.Getsid(0)
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		fmt.Fprintln(os.Stdout, sid == os.Getpid(), err)
		_ = tty.Close()
	}
}

// dead reports whether a process is gone, or a zombie that its adoptive parent has not reaped.
func dead(pid int) bool {
	if unix.Kill(pid, 0) != nil {
		return true
	}
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	i := bytes.LastIndexByte(stat, ')')
	return i >= 0 && i+2 < len(stat) && stat[i+2] == 'Z'
}

func requireDead(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool { return dead(pid) }, patience, time.Millisecond, "process %d lives", pid)
}
