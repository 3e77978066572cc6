package proc_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/acpharness/acpharness/internal/proc"
)

func pidsOf(list []proc.Swept) []int {
	pids := []int{}
	for _, s := range list {
		pids = append(pids, s.PID)
	}
	return pids
}

// killLater ends a process that a test expects to survive.
func killLater(t *testing.T, pids ...int) {
	t.Helper()
	t.Cleanup(func() {
		for _, pid := range pids {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	})
}

// Whoever leaves the group dies with it all the same (kirodotdev/Kiro#6050).
func TestSweepFindsWhoHasLeft_Kiro6050(t *testing.T) {
	const short = 200 * time.Millisecond
	for _, tc := range []struct {
		name   string
		tree   []string
		swept  []int // positions in the tree
		grace  time.Duration
		stages []string
	}{
		{"session", []string{"eof", "setsid"}, []int{1}, long, []string{"close stdin", "sweep"}},
		{"group", []string{"eof", "pgrp"}, []int{1}, long, []string{"close stdin", "sweep"}},
		{"below another", []string{"eof", "", "setsid"}, []int{2}, long, []string{"close stdin", "terminate", "sweep"}},
		{"double fork", []string{"eof", "setsid,exit", "setsid"}, []int{2}, long, []string{"close stdin", "sweep"}},
		{"clean environment", []string{"eof", "setsid,clean"}, []int{1}, long, []string{"close stdin", "sweep"}},
		{"clean chain", []string{"eof", "setsid,clean", "setsid,clean"}, []int{1, 2}, long, []string{"close stdin", "sweep"}},
		{"holds stdout", []string{"eof", "setsid,hold"}, []int{1}, long, []string{"close stdin", "sweep"}},
		{"ignores SIGTERM", []string{"eof", "setsid,term"}, []int{1}, short, []string{"close stdin", "sweep"}},
		{
			"all ignore SIGTERM",
			[]string{"term", "setsid,term", "setsid,clean,term", "pgrp,term"},
			[]int{1, 2, 3},
			short,
			[]string{"close stdin", "terminate", "kill", "sweep"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			spec := childSpec(t, "node", tc.tree...)
			spec.Grace = proc.Grace{StdinClose: long, Terminate: tc.grace}
			if tc.tree[0] != "eof" {
				spec.Grace.StdinClose = -1
			}
			p := start(t, spec)
			pids := readPIDs(t, p)
			killLater(t, pids...)
			for _, i := range tc.swept {
				require.False(t, dead(pids[i]))
			}
			e := p.Stop(t.Context())
			var want []int
			for _, i := range tc.swept {
				want = append(want, pids[i])
			}
			assert.ElementsMatch(t, want, pidsOf(e.Swept))
			assert.Empty(t, e.Leftover)
			assert.Empty(t, e.Daemons)
			assert.Equal(t, tc.stages, stageNames(e))
			for _, pid := range pids {
				assert.True(t, dead(pid), "process %d of %v lives", pid, pids)
			}
			for _, s := range e.Swept {
				assert.True(t, strings.HasPrefix("proc.test", s.Name), s.Name)
			}
		})
	}
}

// Those who have left share the group's grace, they do not get one each.
func TestSweepSharesTheGrace(t *testing.T) {
	const grace = time.Second
	spec := childSpec(t, "node", "term", "setsid,term", "setsid,term", "setsid,term")
	spec.Grace = proc.Grace{StdinClose: -1, Terminate: grace}
	p := start(t, spec)
	pids := readPIDs(t, p)
	killLater(t, pids...)
	e := p.Stop(t.Context())
	require.Equal(t, []string{"close stdin", "terminate", "kill", "sweep"}, stageNames(e))
	assert.GreaterOrEqual(t, e.Stages[1].Took, grace)
	assert.Less(t, e.Stages[3].Took, grace/2)
	assert.Len(t, e.Swept, 3)
}

// A process is remembered when the tie to it is cut and nothing else tells of it.
func TestSnapshotRemembers(t *testing.T) {
	for _, remember := range []bool{true, false} {
		t.Run(fmt.Sprint(remember), func(t *testing.T) {
			p := start(t, childSpec(t, "node", "eof", "setsid", "setsid,clean"))
			pids := readPIDs(t, p)
			killLater(t, pids...)
			if remember {
				p.Snapshot()
			}
			require.NoError(t, unix.Kill(pids[1], unix.SIGKILL)) // its child is nobody's now
			requireDead(t, pids[1])
			// Its last thread may be a little later, and is the parent meanwhile.
			require.Eventually(t, func() bool { return parentOf(t, pids[2]) != pids[1] }, 10*time.Second, time.Millisecond)
			e := p.Stop(t.Context())
			assert.Equal(t, remember, len(e.Swept) == 1, "%v", e.Swept)
			assert.Equal(t, remember, dead(pids[2]))
		})
	}
}

func parentOf(t *testing.T, pid int) int {
	t.Helper()
	ppid, err := strconv.Atoi(statFields(t, pid)[1])
	require.NoError(t, err)
	return ppid
}

// statFields reads /proc/PID/stat from the state on, independently of the code under test.
func statFields(t *testing.T, pid int) []string {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(stat), ") ")
	return strings.Fields(rest)
}

