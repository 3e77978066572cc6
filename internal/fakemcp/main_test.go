package fakemcp_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/acpharness/acpharness/internal/fakemcp"
)

// The variables that make the test binary a server on its standard streams.
const (
	childLabel   = "FAKEMCP_TEST_LABEL"
	childJournal = "FAKEMCP_TEST_JOURNAL"
)

func TestMain(m *testing.M) {
	if label := os.Getenv(childLabel); label != "" {
		os.Exit(beServer(label))
	}
	goleak.VerifyTestMain(m)
}

func beServer(label string) int {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := fakemcp.Serve(context.Background(), os.Stdin, os.Stdout, &fakemcp.Options{
		Label: label, Journal: os.Getenv(childJournal), Args: os.Args[1:], Signals: signals,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// child is the command of a server in a process of its own.
func child(t *testing.T, label, journal string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, args...)
	// The race detector's run time would hold up every exit for a second.
	cmd.Env = append(os.Environ(), childLabel+"="+label, childJournal+"="+journal, "GORACE=atexit_sleep_ms=0", "SECRET_KEY=sk-1")
	return cmd
}
