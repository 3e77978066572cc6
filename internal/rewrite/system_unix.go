//go:build unix

package rewrite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// Write writes a file of our own in one step, for perm and no others whatever it was before. It outlives a loss of power. Others may lose
// what they write meanwhile.
func Write(file string, text []byte, perm fs.FileMode) (err error) {
	dir := filepath.Dir(file)
	// renameio.WriteFile would keep the mode of a file that is there.
	f, err := renameio.NewPendingFile(file, renameio.WithTempDir(dir), renameio.WithStaticPermissions(perm))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Cleanup()) }()
	if _, err := f.Write(text); err != nil {
		return err
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return err
	}
	syncDir(dir)
	return nil
}

func newPending(file string) (*renameio.PendingFile, error) {
	return renameio.TempFile(filepath.Dir(file), file)
}

// absolute leaves "..", which after a symbolic link is not where it seems to be.
func absolute(path string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	dir, err := os.Getwd()
	return dir + "/" + path, err
}

// open waits for nobody, if a pipe has come into the place of a file.
func open(file string) (*os.File, error) {
	return os.OpenFile(file, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
}

func writable(file string) error {
	if err := unix.Access(file, unix.W_OK); err != nil {
		return &fs.PathError{Op: "access", Path: file, Err: err}
	}
	return nil
}

// linked reports whether a file has more than one name.
func linked(_ *os.File, info fs.FileInfo) (bool, error) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false, errors.ErrUnsupported
	}
	return stat.Nlink > 1, nil
}

func sameOwner(a, b fs.FileInfo) bool {
	x, ok := a.Sys().(*syscall.Stat_t)
	y, also := b.Sys().(*syscall.Stat_t)
	return ok && also && x.Uid == y.Uid && x.Gid == y.Gid
}

// keep gives a file that is new owner, group and mode of the one it is to replace.
func keep(f *os.File, file string, old fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !sameOwner(info, old) {
		stat, ok := old.Sys().(*syscall.Stat_t)
		if !ok {
			return errors.ErrUnsupported
		}
		if err := f.Chown(int(stat.Uid), int(stat.Gid)); err != nil {
			return fmt.Errorf("%w (%w)", ErrOwner, err)
		}
	}
	if err := keepACL(f, file); err != nil {
		return err
	}
	if info.Mode() == old.Mode() { // some file systems refuse every change
		return nil
	}
	return f.Chmod(old.Mode()) // the last: a new owner takes setuid and setgid away
}

// syncDir makes a rename outlive a loss of power. It is done whatever comes of this, and some file systems know no such
// thing.
func syncDir(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// tryLock reports false if another process, or another file of this one, has the lock.
func tryLock(f *os.File) (bool, error) {
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
	case err == nil:
		return true, nil
	case errors.Is(err, unix.EWOULDBLOCK), errors.Is(err, unix.EINTR):
		return false, nil
	default:
		return false, err
	}
}
