//go:build unix

package workspace

import (
	"io/fs"
	"os"
	"syscall"
)

// openFlags make an open return at once: of a pipe without another end, of a terminal.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY

// checkName refuses no name: what the system does not take it refuses itself.
func checkName(string) error { return nil }

// keepOwner gives a new file the owner and group of the old one, as far as we may: a client that runs as root, as in a
// container, would take the files from their owner otherwise.
func keepOwner(f *os.File, old fs.FileInfo) {
	stat, ok := old.Sys().(*syscall.Stat_t)
	if ok && f.Chown(int(stat.Uid), int(stat.Gid)) != nil {
		_ = f.Chown(-1, int(stat.Gid))
	}
}
