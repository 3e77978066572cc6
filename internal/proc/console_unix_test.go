//go:build unix

package proc_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/acpharness/acpharness/internal/proc"
)

// terminalChild prints what it knows of its terminal.
func terminalChild() int {
	size, err := unix.IoctlGetWinsize(1, unix.TIOCGWINSZ)
	if err != nil {
		return 1
	}
	sid, _ := unix.Getsid(0)
	tty, err := os.Open("/dev/tty")
	fmt.Fprintln(os.Stdout, size.Col, size.Row, sid == os.Getpid(), unix.Getpgrp() == os.Getpid(), err)
	fmt.Fprintln(os.Stderr, "done")
	_ = tty.Close()
	return 0
}

func TestConsoleOnATerminal(t *testing.T) {
	for range 50 {
		spec, s := consoleSpec(t, "terminal")
		spec.Console.Terminal = &proc.WindowSize{Columns: 100, Rows: 30}
		p := start(t, spec)
		<-p.Settled()
		require.Equal(t, "100 30 true true <nil>\r\ndone\r\n", s.String())
		e := p.Stop(t.Context())
		assert.Zero(t, e.Code)
		requireReaped(t, p.PID())
	}
}

func TestTerminalThatIsStopped(t *testing.T) {
	spec, s := consoleSpec(t, "ignore-term")
	spec.Console.Terminal = &proc.WindowSize{Columns: 80, Rows: 24}
	p := start(t, spec)
	s.await(t, "ready\r\n")
	e := p.Stop(endedContext(t))
	assert.Equal(t, "SIGKILL", e.Signal)
	assert.Empty(t, e.Leftover)
}

func lives(pid int) bool { return !dead(pid) }
