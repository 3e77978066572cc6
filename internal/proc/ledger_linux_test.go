package proc_test

import (
	"bufio"
	"encoding/json"
	"fmt"
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

// entryFiles lists the files of a ledger.
func entryFiles(t *testing.T, stateDir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(stateDir, "trees", "*", "*"))
	require.NoError(t, err)
	return files
}

func readOneEntry(t *testing.T, stateDir string) proc.TreeEntry {
	t.Helper()
	entries, errs := proc.ReadLedger(stateDir)
	require.Empty(t, errs)
	require.Len(t, entries, 1)
	return entries[0]
}

func startTime(t *testing.T, pid int) uint64 {
	t.Helper()
	start, err := strconv.ParseUint(statFields(t, pid)[19], 10, 64)
	require.NoError(t, err)
	return start
}

func TestLedgerEntryLastsAsLongAsTheTree(t *testing.T) {
	spec := childSpec(t, "node", "eof", "setsid", "secret-argument")
	spec.Env = append(spec.Env, "TOKEN=secret-value")
	spec.StateDir, spec.Label = filepath.Join(t.TempDir(), "state"), "demo"
	p := start(t, spec)
	pids := readPIDs(t, p)

	files := entryFiles(t, spec.StateDir)
	require.Len(t, files, 1)
	assert.Equal(t, p.Nonce()+".json", filepath.Base(files[0]))
	host := proc.Identity{PID: os.Getpid(), Start: startTime(t, os.Getpid())}
	assert.Equal(t, fmt.Sprintf("%d-%d", host.PID, host.Start), filepath.Base(filepath.Dir(files[0])))
	for path, mode := range map[string]os.FileMode{
		files[0]: 0o600, filepath.Dir(files[0]): 0o700, filepath.Join(spec.StateDir, "trees"): 0o700,
	} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode().Perm(), path)
	}
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	assert.NotContains(t, string(text), "secret")

	e := readOneEntry(t, spec.StateDir)
	assert.Equal(t, host, e.Host.Identity)
	assert.NotEmpty(t, e.Host.BootID)
	assert.Equal(t, proc.Identity{PID: p.PID(), Start: startTime(t, p.PID())}, e.Leader)
	assert.Equal(t, p.PID(), e.PGID)
	assert.Equal(t, "demo", e.Label)
	assert.Equal(t, "proc.test", e.Name)
	assert.WithinDuration(t, time.Now(), e.Started, time.Minute)
	assert.Equal(t, proc.TreeLive, e.Status)
	assert.ElementsMatch(t, pids, pidsOf(e.Members), "numbers of processes wrap around")
	assert.Greater(t, e.RSS, int64(4<<20))

	_, err = proc.Reap(t.Context(), &e, -1)
	require.ErrorIs(t, err, proc.ErrTreeInUse)
	assert.False(t, dead(p.PID()))

	p.Stop(t.Context())
	assert.NoDirExists(t, filepath.Dir(files[0]))
	entries, errs := proc.ReadLedger(spec.StateDir)
	assert.Empty(t, entries)
	assert.Empty(t, errs)
}

