package workspace

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
)

// maxLinks is how many symbolic links a path may lead through; Linux has the same.
const maxLinks = 40

// walk follows a path part by part, as the system does. os.Root would follow it too, but it refuses every link that is
// absolute, even to a place inside, and cannot go from one root to another.
//
// Nothing depends on what the walk finds still being there afterwards: what it finds is a name, and whatever opens that
// name is an os.Root.
type walk struct {
	roots roots
	root  *root
	done  []string    // where the walk is: names in root, none of them a link
	info  fs.FileInfo // what is there, nil if nothing
	todo  []string    // parts that are still to come
	links int
	// own is the shortest todo that there was behind a link. As long as todo is longer, its first part is of a link's target.
	own int
}

// resolve follows a path to its end. The result has nothing to do any more.
func (rs roots) resolve(ctx context.Context, path string) (*walk, error) {
	if err := checkPath(path, rs); err != nil {
		return nil, err
	}
	w := &walk{roots: rs, own: math.MaxInt}
	if err := w.enter(elements(path), "it is"); err != nil {
		return nil, err
	}
	for len(w.todo) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := w.step(); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// enter goes to the root that an absolute path is in. The subject is for the message: what is outside if none is.
func (w *walk) enter(path []string, subject string) error {
	r, rest := w.roots.find(path)
	if r == nil {
		return refuse(ErrOutside, "%s outside of what this session may use; use a path in %s", subject, w.roots)
	}
	if err := r.open(); err != nil {
		return err
	}
	w.root, w.done, w.info, w.todo = r, nil, r.info, rest
	return nil
}

func (w *walk) step() error {
	part := w.todo[0]
	switch {
	case w.info == nil && (part == "." || part == ".."):
		return fs.ErrNotExist
	case w.info == nil:
		w.push(part, nil)
		return checkName(part)
	case !w.info.IsDir():
		return refuse(ErrNotRegular, "%s is not a directory", shown(w.where(nil)))
	case part == ".":
		w.todo = w.todo[1:]
		return nil
	case part == "..":
		return w.up()
	}
	if err := checkName(part); err != nil {
		return err
	}
	switch info, err := w.root.dir.Lstat(join(append(w.done, part))); {
	case errors.Is(err, fs.ErrNotExist) && len(w.todo) > w.own:
		return refuse(ErrBrokenLink, "a symbolic link in it leads to %s, which does not exist", shown(w.where(w.todo[:1])))
	case errors.Is(err, fs.ErrNotExist):
		w.push(part, nil)
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return w.follow()
	default:
		w.push(part, info)
	}
	return nil
}

func (w *walk) push(part string, info fs.FileInfo) {
	w.done, w.info, w.todo = append(w.done, part), info, w.todo[1:]
}

// up takes "..". At the top of a root it goes on by the real name, in which ".." is the name before.
func (w *walk) up() error {
	if n := len(w.done); n > 0 {
		w.done, w.info, w.todo = w.done[:n-1], w.root.info, w.todo[1:] // a directory like the root
		return nil
	}
	if w.root.real == nil {
		return fs.ErrNotExist
	}
	base := w.root.real
	for len(w.todo) > 0 && w.todo[0] == ".." {
		base, w.todo = base[:max(1, len(base)-1)], w.todo[1:]
	}
	return w.enter(slices.Concat(base, w.todo), `it leads by ".."`)
}

// follow takes a part that is a symbolic link.
func (w *walk) follow() error {
	name := join(append(w.done, w.todo[0]))
	link := shown(w.where(w.todo[:1]))
	if w.links++; w.links > maxLinks {
		return refuse(ErrBrokenLink, "there are more than %d symbolic links in it, or one that leads to itself", maxLinks)
	}
	target, err := w.root.dir.Readlink(name)
	if err != nil {
		return err
	}
	rest := w.todo[1:]
	w.own = min(w.own, len(rest))
	subject := "the symbolic link " + link + " leads to " + shown(target) + ","
	switch {
	case filepath.IsAbs(target):
		return w.enter(slices.Concat(elements(target), rest), subject)
	case rooted(target):
		return refuse(ErrOutside, "%s which is not followed", subject)
	}
	w.todo = slices.Concat(parts(target), rest)
	return nil
}

// where is a place as an absolute path, for messages.
func (w *walk) where(more []string) string {
	return filepath.Join(w.root.path, join(slices.Concat(w.done, more)))
}
