package probe_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/internal/fakeagent"
	"github.com/acpharness/acpharness/parity/probe"
	"github.com/acpharness/acpharness/provider"
)

func TestGoodAgent(t *testing.T) {
	t.Parallel()
	subject := scripted(t)
	subject.Connector = spy{subject.Connector, func(opts *provider.ConnectOptions) { opts.Stop.StdinClose = time.Minute }}
	subject.Descriptor = &backends.Descriptor{ID: "scripted"}
	var phases []acp.Phase
	var mu sync.Mutex
	var methods []string
	connect := env(t, &fakeagent.Script{})
	connect.ClientInfo = acp.Implementation{Name: "tester", Version: "9"}
	connect.Client.Tap = func(f acp.TapFrame) {
		var frame struct{ Method string }
		mu.Lock()
		defer mu.Unlock()
		if f.Dir == acp.ToAgent && json.Unmarshal(f.Data, &frame) == nil {
			methods = append(methods, frame.Method)
		}
	}
	seen := probe.Observe(t.Context(), subject, &probe.Options{
		Connect:  connect,
		Progress: func(phase acp.Phase) { phases = append(phases, phase) },
	})
	assert.Equal(t, probe.OK, seen.Outcome)
	assert.Equal(t, "scripted", seen.Subject)
	assert.Empty(t, seen.Error)
	assert.Empty(t, seen.Phase)
	assert.Empty(t, seen.Stderr, "of a failure only")
	assert.True(t, seen.Initialized)
	assert.Equal(t, probe.Agent{Name: "acpharness-mock", Title: "acpharness built-in agent", Version: "1.2.3"}, seen.Agent)
	assert.JSONEq(t, `1`, string(seen.ProtocolVersion))
	assert.Contains(t, string(seen.Capabilities), `"loadSession":true`)
	assert.Equal(t, &probe.Session{Opened: true, Modes: []string{"default", "plan"}, CurrentMode: "default"}, seen.Session)
	assert.Equal(t, &probe.Stop{How: seen.Stop.How, By: "stdin closed", Steps: []string{"close stdin"}}, seen.Stop)
	assert.Equal(t, "nobody has run this descriptor", seen.Verified)
	assert.NotEmpty(t, seen.Command)
	assert.Zero(t, seen.Noise)
	assert.Equal(t, []acp.Phase{acp.PhaseResolve, acp.PhaseInitialize, acp.PhaseSession, "stop"}, phases)
	mu.Lock()
	defer mu.Unlock()
	assert.Equal(t, []string{"initialize", "session/new", "session/close"}, methods, "no sign-in and no prompt")
}

func TestTimingsAddUp(t *testing.T) {
	t.Parallel()
	seen := observe(t, &fakeagent.Script{SlowStart: fakeagent.Duration(50 * time.Millisecond)})
	require.Equal(t, probe.OK, seen.Outcome, seen.Error)
	timings := seen.Timings
	assert.Greater(t, timings.Spawn, 0.0)
	assert.GreaterOrEqual(t, timings.Initialize, 50.0)
	assert.Greater(t, timings.Session, 0.0)
	assert.Greater(t, timings.Stop, 0.0)
	assert.LessOrEqual(t, timings.Spawn+timings.Initialize+timings.Session+timings.Stop, timings.Total)
}

