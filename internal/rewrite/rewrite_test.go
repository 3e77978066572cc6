package rewrite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/rewrite"
)

func TestReplace(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, old, text string }{
		{"longer", "old", "new and longer\n"},
		{"shorter", "old and longer\n", "new"},
		{"empty", "old", ""},
		{"was empty", "", "new"},
		{"the same", "old", "old"},
		{"at the limit", strings.Repeat("x", limit), "new"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			file := put(t, filepath.Join(t.TempDir(), "file"), tc.old, 0o600)
			s := read(t, file)
			assert.Equal(t, file, s.Path)
			assert.Equal(t, tc.old, string(s.Text))
			assert.False(t, s.Missing)
			for i := range s.Text {
				s.Text[i] = '!' // whose text it is now
			}
			require.NoError(t, s.Replace([]byte(tc.text)))
			s = read(t, file)
			assert.Equal(t, tc.text, string(s.Text))
			assert.Len(t, tree(t, filepath.Dir(file)), 2, "the folder and the file")
		})
	}
}

func TestSnapshotIsReplacedOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := read(t, put(t, filepath.Join(dir, "file"), "old", 0o600))
	require.NoError(t, s.Replace([]byte("new")))
	refused(t, s, "newer", rewrite.ErrChanged, dir)
}

func TestMissingFileIsMade(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"file", "a/file", "a/b/c/file"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := read(t, filepath.Join(dir, name))
			assert.True(t, s.Missing)
			assert.Empty(t, s.Text)
			assert.Len(t, tree(t, dir), 1, "reading makes nothing")
			require.NoError(t, s.Replace([]byte("new")))
			assert.Equal(t, "new", string(read(t, s.Path).Text))
			assert.Len(t, tree(t, dir), 2+strings.Count(name, "/"))
		})
	}
}

func TestRelativePath(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	s := read(t, "a/../file")
	assert.True(t, filepath.IsAbs(s.Target), s.Target)
	require.NoError(t, s.Replace([]byte("new")))
	assert.Equal(t, "new", string(read(t, filepath.Join(dir, "file")).Text))
}

func TestNotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "long"), strings.Repeat("x", limit+1), 0o600)
	for _, tc := range []struct {
		name string
		want error
		says string
	}{
		{".", rewrite.ErrNotRegular, "name a file"},
		{"long", rewrite.ErrTooLarge, "longer than 1024 bytes"},
	} {
		before := tree(t, dir)
		_, err := rewrite.Read(filepath.Join(dir, tc.name), limit)
		require.ErrorIs(t, err, tc.want, tc.name)
		require.ErrorContains(t, err, "cannot read "+filepath.Join(dir, tc.name)+": ")
		require.ErrorContains(t, err, tc.says)
		assert.Equal(t, before, tree(t, dir))
	}
}

func TestReadOnlyIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := put(t, filepath.Join(dir, "file"), "old", 0o444)
	t.Cleanup(func() { _ = os.Chmod(file, 0o600) }) // some systems do not remove it else
	refused(t, read(t, file), "new", rewrite.ErrReadOnly, dir)
}

func TestHardLinkIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := put(t, filepath.Join(dir, "file"), "old", 0o600)
	require.NoError(t, os.Link(file, filepath.Join(dir, "other")))
	refused(t, read(t, file), "new", rewrite.ErrLinked, dir)
}

func TestWrite(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{"one", "two", ""} {
		require.NoError(t, rewrite.Write(file, []byte(text), 0o600))
		assert.Equal(t, text, string(read(t, file).Text))
	}
	assert.Len(t, tree(t, filepath.Dir(file)), 2)
	require.Error(t, rewrite.Write(filepath.Join(file, "no folder"), nil, 0o600))
}
