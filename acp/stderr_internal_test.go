package acp

import (
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStderrLevels(t *testing.T) {
	t.Parallel()
	const (
		trace = levelTrace
		debug = slog.LevelDebug
		info  = slog.LevelInfo
		warn  = slog.LevelWarn
		err   = slog.LevelError
	)
	for _, tc := range []struct {
		line string
		want slog.Level
	}{
		{"", info},
		{"Ripgrep is not available. Falling back to GrepTool.", info},
		{"ERROR x", err},
		{"error: unknown option", err},
		{"[error] x", err},
		{"[ERROR]: x", err},
		{"Error: x", err},
		{"Error handling request { jsonrpc: '2.0', id: 5 } {", err},
		{"error Command failed", err},
		{"fatal: not a repository", err},
		{"CRITICAL:root:x", err},
		{"panic: runtime error: x", err},
		{"TypeError: x", err},
		{"java.lang.IllegalStateException: x", err},
		{"Uncaught x", err},
		{"thread 'main' panicked at src/main.rs:1:2", err},
		{"WARN x", warn},
		{"Warning: x", warn},
		{"(node:12) [DEP0040] DeprecationWarning: x", warn},
		{"DeprecationWarning: x", warn},
		{"INFO x", info},
		{"DEBUG x", debug},
		{"[debug] x", debug},
		{"TRACE x", trace},
		{"npm error code E404", err},
		{"npm ERR! code E404", err},
		{"npm warn deprecated x", warn},
		{"npm notice x", info},
		// what only looks like one
		{"debug mode is on", info},
		{"errors were found: 0", info},
		{"no ERROR at all", info},
		{"alert service started", info},
		{"informational", info},
		// times before it
		{"2026-11-30T12:02:38.993074Z ERROR x", err},
		{"2026-11-30 11:27:26 [error]: CursorError: x", err},
		{"2026/11/30 11:27:26 WARN x", warn},
		{"[11:27:26.123] [debug] x", debug},
		{"2026-11-30 11:27:26,123 - my.logger - ERROR - x", err},
		{"11:27:26 [main] WARN c.e.Main - x", warn},
		{"[acp] ERROR x", err},
		{"2026-11-30 11:27:26 started without error", info},
		{"E1130 15:07:14.000000 1 file.go:1] x", err},
		{"W1130 15:07:14.000000 1 file.go:1] x", warn},
		{"12345", info},
		// colours
		{"\x1b[2m2026-11-30T12:02:38.993074Z\x1b[0m \x1b[31mERROR\x1b[0m \x1b[2mcodex\x1b[0m", err},
		{"2026-11-30 11:27:26 [\x1b[31merror\x1b[39m]: x", err},
		{"\x1b[33mWARN\x1b[0m x", warn},
		{"\x1b[31", info},
		// key=value
		{"level=warn msg=x", warn},
		{`time=2026-11-30T15:07:14Z level=ERROR msg="x"`, err},
		{`ts=1 lvl="debug" msg=x`, debug},
		{"msg=x", info},
		{"set level=error", info},
		// JSON
		{`{"level":"info","msg":"x"}`, info},
		{`{"time":"t","level":"ERROR","msg":"x"}`, err},
		{`{"severity": "WARNING"}`, warn},
		{`{"level":10}`, trace},
		{`{"level":20}`, debug},
		{`{"level":30,"msg":"an error"}`, info},
		{`{"level":40}`, warn},
		{`{"level":50}`, err},
		{`{"level":60}`, err},
		{`{"level":{"x":1},"severity":"error"}`, err},
		{`{"level":"whatever"}`, info},
		{`{"level":`, info},
		{`{"msg":"\"level\":\"error\""}`, info},
		{"{", info},
	} {
		level, suppressed, emit := newStderrLog(time.Now).line([]byte(tc.line))
		assert.Equal(t, tc.want, level, "%q", tc.line)
		assert.True(t, emit)
		assert.Zero(t, suppressed)
	}
}

func TestStderrEntriesOfManyLines(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		lines string // each begins with the first letter of its level
	}{
		{"of Python", "I start\nETraceback (most recent call last):\nE  File \"x\", line 1\nE    f()\nEKeyboardInterrupt\nInext"},
		{"of Python, with an error", "ETraceback (most recent call last):\nE  File \"x\"\nEValueError: x\nInext"},
		{"of Node", "EError: x\nE    at f (x.js:1:1)\nE    at g\nInext\nI    indented"},
		{"an object", "EError handling request {\nE  jsonrpc: '2.0',\nE} {\nE  message: 'Internal error',\nE}\nInext"},
		{"until a blank line", "Epanic: x\nE\tat\nI\nI\tindented"},
		{"until another level", "EERROR x\nE  more\nIINFO y\nI  more"},
		{"a warning", "WWARN x\nW  more\nE  ERROR y\nE  more\nInext"},
		{"levels of indented lines", "I  INFO x\nD  DEBUG y\nI  z"},
		{"JSON has one line", "E{\"level\":50}\nI  indented"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			log := newStderrLog(time.Now)
			letters := map[slog.Level]string{slog.LevelDebug: "D", slog.LevelInfo: "I", slog.LevelWarn: "W", slog.LevelError: "E"}
			for line := range strings.SplitSeq(tc.lines, "\n") {
				level, _, _ := log.line([]byte(line[1:]))
				assert.Equal(t, line[:1], letters[level], "%q", line[1:])
			}
		})
	}
}

