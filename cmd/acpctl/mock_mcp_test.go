package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakemcp"
)

// lastOf waits until a journal has so many entries and returns the last.
func lastOf(t *testing.T, journal string, count int) fakemcp.Entry {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	entries, err := fakemcp.Await(ctx, journal, func(e []fakemcp.Entry) bool { return len(e) >= count })
	require.NoError(t, err)
	return entries[count-1]
}

func TestMockMCPJournalsTheSignalThatEndsIt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals to send")
	}
	for transport, listen := range map[string]bool{"stdio": false, "http": true} {
		for name, sig := range map[string]os.Signal{"SIGTERM": syscall.SIGTERM, "SIGINT": os.Interrupt, "SIGHUP": syscall.SIGHUP} {
			t.Run(transport+"/"+name, func(t *testing.T) {
				t.Parallel()
				journal := filepath.Join(t.TempDir(), "journal")
				args := []string{"mock", "mcp", "--journal", journal}
				if listen {
					args = append(args, "--listen", "localhost:0")
				}
				cmd := exec.Command("acpctl", args...)
				cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
				_, err := cmd.StdinPipe()
				require.NoError(t, err)
				out, err := cmd.StdoutPipe()
				require.NoError(t, err)
				require.NoError(t, cmd.Start())
				t.Cleanup(func() { _ = cmd.Process.Kill() })
				if listen {
					url, err := bufio.NewReader(out).ReadString('\n')
					require.NoError(t, err)
					assert.Regexp(t, `^http://127\.0\.0\.1:[1-9]\d*/mcp$`, strings.TrimSpace(url))
				}
				assert.Equal(t, fakemcp.EventStart, lastOf(t, journal, 1).Event)
				require.NoError(t, cmd.Process.Signal(sig))
				require.NoError(t, cmd.Wait())
				assert.Equal(t, name, lastOf(t, journal, 2).Signal)
				last := lastOf(t, journal, 3)
				assert.Equal(t, fakemcp.EventExit, last.Event)
				assert.Empty(t, last.Error)
			})
		}
	}
}

func TestMockMCPOutlivesAClientThatStopsReading(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a closed pipe is no signal there")
	}
	journal := filepath.Join(t.TempDir(), "journal")
	cmd := exec.Command("acpctl", "mock", "mcp", "--journal", journal)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lastOf(t, journal, 1)
	require.NoError(t, out.Close())
	_, err = in.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"server/discover"}` + "\n"))
	require.NoError(t, err)
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil {
		require.ErrorAs(t, err, &exit)
		assert.True(t, exit.Exited(), exit)
	}
	entries, err := fakemcp.ReadJournal(journal)
	require.NoError(t, err)
	assert.Equal(t, fakemcp.EventExit, entries[len(entries)-1].Event)
}
