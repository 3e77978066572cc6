package live

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMCPFileFolder leads agents to another folder by the variable that they are said to obey: they read the file there, and not the
// one in their usual folder.
func TestMCPFileFolder(t *testing.T) {
	for _, pin := range withMCPFiles(t) {
		t.Run(pin.id, func(t *testing.T) {
			t.Parallel()
			if testing.Short() {
				t.Skip("what the variable does changes rarely")
			}
			r := newColdRun(t, pin)
			variable := r.descriptor.MCPFiles[0].DirEnv
			if variable == "" {
				t.Skip("no variable is known")
			}
			r.copyFolder("elsewhere")
			r.configure(r.one)
			r.setEnv = []string{variable + "=" + filepath.Join(r.bench.Home(), "elsewhere")}
			r.configure(r.two)
			s := r.start(r.two)
			r.expect(variable, s, r.tools(r.two))
			assert.Zero(t, s.starts[r.one.Name], "it read the usual file too")
			assert.Empty(t, r.left())
		})
	}
}

// copyFolder copies what the recipe has in the folder of the agent's files into another folder of the home.
func (r *coldRun) copyFolder(to string) {
	r.t.Helper()
	folder, ok := strings.CutSuffix(r.path(), filepath.FromSlash(r.descriptor.MCPFiles[0].Paths[0]))
	require.True(r.t, ok, "%s", r.path())
	for name := range r.recipe.Files {
		file := filepath.Join(r.bench.Home(), filepath.FromSlash(name))
		below, err := filepath.Rel(folder, file)
		require.NoError(r.t, err)
		if !filepath.IsLocal(below) {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(r.t, err)
		require.NoError(r.t, r.bench.WriteHome(to+"/"+filepath.ToSlash(below), text))
	}
}
