package proc_test

import (
	"context"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/proc"
)

func endedContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func stageNames(e *proc.Exit) []string {
	names := []string{}
	for _, s := range e.Stages {
		names = append(names, s.Name)
	}
	return names
}

func TestEchoThenCleanStop(t *testing.T) {
	p := start(t, childSpec(t, "cat"))
	_, err := io.WriteString(p.Stdin(), "hello\n")
	require.NoError(t, err)
	require.Equal(t, "hello", readLine(t, p))
	require.Nil(t, p.Exit(), "the leader runs")

	e := p.Stop(t.Context())
	assert.Equal(t, 0, e.Code)
	assert.Empty(t, e.Signal)
	assert.Equal(t, proc.StdinClosed, e.By)
	assert.Equal(t, []string{"close stdin"}, stageNames(e))
	assert.Empty(t, e.Leftover)
	assert.Positive(t, e.Uptime)
	assert.Less(t, e.Stages[0].Took, time.Second, "must not wait for the grace to end")

	assert.Equal(t, e, p.Exit())
	assert.NotSame(t, e, p.Exit())
	_, err = p.Stdin().Write([]byte("x"))
	require.ErrorIs(t, err, os.ErrClosed)
	_, err = p.Stdout().Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrClosed)
}

// The verdict names the code and who is to answer for it (compozy/compozy#436).
func TestExitCodeAndInitiator_compozy436(t *testing.T) {
	for _, tc := range []struct{ code int }{{0}, {1}, {3}, {127}} {
		t.Run(strconv.Itoa(tc.code), func(t *testing.T) {
			p := start(t, childSpec(t, "exit", strconv.Itoa(tc.code)))
			e, err := p.Wait(t.Context())
			require.NoError(t, err)
			assert.Equal(t, tc.code, e.Code)
			assert.Equal(t, proc.Self, e.By)
			assert.Empty(t, e.Signal)

			stopped := p.Stop(t.Context())
			assert.Equal(t, proc.Self, stopped.By, "a later Stop does not change the verdict")
			assert.Empty(t, stopped.Stages)
			assert.Equal(t, e.Uptime, stopped.Uptime)
		})
	}
}

func TestWaitEndsWithContext(t *testing.T) {
	p := start(t, childSpec(t, "cat"))
	_, err := p.Wait(endedContext(t))
	require.ErrorIs(t, err, context.Canceled)
	assert.Nil(t, p.Exit())
}

func TestCloseStdinIsIdempotentAndCounts(t *testing.T) {
	p := start(t, childSpec(t, "cat"))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { assert.NoError(t, p.CloseStdin()) })
	}
	wg.Wait()
	e, err := p.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, proc.StdinClosed, e.By)
}

// A child that writes and exits at once loses nothing (golang/go#19685).
func TestWriteAndExitKeepsTheTail_go19685(t *testing.T) {
	const size = 20_000
	for range 200 {
		p := start(t, childSpec(t, "burst", strconv.Itoa(size)))
		out, err := io.ReadAll(p.Stdout())
		require.NoError(t, err)
		require.Len(t, out, size)
		require.True(t, strings.HasSuffix(string(out), "END\n"))
		require.Zero(t, p.Stop(t.Context()).Code)
	}
}

// What a child writes when its stdin ends reaches a reader that works while Stop runs.
func TestStopLetsTheReaderFinish(t *testing.T) {
	const size = 300_000 // more than a pipe holds
	for range 20 {
		spec := childSpec(t, "burst-on-eof", strconv.Itoa(size))
		spec.Grace.Drain = time.Minute // a reader that keeps up does not need it, however busy the machine
		p := start(t, spec)
		got := make(chan int, 1)
		go func() {
			n, _ := io.Copy(io.Discard, p.Stdout())
			got <- int(n)
		}()
		e := p.Stop(t.Context())
		require.Zero(t, e.Code)
		require.Equal(t, size, <-got)
	}
}

// A reader that lags behind the exit is waited for.
func TestStopWaitsForASlowReader(t *testing.T) {
	const size = 20_000
	spec := childSpec(t, "burst-on-eof", strconv.Itoa(size))
	spec.Grace.Drain = time.Minute
	p := start(t, spec)
	got := make(chan int, 1)
	go func() {
		<-p.Exited()
		n := 0
		for b := make([]byte, 1); ; n++ {
			if _, err := p.Stdout().Read(b); err != nil {
				break
			}
		}
		got <- n
	}()
	p.Stop(t.Context())
	assert.Equal(t, size, <-got)
}

