//go:build unix

package proc_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/acpharness/acpharness/internal/proc"
)

const long = time.Hour // a grace that no test may wait for

func TestStopLadder(t *testing.T) {
	for _, tc := range []struct {
		mode   string
		grace  proc.Grace
		by     proc.Initiator
		code   int
		signal string
		stages []string
	}{
		{"ignore-eof", proc.Grace{StdinClose: -1, Terminate: long}, proc.Terminated, -1, "SIGTERM", []string{"close stdin", "terminate"}},
		{"exit-on-term", proc.Grace{StdinClose: -1, Terminate: long}, proc.Terminated, 7, "", []string{"close stdin", "terminate"}},
		{
			"ignore-term",
			proc.Grace{StdinClose: -1, Terminate: 50 * time.Millisecond},
			proc.Killed, -1, "SIGKILL",
			[]string{"close stdin", "terminate", "kill"},
		},
	} {
		t.Run(tc.mode, func(t *testing.T) {
			spec := childSpec(t, tc.mode)
			spec.Grace = tc.grace
			p := start(t, spec)
			require.Equal(t, "ready", readLine(t, p))
			e := p.Stop(t.Context())
			assert.Equal(t, tc.by, e.By)
			assert.Equal(t, tc.code, e.Code)
			assert.Equal(t, tc.signal, e.Signal)
			assert.Equal(t, tc.stages, stageNames(e))
			assert.False(t, e.Running)
			requireReaped(t, p.PID())
		})
	}
}

func TestContextEndDuringStopSkipsToKill(t *testing.T) {
	for _, grace := range []proc.Grace{{StdinClose: long}, {StdinClose: -1, Terminate: long}} {
		spec := childSpec(t, "ignore-term")
		spec.Grace = grace
		p := start(t, spec)
		require.Equal(t, "ready", readLine(t, p))
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		e := p.Stop(ctx)
		assert.Equal(t, "SIGKILL", e.Signal)
		assert.Equal(t, proc.Killed, e.By)
	}
}

// An impatient second Stop hurries a patient first one.
func TestSecondStopMayHurry(t *testing.T) {
	spec := childSpec(t, "ignore-term")
	spec.Grace = proc.Grace{StdinClose: long}
	p := start(t, spec)
	require.Equal(t, "ready", readLine(t, p))
	first := make(chan *proc.Exit)
	go func() { first <- p.Stop(t.Context()) }()
	require.Eventually(t, func() bool { // the first step of the first Stop
		_, err := p.Stdin().Write([]byte("x"))
		return errors.Is(err, os.ErrClosed)
	}, 10*time.Second, time.Millisecond)
	second := p.Stop(endedContext(t))
	assert.Same(t, second, <-first)
	assert.Equal(t, "SIGKILL", second.Signal)
}

func TestSignalIsTold_openclaw29(t *testing.T) {
	hup := make(chan os.Signal, 1) // under nohup the children would inherit that it is ignored
	signal.Notify(hup, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(hup) })
	for _, sig := range []syscall.Signal{unix.SIGKILL, unix.SIGTERM, unix.SIGHUP} {
		p := start(t, childSpec(t, "raise", strconv.Itoa(int(sig))))
		e, err := p.Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, unix.SignalName(sig), e.Signal)
		assert.Equal(t, -1, e.Code)
		assert.Equal(t, proc.Self, e.By, "the signal was not ours")
	}
}

// The real agent behind a launcher dies with it, also when the launcher exits cleanly (openclaw/acpx#129,
// agentclientprotocol/rust-sdk#249).
func TestGrandchildDiesWithTheLauncher_acpx129(t *testing.T) {
	for _, tc := range []struct {
		grandchild string
		stages     []string
	}{
		{"ignore-eof", []string{"close stdin", "terminate"}},
		{"ignore-term", []string{"close stdin", "terminate", "kill"}},
	} {
		t.Run(tc.grandchild, func(t *testing.T) {
			spec := childSpec(t, "launcher", tc.grandchild)
			spec.Grace.Terminate = 100 * time.Millisecond
			if tc.grandchild == "ignore-eof" {
				spec.Grace.Terminate = long
			}
			p := start(t, spec)
			pid := readPID(t, p)
			require.False(t, dead(pid))
			e := p.Stop(t.Context())
			assert.Equal(t, tc.stages, stageNames(e))
			assert.Equal(t, proc.StdinClosed, e.By, "the leader left when its stdin was closed")
			assert.Zero(t, e.Code)
			assert.Empty(t, e.Leftover)
			requireDead(t, pid)
			requireReaped(t, p.PID())
		})
	}
}

