package backends_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
)

func TestValidateRefusesMCPFiles(t *testing.T) {
	t.Parallel()
	type F = backends.MCPFile
	for _, tt := range []struct {
		name  string
		spoil func(*F)
		text  string
	}{
		{"no key", func(f *F) { f.ServersKey = "" }, "no key of its servers"},
		{"no path", func(f *F) { f.Paths = nil }, "no path"},
		{"format", func(f *F) { f.Format = "yaml" }, `unknown format "yaml"`},
		{"no home", func(f *F) { f.Dir = "/etc" }, "no folder of the home"},
		{"out of the home", func(f *F) { f.Dir = "{home}/../x" }, "no folder of the home"},
		{"out of the folder", func(f *F) { f.Paths = []string{"../x"} }, "does not stay in its folder"},
		{"unknown placeholder", func(f *F) { f.Paths = []string{"{cwd}/x"} }, "does not stay in its folder"},
		{"path twice", func(f *F) { f.Paths = []string{"a", "a"} }, "is there twice"},
		{"variable", func(f *F) { f.DirEnv = "A B" }, "is no name"},
		{"two markers", func(f *F) { f.Marker.List = []string{"x"} }, "two markers"},
		{"no proof", func(f *F) { f.Marker.Proof = " " }, "without a proof"},
		{"proof of nothing", func(f *F) { f.Marker = backends.MCPMarker{Proof: "x"} }, "without a marker"},
		{"entry", func(f *F) { f.Entry.CommandKey, f.Entry.URLKey = "", "" }, "neither a command nor an address"},
		{"types", func(f *F) { f.Entry.TypeKey = "" }, "names of transports"},
		{"always", func(f *F) { f.Entry.Always = "[]" }, "no JSON object"},
		{"switches", func(f *F) { f.Filter.Switches = "tools" }, "without a name"},
		{"included by nobody", func(f *F) { f.IfIncluded = true }, "nothing includes it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := backends.Lookup("copilot")
			require.NoError(t, err)
			tt.spoil(&d.MCPFiles[0])
			require.ErrorContains(t, d.Validate(), tt.text)
		})
	}
}

func TestUserBackendMCPFiles(t *testing.T) {
	t.Parallel()
	parse := func(member string) backends.UserBackend {
		u, err := backends.ParseUser([]byte(`{"id": "mine", "command": "agent", "mcpFile": ` + member + `}`))
		require.NoError(t, err)
		return u
	}
	files := parse(`{"path": "{home}/.mine/mcp.json", "format": "mcp-servers"}`).MCPFiles("/w", "/h")
	require.Len(t, files, 1)
	assert.Equal(t, "/h/.mine", files[0].Dir)
	assert.Equal(t, []string{"mcp.json"}, files[0].Paths)
	assert.True(t, files[0].Marker.None(), "nobody has proved one")
	assert.Empty(t, parse(`{"path": "{home}/x", "format": "other"}`).MCPFiles("/w", "/h"))
	assert.Empty(t, parse(`"{home}/x"`).MCPFiles("/w", "/h"))
	assert.Empty(t, parse(`{"path": "relative", "format": "mcp-servers"}`).MCPFiles("/w", "/h"))
}
