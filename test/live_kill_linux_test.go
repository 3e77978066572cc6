package test

import (
	"bytes"
	"context"
	"crypto/rand"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/parity/probe"
	"github.com/acpharness/acpharness/provider"
)

// liveEnv names, separated by commas, the backends whose real agents are on PATH.
const liveEnv = "ACP_LIVE_KILL"

// killPoint is a moment at which a real agent is got rid of.
type killPoint struct {
	name string
	run  func(t *testing.T, connect func(context.Context) (provider.Provider, error))
}

// closeNow closes a connection as a host in a hurry does.
func closeNow(t *testing.T, p provider.Provider) {
	t.Helper()
	now, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, p.Close(now))
}

func connectWithin(t *testing.T, d time.Duration, connect func(context.Context) (provider.Provider, error)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	p, err := connect(ctx)
	if err == nil {
		closeNow(t, p)
	}
}

func mustConnect(t *testing.T, connect func(context.Context) (provider.Provider, error)) provider.Provider {
	t.Helper()
	p, err := connect(t.Context())
	require.NoError(t, err)
	return p
}

func killPoints() []killPoint {
	return []killPoint{
		{"at spawn", func(t *testing.T, connect func(context.Context) (provider.Provider, error)) {
			t.Helper()
			connectWithin(t, time.Millisecond, connect)
		}},
		{"before initialize is answered", func(t *testing.T, connect func(context.Context) (provider.Provider, error)) {
			t.Helper()
			connectWithin(t, 400*time.Millisecond, connect)
		}},
		{"after initialize", func(t *testing.T, connect func(context.Context) (provider.Provider, error)) {
			t.Helper()
			closeNow(t, mustConnect(t, connect))
		}},
		{"launcher killed from outside after initialize", func(t *testing.T, connect func(context.Context) (provider.Provider, error)) {
			t.Helper()
			p := mustConnect(t, connect)
			require.NoError(t, syscall.Kill(p.Conn().PID(), syscall.SIGKILL))
			<-p.Conn().Done()
			require.NoError(t, p.Close(t.Context()))
		}},
		{"during session/new", func(t *testing.T, connect func(context.Context) (provider.Provider, error)) {
			t.Helper()
			p := mustConnect(t, connect)
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_, _ = p.Conn().NewSession(ctx, t.TempDir(), nil)
			closeNow(t, p)
		}},
		{"after session/new", func(t *testing.T, connect func(context.Context) (provider.Provider, error)) {
			t.Helper()
			p := mustConnect(t, connect)
			_, _ = p.Conn().NewSession(t.Context(), t.TempDir(), nil) // may want a sign-in
			require.NoError(t, p.Close(t.Context()))
		}},
	}
}

// bearers returns the living processes whose environment holds marker.
func bearers(t *testing.T, marker string) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	require.NoError(t, err)
	var found []string
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		environ, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err != nil || !bytes.Contains(environ, []byte(marker)) {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if i := bytes.LastIndexByte(stat, ')'); err == nil && i+2 < len(stat) && stat[i+2] != 'Z' {
			cmdline, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
			found = append(found, e.Name()+" "+string(bytes.ReplaceAll(cmdline, []byte{0}, []byte{' '})))
		}
	}
	return found
}

// TestRealAgentsLeaveNothing kills real agents, unconfigured and in a fresh home, at every point of their start.
func TestRealAgentsLeaveNothing(t *testing.T) {
	ids := os.Getenv(liveEnv)
	if ids == "" {
		t.Skip("ACP_LIVE_KILL names no agents")
	}
	for id := range strings.SplitSeq(ids, ",") {
		d, err := backends.Lookup(id)
		require.NoError(t, err)
		_, err = exec.LookPath(d.Launch.Command)
		require.NoError(t, err)
		for _, point := range killPoints() {
			t.Run(id+" "+point.name, func(t *testing.T) {
				home, err := probe.NewHome("")
				require.NoError(t, err)
				defer func() { assert.NoError(t, home.Remove()) }()
				marker := "ACPHARNESS_KILL_TEST=" + rand.Text()
				env := append(home.Environ(os.Environ()), marker)
				point.run(t, func(ctx context.Context) (provider.Provider, error) {
					return provider.NewBackend(d, nil).Connect(ctx, &provider.ConnectOptions{Env: env, Dir: t.TempDir()})
				})
				assert.Empty(t, bearers(t, marker))
			})
		}
	}
}