// TestAgentInfoIsOdd is the table of aaif-goose/goose#9765, MoonshotAI/kimi-cli#472 and gptme/gptme#1451.
func TestAgentInfoIsOdd(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, info string
		want       probe.Agent
	}{
		{name: "missing"},
		{name: "null", info: `null`},
		{name: "empty", info: `{}`},
		{name: "a string", info: `"goose"`},
		{name: "a list", info: `["goose","1.0.0"]`},
		{name: "nulls", info: `{"name":null,"title":null,"version":null}`},
		{name: "version missing", info: `{"name":"goose"}`, want: probe.Agent{Name: "goose"}},
		{name: "version empty", info: `{"name":"goose","version":""}`, want: probe.Agent{Name: "goose"}},
		{name: "version null", info: `{"name":"goose","version":null}`, want: probe.Agent{Name: "goose"}},
		{name: "version 7", info: `{"name":"goose","version":7}`, want: probe.Agent{Name: "goose"}},
		{name: "version 2.21", info: `{"name":"goose","version":2.21}`, want: probe.Agent{Name: "goose"}},
		{name: "version true", info: `{"name":"goose","version":true}`, want: probe.Agent{Name: "goose"}},
		{name: "version in parts", info: `{"name":"goose","version":{"major":2}}`, want: probe.Agent{Name: "goose"}},
		{name: "version before name", info: `{"version":[2,21],"name":"goose"}`, want: probe.Agent{Name: "goose"}},
		{name: "v2.21", info: `{"name":"goose","version":"v2.21"}`, want: probe.Agent{Name: "goose", Version: "v2.21"}},
		{name: "a sentence", info: `{"name":"kiro","version":"kiro-cli 2.21.0 (abc)"}`, want: probe.Agent{Name: "kiro", Version: "kiro-cli 2.21.0 (abc)"}},
		{name: "0.0.0", info: `{"name":"goose","version":"0.0.0"}`, want: probe.Agent{Name: "goose", Version: "0.0.0"}},
		{name: "a nightly", info: `{"name":"goose","version":"2.21.0-nightly.3+g1a2b"}`, want: probe.Agent{Name: "goose", Version: "2.21.0-nightly.3+g1a2b"}},
		{name: "a newline", info: `{"name":"goose","version":"2.21.0\n"}`, want: probe.Agent{Name: "goose", Version: "2.21.0\n"}},
		{name: "name 7", info: `{"name":7,"title":["x"],"version":"1.0.0"}`, want: probe.Agent{Version: "1.0.0"}},
		{name: "more than is known", info: `{"name":"goose","build":{"version":"9"},"version":"1.0.0"}`, want: probe.Agent{Name: "goose", Version: "1.0.0"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			script := &fakeagent.Script{AgentInfo: json.RawMessage(tc.info)}
			if tc.info == "" {
				script = &fakeagent.Script{OmitAgentInfo: true}
			}
			seen := observe(t, script)
			assert.Equal(t, probe.OK, seen.Outcome, seen.Error)
			assert.Equal(t, tc.want, seen.Agent)
			text, err := json.Marshal(seen)
			require.NoError(t, err)
			var form struct{ Agent map[string]any }
			require.NoError(t, json.Unmarshal(text, &form))
			assert.Equal(t, map[string]any{"name": tc.want.Name, "title": tc.want.Title, "version": tc.want.Version}, form.Agent,
				"all three are strings, whatever was reported")
		})
	}
}

func TestNullOptionals(t *testing.T) {
	t.Parallel()
	seen := observe(t, &fakeagent.Script{NullOptionals: true})
	assert.Equal(t, probe.OK, seen.Outcome, seen.Error)
	assert.Empty(t, seen.AuthMethods)
}

// TestSignInIsAResult covers vellum-ai/vellum-assistant#34503 and omnigent-ai/omnigent#7282: a probe must not sign in, as
// that can open a browser.
func TestSignInIsAResult(t *testing.T) {
	t.Parallel()
	token := filepath.Join(t.TempDir(), "token")
	seen := observe(t, &fakeagent.Script{
		SignIn: fakeagent.SignInAtOnce, SignInFile: token,
		AuthMethods: json.RawMessage(`[{"id":"browser","name":"Log in"},{"id":"key","name":"Key","type":"env_var"}]`),
	})
	assert.NoFileExists(t, token, "nobody has signed in")
	assert.Equal(t, probe.AuthRequired, seen.Outcome)
	assert.True(t, seen.Initialized)
	assert.Equal(t, []probe.AuthMethod{{"browser", "Log in", "agent"}, {"key", "Key", "env_var"}}, seen.AuthMethods)
	require.NotNil(t, seen.Session)
	assert.False(t, seen.Session.Opened)
	assert.EqualValues(t, -32000, seen.Session.ErrorCode)
	assert.Empty(t, seen.Error, "it is no failure")
	assert.Empty(t, seen.Stderr)
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name        string
		script      fakeagent.Script
		outcome     probe.Outcome
		phase       acp.Phase
		initialized bool
		says        []string
		stderr      bool
	}{
		{
			name: "exit before the handshake with code 0, anomalyco/opencode#22795", script: fakeagent.Script{ExitAt: fakeagent.ExitAtStart},
			outcome: probe.StartFailed, phase: acp.PhaseInitialize, says: []string{"exited with code 0"},
		},
		{
			name:    "exit before the handshake with code 3",
			script:  fakeagent.Script{ExitAt: fakeagent.ExitAtInitialize, ExitCode: 3},
			outcome: probe.StartFailed, phase: acp.PhaseInitialize, says: []string{"exited with code 3"},
		},
		{
			name:    "exit on session/new",
			script:  fakeagent.Script{ExitAt: fakeagent.ExitAtSessionNew, ExitCode: 4, Stderr: 100},
			outcome: probe.StartFailed, phase: acp.PhaseSession, initialized: true, says: []string{"exited with code 4"}, stderr: true,
		},
		{
			name: "echo", script: fakeagent.Script{Echo: true},
			outcome: probe.NotACP, phase: acp.PhaseInitialize, says: []string{"echoes"},
		},
		{
			name:    "a banner without an end",
			script:  fakeagent.Script{Noise: []fakeagent.Noise{{At: fakeagent.NoiseAtStart, Text: strings.Repeat("\x1b[2J│ Welcome │\n", 20000)}}, Silent: true},
			outcome: probe.NotACP, phase: acp.PhaseInitialize, says: []string{"│ Welcome │"},
		},
		{
			name: "protocol version 2, openonion/connectonion#979", script: fakeagent.Script{ProtocolVersion: json.RawMessage(`2`)},
			outcome: probe.StartFailed, phase: acp.PhaseInitialize, says: []string{"version 2"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			seen := observe(t, &tc.script)
			assert.Equal(t, tc.outcome, seen.Outcome, seen.Error)
			assert.Equal(t, string(tc.phase), seen.Phase)
			assert.Equal(t, tc.initialized, seen.Initialized)
			for _, part := range tc.says {
				assert.Contains(t, seen.Error, part)
			}
			assert.Equal(t, tc.stderr, seen.Stderr != "", "stderr: %q", seen.Stderr)
			assert.NotContains(t, seen.Error, "\x1b")
		})
	}
}