// Many trees come and go in one folder, which the last one takes away.
func TestLedgerWithManyTreesAtOnce(t *testing.T) {
	dir := t.TempDir()
	done := make(chan error)
	for range 8 {
		go func() {
			for range 10 {
				p, err := proc.Start(&proc.Spec{Path: "/bin/cat", StateDir: dir})
				if err == nil {
					if files, _ := filepath.Glob(filepath.Join(dir, "trees", "*", p.Nonce()+".json")); len(files) != 1 {
						err = fmt.Errorf("%d entries for one tree", len(files))
					}
					p.Stop(t.Context())
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 8 {
		assert.NoError(t, <-done)
	}
	assert.Empty(t, entryFiles(t, dir))
}

// What a host left behind when it was killed is ended to the last process, and nobody else (kirodotdev/Kiro#6050).
func TestReapAfterAHostCrash_Kiro6050(t *testing.T) {
	stranger(t)
	dir := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	host := exec.Command(self, dir, "", "", "setsid,term", "setsid,clean", "pgrp")
	host.Env = append(os.Environ(), childMode+"=host", "GORACE=atexit_sleep_ms=0")
	out, err := host.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, host.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	pids := parsePIDs(t, line)
	killLater(t, pids...)
	e := readOneEntry(t, dir)
	assert.Equal(t, proc.TreeLive, e.Status)
	assert.Equal(t, host.Process.Pid, e.Host.PID)

	require.NoError(t, host.Process.Kill())
	require.Error(t, host.Wait())
	for _, pid := range pids {
		require.False(t, dead(pid), "the crash must leave something behind for this test to mean anything")
	}
	e = readOneEntry(t, dir)
	assert.Equal(t, proc.TreeLeftover, e.Status)
	assert.ElementsMatch(t, pids, pidsOf(e.Members), "numbers of processes wrap around")
	write(t, filepath.Join(filepath.Dir(entryFiles(t, dir)[0]), ".new-123"), "", 0o600)

	killed, err := proc.Reap(t.Context(), &e, 100*time.Millisecond)
	require.NoError(t, err)
	assert.ElementsMatch(t, pids, pidsOf(killed))
	for _, pid := range pids {
		assert.True(t, dead(pid), "process %d", pid)
	}
	assert.Empty(t, entryFiles(t, dir))
	again, err := proc.Reap(t.Context(), &e, 0)
	require.NoError(t, err)
	assert.Empty(t, again)
}

// A process that has got a recorded pid is a stranger, whatever the entry says.
func TestReapTouchesNoStranger(t *testing.T) {
	cmd := stranger(t)
	pid := cmd.Process.Pid
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	require.NoError(t, err)
	space, err := os.Readlink("/proc/self/ns/pid")
	require.NoError(t, err)
	gone := proc.Identity{PID: os.Getpid(), Start: startTime(t, os.Getpid()) + 1}
	here := proc.Host{Identity: gone, BootID: strings.TrimSpace(string(boot)), PIDSpace: space}
	before := proc.Identity{PID: pid, Start: startTime(t, pid) - 1}
	rebooted, elsewhere := here, here
	rebooted.BootID, elsewhere.PIDSpace = "another", "another"
	for _, tc := range []struct {
		name   string
		host   proc.Host
		leader proc.Identity
		status proc.TreeStatus
		err    error
	}{
		{"the leader's pid has passed on", here, before, proc.TreeGone, nil},
		{"after a reboot", rebooted, proc.Identity{PID: pid, Start: startTime(t, pid)}, proc.TreeGone, nil},
		{"in a container", elsewhere, proc.Identity{PID: pid, Start: startTime(t, pid)}, proc.TreeUnknown, proc.ErrTreeOutOfSight},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, nonce := t.TempDir(), strings.Repeat("0123456789abcdef", 2)
			text, err := json.Marshal(proc.TreeEntry{Version: 1, Host: tc.host, Leader: tc.leader, PGID: pid, Nonce: nonce})
			require.NoError(t, err)
			write(t, filepath.Join(dir, "trees", "host", nonce+".json"), string(text), 0o600)
			e := readOneEntry(t, dir)
			assert.Equal(t, tc.status, e.Status)
			assert.Empty(t, e.Members)
			e.Status = proc.TreeLeftover // it is found out anew
			killed, err := proc.Reap(t.Context(), &e, -1)
			require.ErrorIs(t, err, tc.err)
			assert.Empty(t, killed)
			assert.Equal(t, tc.err == nil, len(entryFiles(t, dir)) == 0)
			assert.False(t, dead(pid))
		})
	}
}

// The same leader alive is ended, so that the test above proves something.
func TestReapEndsARecordedLeaderWithoutNonce(t *testing.T) {
	cmd := exec.Command("/bin/cat")
	_, err := cmd.StdinPipe()
	require.NoError(t, err)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	require.NoError(t, cmd.Start())
	pid := cmd.Process.Pid
	killLater(t, pid)
	dir := t.TempDir()
	p := start(t, &proc.Spec{Path: "/bin/cat", StateDir: dir})
	e := readOneEntry(t, dir)
	p.Stop(t.Context())
	e.Host.Start++
	e.Nonce = strings.Repeat("0", 32)
	e.Leader, e.PGID = proc.Identity{PID: pid, Start: startTime(t, pid)}, pid
	killed, err := proc.Reap(t.Context(), &e, 0)
	require.NoError(t, err)
	assert.Equal(t, []proc.Swept{{PID: pid, Name: "cat"}}, killed)
	require.Error(t, cmd.Wait())
}

func TestLedgerWithCorruptFiles(t *testing.T) {
	dir := t.TempDir()
	p := start(t, &proc.Spec{Path: "/bin/cat", StateDir: dir})
	files := entryFiles(t, dir)
	require.Len(t, files, 1)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	nonce := func(digit string) string { return strings.Repeat(digit, 32) }
	own := filepath.Dir(files[0])
	for name, content := range map[string]string{
		nonce("1") + ".json": "",
		nonce("2") + ".json": "{\"version\": 1",
		nonce("3") + ".json": "[]",
		nonce("4") + ".json": string(text), // another nonce inside
		nonce("5") + ".json": strings.ReplaceAll(strings.Replace(string(text), `"version":1`, `"version":2`, 1), p.Nonce(), nonce("5")),
		nonce("6") + ".json": strings.ReplaceAll(strings.Replace(string(text), `"pgid":`, `"pgid":-`, 1), p.Nonce(), nonce("6")),
		"x.json":             "{}",
		".new-1":             "{", // being written
	} {
		write(t, filepath.Join(own, name), content, 0o600)
	}
	write(t, filepath.Join(dir, "trees", "stray"), "", 0o600)
	require.NoError(t, unix.Mkfifo(filepath.Join(own, nonce("7")+".json"), 0o600))

	entries, errs := proc.ReadLedger(dir)
	require.Len(t, entries, 1)
	assert.Equal(t, p.Nonce(), entries[0].Nonce)
	assert.Len(t, errs, 9)
	for _, err := range errs {
		assert.ErrorContains(t, err, "cannot read")
	}
	_, errs = proc.ReadLedger(filepath.Join(dir, "none"))
	assert.Empty(t, errs)
}
