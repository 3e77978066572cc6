package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/parity/bench"
	"github.com/acpharness/acpharness/provider"
)

// patience is how long a step may take. Agents that are started side by side on a small machine are slow.
const patience = 90 * time.Second

// lane is one agent at its bench.
type lane struct {
	t          *testing.T
	pin        pinned
	descriptor backends.Descriptor
	recipe     backends.Recipe // without one in the repository an empty one
	bench      *bench.Bench
	tap        acp.Tap
	words      words
	setEnv     []string      // what a test sets beyond the recipe, as KEY=VALUE
	streaming  chan struct{} // gets one when the model begins a slow answer to a prompt
}

// newLane makes a bench for an agent that is installed, or skips the test.
func newLane(t *testing.T, pin pinned) *lane {
	t.Helper()
	if !pin.installed(folder(t)) {
		census.add(&census.missing, pin.id)
		t.Skipf("not installed: bash test/live/install.sh %s", pin.id)
	}
	census.add(&census.ran, pin.id)
	l := &lane{t: t, pin: pin, streaming: make(chan struct{}, 1)}
	var err error
	l.descriptor, err = backends.Lookup(pin.id)
	require.NoError(t, err)
	if l.recipe, err = backends.LookupRecipe("loopback", pin.id); err != nil {
		l.recipe = backends.Recipe{Backend: pin.id, Name: "none"} // it starts, and wants an account
	}
	l.bench, err = bench.Start(context.Background(), l.recipe, &bench.Options{
		MCPServer: []string{os.Getenv(acpctlEnv), "mock", "mcp"},
		Reply:     l.words.reply,
		Journal: func(call bench.ModelCall) {
			if call.Kind == bench.ReplySlow && !call.Utility {
				select {
				case l.streaming <- struct{}{}:
				default:
				}
			}
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, l.bench.Close()) })
	l.record(t)
	return l
}

// record writes the frames of the lane into the folder of -frames.
func (l *lane) record(t *testing.T) {
	t.Helper()
	if *flagFrames == "" {
		return
	}
	file, err := os.Create(filepath.Join(*flagFrames, strings.ReplaceAll(t.Name(), "/", "-")+".jsonl"))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, file.Close()) })
	began := time.Now()
	l.tap = func(f acp.TapFrame) {
		fmt.Fprintf(file, "{\"t\":%.3f,\"dir\":%q,\"raw\":%q}\n", f.Time.Sub(began).Seconds(), f.Dir, f.Data)
	}
}

// connect starts the agent in its place.
func (l *lane) connect(ctx context.Context, handler acp.PermissionHandler) (provider.Provider, error) {
	return l.connectWith(ctx, acp.ClientOptions{Permission: handler, Tap: l.tap})
}

// connectWith is connect for another client.
func (l *lane) connectWith(ctx context.Context, client acp.ClientOptions) (provider.Provider, error) {
	env := append(l.bench.Env(), "PATH="+l.pin.searchPath(folder(l.t)))
	env = append(env, l.setEnv...)
	return provider.NewBackend(l.descriptor, nil).Connect(ctx, &provider.ConnectOptions{
		ClientInfo: acp.Implementation{Name: "acpharness-live", Version: "1"},
		Client:     client,
		EnvMode:    provider.EnvClean, SetEnv: env, Dir: l.bench.Workspace(),
		KillDaemons: true,
	})
}

// session opens a session in the mode of the recipe.
func (l *lane) session(ctx context.Context, conn *acp.Conn) (*acp.Session, error) {
	s, err := conn.NewSession(ctx, l.bench.Workspace(), nil)
	if err == nil && l.recipe.Mode != "" {
		err = s.SetMode(ctx, l.recipe.Mode)
	}
	return s, err
}

// mustConnect starts the agent for a test, which need not end it.
func (l *lane) mustConnect(ctx context.Context, handler acp.PermissionHandler) provider.Provider {
	l.t.Helper()
	p, err := l.connect(ctx, handler)
	require.NoError(l.t, err)
	l.t.Cleanup(func() { closeNow(p.Conn()) }) // of a test that failed before it ended the agent
	return p
}

// closeNow ends an agent without patience.
func closeNow(conn *acp.Conn) {
	now, cancel := context.WithCancel(context.Background())
	cancel()
	_ = conn.Close(now)
}

// mustOpen opens a session, or skips the test where an account is needed for one.
func (l *lane) mustOpen(ctx context.Context, p provider.Provider) *acp.Session {
	l.t.Helper()
	if l.recipe.Shell == nil {
		l.t.Skip("there is no recipe by which it opens a session")
	}
	s, err := l.session(ctx, p.Conn())
	require.NoError(l.t, err)
	return s
}

// shell is a prompt by which the model calls the agent's shell tool.
func (l *lane) shell(command string) []acp.ContentBlock {
	call, err := l.recipe.ShellCall(command)
	require.NoError(l.t, err)
	return acp.Text(fmt.Sprintf("@@TOOL %s %s@@", call.Name, call.Arguments))
}

// awaitModel waits until the model has begun a slow answer.
func (l *lane) awaitModel(ctx context.Context) {
	select {
	case <-l.streaming:
	case <-ctx.Done():
		require.Fail(l.t, "the model was not asked")
	}
}

// awaitFile waits for a file in the workspace.
func (l *lane) awaitFile(ctx context.Context, name string) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(filepath.Join(l.bench.Workspace(), name)); err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			require.Fail(l.t, "the command did not run")
		}
	}
}

// left returns the processes that live in the bench.
func (l *lane) left() []string {
	l.t.Helper()
	return inhabitants(l.t, filepath.Dir(l.bench.Home()))
}

// answer reads the updates of a turn to their end and returns the text of the agent's answer.
func answer(turn *acp.Turn) string {
	var text string
	for n := range turn.Updates() {
		text += chunk(n)
	}
	return text
}

// chunk returns what an update adds to the agent's answer.
func chunk(n acp.SessionNotification) string {
	if c, ok := n.Update.(*acp.AgentMessageChunk); ok && !n.Late {
		if text, ok := c.Content.(*acp.TextContent); ok {
			return text.Text
		}
	}
	return ""
}

// outcome says in a word how a turn ended.
func outcome(result *acp.TurnResult, err error) string {
	rpc, refused := errors.AsType[*acp.Error](err)
	switch {
	case refused:
		return fmt.Sprintf("error %d", rpc.Code)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("no answer in %v", patience)
	case err != nil:
		return "lost: " + err.Error()
	default:
		return string(result.StopReason)
	}
}