// Without any Stop, the group of a leader that exits by itself is cleared and the leader reaped.
func TestGroupIsClearedWithoutStop(t *testing.T) {
	spec := childSpec(t, "launch-and-exit", "ignore-term")
	spec.Grace.Terminate = 20 * time.Millisecond
	p := start(t, spec)
	pid := readPID(t, p)
	e, err := p.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, proc.Self, e.By)
	requireDead(t, pid)
	require.Eventually(t, func() bool { return unix.Kill(p.PID(), 0) != nil }, 10*time.Second, 5*time.Millisecond)
}

// While the group lives its id cannot pass to a stranger, because the leader is not reaped (hashicorp/go-plugin#320).
func TestLeaderStaysUntilGroupIsGone_goplugin320(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs waitid with WNOWAIT")
	}
	spec := childSpec(t, "launch-and-exit", "ignore-term")
	spec.Grace.Terminate = long
	p := start(t, spec)
	pid := readPID(t, p)
	<-p.Exited()
	assert.Equal(t, byte('Z'), procState(p.PID()))
	e := p.Stop(endedContext(t))
	assert.Equal(t, proc.Self, e.By)
	requireDead(t, pid)
	requireReaped(t, p.PID())
}

// A grandchild that holds all pipes and is out of reach blocks neither readers, writers nor Stop (golang/go#23019).
func TestGrandchildHoldingStdoutDoesNotBlock_go23019(t *testing.T) {
	spec := childSpec(t, "node", "exit", "setsid,hold,term")
	spec.Grace.Terminate = long
	p := start(t, spec)
	pid := readPIDs(t, p)[1]
	t.Cleanup(func() { _ = unix.Kill(pid, unix.SIGKILL) })
	_, err := io.ReadAll(p.Stdout())
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.False(t, dead(pid), "the pipe must still be held for this test to mean anything")

	_, err = p.Stdin().Write(make([]byte, 1<<20))
	require.ErrorIs(t, err, os.ErrClosed)
	p.FlushStderr(t.Context())
	e := p.Stop(endedContext(t))
	assert.Zero(t, e.Code)
	assert.Equal(t, proc.Self, e.By)
}

// The bounded drain does not cut off a reader that is merely late.
func TestLateReaderGetsEverything(t *testing.T) {
	spec := childSpec(t, "burst", "60000")
	spec.Grace.Drain = -1
	p := start(t, spec)
	<-p.Exited()
	out, err := io.ReadAll(p.Stdout())
	if !errors.Is(err, os.ErrDeadlineExceeded) { // the pipe may be found empty before its end is read
		require.NoError(t, err)
	}
	assert.Len(t, out, 60000)
}

func TestUnreadStdoutDoesNotHoldUpStop(t *testing.T) {
	p := start(t, childSpec(t, "burst", "60000"))
	<-p.Exited()
	began := time.Now()
	p.Stop(t.Context())
	assert.Less(t, time.Since(began), 3*time.Second)
}

// A write to a child that does not read ends with its deadline, with CloseStdin, and with the exit (vippsas/manifold#506).
func TestBlockedWriteIsFreed_manifold506(t *testing.T) {
	p := start(t, childSpec(t, "ignore-eof"))
	require.Equal(t, "ready", readLine(t, p))
	big := make([]byte, 1<<20)
	require.NoError(t, p.Stdin().SetWriteDeadline(time.Now().Add(20*time.Millisecond)))
	_, err := p.Stdin().Write(big)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)

	require.NoError(t, p.Stdin().SetWriteDeadline(time.Time{}))
	freed := make(chan error, 1)
	go func() {
		_, err := p.Stdin().Write(big)
		freed <- err
	}()
	require.NoError(t, unix.Kill(p.PID(), unix.SIGKILL))
	err = <-freed
	assert.True(t, errors.Is(err, os.ErrClosed) || errors.Is(err, unix.EPIPE), "%v", err)
}

func TestChildGetsBlockingPipesAndItsOwnGroup(t *testing.T) {
	p := start(t, childSpec(t, "fd-flags"))
	assert.Equal(t, "true true true true", readLine(t, p))
}
