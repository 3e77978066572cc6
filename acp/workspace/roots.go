package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// root is a directory whose files an agent may use. It has two names: as it was given, and where that leads if there are
// links in it (/tmp of macOS, a linked home). Agents use either.
type root struct {
	path  string
	given []string    // elements of path
	real  []string    // elements without links, nil if the directory does not exist
	dir   *os.Root    // nil until it is needed
	info  fs.FileInfo // of dir
}

// roots are the directories of one call. They are closed at its end.
type roots []*root

// newRoots returns the roots of these paths. One that lies inside another is left out: nothing is gained by it, and
// whoever can write in the outer one could make it a link to anywhere.
func newRoots(dirs []string) (roots, error) {
	all := make(roots, 0, len(dirs))
	for _, path := range dirs {
		if !filepath.IsAbs(path) {
			return nil, fmt.Errorf("cannot use the directory %q of the session: it is not absolute", path)
		}
		r := &root{path: path, given: place(path)}
		if resolved, err := filepath.EvalSymlinks(path); err == nil {
			r.real = place(resolved)
		}
		if !slices.ContainsFunc(all, func(r2 *root) bool { return slices.Equal(r2.given, r.given) }) {
			all = append(all, r)
		}
	}
	for _, r := range slices.Clone(all) {
		if slices.ContainsFunc(all, func(outer *root) bool { return outer != r && outer.contains(r) }) {
			all = slices.DeleteFunc(all, func(other *root) bool { return other == r })
		}
	}
	return all, nil
}

// place is the elements of a directory.
func place(dir string) []string {
	names := elements(dir)
	if last := len(names) - 1; names[last] == "." {
		return names[:last]
	}
	return names
}

// contains reports whether another root is given by a name that goes through this one.
func (r *root) contains(inner *root) bool {
	for _, name := range r.names() {
		if len(name) < len(inner.given) && slices.Equal(name, inner.given[:len(name)]) {
			return true
		}
	}
	return false
}

func (r *root) names() [][]string {
	if r.real == nil {
		return [][]string{r.given}
	}
	return [][]string{r.given, r.real}
}

// find returns the root that a path starts with, and the rest of the path, or nil. Parts are compared as a whole: app-2
// is not inside app.
func (rs roots) find(path []string) (*root, []string) {
	for _, same := range []func(*root, []string, []string) bool{equal, equalButCase} {
		for _, r := range rs {
			for _, name := range r.names() {
				if len(path) >= len(name) && same(r, name, path[:len(name)]) {
					return r, path[len(name):]
				}
			}
		}
	}
	return nil, nil
}

func equal(_ *root, name, path []string) bool { return slices.Equal(name, path) }

// equalButCase is for systems where names in another case are the same names: macOS, Windows with its drive letters. It asks
// the system, since that depends on the volume.
func equalButCase(r *root, name, path []string) bool {
	if !slices.EqualFunc(name, path, strings.EqualFold) {
		return false
	}
	a, errA := os.Stat(r.path)
	b, errB := os.Stat(path[0] + string(filepath.Separator) + join(path[1:]))
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// open opens the directory if it is not open.
func (r *root) open() error {
	if r.dir != nil {
		return nil
	}
	dir, err := os.OpenRoot(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		return refuse(fs.ErrNotExist, "the directory %s of the session does not exist", shown(r.path))
	} else if err != nil {
		return err
	}
	info, err := dir.Stat(".")
	if err != nil {
		_ = dir.Close()
		return err
	}
	r.dir, r.info = dir, info
	return nil
}

func (rs roots) close() {
	for _, r := range rs {
		if r.dir != nil {
			_ = r.dir.Close()
		}
	}
}

// String is the list of the directories, for messages.
func (rs roots) String() string {
	if len(rs) == 0 {
		return "no directory at all"
	}
	var list []string
	for _, r := range rs {
		list = append(list, shown(r.path))
	}
	return strings.Join(list, " or ")
}
