package parity

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/provider"
)

// planted is a subject as a test plants it: a scripted agent in a process of its own, and what is declared of it.
type planted struct {
	t          *testing.T
	script     map[string]any
	descriptor backends.Descriptor
	subject    Subject
	opts       Options
	wrap       func(provider.Provider) provider.Provider
	echo       bool // of the protocol version
	before     func(*provider.ConnectOptions)
}

// plantedAgent is an agent of which everything is declared that it does.
func plantedAgent(t *testing.T) *planted {
	t.Helper()
	d, err := backends.Lookup("builtin")
	require.NoError(t, err)
	p := &planted{
		t: t, descriptor: d, script: map[string]any{"store": filepath.Join(t.TempDir(), "store")},
		opts: Options{Timeout: 20 * time.Second, Settle: 100 * time.Millisecond, StdinGrace: 10 * time.Second},
	}
	p.subject = Subject{
		Name: "planted", Connector: p, Descriptor: &p.descriptor, Dir: t.TempDir(), Say: acp.Text("hello"),
		Connect: provider.ConnectOptions{SetEnv: []string{agentMode + "=1", "GORACE=atexit_sleep_ms=0"}},
		Shell:   func(command string) ([]acp.ContentBlock, error) { return acp.Text("permission for " + command), nil },
		StdioServer: func() (acp.MCPServer, func() (bool, error), error) {
			return &acp.MCPServerStdio{Name: "parity", Command: "parity"}, func() (bool, error) { return true, nil }, nil
		},
	}
	return p
}

func (p *planted) ID() string { return "planted" }

// Connect implements provider.Connector.
func (p *planted) Connect(ctx context.Context, opts *provider.ConnectOptions) (provider.Provider, error) {
	script := map[string]any{}
	maps.Copy(script, p.script)
	if p.echo {
		script["protocolVersion"] = json.RawMessage("1")
		if v := opts.Client.ProtocolVersion; v != "" {
			script["protocolVersion"] = json.RawMessage(v)
		}
	}
	if p.before != nil {
		p.before(opts)
	}
	text, err := json.Marshal(script)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(p.t.TempDir(), "script.json")
	self, err := os.Executable()
	if err := errors.Join(err, os.WriteFile(file, text, 0o600)); err != nil {
		return nil, err
	}
	started, err := provider.NewBackend(p.descriptor, &provider.BackendOptions{Command: []string{self, file}}).Connect(ctx, opts)
	if err == nil && p.wrap != nil {
		started = p.wrap(started)
	}
	return started, err
}

// undying grants what it has granted for ever.
type undying struct {
	provider.Provider
	declared provider.Capabilities
}

func (u undying) Capabilities() provider.Capabilities { return u.declared }
func (undying) McpConfigHotReload() bool              { return true }

// capabilities are what an agent advertises with these session capabilities.
func capabilities(session ...string) map[string]any {
	all := map[string]any{}
	for _, each := range session {
		all[each] = map[string]any{}
	}
	return map[string]any{"sessionCapabilities": all}
}

func override(capability string, works bool) func(*planted) {
	return func(p *planted) {
		p.descriptor.Overrides = append(p.descriptor.Overrides, backends.Override{Capability: capability, Works: works, Evidence: "It was seen."})
	}
}

// withHTTP has the agent advertise that it takes servers over HTTP, and use them or not.
func withHTTP(used bool) func(*planted) {
	return func(p *planted) {
		p.script["capabilities"] = map[string]any{"mcpCapabilities": map[string]any{"http": true}}
		p.subject.HTTPServer = func() (acp.MCPServer, func() (bool, error), error) {
			return &acp.MCPServerHTTP{Name: "parity", URL: nowhere}, func() (bool, error) { return used, nil }, nil
		}
	}
}

// TestCheckFindsNothingWrong holds the good agent to what is declared of it.
func TestCheckFindsNothingWrong(t *testing.T) {
	t.Parallel()
	var order []string
	p := plantedAgent(t)
	p.opts.Progress = func(check string) { order = append(order, check) }
	report := Check(t.Context(), p.subject, &p.opts)
	for _, c := range report.Failures() {
		t.Errorf("%s: declared %q, observed %q: %s", c.Key(), c.Declared, c.Observed, c.Reason)
	}
	assert.Equal(t, []Agent{{"planted", "acpharness-mock", "0.0.0"}}, report.Agents)
	seen, keys := map[string]bool{}, map[string]bool{}
	for _, c := range report.Results {
		assert.False(t, keys[c.Key()], "%s is there twice", c.Key())
		keys[c.Key()] = true
		seen[c.Check] = seen[c.Check] || c.Result.Compared()
		assert.Equal(t, "planted", c.Backend)
		if c.Result == Skipped {
			assert.NotEmpty(t, c.Reason, c.Key())
		}
	}
	want := []string{"start"}
	for _, check := range Checks() {
		want = append(want, check.ID)
		assert.NotEmpty(t, check.Title)
		assert.Equal(t, check.ID != "edits", seen[check.ID], "%s has compared nothing", check.ID)
	}
	assert.Equal(t, want, order)
}

