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

// linkedTree makes a directory proj with every kind of link in it, with things around it, and returns where it is.
func linkedTree(tb testing.TB) (base string) {
	tb.Helper()
	base, err := filepath.EvalSymlinks(tb.TempDir())
	require.NoError(tb, err)
	for name, content := range map[string]string{
		"proj/file.txt": "file", "proj/x.txt": "proj x", "proj/dir/x.txt": "dir x", "proj/dir/sub/x.txt": "sub x",
		"more/m.txt": "more", "outside/secret.txt": "SECRET", "outside/dir/x.txt": "SECRET", "proj-evil/x.txt": "SECRET",
	} {
		put(tb, filepath.Join(base, name), content)
	}
	for name, target := range map[string]string{
		"proj/link.txt": "file.txt", "proj/abs.txt": "BASE/proj/file.txt", "proj/chain": "link.txt", "proj/chain2": "BASE/proj/chain",
		"proj/linkdir": "dir", "proj/sub": "dir/sub", "proj/abssub": "BASE/proj/dir/sub", "proj/dir/back": "../file.txt",
		"proj/dotted": "./dir/../dir//x.txt", "proj/around": "../proj/file.txt",
		"proj/slash": "file.txt/", "proj/dirslash": "dir/", "proj/self": ".",
		"proj/out": "../outside", "proj/absout": "BASE/outside", "proj/outfile": "../outside/secret.txt", "proj/absoutfile": "BASE/outside/secret.txt",
		"proj/outdir": "../outside/dir", "proj/evil": "../proj-evil/x.txt", "proj/outchain": "out", "proj/top": "/", "proj/more": "../more",
		"proj/dangling": "nowhere.txt", "proj/danglingdir": "no/where", "proj/danglingabs": "BASE/proj/nowhere.txt",
		"proj/danglingout": "../outside/new.txt", "proj/danglingabsout": "BASE/outside/new.txt", "proj/danglingchain": "dangling",
		"proj/danglingup": "no/../file.txt", "proj/danglingvia": "linkdir/nowhere.txt", "proj/loop": "loop", "proj/loop1": "loop2", "proj/loop2": "loop1",
		"proj/null": "/dev/null", "proj/zero": "/dev/zero", "proj/tofifo": "fifo", "proj/todir": "dir",
		"alias": "proj", "alias2": "BASE/alias", "proj/toalias": "../alias/file.txt",
	} {
		require.NoError(tb, os.Symlink(strings.ReplaceAll(target, "BASE", base), filepath.Join(base, name)))
	}
	require.NoError(tb, syscall.Mkfifo(filepath.Join(base, "proj", "fifo"), 0o666))
	// Not every system lets everybody make a socket like this, and their own way is for short paths only.
	if err := syscall.Mknod(filepath.Join(base, "proj", "socket"), syscall.S_IFSOCK|0o666, 0); err != nil {
		tb.Logf("no socket in the tree: %v", err)
	}
	return base
}

