package proc_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/proc"
)

// screen is what a console has shown.
type screen struct {
	mu   sync.Mutex
	text []byte
}

func (s *screen) write(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, b...)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.text)
}

// await waits for text on the screen.
func (s *screen) await(t *testing.T, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(s.String(), text) }, 30*time.Second, time.Millisecond)
}

// consoleSpec is for a child that is watched.
func consoleSpec(t *testing.T, mode string, args ...string) (*proc.Spec, *screen) {
	t.Helper()
	spec, s := childSpec(t, mode, args...), &screen{}
	spec.Console = &proc.Console{Output: s.write}
	return spec, s
}

// A console has one stream and nothing on stdin (getsigit/sigit#71).
func TestConsole_sigit71(t *testing.T) {
	spec, s := consoleSpec(t, "stderr", "100") // ends with its stdin
	p := start(t, spec)
	e, err := p.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, proc.Self, e.By)
	<-p.Settled()
	assert.Len(t, s.String(), 100*100+len("ready\n"))
	assert.True(t, strings.HasSuffix(s.String(), "\nready\n"))

	assert.Nil(t, p.Stdin())
	assert.Nil(t, p.Stdout())
	assert.Empty(t, p.StderrTail())
	require.NoError(t, p.CloseStdin())
	p.FlushStderr(t.Context())
	e = p.Stop(t.Context())
	assert.Equal(t, proc.Self, e.By)
	assert.Empty(t, e.Stages)
}

// There is no stdin whose end a running command would be given time to notice.
func TestConsoleIsStoppedWithoutStdin(t *testing.T) {
	spec, s := consoleSpec(t, "ignore-eof")
	p := start(t, spec)
	s.await(t, "ready")
	e := p.Stop(t.Context())
	assert.NotContains(t, stageNames(e), "close stdin")
	assert.NotEqual(t, proc.StdinClosed, e.By)
}

// What lives on after the leader lives until Stop, and neither holds up the end nor gets lost what the leader had written
// before, even if the reader is behind (golang/go#23019).
func TestConsoleOutlivesItsLeader_go23019(t *testing.T) {
	spec, s := consoleSpec(t, "burst-and-leave", "60000") // less than a pipe holds
	spec.Grace.Drain = time.Nanosecond
	gate := make(chan struct{})
	spec.Console.Output = func(b []byte) {
		<-gate
		s.write(b)
	}
	p := start(t, spec)
	<-p.Exited()
	select {
	case <-p.Settled():
		assert.Fail(t, "settled before the output was given out")
	default:
	}
	close(gate)
	<-p.Settled()
	text := s.String()
	require.GreaterOrEqual(t, len(text), 60000)
	_, left, ok := strings.Cut(text, "END\n")
	require.True(t, ok)
	pid, err := strconv.Atoi(strings.TrimSpace(left))
	require.NoError(t, err)
	assert.True(t, lives(pid), "before Stop")
	e := p.Stop(t.Context())
	assert.Zero(t, e.Code)
	assert.Empty(t, e.Leftover)
	require.Eventually(t, func() bool { return !lives(pid) }, 10*time.Second, time.Millisecond)
}

func TestConsoleIsReadForWhoLivesOn(t *testing.T) {
	spec, s := consoleSpec(t, "launch-and-exit", "chatter")
	spec.Grace.Drain = time.Nanosecond
	p := start(t, spec)
	<-p.Settled()
	s.await(t, strings.Repeat("still here\n", 10_000)) // more than a pipe holds
	p.Stop(endedContext(t))
}
