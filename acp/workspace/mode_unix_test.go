//go:build unix

package workspace_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp/workspace"
)

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Mode()
}

func TestModes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := workspace.New(nil)
	for _, want := range []fs.FileMode{0o600, 0o644, 0o755, 0o640, 0o666, 0o777, 0o200 | 0o400} {
		path := put(t, filepath.Join(dir, "old"), "old")
		require.NoError(t, os.Chmod(path, want))
		require.NoError(t, write(t, w, path, "new", dir))
		assert.Equal(t, want, mode(t, path))
		require.NoError(t, os.Remove(path))
	}

	require.NoError(t, write(t, w, filepath.Join(dir, "sub", "new"), "new", dir))
	likeFile := put(t, filepath.Join(dir, "likeFile"), "") // 0644 less the umask
	assert.Equal(t, mode(t, likeFile), mode(t, filepath.Join(dir, "sub", "new")))
	likeDir := filepath.Join(dir, "likeDir")
	require.NoError(t, os.Mkdir(likeDir, 0o755))
	assert.Equal(t, mode(t, likeDir), mode(t, filepath.Join(dir, "sub")))
}

func TestForbiddenFiles(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("nothing is forbidden to root")
	}
	dir := t.TempDir()
	path := put(t, filepath.Join(dir, "f"), "old")
	require.NoError(t, os.Chmod(path, 0o444))
	before := tree(t, dir)
	require.ErrorIs(t, write(t, workspace.New(nil), path, "new", dir), fs.ErrPermission)
	assert.Equal(t, before, tree(t, dir), "a file that must not be written is not replaced either")
	require.NoError(t, os.Chmod(path, 0o200))
	_, err := read(t, workspace.New(nil), path, dir)
	assert.ErrorIs(t, err, fs.ErrPermission)
}

func TestOwnerIsKept(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	path := put(t, filepath.Join(t.TempDir(), "f"), "old")
	require.NoError(t, os.Chown(path, 12345, 54321))
	require.NoError(t, os.Chmod(path, 0o640))
	require.NoError(t, write(t, workspace.New(nil), path, "new", filepath.Dir(path)))
	info, err := os.Stat(path)
	require.NoError(t, err)
	stat, ok := info.Sys().(*syscall.Stat_t)
	require.True(t, ok)
	assert.EqualValues(t, 12345, stat.Uid)
	assert.EqualValues(t, 54321, stat.Gid)
	assert.Equal(t, fs.FileMode(0o640), info.Mode())
}

// TestHardLink is a file with another name outside: writing the name inside leaves the other one alone.
func TestHardLink(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	outside := put(t, filepath.Join(base, "outside"), "old")
	dir := filepath.Join(base, "proj")
	require.NoError(t, os.Mkdir(dir, 0o755))
	inside := filepath.Join(dir, "inside")
	require.NoError(t, os.Link(outside, inside))
	require.NoError(t, write(t, workspace.New(nil), inside, "new", dir))
	assert.Equal(t, "old", text(t, outside))
	assert.Equal(t, "new", text(t, inside))
}

func TestLongestName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, strings.Repeat("n", 255))
	require.NoError(t, write(t, workspace.New(nil), path, "x", dir))
	assert.Equal(t, "x", text(t, path))
	err := write(t, workspace.New(nil), path+"n", "x", dir)
	require.ErrorIs(t, err, syscall.ENAMETOOLONG)
	assert.Len(t, tree(t, dir), 2)
}
