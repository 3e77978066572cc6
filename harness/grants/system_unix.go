//go:build unix

package grants

import (
	"io/fs"
	"os"
	"syscall"
)

// exposed returns ErrExposed if others than the user and root can have written.
func exposed(info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.Mode().Perm()&0o022 != 0 || stat.Uid != 0 && int64(stat.Uid) != int64(os.Geteuid()) {
		return ErrExposed
	}
	return nil
}
