package provider_test

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/provider"
)

func TestConnectStartsWhatTheDescriptorSays(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a link to an executable needs a right of its own here")
	}
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "seen")
	require.NoError(t, os.Symlink(self(t), filepath.Join(dir, "described-agent")))
	connector := provider.NewBackend(backends.Descriptor{
		ID:              "described",
		Launch:          backends.Launch{Command: "described-agent", Args: []string{"--acp", "a b", ""}},
		ProtocolVersion: `1`,
		Env:             backends.Environment{Set: map[string]string{"AGENT_SET": "1", "AGENT_BASE": "1"}, Scrub: []string{"OUTER_MARKER"}},
	}, nil)
	assert.Equal(t, "described", connector.ID())
	var started []string
	saw := connectAndClose(t, connector, &provider.ConnectOptions{
		ClientInfo: acp.Implementation{Name: "tester", Version: "9.9"},
		Env:        agentEnv(file, "PATH="+dir, "OUTER_MARKER=1", "AGENT_BASE=0", "MINE=kept"),
		Started:    func(command []string) { started = command },
	}, file)
	assert.Equal(t, []string{"--acp", "a b", ""}, saw.Args)
	assert.Equal(t, []string{filepath.Join(dir, "described-agent"), "--acp", "a b", ""}, started)
	for name, want := range map[string][]string{
		"AGENT_SET": {"1"}, "AGENT_BASE": {"0"}, "OUTER_MARKER": nil, "MINE": {"kept"},
	} {
		assert.Equal(t, want, named(saw.Env, name), name)
	}
	assert.Contains(t, string(saw.Initialize), `"clientInfo":{"name":"tester"`)
}

// TestEnvModeReachesTheAgent starts real processes: an agent with the marker of another one refuses or hangs
// (agentclientprotocol/claude-agent-acp#413).
func TestEnvModeReachesTheAgent(t *testing.T) {
	t.Parallel()
	claude, err := backends.Lookup("claude")
	require.NoError(t, err)
	for _, tc := range []struct {
		mode          provider.EnvMode
		marker, stays []string
	}{
		{mode: provider.EnvInherit, stays: []string{"kept"}},
		{mode: provider.EnvInheritAll, marker: []string{"1"}, stays: []string{"kept"}},
		{mode: provider.EnvClean},
	} {
		t.Run(tc.mode.String(), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "seen")
			connector := provider.NewBackend(claude, &provider.BackendOptions{Command: []string{self(t)}})
			saw := connectAndClose(t, connector, &provider.ConnectOptions{
				Env: append(os.Environ(), "CLAUDECODE=1", "MINE=kept"), EnvMode: tc.mode, SetEnv: agentSettings(file),
			}, file)
			assert.Equal(t, tc.marker, named(saw.Env, "CLAUDECODE"))
			assert.Equal(t, tc.stays, named(saw.Env, "MINE"))
			assert.NotEmpty(t, named(saw.Env, "PATH"))
		})
	}
}

// TestCleanFindsTheSameExecutable keeps npm's folder in the search although the agent does not see its name.
func TestCleanFindsTheSameExecutable(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a link to an executable needs a right of its own here")
	}
	prefix, file := t.TempDir(), filepath.Join(t.TempDir(), "seen")
	require.NoError(t, os.Mkdir(npmBin(prefix), 0o700))
	require.NoError(t, os.Symlink(self(t), filepath.Join(npmBin(prefix), "npm-agent")))
	saw := connectAndClose(t, provider.NewCommand([]string{"npm-agent"}), &provider.ConnectOptions{
		Env: append(os.Environ(), "npm_config_prefix="+prefix), EnvMode: provider.EnvClean, SetEnv: agentSettings(file),
	}, file)
	assert.Empty(t, named(saw.Env, "npm_config_prefix"))
}

// TestProtocolLiteralReachesTheWire is about agents that demand something else than the number 1.
func TestProtocolLiteralReachesTheWire(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, descriptor, client, want string
	}{
		{name: "nothing said", want: `"protocolVersion":1,`},
		{name: "the descriptor's", descriptor: `1.0`, want: `"protocolVersion":1.0,`},
		{name: "the caller's wins", descriptor: `1.0`, client: `1`, want: `"protocolVersion":1,`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "seen")
			d := backends.Descriptor{ID: "x", ProtocolVersion: tc.descriptor}
			opts := &provider.ConnectOptions{Env: agentEnv(file), Client: acp.ClientOptions{ProtocolVersion: tc.client}}
			saw := connectAndClose(t, provider.NewBackend(d, &provider.BackendOptions{Command: []string{self(t)}}), opts, file)
			assert.Contains(t, string(saw.Initialize), tc.want)
			assert.Equal(t, tc.client, opts.Client.ProtocolVersion, "the caller's options stay as they were")
		})
	}
}

