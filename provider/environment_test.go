package provider

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/acpharness/acpharness/backends"
)

func TestEnvironment(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		base []string
		want backends.Environment
		env  []string
	}{
		{name: "nothing wanted", base: []string{"A=1", "B=2"}, env: []string{"A=1", "B=2"}},
		{name: "an empty base is not the caller's", base: []string{}, env: []string{}},
		{
			name: "marker of an outer agent, agentclientprotocol/claude-agent-acp#413",
			base: []string{"CLAUDECODE=1", "CLAUDE_CONFIG_DIR=/c", "ANTHROPIC_API_KEY=k", "CLAUDECODE=again"},
			want: backends.Environment{Scrub: []string{"CLAUDECODE"}},
			env:  []string{"CLAUDE_CONFIG_DIR=/c", "ANTHROPIC_API_KEY=k"},
		},
		{
			name: "only the whole name is scrubbed",
			base: []string{"GEMINI_CLI_HOME=/h", "MY_GEMINI_CLI=1", "X=GEMINI_CLI=1"},
			want: backends.Environment{Scrub: []string{"GEMINI_CLI"}},
			env:  []string{"GEMINI_CLI_HOME=/h", "MY_GEMINI_CLI=1", "X=GEMINI_CLI=1"},
		},
		{
			name: "settings follow in the order of their names",
			base: []string{"Z=0"},
			want: backends.Environment{Set: map[string]string{"C": "3", "A": "1", "B": ""}},
			env:  []string{"Z=0", "A=1", "B=", "C=3"},
		},
		{
			name: "the base wins over a setting",
			base: []string{"DISABLE_AUTOUPDATER=0"},
			want: backends.Environment{Set: map[string]string{"DISABLE_AUTOUPDATER": "1"}},
			env:  []string{"DISABLE_AUTOUPDATER=0"},
		},
		{
			name: "an empty value is a value",
			base: []string{"DISABLE_AUTOUPDATER="},
			want: backends.Environment{Set: map[string]string{"DISABLE_AUTOUPDATER": "1"}},
			env:  []string{"DISABLE_AUTOUPDATER="},
		},
		{
			name: "scrubbed and set is set anew",
			base: []string{"A=outer"},
			want: backends.Environment{Set: map[string]string{"A": "inner"}, Scrub: []string{"A"}},
			env:  []string{"A=inner"},
		},
		{name: "an entry without a value is none", base: []string{"A", "B=2"}, env: []string{"B=2"}},
		{name: "values may hold anything", base: []string{"A==\n=", "B= "}, env: []string{"A==\n=", "B= "}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			before := slices.Clone(tc.base)
			assert.Equal(t, tc.env, launchEnv{base: tc.base, want: tc.want}.entries())
			assert.Equal(t, before, tc.base, "the caller's slice stays as it was")
		})
	}
}

func TestEnvironmentWithoutBaseIsTheCallers(t *testing.T) {
	t.Setenv("PROVIDER_TEST_INHERITED", "yes")
	t.Setenv("PROVIDER_TEST_MARKER", "yes")
	env := launchEnv{want: backends.Environment{Scrub: []string{"PROVIDER_TEST_MARKER"}}}.entries()
	assert.Contains(t, env, "PROVIDER_TEST_INHERITED=yes")
	assert.Empty(t, value(env, "PROVIDER_TEST_MARKER"))
	assert.Equal(t, "yes", os.Getenv("PROVIDER_TEST_MARKER"), "our own environment stays as it was")
}

func TestValueIsTheLast(t *testing.T) {
	t.Parallel()
	env := []string{"A=1", "B=2", "A=3", "AA=4", "A"}
	assert.Equal(t, "3", value(env, "A"))
	assert.Empty(t, value(env, "C"))
}
