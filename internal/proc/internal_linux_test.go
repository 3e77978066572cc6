package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestScanGroupListsTheLivingOnly(t *testing.T) {
	dir := t.TempDir()
	for pid, stat := range map[int]string{
		11: "11 (agent) S 1 40 40 0 -1 1 2 3 4 5 6 7 8 9 20 0 1 0",
		12: "12 (a) Z 1 40 (odd) R 1 40 40 0 -1 1 2 3 4 5 6 7 8 9 20 0 1 0", // a name with parentheses
		13: "13 (zombie) Z 1 40 40 0 -1 1 2 3 4 5 6 7 8 9 20 0 1 0",
		14: "14 (dead) X 1 40 40 0 -1 1 2 3 4 5 6 7 8 9 20 0 0 0",
		15: "15 (other) S 1 41 40 0 -1 1 2 3 4 5 6 7 8 9 20 0 1 0",
		16: "16 (short) S 1 40",
		17: "",
		18: "18 (lives on in a thread) Z 1 40 40 0 -1 1 2 3 4 5 6 7 8 9 20 0 2 0",
		19: "19 (odd) S 1 x 40 0 -1 1 2 3 4 5 6 7 8 9 20 0 1 0",
	} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, strconv.Itoa(pid)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, strconv.Itoa(pid), "stat"), []byte(stat), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sys"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "99"), 0o755)) // gone between listing and reading

	pids, err := scanGroup(dir, 40)
	require.NoError(t, err)
	assert.ElementsMatch(t, []int{11, 12, 18}, pids)
	_, err = scanGroup(filepath.Join(dir, "none"), 40)
	require.Error(t, err)
}

// Without /proc the group is probed by signal 0, for which a leader that has exited must be reaped first.
func TestMembersWithoutProc(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", "read x")
	cmd.SysProcAttr = sysProcAttr()
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	g, err := newGroup(cmd)
	require.NoError(t, err)
	none := filepath.Join(t.TempDir(), "none")

	assert.False(t, g.leaderGone())
	assert.Equal(t, []int{cmd.Process.Pid}, g.membersIn(none))
	require.NoError(t, in.Close())
	g.awaitLeader()
	assert.True(t, g.leaderGone())
	assert.Empty(t, g.membersIn(none))
}

func TestScanGroupFindsOurselves(t *testing.T) {
	pids, err := scanGroup("/proc", unix.Getpgrp())
	require.NoError(t, err)
	assert.Contains(t, pids, os.Getpid())
}
