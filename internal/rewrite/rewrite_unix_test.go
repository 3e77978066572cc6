//go:build unix

package rewrite_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/acpharness/acpharness/internal/rewrite"
)

func TestModeIsKept(t *testing.T) {
	t.Parallel()
	for _, mode := range []fs.FileMode{
		0o600, 0o640, 0o644, 0o666, 0o755, 0o200 | 0o400, 0o640 | fs.ModeSetgid, 0o700 | fs.ModeSetuid, 0o600 | fs.ModeSticky,
	} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			file := put(t, filepath.Join(t.TempDir(), "file"), "old", mode)
			before, err := os.Stat(file)
			require.NoError(t, err)
			require.NoError(t, read(t, file).Replace([]byte("new")))
			after, err := os.Stat(file)
			require.NoError(t, err)
			assert.Equal(t, before.Mode(), after.Mode())
			assert.False(t, os.SameFile(before, after), "it is replaced")
		})
	}
}

func TestNewFileIsItsOwners(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, read(t, filepath.Join(dir, "a", "b", "file")).Replace([]byte("new")))
	require.NoError(t, rewrite.Write(filepath.Join(dir, "own"), []byte("new"), 0o600))
	all := tree(t, dir)
	delete(all, ".")
	assert.Equal(t, map[string]string{
		"a": "drwx------", "a/b": "drwx------", "a/b/file": "-rw------- new", "own": "-rw------- new",
	}, all)
}

func TestOwnerIsKept(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	const uid, gid = 12345, 23456
	file := put(t, filepath.Join(t.TempDir(), "file"), "old", 0o640)
	require.NoError(t, os.Chown(file, uid, gid))
	require.NoError(t, os.Chmod(file, 0o640|fs.ModeSetgid))
	require.NoError(t, read(t, file).Replace([]byte("new")))
	info, err := os.Stat(file)
	require.NoError(t, err)
	stat, ok := info.Sys().(*syscall.Stat_t)
	require.True(t, ok)
	assert.Equal(t, []uint32{uid, gid}, []uint32{stat.Uid, stat.Gid})
	assert.Equal(t, 0o640|fs.ModeSetgid, info.Mode())
}

func TestReadOnlyFolderIsRefused(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("nothing is forbidden to root")
	}
	dir := t.TempDir()
	old := read(t, put(t, filepath.Join(dir, "file"), "old", 0o600))
	missing := read(t, filepath.Join(dir, "missing"))
	deep := read(t, filepath.Join(dir, "a", "missing"))
	require.NoError(t, os.Chmod(dir, 0o500))
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	for _, s := range []*rewrite.Snapshot{old, missing, deep} {
		refused(t, s, "new", rewrite.ErrReadOnly, dir)
	}
}

// TestReadOnlyForUs has a file that others may write to.
func TestReadOnlyForUs(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("nothing is forbidden to root")
	}
	dir := t.TempDir()
	refused(t, read(t, put(t, filepath.Join(dir, "file"), "old", 0o466)), "new", rewrite.ErrReadOnly, dir)
	secret := put(t, filepath.Join(dir, "secret"), "old", 0o200)
	_, err := rewrite.Read(secret, limit)
	require.ErrorIs(t, err, fs.ErrPermission)
	require.NoError(t, os.Chmod(secret, 0o600))
}

func TestPipeIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "pipe")
	require.NoError(t, unix.Mkfifo(file, 0o600))
	require.NoError(t, os.Symlink("pipe", filepath.Join(dir, "link")))
	for _, path := range []string{file, filepath.Join(dir, "link"), os.DevNull, dir} {
		_, err := rewrite.Read(path, limit)
		require.ErrorIs(t, err, rewrite.ErrNotRegular, path)
	}
	s := read(t, put(t, filepath.Join(dir, "file"), "old", 0o600))
	require.NoError(t, os.Remove(s.Path))
	require.NoError(t, unix.Mkfifo(s.Path, 0o600))
	err := s.Replace([]byte("new"))
	require.ErrorIs(t, err, rewrite.ErrChanged)
	require.ErrorIs(t, err, rewrite.ErrNotRegular)
}

// TestWriteIsPrivate: a file of our own is for whom it is written, whoever could read it before.
func TestWriteIsPrivate(t *testing.T) {
	t.Parallel()
	for _, mode := range []fs.FileMode{0o644, 0o666, 0o400} {
		file := put(t, filepath.Join(t.TempDir(), "f"), "old", mode)
		require.NoError(t, rewrite.Write(file, []byte("new"), 0o600))
		info, err := os.Stat(file)
		require.NoError(t, err)
		assert.Equal(t, fs.FileMode(0o600), info.Mode())
	}
}
