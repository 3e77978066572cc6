package terminal_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/term"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/terminal"
)

// childMode makes the test binary behave as one of the commands below.
const childMode = "TERMINAL_TEST_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		os.Exit(childMain(mode, os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

func childMain(mode string, args []string) int {
	switch mode {
	case "print":
		_, _ = os.Stdout.WriteString(args[0])
	case "print-bytes": // one write for each byte
		for i := range len(args[0]) {
			_, _ = os.Stdout.WriteString(args[0][i : i+1])
		}
	case "flood": // so many bytes
		n, _ := strconv.Atoi(args[0])
		block := []byte(strings.Repeat("0123456789abcde\n", 4096))
		for ; n > 0; n -= len(block) {
			_, _ = os.Stdout.Write(block[:min(n, len(block))])
		}
	case "streams":
		for i := range 100 {
			fmt.Fprintln([]*os.File{os.Stdout, os.Stderr}[i%2], i)
		}
	case "exit":
		code, _ := strconv.Atoi(args[0])
		return code
	case "stdin":
		n, err := io.Copy(io.Discard, os.Stdin)
		fmt.Fprintln(os.Stdout, "stdin:", n, err)
	case "env":
		fmt.Fprintln(os.Stdout, os.Getenv(args[0]))
	case "dir":
		dir, _ := os.Getwd()
		fmt.Fprintln(os.Stdout, dir)
	case "tty":
		width, height, _ := term.GetSize(1)
		fmt.Fprintln(os.Stdout, term.IsTerminal(0), term.IsTerminal(1), term.IsTerminal(2), width, height, os.Getenv("TERM"))
	case "sleep":
		fmt.Fprintln(os.Stdout, "ready", os.Getpid())
		sleep()
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		fmt.Fprintln(os.Stdout, "ready", os.Getpid())
		sleep()
	case "hold": // leaves behind a command of mode args[0] that has its output
		fmt.Fprintln(os.Stdout, "left", grandchild(args[0]))
	case "stubborn-tree":
		signal.Ignore(syscall.SIGTERM)
		fmt.Fprintln(os.Stdout, "tree", os.Getpid(), grandchild("stubborn"))
		sleep()
	default:
		unixChild(mode)
	}
	return 0
}

func sleep() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	for range c {
	}
}

// grandchild starts a process, which inherits stderr, and waits for its "ready".
func grandchild(mode string) int {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childMode+"="+mode)
	cmd.Stderr = os.Stderr
	ready, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	if _, err := bufio.NewReader(ready).ReadString('\n'); err != nil {
		panic(err)
	}
	return cmd.Process.Pid
}

// childEnv is an environment in which the test binary is a command of this mode.
func childEnv(mode string) []string {
	// The race detector would let every command sleep for a second at its exit.
	return append(os.Environ(), childMode+"="+mode, "GORACE=atexit_sleep_ms=0")
}

// request asks for the test binary as a command, in a directory of its own.
func request(t *testing.T, args ...string) *acp.CreateTerminalRequest {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	return &acp.CreateTerminalRequest{SessionID: "s", Roots: []string{dir}, Command: self, Args: args, CWD: dir}
}

// create creates a terminal that the end of the test releases at the latest.
func create(t *testing.T, opts *terminal.Options, req *acp.CreateTerminalRequest) acp.HostedTerminal {
	t.Helper()
	term, err := terminal.New(opts).CreateTerminal(t.Context(), req)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, term.Release(ended(t))) })
	return term
}

// run creates a terminal for a command of this mode.
func run(t *testing.T, mode string, args ...string) acp.HostedTerminal {
	t.Helper()
	return create(t, &terminal.Options{Env: childEnv(mode)}, request(t, args...))
}
