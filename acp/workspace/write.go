package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"

	"github.com/acpharness/acpharness/acp"
)

const (
	newFileMode = 0o644 // less the umask, as is newDirMode
	newDirMode  = 0o755
)

func (w *Workspace) write(ctx context.Context, req *acp.WriteTextFileRequest) error {
	if w.opts.ReadOnly {
		return refuse(ErrReadOnly, "files of this session are not to be written")
	}
	if n := int64(len(req.Content)); n > w.opts.MaxWrite {
		return refuse(ErrTooLarge, "the content has %d bytes, more than the %d that are written at once", n, w.opts.MaxWrite)
	}
	dirs, err := w.roots(req.Roots)
	if err != nil {
		return err
	}
	defer dirs.close()
	at, err := dirs.resolve(ctx, req.Path)
	if err != nil {
		return err
	}
	if at.info != nil && !at.info.Mode().IsRegular() {
		return notRegular(at.info.Mode())
	}
	above, name := at.done[:len(at.done)-1], at.done[len(at.done)-1]
	if at.info == nil && len(above) > 0 {
		if err := at.root.dir.MkdirAll(join(above), newDirMode); err != nil {
			return err
		}
	}
	// From here on it is one directory, whatever happens to its name.
	dir, err := at.root.dir.OpenRoot(join(above))
	if err != nil {
		return err
	}
	defer dir.Close()
	return replace(ctx, dir, name, req.Content)
}

// replace puts a new file in the place of an old one. Packages for that, such as google/renameio, take paths, not
// descriptors of directories.
func replace(ctx context.Context, dir *os.Root, name, content string) error {
	old, err := writable(dir, name)
	if err != nil {
		return err
	}
	temp := ".acpharness-" + rand.Text() + ".tmp" // not made of name, which may be as long as a name can be
	mode := fs.FileMode(newFileMode)
	if old != nil {
		mode = 0o600 // until it has its owner
	}
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	err = errors.Join(fill(ctx, f, old, content), f.Close())
	if err == nil {
		err = dir.Rename(temp, name)
	}
	if err != nil {
		_ = dir.Remove(temp)
	}
	return err
}

// writable returns what is known of the file that is to be replaced, nil if there is none. A file that must not be
// written must not be replaced, which the system would allow: it only looks at the directory.
func writable(dir *os.Root, name string) (fs.FileInfo, error) {
	switch info, err := dir.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil //nolint:nilnil // no file is no error
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, notRegular(info.Mode())
	}
	f, info, err := openRegular(dir, name, os.O_WRONLY)
	if err != nil {
		return nil, err
	}
	return info, f.Close()
}

// fill makes a new file what it is to be, down to the disk.
func fill(ctx context.Context, f *os.File, old fs.FileInfo, content string) error {
	for rest := content; rest != ""; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := f.WriteString(rest[:min(chunk, len(rest))])
		if err != nil {
			return err
		}
		rest = rest[n:]
	}
	if old != nil {
		keepOwner(f, old)
		// Set-user-id is lost, as it is when a file is written in place.
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return ctx.Err()
}
