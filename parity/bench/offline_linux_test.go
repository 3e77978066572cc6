package bench_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// offlineProgram is this test binary, as somebody, with these arguments.
func offlineProgram(t *testing.T, uid int, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	if uid != os.Getuid() {
		text, err := os.ReadFile(self)
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
		require.NoError(t, os.Chmod(dir, 0o755))
		self = filepath.Join(dir, "program")
		require.NoError(t, os.WriteFile(self, text, 0o755))
	}
	cmd := exec.CommandContext(t.Context(), self, append([]string{beOffline}, args...)...)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	if uid != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	return cmd
}

func TestOffline(t *testing.T) {
	t.Parallel()
	const nobody = 65534
	uids := []int{os.Getuid()}
	if os.Getuid() == 0 {
		uids = append(uids, nobody)
	}
	for _, uid := range uids {
		t.Run(fmt.Sprint("uid ", uid), func(t *testing.T) {
			t.Parallel()
			cmd := offlineProgram(t, uid, "a b", "-x")
			cmd.Stdin = strings.NewReader("hello")
			cmd.Env = append(cmd.Env, "ACPHARNESS_OFFLINE=1") // of somebody who knows no better
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			err := cmd.Run()
			if strings.Contains(out.String(), "not offline") {
				t.Skipf("the system allows no network namespace: %s", out.String())
			}
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
			assert.Equal(t, 7, exit.ExitCode(), "%s", out.String())
			assert.Equal(t, []string{
				"interface lo", "input hello", fmt.Sprintf("arguments [a b -x] mark  uid %d", uid),
				"ambient 0000000000000000", "",
			}, strings.Split(out.String(), "\n"))
		})
	}
}

func TestOfflineProgramEndsWithItsSignal(t *testing.T) {
	t.Parallel()
	hup := make(chan os.Signal, 1) // under nohup the children would inherit that it is ignored
	signal.Notify(hup, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(hup) })
	for _, tc := range []struct {
		name   string
		before string // the shell that starts it
		signal syscall.Signal
		group  bool // both get it
		code   int
	}{
		{"terminated", "", syscall.SIGTERM, false, 128 + int(syscall.SIGTERM)},
		{"terminated, the whole group", "", syscall.SIGTERM, true, 128 + int(syscall.SIGTERM)},
		{"interrupted", "", syscall.SIGINT, false, 128 + int(syscall.SIGINT)},
		{"hung up", "", syscall.SIGHUP, false, 128 + int(syscall.SIGHUP)},
		{"hung up with nohup", "trap '' HUP; ", syscall.SIGHUP, true, 0},
		{"killed", "", syscall.SIGKILL, false, -1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cmd := offlineProgram(t, os.Getuid(), "wait")
			if tc.before != "" {
				self := cmd.Path
				cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", tc.before + `exec "$0" "$@"`, self, beOffline, "wait"}
			}
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			stdin, err := cmd.StdinPipe()
			require.NoError(t, err)
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
			line, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			if strings.Contains(line, "not offline") {
				_ = cmd.Wait()
				t.Skipf("the system allows no network namespace: %s", line)
			}
			assert.Equal(t, tc.before != "", strings.HasPrefix(line, "nohup "))
			to := cmd.Process.Pid
			if tc.group {
				to = -to
			}
			require.NoError(t, syscall.Kill(to, tc.signal))
			if tc.before != "" {
				require.NoError(t, stdin.Close()) // it has not noticed, and ends well
			}
			// The pipe ends with both: the second has its other end.
			rest, err := io.ReadAll(out)
			require.NoError(t, err)
			assert.Empty(t, rest)
			_ = cmd.Wait()
			assert.Equal(t, tc.code, cmd.ProcessState.ExitCode(), cmd.ProcessState)
			_ = stdin.Close()
		})
	}
}
