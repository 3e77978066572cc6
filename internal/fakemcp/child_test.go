package fakemcp_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakemcp"
)

// started begins a process and returns what its standard input is.
func started(t *testing.T, cmd *exec.Cmd) io.WriteCloser {
	t.Helper()
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return in
}

func isStart(e fakemcp.Entry) bool { return e.Event == fakemcp.EventStart }

func TestProcessJournalsSignals(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals to send")
	}
	for name, sig := range map[string]os.Signal{"SIGTERM": syscall.SIGTERM, "SIGINT": os.Interrupt, "SIGHUP": syscall.SIGHUP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			journal := filepath.Join(t.TempDir(), "j")
			cmd := child(t, "demo", journal, "some", "args")
			started(t, cmd)
			start := await(limit(t), t, journal, isStart)
			assert.Equal(t, cmd.Process.Pid, start.PID)
			assert.Equal(t, os.Getpid(), start.PPID)
			assert.Equal(t, []string{"some", "args"}, start.Args)
			assert.Equal(t, map[string]string{childLabel: "demo", childJournal: journal}, start.Env)
			require.NoError(t, cmd.Process.Signal(sig))
			require.NoError(t, cmd.Wait())
			assertTold(t, []string{"start alpha beta", "signal " + name, "exit"}, journal)
		})
	}
}

func TestProcessJournalsTheEndOfItsInput(t *testing.T) {
	t.Parallel()
	journal := filepath.Join(t.TempDir(), "j")
	cmd := child(t, "demo", journal)
	in := started(t, cmd)
	await(limit(t), t, journal, isStart)
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
	assertTold(t, []string{"start alpha beta", "eof", "exit"}, journal)
	info, err := os.Stat(journal)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
}

func TestProcessesShareAJournal(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	journal := filepath.Join(t.TempDir(), "j")
	const servers, calls = 4, 50
	done := make(chan error, servers)
	for n := range servers {
		session, _ := client(ctx, t, &mcp.CommandTransport{Command: child(t, fmt.Sprintf("server %d", n), journal)})
		go func() {
			for range calls {
				_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "alpha", Arguments: map[string]any{"x": fmt.Sprint(n)}})
				if err != nil {
					done <- err
					return
				}
			}
			done <- session.Close()
		}()
	}
	for range servers {
		require.NoError(t, receive(ctx, t, done))
	}
	count := map[string]int{}
	pids := map[int]bool{}
	for _, e := range read(t, journal) {
		pids[e.PID] = true
		if e.Tool != "" {
			count[e.Label+string(e.Arguments)]++
		}
		if e.Event == fakemcp.EventExit {
			count["exit"]++
		}
	}
	assert.Len(t, pids, servers)
	want := map[string]int{"exit": servers}
	for n := range servers {
		want[fmt.Sprintf(`server %d{"x":"%d"}`, n, n)] = calls
	}
	assert.Equal(t, want, count)
}
