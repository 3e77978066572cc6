//go:build unix

package grants

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// replace writes a file that only its owner can read.
func replace(file string, text []byte) error {
	return renameio.WriteFile(file, text, 0o600, renameio.WithTempDir(filepath.Dir(file)))
}

// exposed returns ErrExposed if others than the user and root can have written.
func exposed(info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.Mode().Perm()&0o022 != 0 || stat.Uid != 0 && int64(stat.Uid) != int64(os.Geteuid()) {
		return ErrExposed
	}
	return nil
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
