package probe_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/acpharness/acpharness/internal/fakeagent"
	"github.com/acpharness/acpharness/parity/probe"
	"github.com/acpharness/acpharness/provider"
)

const (
	scriptEnv = "PROBE_TEST_SCRIPT" // makes the test binary an agent that follows the script in this file
	parentEnv = "PROBE_TEST_PARENT" // makes it start a child that outlives it, before all else
)

func TestMain(m *testing.M) {
	if file := os.Getenv(scriptEnv); file != "" {
		os.Exit(beAgent(file))
	}
	goleak.VerifyTestMain(m)
}

func beAgent(file string) int {
	var script *fakeagent.Script
	text, err := os.ReadFile(file)
	if err == nil {
		script, err = fakeagent.ParseScript(text)
	}
	if err == nil && os.Getenv(parentEnv) != "" {
		err = startGrandchild()
	}
	if err == nil {
		err = fakeagent.Serve(context.Background(), os.Stdin, os.Stdout, &fakeagent.Options{
			Script: script, Version: "1.2.3", Stderr: os.Stderr,
		})
	}
	if exit, ok := errors.AsType[*fakeagent.ExitError](err); ok {
		return exit.Code
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	return 0
}

// scripted is an agent that follows a script, as a process.
func scripted(t *testing.T) probe.Subject {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return probe.Subject{Name: "scripted", Connector: provider.NewCommand([]string{self})}
}

// env connects with the environment for a script.
func env(t *testing.T, script *fakeagent.Script, more ...string) provider.ConnectOptions {
	t.Helper()
	text, err := json.Marshal(script)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "script.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	// The race detector's run time would hold up the exit for a second.
	return provider.ConnectOptions{SetEnv: append([]string{scriptEnv + "=" + file, "GORACE=atexit_sleep_ms=0"}, more...)}
}

// observe observes an agent that follows a script.
func observe(t *testing.T, script *fakeagent.Script) *probe.Observation {
	t.Helper()
	seen := probe.Observe(t.Context(), scripted(t), &probe.Options{Connect: env(t, script)})
	require.NotNil(t, seen.Stop, seen.Error)
	require.Empty(t, seen.Stop.Leftover)
	return seen
}