// TestStderrRate is about agents that write without end, kandev#2417.
func TestStderrRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := newStderrLog(time.Now)
		// burst writes lines and returns how many were emitted and what the first of them said of others.
		burst := func(n int) (emitted, told int) {
			for range n {
				_, suppressed, emit := log.line([]byte("ERROR x"))
				if emit {
					emitted++
					told += suppressed
				}
			}
			return emitted, told
		}
		pass := func(d time.Duration) { <-time.After(d) }
		emitted, told := burst(1000)
		assert.Equal(t, []int{stderrBurst, 0}, []int{emitted, told})
		assert.Equal(t, 900, log.unreported())

		pass(stderrCost - 1)
		emitted, _ = burst(1)
		assert.Zero(t, emitted, "not yet")

		pass(1)
		emitted, told = burst(3)
		assert.Equal(t, []int{1, 901}, []int{emitted, told})
		assert.Equal(t, 2, log.unreported())

		pass(time.Second)
		emitted, told = burst(100)
		assert.Equal(t, []int{stderrRate, 2}, []int{emitted, told})

		pass(time.Hour)
		emitted, told = burst(1000)
		assert.Equal(t, []int{stderrBurst, 80}, []int{emitted, told}, "no credit beyond the burst")
	})
}

// TestStderrLevelIsKnownWhileSuppressed keeps the entry of a line that was not emitted.
func TestStderrLevelIsKnownWhileSuppressed(t *testing.T) {
	t.Parallel()
	at := time.Unix(0, 0)
	log := newStderrLog(func() time.Time { return at })
	for range stderrBurst {
		log.line([]byte("x"))
	}
	_, _, emit := log.line([]byte("Error: x"))
	require.False(t, emit)
	at = at.Add(-time.Hour) // a clock that was set back gives no credit and takes none
	_, _, emit = log.line([]byte("  at f"))
	require.False(t, emit)
	at = at.Add(time.Second)
	level, suppressed, emit := log.line([]byte("  at g"))
	assert.True(t, emit)
	assert.Equal(t, slog.LevelError, level)
	assert.Equal(t, 2, suppressed)
}

func TestStderrLinesCostNoMemory(t *testing.T) {
	log := newStderrLog(time.Now)
	for _, line := range []string{
		"\x1b[2m2026-11-30T12:02:38.993074Z\x1b[0m \x1b[31mERROR\x1b[0m x", `{"level":30,"msg":"x"}`, "level=warn msg=x", "    at f (x.js:1:1)",
	} {
		text := []byte(line)
		assert.Zero(t, testing.AllocsPerRun(100, func() { log.line(text) }), "%q", line)
	}
}
