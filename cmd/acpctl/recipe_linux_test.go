package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSignalToTheWholeGroupLeavesNothing ends acpctl as terminals, timeout and service managers do: both programs of a run
// with a recipe get the signal, and the first passes it on besides. An agent that ignores it must still be ended.
func TestSignalToTheWholeGroupLeavesNothing(t *testing.T) {
	t.Parallel()
	self, err := exec.LookPath("acpctl") // the test binary, by a name that makes it the command
	require.NoError(t, err)
	for _, args := range [][]string{
		{"run", "--recipe", "loopback", "--backend", "qwen", "hello"},
		{"run", "--backend", "qwen", "hello"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			bin, temp := filepath.Join(dir, "bin"), filepath.Join(dir, "temp")
			require.NoError(t, os.Mkdir(bin, 0o700))
			require.NoError(t, os.Mkdir(temp, 0o700))
			started := filepath.Join(dir, "started")
			require.NoError(t, syscall.Mkfifo(started, 0o600))
			agent := "#!/bin/sh\ntrap '' TERM INT\necho $$ >" + started + "\nwhile :; do read line || exec sleep 600; done\n"
			require.NoError(t, os.WriteFile(filepath.Join(bin, "qwen"), []byte(agent), 0o700))

			cmd := exec.CommandContext(t.Context(), self, args...)
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "TMPDIR="+temp, "HOME="+dir, "GORACE=atexit_sleep_ms=0")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			require.NoError(t, cmd.Start())
			t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
			text, err := os.ReadFile(started)
			require.NoError(t, err)
			require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM))
			_ = cmd.Wait()
			assert.Equal(t, exitInterrupted, cmd.ProcessState.ExitCode())
			stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(text)) + "/stat")
			assert.True(t, err != nil || strings.Contains(string(stat), ") Z "), "the agent lives: %s", stat)
			left, err := os.ReadDir(temp)
			require.NoError(t, err)
			assert.Empty(t, left, "folders left behind")
		})
	}
}
