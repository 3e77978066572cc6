//go:build unix

package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acpharness/acpharness/acp/workspace"
)

// FuzzPaths looks for a path by which more is read than the system would read, or what is outside. It makes no writes: what
// it looks for would let them out.
//
// fuzz: 1/20
func FuzzPaths(f *testing.F) {
	base := linkedTree(f)
	for _, l := range links {
		f.Add(strings.TrimPrefix(strings.ReplaceAll(l.path, "BASE", ".."), "PROJ/"), false)
	}
	f.Add("alias/out/../../proj/sub/../../x.txt", true)
	w := workspace.New(&workspace.Options{Dirs: []string{filepath.Join(base, "more")}})
	f.Fuzz(func(t *testing.T, path string, linked bool) {
		root := filepath.Join(base, "proj")
		if linked {
			root = filepath.Join(base, "alias")
		}
		path = root + "/" + path
		got, err := read(t, w, path, root)
		if err != nil {
			return
		}
		if strings.Contains(got, "SECRET") {
			t.Fatalf("%q leads out", path)
		}
		if want, err := os.ReadFile(path); err != nil || string(want) != got {
			t.Fatalf("%q is %q for the system (%v), not %q", path, want, err, got)
		}
	})
}
