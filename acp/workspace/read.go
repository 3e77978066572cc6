package workspace

import (
	"context"
	"io/fs"
	"os"

	"github.com/acpharness/acpharness/acp"
)

func (w *Workspace) read(ctx context.Context, req *acp.ReadTextFileRequest) (string, error) {
	lines, err := linesOf(req)
	if err != nil {
		return "", err
	}
	dirs, err := w.roots(req.Roots)
	if err != nil {
		return "", err
	}
	defer dirs.close()
	at, err := dirs.resolve(ctx, req.Path)
	switch {
	case err != nil:
		return "", err
	case at.info == nil && w.opts.Missing == MissingEmpty:
		return "", nil
	case at.info == nil:
		return "", refuse(fs.ErrNotExist, "the file does not exist")
	case !at.info.Mode().IsRegular(): // before it is opened, as opening a device can have effects
		return "", notRegular(at.info.Mode())
	}
	f, info, err := openRegular(at.root.dir, join(at.done), os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if lines.whole() && info.Size() > w.opts.MaxRead {
		return "", refuse(ErrTooLarge, "the file has %d bytes, more than the %d that are read at once; ask for a part of it with line and limit",
			info.Size(), w.opts.MaxRead)
	}
	return lines.cut(ctx, f, w.opts.MaxRead)
}

// openRegular opens a file that exists. The open does not wait, not even for the other end of a pipe, and what was opened is
// what is looked at: the name may have become something else since it was found.
func openRegular(dir *os.Root, name string, flag int) (*os.File, fs.FileInfo, error) {
	f, err := dir.OpenFile(name, flag|openFlags, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = notRegular(info.Mode())
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
