package terminal_test

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/terminal"
)

// patience is for what should take no time at all on a machine that has nothing else to do.
const patience = 30 * time.Second

func heavy() bool { return os.Getenv("ACP_HEAVY") != "" }

func ended(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func exitCode(code int64) acp.TerminalExitStatus { return acp.TerminalExitStatus{ExitCode: &code} }

// wait waits for the end of the command and returns its output.
func wait(t *testing.T, term acp.HostedTerminal) acp.TerminalOutput {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	status, err := term.Wait(ctx)
	require.NoError(t, err)
	out := term.Output()
	require.NotNil(t, out.Exit)
	require.Equal(t, status, *out.Exit)
	require.True(t, utf8.ValidString(out.Output))
	return out
}

// await waits until the command has printed text, and returns all of what it has printed.
func await(t *testing.T, term acp.HostedTerminal, text string) string {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(term.Output().Output, text) }, patience, time.Millisecond)
	return term.Output().Output
}

func TestExitStatus(t *testing.T) {
	for _, code := range []int64{0, 1, 3, 127} {
		out := wait(t, run(t, "exit", strconv.FormatInt(code, 10)))
		assert.Equal(t, acp.TerminalOutput{Exit: new(exitCode(code))}, out)
	}
}

func TestStreamsAreMergedInOrder(t *testing.T) {
	var want strings.Builder
	for i := range 100 {
		want.WriteString(strconv.Itoa(i) + "\n")
	}
	assert.Equal(t, want.String(), wait(t, run(t, "streams")).Output)
}

// Nothing of the client's own stdin is ever seen by a command (getsigit/sigit#71).
func TestStdinIsEmpty_sigit71(t *testing.T) {
	assert.Equal(t, "stdin: 0 <nil>\n", wait(t, run(t, "stdin")).Output)
}

// The limit is kept to the byte, cut at a character, and told of (openclaw/acpx#507, pacifio/atlas#162).
func TestOutputLimit_acpx507(t *testing.T) {
	const text = "a€😀"
	limits := map[int64]string{4: "😀", 5: "😀", 6: "😀", 7: "€😀", 8: text}
	for limit := range int64(13) {
		want, known := limits[limit]
		if !known && limit > 8 {
			want = text
		}
		for _, mode := range []string{"print", "print-bytes"} {
			req := request(t, text)
			req.OutputByteLimit = &limit
			out := wait(t, create(t, &terminal.Options{Env: childEnv(mode)}, req))
			assert.Equal(t, want, out.Output, "%s, limit %d", mode, limit)
			assert.Equal(t, want != text, out.Truncated, "%s, limit %d", mode, limit)
		}
	}
}

// The agent's limit has a ceiling, and no agent makes this program grow (openclaw/acpx#556).
func TestFlood_acpx556(t *testing.T) {
	size := 64 << 20
	if heavy() {
		size = 1 << 30
	}
	const most = 100_000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	req := request(t, strconv.Itoa(size))
	req.OutputByteLimit = new(int64(1 << 40))
	term := create(t, &terminal.Options{Env: childEnv("flood"), MaxOutput: most}, req)
	polled := 1
	tick := time.NewTicker(50 * time.Millisecond) // as often as agents ask
	defer tick.Stop()
	for ; term.Output().Exit == nil; polled++ {
		<-tick.C
	}
	runtime.ReadMemStats(&after)
	out := wait(t, term)
	assert.Len(t, out.Output, most)
	assert.True(t, out.Truncated)
	assert.True(t, strings.HasSuffix(out.Output, "0123456789abcde\n"))
	grown := (int64(after.Sys) - int64(before.Sys)) >> 20
	assert.Less(t, grown, int64(32), "MiB")
	t.Logf("%d MiB printed, asked %d times, grown by %d MiB", size>>20, polled, grown)
}

func TestDefaultLimitIsOneMebibyte(t *testing.T) {
	out := wait(t, run(t, "flood", strconv.Itoa(1<<20)))
	assert.Len(t, out.Output, 1<<20)
	assert.False(t, out.Truncated)
	out = wait(t, run(t, "flood", strconv.Itoa(1<<20+1)))
	assert.Len(t, out.Output, 1<<20)
	assert.True(t, out.Truncated)
}

// What is not UTF-8 is replaced, and the replacements count for the limit.
func TestOutputIsUTF8(t *testing.T) {
	for _, tc := range []struct {
		printed, want string
		limit         int64
		truncated     bool
	}{
		{"a\xffb\xfe\xfdc", "a\uFFFDb\uFFFDc", 100, false},
		{"a\xffb\xfe\xfdc", "b\uFFFDc", 5, true},
		{"a\xe2\x82", "a\uFFFD", 100, false},
		{"a\xe2\x82", "\uFFFD", 3, true},
		{"a\xe2\x82", "", 2, true},
	} {
		req := request(t, tc.printed)
		req.OutputByteLimit = &tc.limit
		out := wait(t, create(t, &terminal.Options{Env: childEnv("print")}, req))
		assert.Equal(t, tc.want, out.Output, "%q, limit %d", tc.printed, tc.limit)
		assert.Equal(t, tc.truncated, out.Truncated, "%q, limit %d", tc.printed, tc.limit)
	}
}

