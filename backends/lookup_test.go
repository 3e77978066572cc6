package backends_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
)

func TestLookupFindsEveryIDAndAlias(t *testing.T) {
	for want := range backends.All() {
		for _, id := range append([]string{want.ID}, want.Aliases...) {
			for _, typed := range []string{id, strings.ToUpper(id), " " + id + "\n"} {
				got, err := backends.Lookup(typed)
				require.NoError(t, err, typed)
				assert.Equal(t, want, got, typed)
			}
		}
	}
}

func TestLookupAliases(t *testing.T) {
	tests := []struct{ alias, id string }{
		{"mock", "builtin"},
		{"demo", "builtin"},
		{"kiro-cli", "kiro"},
		{"claude-code", "claude"},
		{"claude-acp", "claude"},
		{"codex-acp", "codex"},
		{"qwen-code", "qwen"},
		{"GitHub-Copilot", "copilot"},
		{"factory-droid", "droid"},
		{"kilocode", "kilo"},
	}
	for _, tt := range tests {
		d, err := backends.Lookup(tt.alias)
		require.NoError(t, err, tt.alias)
		assert.Equal(t, tt.id, d.ID, tt.alias)
	}
}

func TestLookupSuggests(t *testing.T) {
	const all = `known backends are builtin, kiro, claude, codex, opencode, gemini, qwen, copilot, droid, kilo, goose, cursor, pi, nanocoder, cline, auggie, qoder`
	tests := []struct {
		name, typed string
		nearest     []string
		text        string
	}{
		{"swapped letters", "cluade", []string{"claude"}, `unknown backend "cluade": did you mean "claude"?`},
		{"dropped letter", "gemni", []string{"gemini"}, `unknown backend "gemni": did you mean "gemini"?`},
		{"as typed, not folded", "Cluade", []string{"claude"}, `unknown backend "Cluade": did you mean "claude"?`},
		{"several, nearest first", "kirl", []string{"kiro", "kilo"}, `unknown backend "kirl": did you mean "kiro" or "kilo"?`},
		{"nearest wins over table order", "kilr", []string{"kilo", "kiro"}, `unknown backend "kilr": did you mean "kilo" or "kiro"?`},
		{"a swap is one typo", "kiol", []string{"kilo", "kiro"}, `unknown backend "kiol": did you mean "kilo" or "kiro"?`},
		{"as many typos as letters", "io", nil, `unknown backend "io": ` + all},
		{"beginning of an id", "co", []string{"codex", "copilot"}, `unknown backend "co": did you mean "codex" or "copilot"?`},
		{"beginning of an alias", "git", []string{"copilot"}, `unknown backend "git": did you mean "copilot"?`},
		{"id with a tail", "claude-code-acp", []string{"claude"}, `unknown backend "claude-code-acp": did you mean "claude"?`},
		{"typo in an alias", "claud-cod", []string{"claude"}, `unknown backend "claud-cod": did you mean "claude"?`},
		{"nothing near", "zzzzzz", nil, `unknown backend "zzzzzz": ` + all},
		{"other agent", "devin", nil, `unknown backend "devin": ` + all},
		{"empty", "", nil, `unknown backend "": ` + all},
		{"control characters are quoted", "a\x1b[31m", nil, `unknown backend "a\x1b[31m": ` + all},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := backends.Lookup(tt.typed)
			var unknown *backends.UnknownError
			require.ErrorAs(t, err, &unknown)
			assert.Equal(t, tt.typed, unknown.ID)
			if tt.nearest == nil {
				assert.Empty(t, unknown.Nearest)
			} else {
				assert.Equal(t, tt.nearest, unknown.Nearest)
			}
			assert.Equal(t, tt.text, err.Error())
		})
	}
}

func TestLookupOfAbsurdlyLongID(t *testing.T) {
	_, err := backends.Lookup("claude" + strings.Repeat("x", 1<<20))
	var unknown *backends.UnknownError
	require.ErrorAs(t, err, &unknown)
	assert.Empty(t, unknown.Nearest)
}
