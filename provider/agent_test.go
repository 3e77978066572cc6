package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/acpharness/acpharness/internal/fakeagent"
	"github.com/acpharness/acpharness/provider"
)

// seenFile makes the test binary an agent on its standard streams. What it sees of the world goes to that file.
const seenFile = "PROVIDER_TEST_SEEN_FILE"

// scriptText is the script of that agent, in JSON.
const scriptText = "PROVIDER_TEST_SCRIPT"

// seen is what an agent saw.
type seen struct {
	Args       []string
	Env        []string
	Initialize json.RawMessage // its params
}

func TestMain(m *testing.M) {
	if file := os.Getenv(seenFile); file != "" {
		os.Exit(beAgent(file))
	}
	goleak.VerifyTestMain(m)
}

func beAgent(file string) int {
	saw := seen{Args: os.Args[1:], Env: os.Environ()}
	script := &fakeagent.Script{}
	if text := os.Getenv(scriptText); text != "" {
		var err error
		if script, err = fakeagent.ParseScript([]byte(text)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	err := fakeagent.Serve(context.Background(), os.Stdin, os.Stdout, &fakeagent.Options{
		Script: script,
		Journal: func(e fakeagent.Event) {
			if e.Method == "initialize" {
				saw.Initialize = e.Params
			}
		},
	})
	if err == nil {
		var text []byte
		if text, err = json.Marshal(saw); err == nil {
			err = os.WriteFile(file, text, 0o600)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// self is the path of the test binary.
func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	return path
}

// agentEnv is an environment in which the test binary is an agent.
func agentEnv(file string, more ...string) []string {
	return append(append(os.Environ(), agentSettings(file)...), more...)
}

// agentSettings is what makes the test binary an agent.
func agentSettings(file string) []string {
	// The race detector's run time would hold up the exit for a second.
	return []string{seenFile + "=" + file, "GORACE=atexit_sleep_ms=0"}
}

// connectAndClose starts an agent, ends it, and returns what it saw.
func connectAndClose(t *testing.T, c provider.Connector, opts *provider.ConnectOptions, file string) seen {
	t.Helper()
	opts.Stop.StdinClose = time.Minute // what it saw is written after the end of its input
	p, err := c.Connect(t.Context(), opts)
	require.NoError(t, err)
	require.NoError(t, p.Close(t.Context()))
	require.Equal(t, 0, p.Conn().Exit().Code, p.Conn().StderrTail())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var saw seen
	require.NoError(t, json.Unmarshal(text, &saw))
	return saw
}

// named returns the values of a name, in order.
func named(env []string, name string) []string {
	var values []string
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			values = append(values, value)
		}
	}
	return values
}
