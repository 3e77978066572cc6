package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp/workspace"
)

// TestPaths are paths without links; those with links are in TestLinks.
func TestPaths(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	proj := filepath.Join(base, "proj")
	put(t, filepath.Join(proj, "file.txt"), "inside")
	put(t, filepath.Join(proj, "dir", "x.txt"), "deep")
	put(t, filepath.Join(base, "proj-evil", "x.txt"), "SECRET")
	put(t, filepath.Join(base, "secret.txt"), "SECRET")
	put(t, filepath.Join(base, "more", "m.txt"), "more")
	w := workspace.New(&workspace.Options{Dirs: []string{filepath.Join(base, "more")}})
	for _, tc := range []struct {
		name, path string // PROJ and BASE are replaced
		want       string
		reason     error
	}{
		{name: "a file", path: "PROJ/file.txt", want: "inside"},
		{name: "a file below", path: "PROJ/dir/x.txt", want: "deep"},
		{name: "dots and separators", path: "PROJ//./dir/.//x.txt", want: "deep"},
		{name: "up inside", path: "PROJ/dir/../file.txt", want: "inside"},
		{name: "out and in again", path: "PROJ/../proj/file.txt", want: "inside"},
		{name: "far out and in again", path: "PROJ/../../" + filepath.Base(base) + "/proj/dir/../file.txt", want: "inside"},
		{name: "a further directory", path: "BASE/more/m.txt", want: "more"},
		{name: "from one directory to the other", path: "PROJ/../more/m.txt", want: "more"},
		{name: "an absolute path, openclaw/acpx#633", path: "/etc/passwd", reason: workspace.ErrOutside},
		{name: "beside", path: "BASE/secret.txt", reason: workspace.ErrOutside},
		{name: "up and out", path: "PROJ/../secret.txt", reason: workspace.ErrOutside},
		{name: "up and out from below", path: "PROJ/dir/../../secret.txt", reason: workspace.ErrOutside},
		{name: "up to the top", path: "PROJ" + strings.Repeat("/..", 60) + "/etc/passwd", reason: workspace.ErrOutside},
		{name: "a twin with a longer name, zed-industries/codex-acp#125", path: "BASE/proj-evil/x.txt", reason: workspace.ErrOutside},
		{name: "a twin by ..", path: "PROJ/../proj-evil/x.txt", reason: workspace.ErrOutside},
		{name: "a twin with a shorter name", path: "BASE/pro/x.txt", reason: workspace.ErrOutside},
		{name: "the directory", path: "PROJ", reason: workspace.ErrNotRegular},
		{name: "the directory with a separator", path: "PROJ/", reason: workspace.ErrNotRegular},
		{name: "a directory", path: "PROJ/dir", reason: workspace.ErrNotRegular},
		{name: "up to the directory", path: "PROJ/dir/..", reason: workspace.ErrNotRegular},
		{name: "above the directory", path: "PROJ/..", reason: workspace.ErrOutside},
		{name: "below a file", path: "PROJ/file.txt/x", reason: workspace.ErrNotRegular},
		{name: "up from a file", path: "PROJ/file.txt/../file.txt", reason: workspace.ErrNotRegular},
		{name: "a file called a directory", path: "PROJ/file.txt/", reason: workspace.ErrNotRegular},
		{name: "a file called a directory by a dot", path: "PROJ/file.txt/.", reason: workspace.ErrNotRegular},
		{name: "relative, omercnet/vscode-acp#108", path: "file.txt", reason: workspace.ErrBadPath},
		{name: "relative with a dot", path: "./file.txt", reason: workspace.ErrBadPath},
		{name: "relative up", path: "../proj/file.txt", reason: workspace.ErrBadPath},
		{name: "a home", path: "~/file.txt", reason: workspace.ErrBadPath},
		{name: "an address", path: "file://PROJ/file.txt", reason: workspace.ErrBadPath},
		{name: "empty", path: "", reason: workspace.ErrBadPath},
		{name: "a NUL", path: "PROJ/file.txt\x00.png", reason: workspace.ErrBadPath},
		{name: "endless", path: "PROJ/" + strings.Repeat("x/", 1<<20), reason: workspace.ErrBadPath},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := strings.NewReplacer("PROJ", proj, "BASE", base).Replace(tc.path)
			if filepath.Separator != '/' && strings.HasPrefix(tc.path, "/") {
				path = filepath.VolumeName(base) + path
			}
			got, err := read(t, w, path, proj)
			assert.Equal(t, tc.want, got)
			if tc.reason == nil {
				require.NoError(t, err)
				require.NoError(t, write(t, w, path, tc.want, proj))
				return
			}
			assertRefused(t, err, tc.reason)
			assert.Less(t, len(err.Error()), 2000)
			assertRefused(t, write(t, w, path, "WRITTEN", proj), tc.reason)
		})
	}
	t.Cleanup(func() {
		for name, content := range tree(t, base) {
			assert.NotContains(t, content, "WRITTEN", name)
		}
	})
}

func TestNoDirectories(t *testing.T) {
	t.Parallel()
	path := put(t, filepath.Join(t.TempDir(), "f"), "x")
	_, err := read(t, workspace.New(nil), path)
	require.ErrorIs(t, err, workspace.ErrOutside)
	_, err = read(t, workspace.New(nil), path, "relative")
	require.ErrorContains(t, err, `"relative" of the session: it is not absolute`)
}

// TestCase is about a name in another case, which is the same name on some systems.
func TestCase(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	put(t, filepath.Join(base, "proj", "x.txt"), "inside")
	path := filepath.Join(base, "PROJ", "x.txt")
	if _, err := os.Lstat(path); err == nil {
		got, err := read(t, workspace.New(nil), path, filepath.Join(base, "proj"))
		require.NoError(t, err)
		assert.Equal(t, "inside", got)
		return
	}
	for _, content := range []string{"", "SECRET"} {
		if content != "" {
			put(t, path, content)
		}
		_, err := read(t, workspace.New(nil), path, filepath.Join(base, "proj"))
		assertRefused(t, err, workspace.ErrOutside)
	}
}

// TestErrorsHelp is about what an agent is told.
func TestErrorsHelp(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	proj, more := filepath.Join(base, "proj"), filepath.Join(base, "more")
	put(t, filepath.Join(proj, "dir", "f"), "x")
	w := workspace.New(&workspace.Options{Dirs: []string{more, proj, filepath.Join(proj, "dir")}})
	for path, want := range map[string]string{
		filepath.Join(base, "x"):   "cannot read " + filepath.Join(base, "x") + ": it is outside of what this session may use; use a path in " + proj + " or " + more,
		"x\ny":                     `cannot read "x\ny": the path is relative; use an absolute path in ` + proj + " or " + more,
		filepath.Join(proj, "dir"): "cannot read " + filepath.Join(proj, "dir") + ": it is a directory; name a file in it",
		filepath.Join(proj, "f"):   "cannot read " + filepath.Join(proj, "f") + ": the file does not exist",
		filepath.Join(more, "f"):   "cannot read " + filepath.Join(more, "f") + ": the directory " + more + " of the session does not exist",
	} {
		_, err := read(t, w, path, proj)
		assert.EqualError(t, err, want)
	}
}
