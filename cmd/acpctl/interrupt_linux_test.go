package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/proc"
)

// TestSecondInterruptKillsTheAgent interrupts an agent that hears no cancel and outlives its input, as a person at a terminal
// does: all of the group gets the signal.
func TestSecondInterruptKillsTheAgent(t *testing.T) {
	t.Parallel()
	self, err := exec.LookPath("acpctl") // the test binary, by a name that makes it the command
	require.NoError(t, err)
	for _, args := range [][]string{
		{"run", "--json", "--backend", "qwen", "hello"},
		{"run", "--json", "--recipe", "loopback", "--backend", "qwen", "hello"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			temp := filepath.Join(dir, "temp")
			require.NoError(t, os.Mkdir(temp, 0o700))
			script, pid := filepath.Join(dir, "script.json"), filepath.Join(dir, "pid")
			require.NoError(t, os.WriteFile(script, []byte(
				`{"neverEnd": true, "updates": 1, "cancel": "ignore", "ignoreStdinEOF": true}`), 0o600))
			// A child in a group of its own belongs to the agent, too.
			agent := "#!/bin/sh\nsetsid sleep 600 </dev/null >/dev/null 2>&1 &\necho $! $$ >" + pid + "\nexec acpctl mock agent --script " + script + "\n"
			require.NoError(t, os.WriteFile(filepath.Join(dir, "qwen"), []byte(agent), 0o700))

			cmd := exec.CommandContext(t.Context(), self, args...)
			cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "TMPDIR="+temp, "HOME="+dir,
				"XDG_STATE_HOME="+dir, "GORACE=atexit_sleep_ms=0")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			cmd.Stderr = t.Output()
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
			lines := bufio.NewScanner(out)
			for lines.Scan() && !strings.Contains(lines.Text(), "chunk 0") {
			}
			require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGINT))
			rest := make(chan string)
			go func() {
				defer close(rest)
				for lines.Scan() {
					rest <- lines.Text()
				}
			}()
			select { // the signals must be told from one that comes by two ways
			case line := <-rest:
				t.Errorf("it has not waited for the agent: %s", line)
			case <-time.After(2 * signalEcho):
			}
			require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGINT))
			second := time.Now()
			var last string
			for line := range rest {
				last = line
			}
			_ = cmd.Wait()
			assert.Less(t, time.Since(second), cancelGrace-time.Second)
			assert.Equal(t, exitInterrupted, cmd.ProcessState.ExitCode())
			assert.Regexp(t, `^\{"type":"outcome","stopReason":"","outcome":"unknown",.*"exitCode":130,"error":"interrupted twice; `, last)

			text, err := os.ReadFile(pid)
			require.NoError(t, err)
			for id := range strings.FieldsSeq(string(text)) {
				stat, err := os.ReadFile("/proc/" + id + "/stat")
				assert.True(t, err != nil || strings.Contains(string(stat), ") Z "), "a process lives: %s", stat)
			}
			trees, errs := proc.ReadLedger(filepath.Join(dir, "acpharness"))
			assert.Empty(t, errs)
			assert.Empty(t, trees, "what was started is still in the ledger")
			left, err := os.ReadDir(temp)
			require.NoError(t, err)
			assert.Empty(t, left, "folders left behind")
		})
	}
}
