package bench_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/parity/bench"
)

func TestFreshHomeGoes(t *testing.T) {
	t.Parallel()
	one, err := bench.NewHome("")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(one.Dir) })
	two, err := bench.NewHome("")
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
	home, err := bench.NewHome("kept")
	require.NoError(t, err)
	assert.True(t, filepath.IsAbs(home.Dir), "an agent works in another folder")
	require.NoError(t, home.Remove())
	assert.FileExists(t, "kept/.config/agent.json")

	_, err = bench.NewHome("kept/.config/agent.json")
	assert.ErrorContains(t, err, "cannot make an isolated home")
}

func TestHomeVars(t *testing.T) {
	t.Parallel()
	home, err := bench.NewHome(t.TempDir())
	require.NoError(t, err)
	var names []string
	for _, entry := range home.Vars() {
		name, dir, _ := strings.Cut(entry, "=")
		names = append(names, name)
		assert.True(t, dir == home.Dir || strings.HasPrefix(dir, home.Dir+string(filepath.Separator)), entry)
		assert.DirExists(t, dir)
	}
	want := []string{"HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "TMPDIR"}
	if runtime.GOOS == "windows" {
		want = append(want, "APPDATA", "LOCALAPPDATA", "TEMP", "TMP")
	}
	assert.Equal(t, want, names)
}
