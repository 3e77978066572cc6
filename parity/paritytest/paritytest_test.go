package paritytest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/internal/fakeagent"
	"github.com/acpharness/acpharness/parity"
	"github.com/acpharness/acpharness/parity/paritytest"
	"github.com/acpharness/acpharness/provider"
)

const (
	// agentMode makes the test binary the built-in agent, with the folder that it names for its sessions.
	agentMode = "PARITYTEST_TEST_STORE"
	// failing has TestOfALiar run.
	failing = "PARITYTEST_TEST_FAILS"
)

func TestMain(m *testing.M) {
	if store := os.Getenv(agentMode); store != "" {
		script := &fakeagent.Script{Store: store}
		if err := fakeagent.Serve(context.Background(), os.Stdin, os.Stdout, &fakeagent.Options{Script: script}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// TestOfABackend is about a process that is started as a backend of this module.
func TestOfABackend(t *testing.T) {
	t.Parallel()
	d, err := backends.Lookup("builtin")
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	paritytest.Run(t, parity.Subject{
		Name: "builtin", Connector: provider.NewBackend(d, &provider.BackendOptions{Self: []string{self}}), Descriptor: &d,
		Connect: provider.ConnectOptions{SetEnv: []string{agentMode + "=" + filepath.Join(t.TempDir(), "store"), "GORACE=atexit_sleep_ms=0"}},
		Dir:     t.TempDir(), Say: acp.Text("hello"),
		Shell: func(command string) ([]acp.ContentBlock, error) { return acp.Text("permission for " + command), nil },
	}, nil)
}

// embedded is a connector of somebody else's, to an agent in this process.
type embedded struct{ agent *acptest.Agent }

func (embedded) ID() string { return "embedded" }

func (e embedded) Connect(ctx context.Context, opts *provider.ConnectOptions) (provider.Provider, error) {
	conn, err := acp.NewClient(opts.ClientInfo, &opts.Client).Connect(ctx, e.agent)
	if err != nil {
		return nil, err
	}
	return connection{conn: conn}, nil
}

// connection declares nothing.
type connection struct {
	provider.Unimplemented
	conn *acp.Conn
}

func (c connection) Conn() *acp.Conn                 { return c.conn }
func (c connection) Close(ctx context.Context) error { return c.conn.Close(ctx) }

// TestOfAnEmbedder is about a provider that declares nothing: what it advertises is compared.
func TestOfAnEmbedder(t *testing.T) {
	t.Parallel()
	agent := acptest.NewAgent(&acptest.Script{Store: t.TempDir()})
	t.Cleanup(agent.Close)
	paritytest.Run(t, parity.Subject{Name: "embedded", Connector: embedded{agent}, Dir: t.TempDir(), Say: acp.Text("hello")}, nil)
}

// TestOfALiar fails, in a process of its own.
func TestOfALiar(t *testing.T) {
	if os.Getenv(failing) == "" {
		t.Skip("it is run by TestThatALiarFails")
	}
	agent := acptest.NewAgent(&acptest.Script{
		CloseUnsupported: true, Capabilities: json.RawMessage(`{"sessionCapabilities":{"close":{},"list":{}}}`),
	})
	t.Cleanup(agent.Close)
	paritytest.Run(t, parity.Subject{Name: "liar", Connector: embedded{agent}, Dir: t.TempDir()}, nil)
}

func TestThatALiarFails(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestOfALiar$", "-test.v", "-test.timeout=60s")
	cmd.Env = append(os.Environ(), failing+"=1")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	text := string(out)
	assert.Contains(t, text, "--- FAIL: TestOfALiar/advertised/sessionCapabilities.close")
	assert.Contains(t, text, "declared: advertised; observed: error -32601")
	assert.Contains(t, text, "--- PASS: TestOfALiar/advertised/sessionCapabilities.list")
	assert.Contains(t, text, "--- SKIP: TestOfALiar/shares-process/turns_of_two_sessions")
	assert.Contains(t, text, "nothing is declared of it")
}
