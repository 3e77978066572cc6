//go:build unix

package terminal_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/terminal"
)

// runPTY creates a terminal with a PTY for a command of this mode.
func runPTY(t *testing.T, mode string, args ...string) acp.HostedTerminal {
	t.Helper()
	return create(t, &terminal.Options{Env: childEnv(mode), PTY: true, KillGrace: 50 * time.Millisecond}, request(t, args...))
}

func TestPTYIsATerminal(t *testing.T) {
	opts := &terminal.Options{Env: append(childEnv("tty"), "TERM="), PTY: true}
	assert.Equal(t, "false true true 80 24 xterm-256color\r\n", wait(t, create(t, opts, request(t))).Output)
	opts.Columns, opts.Rows, opts.Env = 132, 50, append(opts.Env, "TERM=vt100")
	assert.Equal(t, "false true true 132 50 vt100\r\n", wait(t, create(t, opts, request(t))).Output)
	assert.Equal(t, "false false false 0 0 \n", wait(t, create(t, &terminal.Options{Env: append(childEnv("tty"), "TERM=")}, request(t))).Output)
}

func TestPTYControlsTheSession(t *testing.T) {
	assert.Equal(t, "true <nil>\r\n", wait(t, runPTY(t, "session")).Output)
}

func TestPTYStdinIsEmpty_sigit71(t *testing.T) {
	assert.Equal(t, "stdin: 0 <nil>\r\n", wait(t, runPTY(t, "stdin")).Output)
}

func TestPTYKeepsColours(t *testing.T) {
	const text = "\x1b[31mred\x1b[0m €"
	assert.Equal(t, text, wait(t, runPTY(t, "print", text)).Output)
}

func TestPTYExitStatus(t *testing.T) {
	assert.Equal(t, exitCode(3), *wait(t, runPTY(t, "exit", "3")).Exit)
}

func TestPTYKillOfATree(t *testing.T) {
	term := runPTY(t, "stubborn-tree")
	tree := pids(t, await(t, term, "\n"))
	require.Len(t, tree, 2)
	require.NoError(t, term.Kill(t.Context()))
	for _, pid := range tree {
		requireDead(t, pid)
	}
	assert.Equal(t, "SIGKILL", wait(t, term).Exit.Signal)
}

func TestPTYGrandchildHoldsTheOutput_go23019(t *testing.T) {
	opts := &terminal.Options{Env: childEnv("hold"), PTY: true, Drain: 10 * time.Millisecond}
	term := create(t, opts, request(t, "stubborn"))
	out := wait(t, term)
	assert.Equal(t, exitCode(0), *out.Exit)
	pid := pids(t, out.Output)[0]
	require.NoError(t, term.Release(ended(t)))
	requireDead(t, pid)
}

func TestPTYRelease(t *testing.T) {
	term := runPTY(t, "sleep")
	pid := pids(t, await(t, term, "\n"))[0]
	require.NoError(t, term.Release(t.Context()))
	requireDead(t, pid)
	assert.Equal(t, "SIGTERM", term.Output().Exit.Signal)
}
