package probe_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/parity/probe"
)

func TestFreshHomeGoes(t *testing.T) {
	t.Parallel()
	one, err := probe.NewHome("")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(one.Dir) })
	two, err := probe.NewHome("")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(two.Dir) })
	assert.NotEqual(t, one.Dir, two.Dir)
	assert.True(t, filepath.IsAbs(one.Dir))
	if runtime.GOOS != "windows" {
		info, err := os.Stat(one.Dir)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	}
	require.NoError(t, os.WriteFile(filepath.Join(one.Dir, ".config", "agent.json"), nil, 0o400))
	require.NoError(t, one.Remove())
	assert.NoDirExists(t, one.Dir)
	assert.DirExists(t, two.Dir)
}

func TestNamedHomeStays(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.MkdirAll("kept/.config", 0o700))
	require.NoError(t, os.WriteFile("kept/.config/agent.json", []byte("{}"), 0o600))
	home, err := probe.NewHome("kept")
	require.NoError(t, err)
	assert.True(t, filepath.IsAbs(home.Dir), "an agent works in another folder")
	require.NoError(t, home.Remove())
	assert.FileExists(t, "kept/.config/agent.json")

	_, err = probe.NewHome("kept/.config/agent.json")
	assert.ErrorContains(t, err, "cannot make an isolated home")
}

func TestHomeEnviron(t *testing.T) {
	t.Parallel()
	home, err := probe.NewHome(t.TempDir())
	require.NoError(t, err)
	base := []string{"HOME=/real", "PATH=/bin", "XDG_CONFIG_HOME=/real/.config", "HOMEBREW=/brew", "XDG_DATA_HOME=", "HOME=/again", "A=HOME=/real"}
	before := slices.Clone(base)
	env := home.Environ(base)
	assert.Equal(t, before, base)
	assert.Equal(t, []string{"PATH=/bin", "HOMEBREW=/brew", "A=HOME=/real"}, env[:3])
	for _, name := range []string{
		"HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "TMPDIR",
	} {
		at := slices.IndexFunc(env, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
		require.GreaterOrEqual(t, at, 0, name)
		dir := strings.TrimPrefix(env[at], name+"=")
		assert.True(t, dir == home.Dir || strings.HasPrefix(dir, home.Dir+string(filepath.Separator)), env[at])
		assert.DirExists(t, dir)
	}
	assert.Len(t, env, 3+8, "nothing twice")
}
