package proc_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/acpharness/acpharness/internal/proc"
)

// An exit that has happened but was not yet noticed is not put down to the Stop that comes just then.
func TestStopRightAfterTheExitIsNotBlamed(t *testing.T) {
	for range 50 {
		p := start(t, childSpec(t, "raise", "9"))
		// Whoever of the two waits wakes first; a reaped child is an error here, and fine.
		_ = unix.Waitid(unix.P_PID, p.PID(), nil, unix.WEXITED|unix.WNOWAIT, nil)
		e := p.Stop(t.Context())
		require.Equal(t, proc.Self, e.By)
		require.Empty(t, e.Stages)
	}
}