// links are paths in the tree. BASE, and at the start of a path PROJ, are replaced.
var links = []struct {
	name, path string
	want       string // what is read
	file       string // what is written instead
	read       error  // why it is not read
	write      error  // why it is not written, if not for the same reason
}{
	{name: "a link", path: "PROJ/link.txt", want: "file", file: "proj/file.txt"},
	{name: "an absolute link", path: "PROJ/abs.txt", want: "file", file: "proj/file.txt"},
	{name: "links to links", path: "PROJ/chain2", want: "file", file: "proj/file.txt"},
	{name: "a link out and in again", path: "PROJ/around", want: "file", file: "proj/file.txt"},
	{name: "a link of dots", path: "PROJ/dotted", want: "dir x", file: "proj/dir/x.txt"},
	{name: "a link up", path: "PROJ/dir/back", want: "file", file: "proj/file.txt"},
	{name: "a linked directory", path: "PROJ/linkdir/x.txt", want: "dir x", file: "proj/dir/x.txt"},
	{name: "a linked directory with a separator", path: "PROJ/dirslash/x.txt", want: "dir x", file: "proj/dir/x.txt"},
	{name: "many links in turn", path: "PROJ/self/self/self/self/self/self/self/self/self/self/linkdir/x.txt", want: "dir x", file: "proj/dir/x.txt"},
	{name: ".. after a link, nextlevelbuilder/goclaw#1201", path: "PROJ/sub/../x.txt", want: "dir x", file: "proj/dir/x.txt"},
	{name: ".. after an absolute link", path: "PROJ/abssub/../x.txt", want: "dir x", file: "proj/dir/x.txt"},
	{name: "a link to a further directory", path: "PROJ/more/m.txt", want: "more", file: "more/m.txt"},
	{name: ".. from a further directory", path: "PROJ/more/../proj/file.txt", want: "file", file: "proj/file.txt"},
	{name: "a new file in a linked directory", path: "PROJ/linkdir/new/new.txt", read: fs.ErrNotExist, file: "proj/dir/new/new.txt"},

	{name: "a link out", path: "PROJ/out/secret.txt", read: workspace.ErrOutside},
	{name: "an absolute link out", path: "PROJ/absout/secret.txt", read: workspace.ErrOutside},
	{name: "a link to a file outside", path: "PROJ/outfile", read: workspace.ErrOutside},
	{name: "an absolute link to a file outside", path: "PROJ/absoutfile", read: workspace.ErrOutside},
	{name: "a link to a link out", path: "PROJ/outchain/secret.txt", read: workspace.ErrOutside},
	{name: "a link to a twin", path: "PROJ/evil", read: workspace.ErrOutside},
	{name: "a link to the top", path: "PROJ/top/etc/passwd", read: workspace.ErrOutside},
	{name: "new behind a link out", path: "PROJ/out/new.txt", read: workspace.ErrOutside},
	{name: ".. after a link out, nextlevelbuilder/goclaw#1201", path: "PROJ/outdir/../secret.txt", read: workspace.ErrOutside},
	{name: ".. after a link out to what is inside too", path: "PROJ/out/../file.txt", read: workspace.ErrOutside},
	{name: "a link out and .. in again", path: "PROJ/out/../proj/file.txt", read: workspace.ErrOutside},
	{name: "a link to another name of the directory", path: "PROJ/toalias", read: workspace.ErrOutside},
	{name: "another name of the directory", path: "BASE/alias/file.txt", read: workspace.ErrOutside},

	{name: "a dangling link, nextlevelbuilder/goclaw#1201", path: "PROJ/dangling", read: workspace.ErrBrokenLink},
	{name: "an absolute dangling link", path: "PROJ/danglingabs", read: workspace.ErrBrokenLink},
	{name: "a link to a dangling link", path: "PROJ/danglingchain", read: workspace.ErrBrokenLink},
	{name: "a dangling link by another link", path: "PROJ/danglingvia", read: workspace.ErrBrokenLink},
	{name: "a dangling link out", path: "PROJ/danglingout", read: workspace.ErrOutside},
	{name: "an absolute dangling link out", path: "PROJ/danglingabsout", read: workspace.ErrOutside},
	{name: "behind a dangling link", path: "PROJ/danglingdir/x.txt", read: workspace.ErrBrokenLink},
	{name: "a link by what does not exist", path: "PROJ/danglingup", read: workspace.ErrBrokenLink},
	{name: "a link to itself", path: "PROJ/loop", read: workspace.ErrBrokenLink},
	{name: "two links to each other", path: "PROJ/loop1/x.txt", read: workspace.ErrBrokenLink},

	{name: "a link to a file as a directory", path: "PROJ/slash", read: workspace.ErrNotRegular},
	{name: "a link to a directory", path: "PROJ/todir", read: workspace.ErrNotRegular},
	{name: "a pipe", path: "PROJ/fifo", read: workspace.ErrNotRegular},
	{name: "a link to a pipe", path: "PROJ/tofifo", read: workspace.ErrNotRegular},
	{name: "below a pipe", path: "PROJ/fifo/x", read: workspace.ErrNotRegular},
	{name: "a socket", path: "PROJ/socket", read: workspace.ErrNotRegular},
	{name: "a device", path: "/dev/zero", read: workspace.ErrOutside},
	{name: "a link to a device", path: "PROJ/zero", read: workspace.ErrOutside},
	{name: "a link to the null device", path: "PROJ/null", read: workspace.ErrOutside},
}

