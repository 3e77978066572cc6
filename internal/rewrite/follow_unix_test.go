//go:build unix

package rewrite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/acpharness/acpharness/internal/rewrite"
)

// TestLinkIsKept has links from home/file, of which {} is the folder with everything.
func TestLinkIsKept(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		links  [][2]string // from, to
		target string
		exists bool
	}{
		{"none", nil, "home/file", true},
		{"relative", [][2]string{{"home/file", "../dots/file"}}, "dots/file", true},
		{"absolute", [][2]string{{"home/file", "{}/dots/file"}}, "dots/file", true},
		{"chain", [][2]string{{"home/file", "two"}, {"home/two", "{}/dots/three"}, {"dots/three", "./file"}}, "dots/file", true},
		{"folder", [][2]string{{"home/sub", "../dots"}, {"home/file", "sub/file"}}, "dots/file", true},
		{"up from a linked folder", [][2]string{{"home/sub", "../dots/deep"}, {"home/file", "sub/../file"}}, "dots/file", true},
		{"dangling", [][2]string{{"home/file", "../dots/new"}}, "dots/new", false},
		{"dangling chain", [][2]string{{"home/file", "two"}, {"home/two", "{}/dots/new"}}, "dots/new", false},
		{"dangling folder", [][2]string{{"home/file", "sub/x/file"}, {"home/sub", "../dots/new"}}, "dots/new/x/file", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "home"), 0o755))
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "dots", "deep"), 0o755))
			target := filepath.Join(dir, tc.target)
			if tc.exists {
				put(t, target, "old", 0o640)
			}
			for _, link := range tc.links {
				to := link[1]
				if to[0] == '{' {
					to = dir + to[2:]
				}
				require.NoError(t, os.Symlink(to, filepath.Join(dir, link[0])))
			}
			want := tree(t, dir)
			file := filepath.Join(dir, "home", "file")
			s := read(t, file)
			assert.Equal(t, file, s.Path)
			assert.Equal(t, target, s.Target)
			assert.Equal(t, tc.exists, !s.Missing)
			assert.Equal(t, want, tree(t, dir))

			require.NoError(t, s.Replace([]byte("new")))
			want[tc.target] = "-rw-r----- new"
			if !tc.exists {
				want[tc.target] = "-rw------- new"
				for d := filepath.Dir(tc.target); want[d] == ""; d = filepath.Dir(d) {
					want[d] = "drwx------"
				}
			}
			assert.Equal(t, want, tree(t, dir))
		})
	}
}

func TestNoEndOfLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Symlink("b", filepath.Join(dir, "a")))
	require.NoError(t, os.Symlink("a", filepath.Join(dir, "b")))
	_, err := rewrite.Read(filepath.Join(dir, "a"), limit)
	require.ErrorIs(t, err, unix.ELOOP)
	put(t, filepath.Join(dir, "file"), "old", 0o600)
	_, err = rewrite.Read(filepath.Join(dir, "file", "below"), limit)
	require.ErrorIs(t, err, unix.ENOTDIR)
}

func TestLinkThatHasMoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "one"), "old", 0o600)
	put(t, filepath.Join(dir, "two"), "old", 0o600)
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink("one", link))
	s := read(t, link)
	require.NoError(t, os.Remove(link))
	require.NoError(t, os.Symlink("two", link))
	refused(t, s, "new", rewrite.ErrChanged, dir)
}