func TestCommandReplacesTheCommandLineOnly(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "seen")
	d := backends.Descriptor{
		ID: "x", Launch: backends.Launch{Command: "no-such-agent"}, ProtocolVersion: `1.0`,
		Env: backends.Environment{Set: map[string]string{"AGENT_SET": "1"}},
	}
	connector := provider.NewBackend(d, &provider.BackendOptions{Command: []string{self(t), "other"}})
	saw := connectAndClose(t, connector, &provider.ConnectOptions{Env: agentEnv(file)}, file)
	assert.Equal(t, []string{"other"}, saw.Args)
	assert.Equal(t, []string{"1"}, named(saw.Env, "AGENT_SET"))
	assert.Contains(t, string(saw.Initialize), `"protocolVersion":1.0,`)
	assert.Equal(t, d, connector.Descriptor())
}

func TestBuiltinNeedsSelf(t *testing.T) {
	t.Parallel()
	builtin, err := backends.Lookup("builtin")
	require.NoError(t, err)
	_, err = provider.NewBackend(builtin, nil).Connect(t.Context(), nil)
	var start *acp.StartError
	require.ErrorAs(t, err, &start)
	assert.Equal(t, acp.PhaseResolve, start.Phase)
	assert.ErrorContains(t, err, "acp/acptest", "an embedder is told where the agent is")

	command, err := provider.NewBackend(builtin, &provider.BackendOptions{Self: []string{self(t), "mock", "agent"}}).Resolve(nil)
	require.NoError(t, err)
	assert.Equal(t, []string{self(t), "mock", "agent"}, command)
}

func TestConnectWithoutCommand(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{nil, {}, {""}} {
		_, err := provider.NewCommand(command).Connect(t.Context(), nil)
		var start *acp.StartError
		require.ErrorAs(t, err, &start, "%q", command)
		assert.Equal(t, acp.PhaseResolve, start.Phase)
		assert.Nil(t, start.Exit, "nothing was started")
	}
}

// TestNotFoundSaysWhereAndHow covers logancyang/obsidian-copilot#2496: a bare "not found" leaves people alone.
func TestNotFoundSaysWhereAndHow(t *testing.T) {
	t.Parallel()
	dir, prefix := t.TempDir(), t.TempDir()
	connector := provider.NewBackend(backends.Descriptor{
		ID: "absent", Launch: backends.Launch{Command: "absent-agent"}, Install: backends.Install{Hint: "npm install -g absent-agent"},
	}, nil)
	env := []string{"PATH=" + dir, "npm_config_prefix=" + prefix}
	started := false
	_, err := connector.Connect(t.Context(), &provider.ConnectOptions{Env: env, Started: func([]string) { started = true }})
	var start *acp.StartError
	require.ErrorAs(t, err, &start)
	assert.Equal(t, acp.PhaseResolve, start.Phase)
	assert.False(t, started)
	var missing *provider.NotFoundError
	require.ErrorAs(t, err, &missing)
	require.ErrorIs(t, err, exec.ErrNotFound)
	assert.Equal(t, "absent-agent", missing.Command)
	assert.Equal(t, dir, missing.Searched[0], "PATH comes first")
	assert.Contains(t, missing.Searched, npmBin(prefix))
	for _, part := range []string{`"absent-agent"`, dir, npmBin(prefix), "install it with: npm install -g absent-agent"} {
		assert.ErrorContains(t, err, part)
	}

	_, err = provider.NewCommand([]string{"absent-agent"}).Resolve(env)
	assert.ErrorContains(t, err, "; searched "+dir)
	assert.NotContains(t, err.Error(), "install", "nobody knows how to install a bare command")
}

func TestNotExecutableIsNotFound(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("files have no right to be executed here")
	}
	file := filepath.Join(t.TempDir(), "agent")
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"), 0o600))
	_, err := provider.NewCommand([]string{file}).Resolve(nil)
	var missing *provider.NotFoundError
	require.ErrorAs(t, err, &missing)
	assert.ErrorIs(t, err, fs.ErrPermission)
	assert.ErrorContains(t, err, file)
}

// TestErrorsHoldNoValues looks for a value of the environment in what a failed start says.
func TestErrorsHoldNoValues(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-value"
	d := backends.Descriptor{ID: "x", Launch: backends.Launch{Command: "absent-agent"}, Env: backends.Environment{Set: map[string]string{"A": secret}}}
	_, err := provider.NewBackend(d, nil).Connect(t.Context(), &provider.ConnectOptions{Env: []string{"PATH=", "API_KEY=" + secret}})
	require.Error(t, err)
	assert.NotContains(t, err.Error(), secret)
}

func TestConnectAfterTheEndOfItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := provider.NewCommand([]string{self(t)}).Connect(ctx, &provider.ConnectOptions{
		Env: agentEnv(filepath.Join(t.TempDir(), "seen")),
	})
	require.ErrorIs(t, err, context.Canceled)
}
