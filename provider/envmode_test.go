package provider

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
)

// markers is an environment as one agent gives it to what it starts, agentclientprotocol/claude-agent-acp#413 and #633.
var markers = []string{
	"PATH=/bin", "CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CODE_SSE_PORT=1", "ANTHROPIC_API_KEY=k",
	"HOME=/home/u", "LC_ALL=C", "XDG_CONFIG_HOME=/c", "TZ=UTC", "GITHUB_TOKEN=t", "HTTPS_PROXY=http://p", "LC=x", "path=y",
}

func TestEnvModes(t *testing.T) {
	t.Parallel()
	scrub := []string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"}
	for _, tc := range []struct {
		name string
		mode EnvMode
		want backends.Environment
		set  []string
		env  []string
	}{
		{
			name: "inherit", want: backends.Environment{Scrub: scrub},
			env: []string{
				"PATH=/bin", "ANTHROPIC_API_KEY=k", "HOME=/home/u", "LC_ALL=C", "XDG_CONFIG_HOME=/c", "TZ=UTC",
				"GITHUB_TOKEN=t", "HTTPS_PROXY=http://p", "LC=x", "path=y",
			},
		},
		{name: "inherit all", mode: EnvInheritAll, want: backends.Environment{Scrub: scrub}, env: markers},
		{
			name: "clean", mode: EnvClean, want: backends.Environment{Scrub: scrub},
			env: []string{"PATH=/bin", "HOME=/home/u", "LC_ALL=C", "XDG_CONFIG_HOME=/c", "TZ=UTC"},
		},
		{
			name: "clean keeps what the backend needs", mode: EnvClean,
			want: backends.Environment{Set: map[string]string{"NO_UPDATE": "1"}, Scrub: []string{"XDG_CONFIG_HOME"}},
			env:  []string{"PATH=/bin", "HOME=/home/u", "LC_ALL=C", "TZ=UTC", "NO_UPDATE=1"},
		},
		{
			name: "set wins over the mode, the base and the backend", mode: EnvClean,
			want: backends.Environment{Set: map[string]string{"NO_UPDATE": "1"}, Scrub: scrub},
			set:  []string{"PATH=/mine", "NO_UPDATE=0", "CLAUDECODE=2", "KEY=first", "KEY=a=b", "EMPTY="},
			env: []string{
				"HOME=/home/u", "LC_ALL=C", "XDG_CONFIG_HOME=/c", "TZ=UTC",
				"PATH=/mine", "NO_UPDATE=0", "CLAUDECODE=2", "KEY=a=b", "EMPTY=",
			},
		},
		{name: "an unknown mode passes nothing", mode: 7, set: []string{"A=1"}, env: []string{"A=1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if sameName("path", "PATH") {
				t.Skip("names have no case here")
			}
			assert.Equal(t, tc.env, launchEnv{mode: tc.mode, base: markers, set: tc.set, want: tc.want}.entries())
		})
	}
}

func TestCleanNames(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		system  string
		in, out []string
	}{
		{system: "linux", in: []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TERM", "TMPDIR", "TZ", "XDG_*"}, out: []string{"TEMP"}},
		{system: "windows", in: []string{"PATH", "SystemRoot", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"}, out: []string{"TMPDIR"}},
	} {
		names := cleanNames(tc.system)
		assert.True(t, slices.IsSorted(names), tc.system)
		assert.Subset(t, names, tc.in, tc.system)
		assert.NotSubset(t, names, tc.out, tc.system)
		for _, name := range names {
			for _, word := range []string{"KEY", "TOKEN", "SECRET", "PROXY", "CLAUDE"} {
				assert.NotContains(t, strings.ToUpper(name), word, tc.system)
			}
		}
	}
}

func TestEffectiveEnvHasNamesOnly(t *testing.T) {
	t.Parallel()
	claude, err := backends.Lookup("claude")
	require.NoError(t, err)
	c := NewBackend(claude, nil)
	base := append(slices.Clone(markers[:5]), "PATH=/again", "=C:=C:\\dir")
	set := slices.Collect(maps.Keys(claude.Env.Set))
	for _, tc := range []struct {
		mode EnvMode
		want []string
	}{
		{EnvInherit, []string{"ANTHROPIC_API_KEY", "MINE", "PATH"}},
		{EnvInheritAll, []string{"ANTHROPIC_API_KEY", "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "MINE", "PATH"}},
		{EnvClean, []string{"MINE", "PATH"}},
	} {
		want := append(slices.Clone(tc.want), set...)
		slices.Sort(want)
		got := c.EffectiveEnv(&ConnectOptions{Env: base, EnvMode: tc.mode, SetEnv: []string{"MINE=s3cr3t", "no-value"}})
		assert.Equal(t, want, got, tc.mode)
	}
	assert.Contains(t, c.EffectiveEnv(nil), "PATH", "nil is the caller's")
}

func TestEnvModeHasAName(t *testing.T) {
	t.Parallel()
	for mode, want := range map[EnvMode]string{EnvInherit: "inherit", EnvInheritAll: "inherit-all", EnvClean: "clean", 7: "EnvMode(7)"} {
		assert.Equal(t, want, mode.String())
	}
}

func TestConnectRefusesWhatCannotBeMeant(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, message string
		opts          ConnectOptions
	}{
		{"no value", "entry 1 of SetEnv is not KEY=VALUE", ConnectOptions{SetEnv: []string{"A=1", "s3cr3t"}}},
		{"no name", "entry 0 of SetEnv is not KEY=VALUE", ConnectOptions{SetEnv: []string{"=s3cr3t"}}},
		{"no such mode", "there is no mode -1", ConnectOptions{EnvMode: -1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.opts.Started = func([]string) { assert.Fail(t, "nothing may be started") }
			_, err := NewCommand([]string{"agent"}).Connect(t.Context(), &tc.opts)
			var start *acp.StartError
			require.ErrorAs(t, err, &start)
			assert.Equal(t, acp.PhaseResolve, start.Phase)
			assert.ErrorContains(t, err, tc.message)
			assert.NotContains(t, err.Error(), "s3cr3t")
		})
	}
}
