package mcpfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/harness/mcpfile"
)

// both returns a configuration of two files with these texts.
func both(t *testing.T, id, agent, one, two string) (config *mcpfile.Config, first, second string) {
	t.Helper()
	config, first = setup(t, id, agent, one)
	second = config.Files()[1].Path()
	require.NoError(t, os.MkdirAll(filepath.Dir(second), 0o700))
	require.NoError(t, os.WriteFile(second, []byte(two), 0o600))
	return config, first, second
}

// TestRemoveForgetsEverywhere: what is said of a server in the other files that count goes with it.
func TestRemoveForgetsEverywhere(t *testing.T) {
	t.Parallel()
	config, first, second := both(t, "kiro", "crew",
		`{"includeMcpJson":true,"tools":["@g","@g/x","@gg"],"allowedTools":["@g/x","fs_read"]}`, `{"mcpServers":{"g":{}}}`)
	_, err := config.Remove(t.Context(), "g")
	require.NoError(t, err)
	assertText(t, `{"includeMcpJson":true,"tools":["@gg"],"allowedTools":["fs_read"]}`, first)
	assertText(t, `{"mcpServers":{}}`, second)

	config, first, second = both(t, "opencode", "",
		`{"mcp":{"a":{},"a_b":{}},"tools":{"a_t":false,"a_b_t":false,"bash":false}}`, `{"tools":{"a_u":true,"a_b_u":true}}`)
	_, err = config.Remove(t.Context(), "a")
	require.NoError(t, err)
	assertText(t, `{"mcp":{"a_b":{}},"tools":{"a_b_t":false,"bash":false}}`, first)
	assertText(t, `{"tools":{"a_b_u":true}}`, second)
}

// TestAddAllowsNothing: rules that were left over by somebody are taken out.
func TestAddAllowsNothing(t *testing.T) {
	t.Parallel()
	config, path := setup(t, "kiro", "crew", `{"allowedTools":["@a-b","@a-b/x","@a","@c/y"],"tools":["*"]}`)
	_, err := config.Add(t.Context(), mcpfile.Entry{Name: "a/b", Server: mcpfile.Server{Command: "x"}}, mcpfile.Entry{Name: "c", Server: mcpfile.Server{Command: "x"}})
	require.NoError(t, err)
	assert.Contains(t, read(t, path), `"allowedTools":["@a"]`)
}

// TestSameFileTwice: two paths that lead to one file are one.
func TestSameFileTwice(t *testing.T) {
	t.Parallel()
	const text = `{"mcp":{"a":{"type":"local","command":["x"]}}}`
	config, path := setup(t, "opencode", "", text)
	if err := os.Symlink(path, config.Files()[1].Path()); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	rows, err := config.List()
	require.NoError(t, err)
	require.Len(t, rows, 1)
	_, err = config.Disable(t.Context(), "a")
	require.NoError(t, err)
	_, err = config.Enable(t.Context(), "a")
	require.NoError(t, err)
	assertText(t, text, path)
}

// TestCollisionsAcrossFiles: names of one alias in two files that count are refused, and what does not count is in nobody's way.
func TestCollisionsAcrossFiles(t *testing.T) {
	t.Parallel()
	clash, _, _ := both(t, "kiro", "crew", `{"includeMcpJson":true,"mcpServers":{"n:a/b":{}}}`, `{"mcpServers":{"m:a/b":{}}}`)
	for _, name := range []string{"n:a/b", "m:a/b", "a-b", "a/b"} {
		_, err := clash.Disable(t.Context(), name)
		require.ErrorIs(t, err, mcpfile.ErrCollision, name)
	}
	config, first, second := both(t, "kiro", "crew", `{"mcpServers":{"n:a/b":{}}}`, `{"mcpServers":{"m:a/b":{},"o:a/b":{}}}`)
	_, err := config.Disable(t.Context(), "a-b")
	require.NoError(t, err)
	assertText(t, `{"mcpServers":{"n:a/b":{"disabled": true}}}`, first)
	assertText(t, `{"mcpServers":{"m:a/b":{},"o:a/b":{}}}`, second)
}