// Nothing is left of a tree that ends by itself either.
func TestSweepWithoutStop(t *testing.T) {
	spec := childSpec(t, "node", "exit", "setsid,term", "setsid")
	spec.Grace.Terminate = 20 * time.Millisecond
	p := start(t, spec)
	pids := readPIDs(t, p)
	killLater(t, pids...)
	for _, pid := range pids {
		requireDead(t, pid)
	}
	e := p.Stop(t.Context())
	assert.Equal(t, proc.Self, e.By)
	assert.Zero(t, e.Code)
	assert.ElementsMatch(t, pids[1:], pidsOf(e.Swept))
}

func TestEndOfContextHurriesTheSweep(t *testing.T) {
	spec := childSpec(t, "node", "eof", "setsid,term")
	spec.Grace = proc.Grace{StdinClose: long, Terminate: long}
	p := start(t, spec)
	pids := readPIDs(t, p)
	killLater(t, pids...)
	require.NoError(t, p.CloseStdin())
	<-p.Exited()
	e := p.Stop(endedContext(t))
	assert.Equal(t, pids[1:], pidsOf(e.Swept))
	assert.True(t, dead(pids[1]))
}

func TestKnownDaemons(t *testing.T) {
	tree := []string{"eof", "in-group-shared-server", "setsid", "setsid,shared-server", "setsid"}
	t.Run("are left alone with what they started", func(t *testing.T) {
		spec := childSpec(t, "node", tree...)
		spec.Daemons = []string{"", "no-such", "setsid,shared-server"}
		spec.StateDir = t.TempDir()
		p := start(t, spec)
		pids := readPIDs(t, p)
		killLater(t, pids...)
		e := p.Stop(t.Context())
		// The command line of a node holds those of all below it, so the one above the daemon matches as well.
		assert.Equal(t, pids[2:], pidsOf(e.Daemons))
		assert.Empty(t, e.Swept)
		assert.Empty(t, e.Leftover)
		assert.True(t, dead(pids[1]), "in the group nobody is left out")
		for _, pid := range pids[2:] {
			assert.False(t, dead(pid))
		}
		assert.Equal(t, 3, p.Tree().Processes)
		entries, _ := proc.ReadLedger(spec.StateDir)
		assert.Empty(t, entries)
	})
	t.Run("are ended if asked", func(t *testing.T) {
		spec := childSpec(t, "node", tree...)
		spec.Daemons, spec.KillDaemons = []string{"shared-server"}, true
		p := start(t, spec)
		pids := readPIDs(t, p)
		killLater(t, pids...)
		e := p.Stop(t.Context())
		assert.Empty(t, e.Daemons)
		assert.ElementsMatch(t, pids[2:], pidsOf(e.Swept))
		for _, pid := range pids {
			assert.True(t, dead(pid))
		}
	})
}

