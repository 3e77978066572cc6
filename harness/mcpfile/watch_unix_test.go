//go:build unix

package mcpfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// link makes a link, or puts it in the place of another one.
func link(t *testing.T, to, path string) {
	t.Helper()
	require.NoError(t, os.Symlink(to, path+".new"))
	require.NoError(t, os.Rename(path+".new", path))
}

func folder(t *testing.T, dir ...string) string {
	t.Helper()
	path := filepath.Join(dir...)
	require.NoError(t, os.MkdirAll(path, 0o700))
	return path
}

func TestWatchLinkToFile(t *testing.T) {
	t.Parallel()
	dir := watchDir(t)
	home, dots := folder(t, dir, "home"), folder(t, dir, "dots")
	put(t, filepath.Join(dots, "one"), withServers("one"))
	put(t, filepath.Join(dots, "two"), withServers("two"))
	path := filepath.Join(home, "mcp.json")
	link(t, "../dots/one", path)
	w := startWatch(t, path, &WatchOptions{}, nil)
	link(t, "../dots/two", path)
	w.expect(t, "remove one", "add two")
	replace(t, filepath.Join(dots, "two"), withServers("two", "three"))
	w.expect(t, "add three")
	link(t, "../more/four", path)
	w.expect(t, "remove two", "remove three")
	replace(t, filepath.Join(folder(t, dir, "more"), "four"), withServers("four"))
	w.expect(t, "add four")
}

// TestWatchLinkToFolder swaps a folder as Kubernetes does for a volume.
func TestWatchLinkToFolder(t *testing.T) {
	t.Parallel()
	dir := watchDir(t)
	put(t, filepath.Join(folder(t, dir, "..1"), "mcp.json"), withServers("one"))
	link(t, "..1", filepath.Join(dir, "..data"))
	path := filepath.Join(dir, "mcp.json")
	link(t, filepath.Join("..data", "mcp.json"), path)
	w := startWatch(t, path, &WatchOptions{}, nil)

	put(t, filepath.Join(folder(t, dir, "..2"), "mcp.json"), withServers("two"))
	link(t, "..2", filepath.Join(dir, "..data"))
	w.expect(t, "remove one", "add two")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "..1")))
	replace(t, filepath.Join(dir, "..2", "mcp.json"), withServers("two", "three"))
	w.expect(t, "add three")
}

// TestWatchChainOfLinks edits a file at the end of links, one of which is a folder further above.
func TestWatchChainOfLinks(t *testing.T) {
	t.Parallel()
	dir := watchDir(t)
	home, far := folder(t, dir, "home"), folder(t, dir, "real", "deep")
	target := filepath.Join(far, "mcp.json")
	put(t, target, withServers("a"))
	link(t, filepath.Join(dir, "real"), filepath.Join(home, "sub"))
	link(t, filepath.Join(home, "sub", "deep", "..", "deep", "mcp.json"), filepath.Join(home, "two"))
	path := filepath.Join(home, "mcp.json")
	link(t, "two", path)
	w := startWatch(t, path, &WatchOptions{}, nil)
	put(t, target, withServers("a", "b"))
	w.expect(t, "add b")
	replace(t, target, withServers("b"))
	w.expect(t, "remove a")

	put(t, filepath.Join(folder(t, dir, "other", "deep"), "mcp.json"), withServers("c"))
	link(t, filepath.Join(dir, "other"), filepath.Join(home, "sub"))
	w.expect(t, "remove b", "add c")
	link(t, "mcp.json", path)
	assert.Error(t, w.next(t).After.Err())
	link(t, "two", path)
	w.expect(t)
}

func TestWatchNoPermission(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	path := filepath.Join(watchDir(t), "mcp.json")
	put(t, path, withServers("a"))
	w := startWatch(t, path, &WatchOptions{}, nil)
	require.NoError(t, os.Chmod(path, 0))
	u := w.next(t)
	require.ErrorIs(t, u.After.Err(), os.ErrPermission)
	require.ErrorIs(t, u.Diff.Unknown, os.ErrPermission)
	require.NoError(t, os.Chmod(path, 0o600))
	u = w.next(t)
	require.NoError(t, u.After.Err())
	assert.True(t, u.Diff.Empty())
}