func TestAnsweredProtocolVersionIsTold(t *testing.T) {
	t.Parallel()
	for _, version := range []string{`2`, `"2"`, `true`} {
		seen := observe(t, &fakeagent.Script{ProtocolVersion: json.RawMessage(version)})
		assert.Equal(t, probe.StartFailed, seen.Outcome)
		assert.JSONEq(t, version, string(seen.ProtocolVersion))
	}
	seen := observe(t, &fakeagent.Script{OmitProtocolVersion: true})
	assert.Equal(t, probe.OK, seen.Outcome, seen.Error)
	assert.Empty(t, seen.ProtocolVersion)
}

// TestSilenceEndsWithinTheTimeout covers alvinunreal/oh-my-opencode-slim#550: one line of noise and then nothing.
//
// It runs alone, as it measures time.
func TestSilenceEndsWithinTheTimeout(t *testing.T) {
	noise := []fakeagent.Noise{{At: fakeagent.NoiseAtStart, Text: "Python 3.12 venv active\n"}}
	for _, tc := range []struct {
		name    string
		script  fakeagent.Script
		timeout time.Duration
	}{
		{"ends with its input", fakeagent.Script{Silent: true, Noise: noise}, 2 * time.Second},
		{"ends by a signal", fakeagent.Script{Silent: true, Noise: noise, IgnoreStdinEOF: true}, 2 * time.Second},
		{"ends by a signal, more time", fakeagent.Script{Silent: true, Noise: noise, IgnoreStdinEOF: true}, 4 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			began := time.Now()
			seen := probe.Observe(t.Context(), scripted(t), &probe.Options{Connect: env(t, &tc.script), Timeout: tc.timeout})
			took := time.Since(began)
			// On a quiet machine it is never more than the timeout. A busy one may add to it, but not as much as the patience
			// that a working agent is stopped with.
			assert.LessOrEqual(t, took, tc.timeout+2*time.Second)
			assert.Equal(t, probe.Timeout, seen.Outcome, seen.Error)
			assert.Equal(t, string(acp.PhaseInitialize), seen.Phase)
			assert.Contains(t, seen.Error, "Python 3.12 venv active")
			assert.Equal(t, int64(1), seen.Noise.Lines)
			require.NotNil(t, seen.Stop)
			assert.NotEqual(t, "self", seen.Stop.By)
			assert.Empty(t, seen.Stop.Leftover)
		})
	}
}

func TestNoiseIsCountedAndNoFailure(t *testing.T) {
	t.Parallel()
	seen := observe(t, &fakeagent.Script{Noise: []fakeagent.Noise{
		{At: fakeagent.NoiseAtStart, Text: "\x1b[1mwelcome\x1b[0m\n"}, {At: fakeagent.NoiseAtBefore, Method: "session/new", Text: "[tool] deliberating...\n"},
	}})
	assert.Equal(t, probe.OK, seen.Outcome, seen.Error)
	assert.Equal(t, probe.Noise{Lines: 2, Sample: []string{"·[1mwelcome·[0m", "[tool] deliberating..."}}, seen.Noise)
}

// TestNoProcessIsLeft covers zed#61303 and agentclientprotocol/claude-agent-acp#1011: what an agent starts stays behind.
func TestNoProcessIsLeft(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("process groups are a matter of unix")
	}
	for name, script := range map[string]*fakeagent.Script{
		"of an agent that works":          {Stderr: 1},
		"of an agent that exits at once":  {ExitAt: fakeagent.ExitAtInitialize},
		"of an agent that stays for ever": {Silent: true, IgnoreStdinEOF: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stderr string
			subject := scripted(t)
			subject.Connector = tell{subject.Connector, &stderr}
			seen := probe.Observe(t.Context(), subject, &probe.Options{Connect: env(t, script, parentEnv+"=1"), Timeout: 5 * time.Second})
			require.NotNil(t, seen.Stop, seen.Error)
			assert.Empty(t, seen.Stop.Leftover)
			var pid int
			_, err := fmt.Sscanf(seen.Stderr+stderr, "grandchild %d", &pid)
			require.NoError(t, err)
			requireGone(t, pid)
		})
	}
}