// What a command writes before its exit is there when the exit is (golang/go#19685, golang/go#23019).
func TestWriteAndExitKeepsTheTail_go19685(t *testing.T) {
	const size = 20_000
	n := 100
	if heavy() {
		n = 1000
	}
	for _, pty := range []bool{false, runtime.GOOS != "windows"} {
		host := terminal.New(&terminal.Options{Env: childEnv("flood"), PTY: pty})
		for range n {
			req := request(t, strconv.Itoa(size))
			term, err := host.CreateTerminal(t.Context(), req)
			require.NoError(t, err)
			got := strings.ReplaceAll(wait(t, term).Output, "\r", "")
			require.NoError(t, term.Release(t.Context()))
			require.Len(t, got, size)
		}
	}
}

func TestFiftySideBySide_gajae3483(t *testing.T) {
	host := terminal.New(&terminal.Options{Env: childEnv("print")})
	var wg sync.WaitGroup
	for i := range 50 {
		req := request(t, strconv.Itoa(i))
		wg.Go(func() {
			term, err := host.CreateTerminal(t.Context(), req)
			if !assert.NoError(t, err) {
				return
			}
			_, err = term.Wait(t.Context())
			assert.NoError(t, err)
			assert.Equal(t, strconv.Itoa(i), term.Output().Output)
			assert.NoError(t, term.Release(t.Context()))
		})
	}
	wg.Wait()
}

// Every waiter gets the exit (multica-ai/multica#7323), and one that gives up keeps none of the others.
func TestManyWaiters(t *testing.T) {
	term := run(t, "sleep")
	await(t, term, "ready")
	_, err := term.Wait(ended(t))
	require.ErrorIs(t, err, context.Canceled)
	var wg sync.WaitGroup
	statuses := make([]acp.TerminalExitStatus, 20)
	for i := range statuses {
		wg.Go(func() {
			var err error
			statuses[i], err = term.Wait(t.Context())
			assert.NoError(t, err)
		})
	}
	require.NoError(t, term.Kill(t.Context()))
	wg.Wait()
	for _, s := range statuses {
		assert.Equal(t, *term.Output().Exit, s)
	}
	again, err := term.Wait(ended(t))
	require.NoError(t, err, "an end that is known is told")
	assert.Equal(t, statuses[0], again)
}

// A killed command's output stays until release; what comes after release does no harm.
func TestKillThenOutputThenReleaseThenOutput_gajae3483(t *testing.T) {
	term := run(t, "sleep")
	await(t, term, "ready")
	require.Nil(t, term.Output().Exit)
	require.NoError(t, term.Kill(t.Context()))
	require.NoError(t, term.Kill(t.Context()), "once more")
	out := wait(t, term)
	assert.Contains(t, out.Output, "ready")
	assert.False(t, out.Truncated)

	require.NoError(t, term.Release(t.Context()))
	require.NoError(t, term.Release(t.Context()), "once more")
	require.NoError(t, term.Kill(t.Context()))
	after := term.Output()
	assert.Equal(t, acp.TerminalOutput{Truncated: true, Exit: out.Exit}, after)
	status, err := term.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, *out.Exit, status)
}

func TestReleaseWhileRunning(t *testing.T) {
	term := run(t, "sleep")
	pid := pids(t, await(t, term, "\n"))[0]
	waited := make(chan error, 1)
	go func() {
		_, err := term.Wait(context.Background())
		waited <- err
	}()
	require.NoError(t, term.Release(t.Context()))
	require.NoError(t, <-waited)
	requireDead(t, pid)
}

// A command that has ended is not held up by who has its output, and release ends them (golang/go#23019).
func TestGrandchildHoldsTheOutput_go23019(t *testing.T) {
	opts := &terminal.Options{Env: childEnv("hold"), Drain: 10 * time.Millisecond}
	term := create(t, opts, request(t, "sleep"))
	out := wait(t, term)
	assert.Equal(t, exitCode(0), *out.Exit)
	pid := pids(t, out.Output)[0]
	assert.False(t, dead(pid), "what a command leaves running lives until release")
	require.NoError(t, term.Release(t.Context()))
	requireDead(t, pid)
}

func TestKillOfATreeThatIgnoresSIGTERM(t *testing.T) {
	opts := &terminal.Options{Env: childEnv("stubborn-tree"), KillGrace: 50 * time.Millisecond}
	term := create(t, opts, request(t))
	tree := pids(t, await(t, term, "\n"))
	require.NoError(t, term.Kill(t.Context()))
	for _, pid := range tree {
		requireDead(t, pid)
	}
	if runtime.GOOS != "windows" {
		assert.Equal(t, "SIGKILL", wait(t, term).Exit.Signal)
	}
}

func TestCommandsOfAnEndedContextAreNotStarted(t *testing.T) {
	_, err := terminal.New(nil).CreateTerminal(ended(t), request(t))
	require.ErrorIs(t, err, context.Canceled)
}

// pids returns the numbers in a line.
func pids(t *testing.T, line string) []int {
	t.Helper()
	var found []int
	for word := range strings.FieldsSeq(line) {
		if n, err := strconv.Atoi(word); err == nil {
			found = append(found, n)
		}
	}
	require.NotEmpty(t, found, line)
	return found
}
