package bench_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
				"interface lo", "input hello", fmt.Sprintf("arguments [a b -x] mark  uid %d", uid), "",
			}, strings.Split(out.String(), "\n"))
		})
	}
}

func TestOfflineProgramEndsWithItsSignal(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		signal syscall.Signal
		killed bool // the program that waits cannot pass it on
		code   int
	}{
		{syscall.SIGTERM, false, 128 + int(syscall.SIGTERM)},
		{syscall.SIGINT, false, 128 + int(syscall.SIGINT)},
		{syscall.SIGKILL, true, -1},
	} {
		t.Run(tc.signal.String(), func(t *testing.T) {
			t.Parallel()
			cmd := offlineProgram(t, os.Getuid(), "wait")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal that would tell both
			stdin, err := cmd.StdinPipe()
			require.NoError(t, err)
			defer stdin.Close()
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			line, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			if strings.Contains(line, "not offline") {
				_ = cmd.Wait()
				t.Skipf("the system allows no network namespace: %s", line)
			}
			require.NoError(t, cmd.Process.Signal(tc.signal))
			// Its end is that of both: the second has the other end of the pipe.
			rest, err := io.ReadAll(out)
			require.NoError(t, err)
			assert.Empty(t, rest)
			_ = cmd.Wait()
			assert.Equal(t, tc.code, cmd.ProcessState.ExitCode())
			if tc.killed {
				status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
				assert.True(t, ok && slices.Contains([]syscall.Signal{syscall.SIGKILL}, status.Signal()))
			}
		})
	}
}
