package mcpfile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/harness/mcpfile"
)

// TestDeepNesting: what is nested without end is an error and ends no process.
func TestDeepNesting(t *testing.T) {
	t.Parallel()
	const many = 1_000_000
	for name, tc := range map[string]struct{ id, text string }{
		"lists":         {"kiro", `{"x":` + strings.Repeat("[", many)},
		"whole lists":   {"kiro", `{"x":` + strings.Repeat("[", many) + strings.Repeat("]", many) + "}"},
		"objects":       {"opencode", strings.Repeat(`{"a":`, many)},
		"TOML lists":    {"codex", "x = " + strings.Repeat("[", many) + strings.Repeat("]", many)},
		"TOML mappings": {"codex", "x = " + strings.Repeat("{a=", many)},
		"TOML keys":     {"codex", strings.Repeat("a.", 100_000) + "a = 1"},
		"TOML headers":  {"codex", "[" + strings.Repeat("a.", 100_000) + "a]"},
	} {
		assert.Error(t, file(t, tc.id).ParseState([]byte(tc.text)).Err(), name)
	}
	_, err := mcpfile.ParseSpec(strings.Repeat(`{"a":`, many))
	require.Error(t, err)
	deep := strings.Repeat("[", 900) + strings.Repeat("]", 900)
	flat := strings.Repeat(`[[]],"\"[",/* [[ */`, 2000)
	for _, text := range []string{`{"x":` + deep + "}", `{"x":[` + flat + "1]} // " + strings.Repeat("[", 2000)} {
		assert.NoError(t, file(t, "opencode").ParseState([]byte(text)).Err())
	}
	assert.NoError(t, file(t, "codex").ParseState([]byte("x = "+deep[400:1400]+"\n"+strings.Repeat("[[a]]\nx = '[' # [\ny = \"\"\"\n\\\"\"\"[[\"\"\"\nz='''[''[['''\n", 2000))).Err())
}
