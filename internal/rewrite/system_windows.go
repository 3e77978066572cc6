package rewrite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// Write writes a file of our own in one step. Others may lose what they write meanwhile. Who may read it is inherited from
// the folder.
func Write(file string, text []byte, _ fs.FileMode) (err error) {
	f, err := newPending(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Cleanup()) }()
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}

// pending is a temporary file that is to replace another. renameio has none for this system.
type pending struct {
	*os.File
	file         string
	closed, done bool
}

func newPending(file string) (*pending, error) {
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file))
	if err != nil {
		return nil, err
	}
	return &pending{File: f, file: file}, nil
}

func (p *pending) CloseAtomicallyReplace() error {
	if err := p.Sync(); err != nil {
		return err
	}
	p.closed = true
	if err := p.Close(); err != nil {
		return err
	}
	if err := os.Rename(p.Name(), p.file); err != nil {
		return err
	}
	p.done = true
	return nil
}

// Cleanup removes the temporary file if it has replaced nothing.
func (p *pending) Cleanup() error {
	if p.done {
		return nil
	}
	if !p.closed { // an open file cannot be removed
		_ = p.Close()
	}
	return os.Remove(p.Name())
}

func absolute(path string) (string, error) { return filepath.Abs(path) }

func open(file string) (*os.File, error) { return os.Open(file) }

// writable has nothing to add: the read-only attribute is in the mode, and lists of permissions are the system's affair.
func writable(string) error { return nil }

// linked reports whether a file has more than one name.
func linked(f *os.File, _ fs.FileInfo) (bool, error) {
	var info windows.ByHandleFileInformation
	err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info)
	return info.NumberOfLinks > 1, err
}

func sameOwner(_, _ fs.FileInfo) bool { return true }

// keep has nothing to do: a new file gets owner and permissions from the folder.
func keep(*os.File, string, fs.FileInfo) error { return nil }

// syncDir has nothing to do: folders cannot be synced here.
func syncDir(string) {}

// tryLock reports false if another process, or another file of this one, has the lock.
func tryLock(f *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	switch err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{}); {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	default:
		return false, err
	}
}
