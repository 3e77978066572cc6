//go:build unix

package probe_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// startGrandchild starts a process that nothing but a signal ends and tells its id on standard error.
func startGrandchild() error {
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "grandchild %d\n", cmd.Process.Pid)
	return nil
}

func requireGone(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool { return gone(pid) }, 10*time.Second, 5*time.Millisecond, "process %d lives", pid)
}

// gone reports whether a process has ended, be it that nobody has reaped it yet.
func gone(pid int) bool {
	if unix.Kill(pid, 0) != nil {
		return true
	}
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	i := bytes.LastIndexByte(stat, ')')
	return i >= 0 && i+2 < len(stat) && stat[i+2] == 'Z'
}