// TestCheckFindsWhatIsPlanted has every check fail.
func TestCheckFindsWhatIsPlanted(t *testing.T) {
	t.Parallel()
	const closing, stop = "sessionCapabilities.close", "stops-on-stdin-close/idle"
	for _, tc := range []struct {
		name   string
		plant  func(*planted)
		cell   string // check/subject
		result Result
	}{
		{"it has another name", func(p *planted) { p.descriptor.AgentNames = []string{"other"} }, "identity/name", Fail},
		{"its version is no version", func(p *planted) { p.script["version"] = "main" }, "identity/version", Fail},
		{"another backend declares for it", func(p *planted) {
			d := p.descriptor
			d.ID = "other"
			p.subject.Descriptor = &d
		}, "identity/backend", Fail},
		{"an answer is hidden by the default", func(p *planted) {
			p.wrap = func(inner provider.Provider) provider.Provider { return forgetful{inner: inner} }
		}, "interface/hidden answers", Fail},
		{"its answers differ", func(p *planted) {
			p.wrap = func(inner provider.Provider) provider.Provider { return undying{inner, inner.Capabilities()} }
		}, "interface/McpConfigHotReload", Fail},
		{"it echoes a version", func(p *planted) { p.echo = true }, "protocol/asked for 99", Fail},
		{"it echoes as an override says", func(p *planted) {
			p.echo = true
			override(backends.OverrideProtocolVersion, false)(p)
		}, "protocol/asked for 99", Pass},
		{"it does not echo any more", override(backends.OverrideProtocolVersion, false), "protocol/asked for 99", Fail},
		{"it dies of session/new", func(p *planted) { p.script["exitAt"] = "session/new" }, "session/session/new", Fail},
		{"it wants an account", func(p *planted) { p.script["authRequired"] = -1 }, "session/session/new", Skipped},
		{"without an account there are no turns", func(p *planted) { p.script["authRequired"] = -1 }, "shares-process/turns of two sessions", Skipped},
		{"it wants an account to be idle", func(p *planted) { p.script["authRequired"] = -1 }, stop, Skipped},
		{"it is asked for what it does not do", func(p *planted) {
			p.script["capabilities"] = capabilities("list")
			p.before = func(o *provider.ConnectOptions) {
				tap := o.Client.Tap
				o.Client.Tap = func(f acp.TapFrame) {
					if tap != nil {
						tap(f)
						f.Data = []byte(`{"jsonrpc":"2.0","id":99,"method":"session/fork"}`)
						tap(f)
					}
				}
			}
		}, "refusal/sessionCapabilities.fork", Fail},
		{"what it does not do is refused", func(p *planted) { p.script["capabilities"] = capabilities() }, "refusal/" + closing, Pass},
		{"what an override says is refused", override(closing, false), "refusal/" + closing, Pass},
		{"nobody sees what is sent", func(p *planted) {
			p.before = func(o *provider.ConnectOptions) { o.Client.Tap = nil }
		}, "refusal/all", Skipped},
		{"it does not close as it advertises", func(p *planted) { p.script["closeUnsupported"] = true }, "advertised/" + closing, Fail},
		{"it does not close as an override says", func(p *planted) {
			p.script["closeUnsupported"] = true
			override(closing, false)(p)
		}, "advertised/" + closing, Pass},
		{"an override is not needed any more", override(closing, false), "advertised/" + closing, Fail},
		{"an override says what is not advertised any more", func(p *planted) {
			p.script["capabilities"] = capabilities("list")
			override(closing, false)(p)
		}, "advertised/" + closing, Fail},
		{"it does what it does not advertise", func(p *planted) {
			p.script["capabilities"] = capabilities("list")
			override(closing, true)(p)
		}, "advertised/" + closing, Pass},
		{"an override promises too much", func(p *planted) {
			p.script["capabilities"], p.script["closeUnsupported"] = capabilities("list"), true
			override(closing, true)(p)
		}, "advertised/" + closing, Fail},
		{"it does not load what another process has stored", func(p *planted) { delete(p.script, "store") }, "advertised/loadSession", Fail},
		{"it does not use a server as it advertises", withHTTP(false), "advertised/mcpCapabilities.http", Fail},
		{"it uses a server as it advertises", withHTTP(true), "advertised/mcpCapabilities.http", Pass},
		{"it does not use a server, as an override says", func(p *planted) {
			withHTTP(false)(p)
			override(capabilityHTTP, false)(p)
		}, "advertised/mcpCapabilities.http", Pass},
		{"it never answers", func(p *planted) { p.script["loadSilent"], p.opts.Timeout = true, 4*time.Second }, "advertised/loadSession", Fail},
		{"there is no time to look", func(p *planted) { p.script["neverEnd"], p.opts.Timeout = true, time.Second }, "advertised/sessionCapabilities.list", Skipped},
		{"there is no turn to store", func(p *planted) { p.subject.Say = nil }, "advertised/loadSession", Skipped},
		{"an override is of no call", override("promptCapabilities.image", false), "advertised/promptCapabilities.image", Skipped},
		{"its turns do not end well", func(p *planted) { p.script["stop"] = "refusal" }, "shares-process/turns of two sessions", Fail},
		{"its turns are empty", func(p *planted) { p.script["empty"] = true }, "shares-process/turns of two sessions", Fail},
		{"sharing is not declared", func(p *planted) { p.descriptor.Trust.SharesProcess.Granted = false }, "shares-process/turns of two sessions", Undeclared},
		{"it takes all the time for a turn", func(p *planted) {
			p.script["neverEnd"], p.opts.Timeout = true, time.Second
		}, "shares-process/turns of two sessions", Fail},
		{"side by side is not declared", func(p *planted) { p.descriptor.Trust.ParallelStarts.Granted = false }, "parallel-starts/two at the same time", Undeclared},
		{"nothing opens side by side", func(p *planted) { // the first process had its session before it refused
			p.before = func(o *provider.ConnectOptions) {
				if o.Stop.StdinClose == 0 {
					p.script["authRequired"] = -1
				}
			}
		}, "parallel-starts/two at the same time", Fail},
		{"it does not use a server as declared", func(p *planted) {
			p.subject.StdioServer = func() (acp.MCPServer, func() (bool, error), error) {
				return &acp.MCPServerStdio{Name: "parity", Command: "parity"}, func() (bool, error) { return false, nil }, nil
			}
		}, "takes-servers/stdio", Fail},
		{"it uses a server", func(p *planted) { p.descriptor.Trust.TakesServers.Stdio = false }, "takes-servers/stdio", Undeclared},
		{"it does not take a server over HTTP as declared", func(p *planted) {
			p.descriptor.Trust.TakesServers.HTTP = true
			p.subject.HTTPServer = func() (acp.MCPServer, func() (bool, error), error) {
				return &acp.MCPServerHTTP{Name: "parity", URL: nowhere}, func() (bool, error) { return false, nil }, nil
			}
		}, "takes-servers/http", Fail},
		{"there is no server", func(p *planted) {
			p.subject.StdioServer = func() (acp.MCPServer, func() (bool, error), error) { return nil, nil, errors.New("none") }
		}, "takes-servers/stdio", Skipped},
		{"it never asks", func(p *planted) { p.script["permissionOn"] = "never" }, "asks-permission/a command, rejected", Fail},
		{"it asks in another mode", func(p *planted) { p.descriptor.Trust.AsksPermission.Mode = "other" }, "asks-permission/a command, rejected", Fail},
		{"it asks, and that is not declared", func(p *planted) { p.descriptor.Trust.AsksPermission.Granted = false }, "asks-permission/a command, rejected", Undeclared},
		{"it does what was rejected", func(p *planted) {
			p.before = func(o *provider.ConnectOptions) { // it has done so when it asks
				o.Client.Tap = func(f acp.TapFrame) {
					if f.Dir == acp.FromAgent && strings.Contains(string(f.Data), "session/request_permission") {
						_ = os.WriteFile(filepath.Join(p.subject.Dir, "parity.txt"), nil, 0o600)
					}
				}
			}
		}, "asks-permission/a command, rejected", Fail},
		{"it does not end", func(p *planted) {
			p.script["ignoreStdinEOF"], p.opts.StdinGrace = true, 100*time.Millisecond
			p.subject.Connect.Stop.StdinClose = time.Millisecond
		}, stop, Fail},
		{"it does not end, and need not", func(p *planted) {
			p.script["ignoreStdinEOF"], p.opts.StdinGrace = true, 100*time.Millisecond
			p.subject.Connect.Stop.StdinClose = time.Millisecond
			p.descriptor.Trust.StopsOnStdinClose.Granted = false
		}, stop, Pass},
		{"that it ends is not declared", func(p *planted) { p.descriptor.Trust.StopsOnStdinClose.Granted = false }, stop, Undeclared},
		{"it grants when it is dead", func(p *planted) {
			p.wrap = func(inner provider.Provider) provider.Provider { return undying{inner, inner.Capabilities()} }
		}, "death/Capabilities", Fail},
		{"it reloads when it is dead", func(p *planted) {
			p.wrap = func(inner provider.Provider) provider.Provider { return undying{inner, inner.Capabilities()} }
		}, "death/McpConfigHotReload", Fail},
		{"nothing is declared", func(p *planted) {
			p.subject.Descriptor = nil
			p.wrap = func(inner provider.Provider) provider.Provider { return bare{Provider: inner} }
		}, "asks-permission/a command, rejected", Skipped},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := plantedAgent(t)
			tc.plant(p)
			report := Check(t.Context(), p.subject, &p.opts)
			var found []string
			for _, c := range report.Results {
				if c.Key() == "planted/"+tc.cell {
					assert.Equal(t, tc.result, c.Result, "declared %q, observed %q: %s", c.Declared, c.Observed, c.Reason)
					if tc.result != Pass {
						assert.NotEmpty(t, c.Reason)
					}
					return
				}
				found = append(found, c.Check+"/"+c.Subject)
			}
			t.Errorf("no cell %s; there are %s", tc.cell, strings.Join(found, ", "))
		})
	}
}