// A tree within the tree, with a supervisor of its own, is that supervisor's affair; another tree of ours all the more.
func TestOtherSpawnsAreNotTouched(t *testing.T) {
	other := start(t, childSpec(t, "node", "eof", "setsid"))
	others := readPIDs(t, other)
	p := start(t, childSpec(t, "host", t.TempDir(), "", "setsid", "setsid,clean"))
	inner := readPIDs(t, p)
	killLater(t, inner...)
	p.Snapshot()
	e := p.Stop(endedContext(t))
	assert.Empty(t, e.Swept)
	assert.Empty(t, e.Leftover)
	for _, pid := range append(others, inner...) {
		assert.False(t, dead(pid), "process %d", pid)
	}
	assert.NotEqual(t, p.Nonce(), other.Nonce())
}

// Whoever is in our own group is not signalled, but told of, and the ledger keeps the tree.
func TestOwnGroupIsNotTouched(t *testing.T) {
	spec := childSpec(t, "node", "eof", "host")
	spec.StateDir = t.TempDir()
	p := start(t, spec)
	pids := readPIDs(t, p)
	killLater(t, pids...)
	e := p.Stop(t.Context())
	assert.Equal(t, pids[1:], e.Leftover)
	assert.Empty(t, e.Swept)
	assert.False(t, dead(pids[1]))
	entries, errs := proc.ReadLedger(spec.StateDir)
	require.Empty(t, errs)
	require.Len(t, entries, 1)
	assert.Equal(t, proc.TreeLive, entries[0].Status)
	assert.Equal(t, pids[1:], pidsOf(entries[0].Members))
}

func TestNonceReplacesAnInheritedOne(t *testing.T) {
	t.Setenv("ACPHARNESS_TREE", "inherited")
	for _, spec := range []*proc.Spec{childSpec(t, "cat"), {Path: "/bin/cat"}} {
		p := start(t, spec)
		_, err := p.Stdin().Write([]byte("started\n")) // during an exec there is no environment for an instant
		require.NoError(t, err)
		require.Equal(t, "started", readLine(t, p))
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID()))
		require.NoError(t, err)
		assert.Len(t, p.Nonce(), 32)
		assert.Equal(t, 1, bytes.Count(env, []byte("ACPHARNESS_TREE=")))
		assert.Contains(t, string(env), "ACPHARNESS_TREE="+p.Nonce()+"\x00")
	}
}

func TestTreeFigures(t *testing.T) {
	p := start(t, childSpec(t, "node", "eof", "", "setsid", "setsid,clean"))
	pids := readPIDs(t, p)
	tree := p.Tree()
	assert.Equal(t, proc.Tree{Known: true, Processes: 4, RSS: tree.RSS, Alive: true}, tree)
	assert.Greater(t, tree.RSS, int64(4<<20))
	require.NoError(t, unix.Kill(pids[0], unix.SIGSTOP))
	require.Eventually(t, func() bool { return p.Tree().Stopped }, 10*time.Second, time.Millisecond)
	assert.True(t, p.Tree().Alive)
	require.NoError(t, unix.Kill(pids[0], unix.SIGCONT))
	require.Eventually(t, func() bool { return !p.Tree().Stopped }, 10*time.Second, time.Millisecond)
	p.Stop(t.Context())
	assert.Equal(t, proc.Tree{Known: true}, p.Tree())
	p.Snapshot()
}

// stranger is a process that is none of ours to end, in a group of its own.
func stranger(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/bin/cat")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		assert.False(t, dead(cmd.Process.Pid), "the stranger must live on")
		_ = in.Close()
		assert.NoError(t, cmd.Wait())
	})
	return cmd
}

func TestUnwritableStateDirIsNoReasonNotToStart(t *testing.T) {
	var log bytes.Buffer
	spec := childSpec(t, "cat", "secret-argument")
	spec.StateDir = write(t, filepath.Join(t.TempDir(), "file"), "", 0o600)
	spec.Logger = slog.New(slog.NewTextHandler(&log, nil))
	p := start(t, spec)
	assert.Contains(t, log.String(), "level=WARN")
	assert.NotContains(t, log.String(), "secret")
	assert.Zero(t, p.Stop(t.Context()).Code)
	assert.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
}
