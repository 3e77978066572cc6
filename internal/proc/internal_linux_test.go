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
	cmd.SysProcAttr = sysProcAttr(&Spec{})
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

// Whoever has got the pid of a process that is gone is not signalled, with descriptors for processes or without.
func TestSignalsGoToOneProcessOnly(t *testing.T) {
	none := func(int, int) (int, error) { return -1, unix.ENOSYS }
	for name, open := range map[string]func(int, int) (int, error){"pidfd": unix.PidfdOpen, "kill": none} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("/bin/sh", "-c", "read x")
			_, err := cmd.StdinPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			id, err := identify(cmd.Process.Pid)
			require.NoError(t, err)

			stranger := Identity{PID: id.PID, Start: id.Start + 1}
			require.ErrorIs(t, signalIdentity(stranger, unix.SIGKILL, open), unix.ESRCH)
			require.NoError(t, signalIdentity(id, 0, open))
			require.NoError(t, signalIdentity(id, unix.SIGTERM, open))
			require.Error(t, cmd.Wait())
			assert.Equal(t, "signal: terminated", cmd.ProcessState.String())
			require.ErrorIs(t, signalIdentity(id, unix.SIGKILL, open), unix.ESRCH)
		})
	}
	require.ErrorIs(t, signalIdentity(Identity{PID: 1, Start: 1}, 0, none), unix.EPERM)
	require.ErrorIs(t, signalIdentity(Identity{PID: -1, Start: 1}, 0, none), unix.EPERM)
}

func TestGuard(t *testing.T) {
	tab, err := readTable()
	require.NoError(t, err)
	g := newGuard(tab)
	for _, pid := range []int{1, os.Getpid(), os.Getppid()} {
		if p := tab.procs[pid]; p != nil {
			assert.True(t, g.forbids(p), "process %d", pid)
		}
	}
	assert.True(t, g.forbids(&info{Identity: Identity{PID: 1 << 30}, pgrp: unix.Getpgrp()}), "our group")
	assert.False(t, g.forbids(&info{Identity: Identity{PID: 1 << 30}, pgrp: 1 << 30}))
}

// The table is made up, because pids do not pass on at will.
func TestLineageTrustsNoBarePID(t *testing.T) {
	tab := newTable()
	add := func(pid, ppid, pgrp int, start uint64, env string) {
		tab.procs[pid] = &info{Identity: Identity{pid, start}, ppid: ppid, pgrp: pgrp, alive: true}
		tab.env[pid] = env
	}
	const own, other = nonceKey + "=own", nonceKey + "=other"
	members := func(l *lineage) []int {
		var pids []int
		for _, m := range l.members(tab, true) {
			pids = append(pids, m.PID)
		}
		return pids
	}
	add(40, 1, 40, 7, "") // has got the leader's pid
	add(41, 40, 40, 8, "")
	l := &lineage{nonce: "own", leader: Identity{40, 5}, pgid: 40, known: map[int]uint64{41: 6}}
	assert.Empty(t, members(l), "neither the leader, nor its group, nor a known process")

	add(42, 1, 42, 5, "A=b\x00"+own+"\x00")
	add(43, 42, 43, 9, "A=b\x00")
	add(44, 42, 44, 9, other)
	add(45, 44, 45, 9, "")
	add(46, 1, 46, 4, own) // older than the leader
	add(47, 42, 47, 3, "") // older than its parent
	assert.Equal(t, []int{42, 43}, members(l), "the bearer and its child, but nobody behind another nonce")
	delete(tab.procs, 42)
	assert.Equal(t, []int{43}, members(l), "known by now")

	add(48, 1, 40, 9, own) // in the group, so that its id is still the tree's
	assert.Equal(t, []int{40, 41, 43, 48}, members(l))
}

func TestNonceOf(t *testing.T) {
	const key = nonceKey + "="
	for block, want := range map[string]string{
		"": "", "A=b": "", key + "own": "own", "A=b\x00" + key + "x\x00" + key + "own\x00": "own",
		key + "x\x00" + key + "y\x00": "x", "B" + key + "own": "", key + "ownx": "ownx",
	} {
		assert.Equal(t, want, nonceOf(block, "own"), "%q", block)
	}
	first, second := newNonce(), newNonce()
	assert.True(t, isNonce(first))
	assert.NotEqual(t, first, second)
	for _, bad := range []string{"", "own", newNonce() + "00", "../" + newNonce()[3:], "A" + newNonce()[1:]} {
		assert.False(t, isNonce(bad), bad)
	}
}

// A process in the middle of its exec has no environment for an instant, which must not pass for the answer.
func TestEnvironmentIsNeverMissed(t *testing.T) {
	vagues := 0
	for range 100 {
		p, err := Start(&Spec{Path: "/bin/cat"})
		require.NoError(t, err)
		block, vague := readEnviron(p.PID())
		assert.True(t, vague || nonceOf(block, p.Nonce()) == p.Nonce())
		if vague {
			vagues++
		}
		p.Stop(t.Context())
	}
	t.Logf("%d of 100 were asked during the exec", vagues)
}

func TestNoEnvironmentIsAnAnswer(t *testing.T) {
	cmd := exec.Command("/bin/cat")
	cmd.Env = []string{}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = in.Write([]byte("x"))
	require.NoError(t, err)
	_, err = out.Read(make([]byte, 1))
	require.NoError(t, err)
	block, vague := readEnviron(cmd.Process.Pid)
	assert.Empty(t, block)
	assert.False(t, vague)
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
	_, vague = readEnviron(cmd.Process.Pid)
	assert.False(t, vague, "gone")
}
