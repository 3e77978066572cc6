//go:build unix

package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp/workspace"
)

// swapped are the things that are put at a name by turns while files are read and written by that name.
var swapped = []struct {
	name  string
	turns []func(t *testing.T, base, at string) error
	path  string // below proj; the swapped name is at
}{
	{name: "a directory and a link out", turns: []func(*testing.T, string, string) error{swapDir, swapLink("outside")}, path: "at/f"},
	{name: "a link in and a link out", turns: []func(*testing.T, string, string) error{swapLink("proj/dir"), swapLink("outside")}, path: "at/f"},
	{name: "a link in, a link out, in the middle", turns: []func(*testing.T, string, string) error{swapLink("proj/dir"), swapLink("outside")}, path: "at/sub/f"},
	{name: "a file and a link out", turns: []func(*testing.T, string, string) error{swapFile, swapLink("outside/f")}, path: "at"},
	{name: "a file and a dangling link out", turns: []func(*testing.T, string, string) error{swapFile, swapLink("outside/new")}, path: "at"},
	{name: "a file and a pipe", turns: []func(*testing.T, string, string) error{swapFile, swapPipe}, path: "at"},
	{name: "..", turns: []func(*testing.T, string, string) error{swapLink("proj/dir/sub"), swapLink("outside/sub")}, path: "at/../f"},
}

func swapLink(target string) func(*testing.T, string, string) error {
	return func(_ *testing.T, base, at string) error { return os.Symlink(filepath.Join(base, target), at) }
}

func swapFile(_ *testing.T, _, at string) error { return os.WriteFile(at, []byte("inside"), 0o644) }

func swapPipe(_ *testing.T, _, at string) error { return syscall.Mkfifo(at, 0o644) }

func swapDir(t *testing.T, _, at string) error {
	t.Helper()
	put(t, filepath.Join(at, "f"), "inside")
	return nil
}

// TestSwaps exchanges things for others in the middle of calls (nextlevelbuilder/goclaw#1201).
func TestSwaps(t *testing.T) {
	t.Parallel()
	rounds := 2000
	if testing.Short() {
		rounds = 200
	}
	for _, tc := range swapped {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			base, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			for _, name := range []string{"f", "sub/f"} {
				put(t, filepath.Join(base, "outside", name), "SECRET")
				put(t, filepath.Join(base, "proj/dir", name), "inside")
			}
			outside := tree(t, filepath.Join(base, "outside"))
			proj := filepath.Join(base, "proj")
			stop := make(chan struct{})
			var swapping sync.WaitGroup
			swapping.Go(func() {
				for n := 0; ; n++ {
					select {
					case <-stop:
						return
					default:
					}
					// A directory cannot be replaced by a rename, so everything is taken away first.
					next := filepath.Join(base, fmt.Sprint("next", n%2))
					if !assert.NoError(t, tc.turns[n%len(tc.turns)](t, base, next)) {
						return
					}
					_ = os.RemoveAll(filepath.Join(proj, "at"))
					_ = os.Rename(next, filepath.Join(proj, "at")) // a write may have made a directory there meanwhile
					_ = os.RemoveAll(next)
				}
			})
			w := workspace.New(nil)
			path := proj + "/" + tc.path
			reads, writes := 0, 0
			for n := 0; n < rounds || reads == 0 || writes == 0; n++ {
				got, err := read(t, w, path, proj)
				if err == nil {
					reads++
					assert.Contains(t, []string{"inside", "written"}, got)
				}
				if n%4 == 0 && write(t, w, path, "written", proj) == nil {
					writes++
				}
			}
			close(stop)
			swapping.Wait()
			t.Logf("%d reads and %d writes came through", reads, writes)
			assert.Equal(t, outside, tree(t, filepath.Join(base, "outside")))
		})
	}
}