// 300 KB of stderr before anything else must not block the child (Quack6765/Eidon-AI#247, mark3labs/mcp-go#956).
func TestMuchStderrDoesNotBlock_mcpgo956(t *testing.T) {
	const lines = 3000 // of 100 bytes
	spec := childSpec(t, "stderr", strconv.Itoa(lines))
	spec.StderrTail = 1000
	var seen []string
	spec.OnStderr = func(line []byte) { seen = append(seen, string(line)) }
	p := start(t, spec)
	require.Equal(t, "ready", readLine(t, p))
	p.Stop(t.Context())

	tail := p.StderrTail()
	assert.Len(t, tail, 1000)
	assert.True(t, strings.HasPrefix(tail, "line 002990 "), tail[:20])
	assert.Contains(t, tail, "line 002999 ")
	require.Len(t, seen, lines)
	assert.True(t, strings.HasPrefix(seen[lines-1], "line 002999 "))
}

func TestFlushStderrMakesTheTailWhole(t *testing.T) {
	spec := childSpec(t, "stderr", "500")
	p := start(t, spec)
	require.NoError(t, p.CloseStdin())
	p.FlushStderr(t.Context())
	assert.Len(t, p.StderrTail(), 500*100)
	p.FlushStderr(endedContext(t))
}

func TestStopWithEndedContextKillsAtOnce(t *testing.T) {
	p := start(t, childSpec(t, "ignore-term"))
	require.Equal(t, "ready", readLine(t, p))
	e := p.Stop(endedContext(t))
	assert.Equal(t, proc.Killed, e.By)
	assert.Equal(t, []string{"kill"}, stageNames(e))
}

func TestConcurrentStopReturnsOneRecord(t *testing.T) {
	p := start(t, childSpec(t, "cat"))
	exits := make([]*proc.Exit, 8)
	var wg sync.WaitGroup
	for i := range exits {
		wg.Go(func() { exits[i] = p.Stop(t.Context()) })
	}
	wg.Wait()
	for _, e := range exits {
		assert.Same(t, exits[0], e)
	}
	assert.Zero(t, exits[0].Code)
}

func TestExitString(t *testing.T) {
	const up = 1200 * time.Millisecond
	for _, tc := range []struct {
		exit proc.Exit
		want string
	}{
		{proc.Exit{Code: 3, Uptime: up}, "exited with code 3 after 1.2s"},
		{proc.Exit{Code: -1, Signal: "SIGSEGV", Uptime: up}, "killed by SIGSEGV after 1.2s"},
		{proc.Exit{Code: -1, Uptime: up}, "ended with unknown status after 1.2s"},
		{proc.Exit{By: proc.StdinClosed, Uptime: up}, "exited with code 0 after 1.2s (after we closed its stdin)"},
		{proc.Exit{Code: 143, By: proc.Terminated, Uptime: up}, "exited with code 143 after 1.2s (after our SIGTERM)"},
		{
			proc.Exit{Code: -1, Signal: "SIGTERM", By: proc.Terminated, Uptime: up},
			"killed by SIGTERM after 1.2s (sent by us)",
		},
		{
			proc.Exit{Code: -1, Signal: "SIGKILL", By: proc.Terminated, Uptime: up},
			"killed by SIGKILL after 1.2s (after our SIGTERM)",
		},
		{
			proc.Exit{Code: -1, Signal: "SIGKILL", By: proc.Killed, Uptime: up, Leftover: []int{7}},
			"killed by SIGKILL after 1.2s (sent by us); 1 of its tree still alive: [7]",
		},
		{
			proc.Exit{Uptime: up, Swept: []proc.Swept{{PID: 7}, {PID: 8}}, Daemons: []proc.Swept{{PID: 9}}},
			"exited with code 0 after 1.2s; 2 outside its group ended; 1 left alone as known daemons",
		},
		{
			proc.Exit{Code: -1, By: proc.Killed, Uptime: up, Running: true, Leftover: []int{7}},
			"still running after 1.2s (after we killed it)",
		},
	} {
		assert.Equal(t, tc.want, tc.exit.String())
	}
}