// TestOneServerTwice: two names of one server are one in a batch.
func TestOneServerTwice(t *testing.T) {
	t.Parallel()
	config, path := setup(t, "kiro", "crew", `{"mcpServers":{"c/d":{},"c-d":{},"e":{}}}`)
	_, err := config.Remove(t.Context(), "c/d", "c-d")
	require.NoError(t, err)
	assertText(t, `{"mcpServers":{"e":{}}}`, path)
}

// TestReservedNames: what the agent takes for something else cannot be the name of a server that it refers to.
func TestReservedNames(t *testing.T) {
	t.Parallel()
	const text = `{"mcpServers":{"builtin":{}},"tools":["@builtin","@*"]}`
	config, path := setup(t, "kiro", "crew", text)
	for _, name := range []string{"builtin", ":/builtin", "*", "a*"} {
		_, err := config.Add(t.Context(), mcpfile.Entry{Name: name, Server: mcpfile.Server{Command: "x"}})
		require.ErrorContains(t, err, "something else", name)
		_, err = config.Remove(t.Context(), name)
		require.ErrorContains(t, err, "something else", name)
	}
	assertText(t, text, path)
	config, _ = setup(t, "claude", "", "{}")
	_, err := config.Add(t.Context(), mcpfile.Entry{Name: "builtin", Server: mcpfile.Server{Command: "x"}})
	require.NoError(t, err, "an agent without references")
}

// TestPlainSwitches: OpenCode names tools with the characters of an identifier only.
func TestPlainSwitches(t *testing.T) {
	t.Parallel()
	config, path := setup(t, "opencode", "", `{"mcp":{"a.b c":{}},"tools":{}}`)
	_, err := config.SetFilter(t.Context(), "a.b c", mcpfile.Filter{Exclude: []string{"x/ü-y", "z*"}})
	require.NoError(t, err)
	assertText(t, `{"mcp":{"a.b c":{}},"tools":{"a_b_c_x__-y": false,"a_b_c_z*": false}}`, path)
	_, err = config.SetFilter(t.Context(), "a.b c", mcpfile.Filter{})
	require.NoError(t, err)
	assertText(t, `{"mcp":{"a.b c":{}},"tools":{}}`, path)
}

// TestMarkers: whatever is around the marker comes back, and one that is no boolean is nobody's to overwrite.
func TestMarkers(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"mcpServers":{"a":{}},"mcp":{"excluded":[ ]}}`,
		`{"mcpServers":{"a":{}},"mcp":{ "excluded":[/* none */  ] }}`,
		"{\"mcpServers\":{\"a\":{}},\"mcp\":{\"excluded\":[\n ]}}",
	} {
		config, path := setup(t, "gemini", "", text)
		_, err := config.Disable(t.Context(), "a")
		require.NoError(t, err)
		_, err = config.Enable(t.Context(), "a")
		require.NoError(t, err)
		assertText(t, text, path)
	}
	for _, marker := range []string{`"yes"`, "null", "{}", "[]", "1"} {
		text := `{"mcpServers":{"a":{"disabled":` + marker + `}}}`
		config, path := setup(t, "kiro", "crew", text)
		_, err := config.Disable(t.Context(), "a")
		require.ErrorIs(t, err, mcpfile.ErrMalformed, marker)
		_, err = config.Enable(t.Context(), "a")
		require.ErrorIs(t, err, mcpfile.ErrMalformed, marker)
		assertText(t, text, path)
	}
}

// TestDryRunOfReadOnly: what could not be written is not promised.
func TestDryRunOfReadOnly(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	_, path := configIn(t, home, "copilot", "", `{"mcpServers":{"a":{}}}`)
	require.NoError(t, os.Chmod(path, 0o400))
	d, err := backends.Lookup("copilot")
	require.NoError(t, err)
	dry, err := mcpfile.Open(d.MCPFiles, &mcpfile.Options{Home: home, DryRun: true})
	require.NoError(t, err)
	_, err = dry.Disable(t.Context(), "a")
	require.ErrorIs(t, err, mcpfile.ErrReadOnly)
}

// TestFilterOfKept: what is not in the file has no tools there.
func TestFilterOfKept(t *testing.T) {
	t.Parallel()
	config, _ := setup(t, "claude", "", `{"mcpServers":{"a":{}}}`)
	_, err := config.Disable(t.Context(), "a")
	require.NoError(t, err)
	_, err = config.SetFilter(t.Context(), "a", mcpfile.Filter{})
	require.ErrorContains(t, err, "enable it first")
}