func TestLinks(t *testing.T) {
	t.Parallel()
	for _, tc := range links {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			base := linkedTree(t)
			proj := filepath.Join(base, "proj")
			path := strings.NewReplacer("PROJ", proj, "BASE", base).Replace(tc.path)
			if _, err := os.Lstat(path); tc.name == "a socket" && err != nil {
				t.Skip("this system does not let everybody make a socket")
			}
			w := workspace.New(&workspace.Options{Dirs: []string{filepath.Join(base, "more")}, Missing: workspace.MissingError})
			before := tree(t, base)

			got, err := read(t, w, path, proj)
			assert.Equal(t, tc.want, got)
			assert.ErrorIs(t, err, tc.read)

			err = write(t, w, path, "WRITTEN", proj)
			after := tree(t, base)
			if tc.file == "" {
				assert.ErrorIs(t, err, tc.read)
				assert.Equal(t, before, after)
				_, err = read(t, workspace.New(&workspace.Options{Missing: workspace.MissingEmpty}), path, proj)
				assert.Error(t, err, "what cannot be written does not look empty")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, "WRITTEN", after[tc.file])
			if tc.read == nil {
				before[tc.file] = "WRITTEN"
				assert.Equal(t, before, after, "links stay links, and nothing else has changed")
			}
		})
	}
}

// TestDevices are in the way of a session that may use everything.
func TestDevices(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/dev/zero", "/dev/null", "/dev/tty"} {
		_, err := read(t, workspace.New(nil), path, "/")
		assertRefused(t, err, workspace.ErrNotRegular)
		assertRefused(t, write(t, workspace.New(nil), path, "x", "/"), workspace.ErrNotRegular)
	}
}

// TestLinkedRoot is a session in a directory with a link in its name, as /tmp is on macOS.
func TestLinkedRoot(t *testing.T) {
	t.Parallel()
	base := linkedTree(t)
	w := workspace.New(nil)
	for _, root := range []string{"alias", "alias2", "alias2/", "proj/../alias", "proj/sub/../../../alias"} {
		for path, want := range map[string]string{
			"ROOT/file.txt": "file", "BASE/proj/file.txt": "file", "ROOT/sub/../x.txt": "dir x", "ROOT/abs.txt": "file",
			"ROOT/around": "file", "ROOT/../proj/file.txt": "file", "BASE/proj/../proj/file.txt": "file", "BASE/outside/secret.txt": "",
			"ROOT/out/secret.txt": "", "BASE/proj-evil/x.txt": "", "ROOT/../outside/secret.txt": "",
		} {
			root := base + "/" + root
			got, err := read(t, w, strings.NewReplacer("ROOT", root, "BASE", base).Replace(path), root)
			assert.Equal(t, want, got, "%s of %s", path, root)
			if want == "" {
				assert.ErrorIs(t, err, workspace.ErrOutside)
			} else {
				assert.NoError(t, err, "%s of %s", path, root)
			}
		}
	}
}

// TestRootInsideAnother has been made a link to somewhere else by whoever can write in the outer one.
func TestRootInsideAnother(t *testing.T) {
	t.Parallel()
	base := linkedTree(t)
	proj := filepath.Join(base, "proj")
	for _, inner := range []string{"proj/out", "alias/out", "proj/absout"} {
		for _, path := range []string{"/secret.txt", "/dir/x.txt"} {
			for _, in := range []string{filepath.Join(base, inner), filepath.Join(base, "outside")} {
				_, err := read(t, workspace.New(nil), in+path, proj, filepath.Join(base, inner), filepath.Join(base, "alias"))
				assert.ErrorIs(t, err, workspace.ErrOutside, "%s, with %s", in+path, inner)
			}
		}
	}
}