// forgetful passes on everything but what is declared.
type forgetful struct {
	provider.Unimplemented

	inner provider.Provider
}

func (f forgetful) Conn() *acp.Conn                 { return f.inner.Conn() }
func (f forgetful) Close(ctx context.Context) error { return f.inner.Close(ctx) }

// bare declares nothing.
type bare struct {
	provider.Provider
}

func (bare) Capabilities() provider.Capabilities { return provider.Capabilities{} }

func TestCheckOfWhatDoesNotStart(t *testing.T) {
	t.Parallel()
	dies := plantedAgent(t)
	dies.script["exitAt"] = "initialize"
	kiro, err := backends.Lookup("kiro")
	require.NoError(t, err)
	nowhere := []string{"PATH=" + t.TempDir(), "HOME=" + t.TempDir()}
	ended, end := context.WithCancel(t.Context())
	end()
	for _, tc := range []struct {
		name   string
		ctx    context.Context
		s      Subject
		result Result
		reason string
	}{
		{"it dies", t.Context(), dies.subject, Fail, "it cannot be started"},
		{"it is not installed", t.Context(), Subject{
			Name:      "kiro",
			Connector: provider.NewBackend(kiro, &provider.BackendOptions{Command: []string{"parity-no-such-agent"}}), Descriptor: &kiro,
			Connect: provider.ConnectOptions{Env: nowhere},
		}, Skipped, "not installed: " + kiro.Install.Hint},
		{"nobody knows how to install it", t.Context(), Subject{
			Name: "x", Connector: provider.NewCommand([]string{"parity-no-such-agent"}), Connect: provider.ConnectOptions{Env: nowhere},
		}, Skipped, "not installed: "},
		{"there is no time", ended, plantedAgent(t).subject, Skipped, "interrupted: context canceled"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			report := Check(tc.ctx, tc.s, nil)
			require.Len(t, report.Results, 1)
			cell := report.Results[0]
			assert.Equal(t, tc.s.Name+"/identity/start", cell.Key())
			assert.Equal(t, tc.result, cell.Result, cell.Observed)
			assert.Contains(t, cell.Reason, tc.reason)
			assert.Empty(t, report.Agents)
		})
	}
}

// TestCheckEndsWithItsContext has an interrupt say nothing of the subject.
func TestCheckEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := plantedAgent(t)
	p.script["neverEnd"] = true
	p.subject.Shell = nil
	p.opts.Progress = func(check string) {
		if check == "advertised" {
			cancel()
		}
	}
	report := Check(ctx, p.subject, &p.opts)
	assert.Zero(t, report.Failed)
	for _, c := range report.Results {
		if c.Check == "advertised" || c.Check == "death" {
			assert.Equal(t, Skipped, c.Result)
			assert.Equal(t, "interrupted: context canceled", c.Reason)
		}
	}
}
