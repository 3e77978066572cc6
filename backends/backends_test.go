package backends_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
)

func TestOrder(t *testing.T) {
	want := []string{"builtin", "kiro", "claude", "codex", "opencode", "gemini", "qwen", "copilot", "droid", "kilo", "goose", "cursor", "pi", "nanocoder", "cline", "auggie", "qoder"}
	assert.Equal(t, want, backends.IDs())

	var got []string
	for d := range backends.All() {
		got = append(got, d.ID)
	}
	assert.Equal(t, want, got)

	for d := range backends.All() {
		assert.True(t, d.Builtin)
		break
	}
}

func TestEveryDescriptorIsValidAndUnique(t *testing.T) {
	ids := map[string]string{}
	names := map[string]string{}
	registry := map[string]string{}
	claim := func(owners map[string]string, key, owner string) {
		assert.NotContains(t, owners, key, "also claimed by %s", owner)
		owners[key] = owner
	}
	for d := range backends.All() {
		assert.NoError(t, d.Validate())
		for _, id := range append([]string{d.ID}, d.Aliases...) {
			claim(ids, id, d.ID)
		}
		for _, name := range d.AgentNames {
			claim(names, name, d.ID)
		}
		if d.RegistryID != "" {
			claim(registry, d.RegistryID, d.ID)
		}
	}
}

func TestLaunch(t *testing.T) {
	tests := []struct {
		id, argv, protocol, registry, agentName, version string
	}{
		{"builtin", "", `1`, "", "acpharness-mock", ""},
		{"kiro", "kiro-cli acp", `"2025-08-22"`, "", "Kiro CLI Agent", ""},
		{"claude", "claude-agent-acp", `1`, "claude-acp", "@agentclientprotocol/claude-agent-acp", "0.101.0"},
		{"codex", "codex-acp", `1`, "codex-acp", "@agentclientprotocol/codex-acp", "2.6.0"},
		{"opencode", "opencode acp", `1`, "opencode", "OpenCode", "1.18.33"},
		{"gemini", "gemini --acp", `1`, "gemini", "gemini-cli", "0.61.0"},
		{"qwen", "qwen --acp", `1`, "qwen-code", "qwen-code", "0.24.4"},
		{"copilot", "copilot --acp", `1`, "github-copilot-cli", "Copilot", "1.0.102"},
		{"droid", "droid exec --output-format acp", `1`, "factory-droid", "@factory/cli", "0.215.0"},
		{"kilo", "kilo acp", `1`, "kilo", "Kilo", "7.7.7"},
		{"goose", "goose acp", `1`, "goose", "goose", ""},
		{"cursor", "cursor-agent acp", `1`, "cursor", "", ""},
		{"pi", "pi-acp", `1`, "pi-acp", "pi-acp", "0.0.34"},
		{"nanocoder", "nanocoder --acp", `1`, "", "nanocoder", "1.30.0"},
		{"cline", "cline --acp", `1`, "cline", "cline", "3.0.65"},
		{"auggie", "auggie --acp", `1`, "auggie", "auggie", "0.36.0 (commit 7c61e5bb)"},
		{"qoder", "qodercli --acp", `1`, "qoder", "qoder-cli", "1.1.52"},
	}
	require.Len(t, tests, len(backends.IDs()), "every backend has a row")
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			d, err := backends.Lookup(tt.id)
			require.NoError(t, err)
			assert.Equal(t, tt.argv, strings.Join(d.Launch.Argv(), " "))
			assert.Equal(t, tt.protocol, d.ProtocolVersion)
			assert.Equal(t, tt.registry, d.RegistryID)
			assert.Equal(t, tt.agentName, strings.Join(d.AgentNames, " "))
			assert.Equal(t, tt.version, d.Observed.Version)
		})
	}
}

func TestVerified(t *testing.T) {
	tests := []struct {
		id   string
		ok   bool
		text string
	}{
		{"builtin", true, "part of this program"},
		{"kiro", false, "nobody has run this descriptor"},
		{"gemini", true, "run on 2026-11-30 with version 0.61.0"},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			d, err := backends.Lookup(tt.id)
			require.NoError(t, err)
			ok, text := d.Verified()
			assert.Equal(t, tt.ok, ok)
			assert.Equal(t, tt.text, text)
		})
	}
}

// Markers of an outer agent must not reach the inner one of the same kind.
func TestScrub(t *testing.T) {
	d, err := backends.Lookup("claude")
	require.NoError(t, err)
	assert.Subset(t, d.Env.Scrub, []string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"})
	assert.NotContains(t, d.Env.Scrub, "ANTHROPIC_API_KEY")
	assert.NotContains(t, d.Env.Scrub, "CLAUDE_CONFIG_DIR")
}

func TestImmutable(t *testing.T) {
	spoil := func(d backends.Descriptor) {
		for _, list := range [][]string{d.Aliases, d.AgentNames, d.Launch.Args, d.Env.Scrub, d.Install.Packages, d.Notes} {
			for i := range list {
				list[i] = "spoiled"
			}
		}
		for name := range d.Env.Set {
			d.Env.Set[name] = "spoiled"
		}
	}
	for d := range backends.All() {
		spoil(d)
		looked, err := backends.Lookup(d.ID)
		require.NoError(t, err)
		spoil(looked)
	}
	ids := backends.IDs()
	ids[0] = "spoiled"

	for d := range backends.All() {
		assert.NotContains(t, fmt.Sprintf("%+v", d), "spoiled")
		for name, value := range d.Env.Set {
			assert.NotEqual(t, "spoiled", value, name)
		}
	}
	assert.Equal(t, "builtin", backends.IDs()[0])
}

func TestArgvIsACopy(t *testing.T) {
	launch := backends.Launch{Command: "a", Args: []string{"b"}}
	argv := launch.Argv()
	argv[1] = "c"
	assert.Equal(t, []string{"b"}, launch.Args)
	assert.Nil(t, backends.Launch{}.Argv())
}

func TestEnvironmentShowsNoValues(t *testing.T) {
	d := backends.Descriptor{ID: "x", Env: backends.Environment{
		Set:   map[string]string{"B": "secret", "A": "secret"},
		Scrub: []string{"C"},
	}}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		text := fmt.Sprintf(verb, d)
		assert.NotContains(t, text, "secret", verb)
		assert.Contains(t, text, "set [A B] scrub [C]", verb)
	}
}

func TestAllStopsEarly(t *testing.T) {
	n := 0
	for range backends.All() {
		n++
		if n == 2 {
			break
		}
	}
	assert.Equal(t, 2, n)
	assert.Len(t, slices.Collect(backends.All()), 17)
}
