package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/internal/proc"
)

// orphan starts a tree whose entry in the ledger names a host that is gone.
func orphan(t *testing.T, stateDir string) *proc.Process {
	t.Helper()
	p, err := proc.Start(&proc.Spec{Path: "/bin/cat", StateDir: stateDir, Label: "demo\x1b[2J"})
	require.NoError(t, err)
	t.Cleanup(func() { p.Stop(t.Context()) })
	// Its answer says that it has left the exec behind, and with it our name.
	_, err = p.Stdin().Write([]byte("x"))
	require.NoError(t, err)
	_, err = p.Stdout().Read(make([]byte, 1))
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(stateDir, "trees", "*", "*.json"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	var e map[string]any
	require.NoError(t, json.Unmarshal(text, &e))
	e["host"].(map[string]any)["pid"] = 1 << 30
	text, err = json.Marshal(e)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(files[0], text, 0o600))
	return p
}

// acpctl runs a command line that must succeed.
func acpctl(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	code := execute(t.Context(), neverHard(), &ui.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}, args)
	require.Equal(t, exitOK, code, errs.String())
	assert.Empty(t, errs.String())
	return out.String()
}

func TestReapEndsWhatACrashLeftBehind(t *testing.T) {
	t.Parallel()
	for _, asJSON := range []bool{false, true} {
		t.Run(fmt.Sprintf("json %v", asJSON), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p := orphan(t, dir)
			run := func(args ...string) string {
				args = append(args, "--state-dir", dir)
				if asJSON {
					args = append(args, "--json")
				}
				return acpctl(t, args...)
			}
			listed, planned := run("ps"), run("reap", "--dry-run")
			assert.Nil(t, p.Exit(), "a dry run does nothing")
			reaped := run("reap")
			e, err := p.Wait(t.Context())
			require.NoError(t, err)
			assert.Equal(t, "SIGTERM", e.Signal)
			process := fmt.Sprintf(`{"pid": %d, "name": "cat"}`, p.PID())
			if asJSON {
				assert.Contains(t, listed, `"status": "leftover"`)
				assert.Contains(t, squeeze(listed), process)
				assert.Contains(t, planned, `"killed": []`)
				assert.Contains(t, squeeze(planned), `"processes": [`+process+`]`)
				assert.Contains(t, squeeze(reaped), `"killed": [`+process+`]`)
				assert.Contains(t, run("ps"), `"trees": []`)
				return
			}
			assert.Regexp(t, fmt.Sprintf(`^demo\[2J\tcat\t1073741824\t%d\tleftover\t1\t\d+\t\d+s\n$`, p.PID()), listed)
			assert.Equal(t, fmt.Sprintf("would end %d (cat) of demo[2J cat\n", p.PID()), planned)
			assert.Equal(t, fmt.Sprintf("ended %d (cat) of demo[2J cat\n", p.PID()), reaped)
			assert.Empty(t, run("ps"))
		})
	}
}

// TestReapTellsOfSurvivors has a leader in our own group, which is never signalled.
func TestReapTellsOfSurvivors(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("/bin/cat")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	pid := cmd.Process.Pid
	dir := t.TempDir()
	p := orphan(t, dir)
	files, err := filepath.Glob(filepath.Join(dir, "trees", "*", "*.json"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	p.Stop(t.Context()) // takes its entry along
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	require.NoError(t, err)
	space, err := os.Readlink("/proc/self/ns/pid")
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(files[0]), 0o700))
	require.NoError(t, os.WriteFile(files[0], fmt.Appendf(nil,
		`{"version":1,"host":{"pid":1073741824,"start":1,"bootID":%q,"pidSpace":%q},"leader":{"pid":%d,"start":%s},"pgid":%d,"nonce":%q}`,
		strings.TrimSpace(string(boot)), space, pid, strings.Fields(string(stat))[21], pid, p.Nonce()), 0o600))

	var out, errs bytes.Buffer
	code := execute(t.Context(), neverHard(), &ui.Streams{Out: &out, Err: &errs}, []string{"reap", "--state-dir", dir})
	assert.Equal(t, exitFailed, code)
	assert.Empty(t, out.String())
	assert.Equal(t, fmt.Sprintf("acpctl: cannot reap the tree of process %d: processes are still alive: [%d]\n", pid, pid), errs.String())
	assert.FileExists(t, files[0])
	require.NoError(t, in.Close())
	assert.NoError(t, cmd.Wait())
}

// squeeze takes the line breaks and indents out of JSON.
func squeeze(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.NewReplacer("{ ", "{", " }", "}", "[ ", "[", " ]", "]").Replace(text)
}
