package proc_test

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

	"github.com/acpharness/acpharness/internal/proc"
)

// childMode makes the test binary behave as one of the children below.
const childMode = "PROC_TEST_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		os.Exit(childMain(mode, os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

func childMain(mode string, args []string) int {
	switch mode {
	case "cat":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "exit":
		code, _ := strconv.Atoi(args[0])
		return code
	case "burst": // writes so many bytes and exits at once
		burst(args[0])
	case "burst-on-eof":
		_, _ = io.Copy(io.Discard, os.Stdin)
		burst(args[0])
	case "stderr": // writes so many lines to stderr, then to stdout
		n, _ := strconv.Atoi(args[0])
		w := bufio.NewWriter(os.Stderr)
		for i := range n {
			fmt.Fprintf(w, "line %06d %s\n", i, strings.Repeat("x", 87))
		}
		_ = w.Flush()
		fmt.Fprintln(os.Stdout, "ready")
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "ignore-eof":
		fmt.Fprintln(os.Stdout, "ready")
		sleep()
	case "exit-on-term":
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		fmt.Fprintln(os.Stdout, "ready")
		<-c
		return 7
	case "ignore-term":
		signal.Ignore(syscall.SIGTERM)
		fmt.Fprintln(os.Stdout, "ready")
		sleep()
	case "launcher": // starts a grandchild of mode args[0], prints its pid, exits at stdin EOF
		fmt.Fprintln(os.Stdout, grandchild(args[0]))
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "burst-and-leave": // leaves a grandchild that has its output
		burst(args[0])
		fmt.Fprintln(os.Stdout, grandchild("ignore-eof"))
	case "chatter": // goes on on stderr
		fmt.Fprintln(os.Stdout, "ready")
		for {
			if _, err := fmt.Fprintln(os.Stderr, "still here"); err != nil {
				return 1
			}
		}
	case "launch-and-exit":
		fmt.Fprintln(os.Stdout, grandchild(args[0]))
	default:
		return unixChild(mode, args)
	}
	return 0
}

func sleep() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	for range c {
	}
}

func burst(size string) {
	n, _ := strconv.Atoi(size)
	_, _ = os.Stdout.WriteString(strings.Repeat("x", n-4) + "END\n")
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

func childSpec(t *testing.T, mode string, args ...string) *proc.Spec {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	// The race detector's run time would hold up every exit for a second.
	env := append(os.Environ(), childMode+"="+mode, "GORACE=atexit_sleep_ms=0")
	return &proc.Spec{Path: self, Args: args, Env: env}
}

// start starts a child that the end of the test stops at the latest.
func start(t *testing.T, spec *proc.Spec) *proc.Process {
	t.Helper()
	p, err := proc.Start(spec)
	require.NoError(t, err)
	t.Cleanup(func() { p.Stop(endedContext(t)) })
	return p
}

// readLine reads one line of stdout byte by byte, so that the rest stays in the pipe.
func readLine(t *testing.T, p *proc.Process) string {
	t.Helper()
	var line []byte
	for b := make([]byte, 1); ; {
		_, err := p.Stdout().Read(b)
		require.NoError(t, err, "stdout ended after %q, stderr: %s", line, p.StderrTail())
		if b[0] == '\n' {
			return strings.TrimSuffix(string(line), "\r")
		}
		line = append(line, b[0])
	}
}