// tell tells the standard error of an agent that did not fail, of which an observation has none.
type tell struct {
	provider.Connector
	stderr *string
}

func (c tell) Connect(ctx context.Context, opts *provider.ConnectOptions) (provider.Provider, error) {
	p, err := c.Connector.Connect(ctx, opts)
	if err != nil {
		return nil, err
	}
	return tellAtClose{p, c.stderr}, nil
}

type tellAtClose struct {
	provider.Provider
	stderr *string
}

func (p tellAtClose) Close(ctx context.Context) error {
	err := p.Provider.Close(ctx)
	*p.stderr = p.Conn().StderrTail()
	return err
}

func TestAgentWorksInAnEmptyFolderThatGoes(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	var dir string
	subject := scripted(t)
	subject.Connector = spy{subject.Connector, func(opts *provider.ConnectOptions) {
		dir = opts.Dir
		entries, err := os.ReadDir(dir)
		assert.NoError(t, err)
		assert.Empty(t, entries)
	}}
	seen := probe.Observe(t.Context(), subject, &probe.Options{Connect: env(t, &fakeagent.Script{}, "TMPDIR="+temp)})
	require.Equal(t, probe.OK, seen.Outcome, seen.Error)
	assert.True(t, filepath.IsAbs(dir))
	assert.NoDirExists(t, dir)
}

// spy looks at the options of a connect.
type spy struct {
	provider.Connector
	look func(*provider.ConnectOptions)
}

func (c spy) Connect(ctx context.Context, opts *provider.ConnectOptions) (provider.Provider, error) {
	c.look(opts)
	return c.Connector.Connect(ctx, opts)
}

func TestNotFound(t *testing.T) {
	t.Parallel()
	d := backends.Descriptor{ID: "absent", Launch: backends.Launch{Command: "absent-agent"}, Install: backends.Install{Hint: "get absent-agent"}}
	seen := probe.Observe(t.Context(), probe.Subject{Name: d.ID, Connector: provider.NewBackend(d, nil), Descriptor: &d},
		&probe.Options{Connect: provider.ConnectOptions{Env: []string{"PATH=" + t.TempDir()}}})
	assert.Equal(t, probe.NotFound, seen.Outcome)
	assert.Equal(t, string(acp.PhaseResolve), seen.Phase)
	assert.Equal(t, "install it with: get absent-agent", seen.Hint)
	assert.Nil(t, seen.Stop, "nothing was started")
	assert.Empty(t, seen.Command)
}

func TestInterruptedObservation(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	seen := probe.Observe(ctx, scripted(t), &probe.Options{
		Connect: env(t, &fakeagent.Script{Silent: true, IgnoreStdinEOF: true}),
		Progress: func(phase acp.Phase) {
			if phase == acp.PhaseInitialize {
				cancel()
			}
		},
	})
	assert.Equal(t, probe.StartFailed, seen.Outcome, "it is no timeout")
	assert.Contains(t, seen.Error, context.Canceled.Error())
}

func TestWhatIsDeclaredOfTheProcess(t *testing.T) {
	t.Parallel()
	kiro, err := backends.Lookup("kiro")
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	for _, tc := range []struct {
		name, version, read string
		hotReload, above    bool
	}{
		{kiro.AgentNames[0], "2.21.0", "2.21.0", true, false},
		{kiro.AgentNames[0], "2.22.0", "2.22.0", true, true},
		{kiro.AgentNames[0], "2.20.9", "2.20.9", false, false},
		{kiro.AgentNames[0], "v2.21.0", "unknown", false, false},
		{"somebody", "2.21.0", "unknown", false, false},
	} {
		subject := scripted(t)
		subject.Descriptor = &kiro
		subject.Connector = provider.NewBackend(kiro, &provider.BackendOptions{Command: []string{self}})
		info, err := json.Marshal(map[string]string{"name": tc.name, "version": tc.version})
		require.NoError(t, err)
		seen := probe.Observe(t.Context(), subject, &probe.Options{Connect: env(t, &fakeagent.Script{AgentInfo: info, ProtocolVersion: json.RawMessage("1")})})
		require.Equal(t, probe.OK, seen.Outcome, seen.Error)
		require.NotNil(t, seen.Declared)
		assert.NotEmpty(t, seen.Declared.Reason)
		seen.Declared.Reason = ""
		assert.Equal(t, probe.Declared{Version: tc.read, McpConfigHotReload: tc.hotReload, UnverifiedAbove: tc.above}, *seen.Declared, "%s %s", tc.name, tc.version)
	}
}
