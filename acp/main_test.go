package acp_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
	"github.com/acpharness/acpharness/internal/fakeagent"
)

// scriptEnv makes the test binary an agent that follows the script in it.
const scriptEnv = "ACP_TEST_AGENT_SCRIPT"

func TestMain(m *testing.M) {
	if script, ok := os.LookupEnv(scriptEnv); ok {
		os.Exit(beAgent(script))
	}
	goleak.VerifyTestMain(m)
}

func beAgent(text string) int {
	script, err := fakeagent.ParseScript([]byte(text))
	if err != nil {
		return 99
	}
	err = fakeagent.Serve(context.Background(), os.Stdin, os.Stdout, &fakeagent.Options{Script: script, Version: "1.2.3", Stderr: os.Stderr})
	if exit, ok := errors.AsType[*fakeagent.ExitError](err); ok {
		return exit.Code
	}
	if err != nil {
		return 98
	}
	return 0
}

// processAgent is the scripted agent as a process of its own.
func processAgent(t *testing.T, script string) *acp.CommandTransport {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	// The race detector would let every agent sleep for a second at its exit.
	env := append(os.Environ(), scriptEnv+"="+script, "GORACE=atexit_sleep_ms=0")
	return &acp.CommandTransport{Command: self, Env: env}
}

var testClient = acp.Implementation{Name: "test", Version: "1.0.0"}

// connect connects to an agent in this process and closes both at the end of the test.
func connect(t *testing.T, script *acptest.Script, opts *acp.ClientOptions) (*acp.Conn, *acptest.Agent) {
	t.Helper()
	agent := acptest.NewAgent(script)
	conn, err := acp.NewClient(testClient, opts).Connect(t.Context(), agent)
	require.NoError(t, err)
	t.Cleanup(func() {
		assertClosed(t, conn)
		agent.Close()
	})
	return conn, agent
}

// start connects to an agent that is a process. A test that fails before it closes the connection leaves no process behind.
func start(t *testing.T, transport *acp.CommandTransport, opts *acp.ClientOptions) *acp.Conn {
	t.Helper()
	conn, err := acp.NewClient(testClient, opts).Connect(t.Context(), transport)
	require.NoError(t, err)
	t.Cleanup(func() {
		now, cancel := context.WithCancel(context.Background())
		cancel()
		require.NoError(t, conn.Close(now))
	})
	return conn
}

func assertClosed(t *testing.T, conn *acp.Conn) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), closeLimit)
	defer cancel()
	require.NoError(t, conn.Close(ctx))
}

// open connects and opens a session.
func open(t *testing.T, script *acptest.Script, opts *acp.ClientOptions) (*acp.Session, *acptest.Agent) {
	t.Helper()
	conn, agent := connect(t, script, opts)
	session, err := conn.NewSession(t.Context(), "/", nil)
	require.NoError(t, err)
	return session, agent
}

// play plays one turn and returns its updates and outcome.
func play(t *testing.T, session *acp.Session, prompt string) ([]acp.SessionNotification, *acp.TurnResult, error) {
	t.Helper()
	turn, err := session.Prompt(t.Context(), acp.Text(prompt), nil)
	require.NoError(t, err)
	var updates []acp.SessionNotification
	for n := range turn.Updates() {
		updates = append(updates, n)
	}
	result, err := turn.Wait(t.Context())
	return updates, result, err
}

// answer is the text of the agent's message in updates.
func answer(updates []acp.SessionNotification) string {
	var text string
	for _, n := range updates {
		if chunk, ok := n.Update.(*acp.AgentMessageChunk); ok {
			if block, ok := chunk.Content.(*acp.TextContent); ok {
				text += block.Text
			}
		}
	}
	return text
}
