//go:build unix

package proc

import (
	"fmt"
	"os"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// openTerminal opens a pseudo-terminal and returns our end, on which deadlines work if the system polls such files, and
// the child's.
func openTerminal(size *WindowSize) (ours, childs *os.File, err error) {
	master, childs, err := pty.Open()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNoPTY, err)
	}
	defer master.Close()
	if err = pty.Setsize(childs, &pty.Winsize{Cols: size.Columns, Rows: size.Rows}); err == nil {
		ours, err = pollable(master)
	}
	if err != nil {
		_ = childs.Close()
		return nil, nil, fmt.Errorf("cannot set up terminal: %w", err)
	}
	return ours, childs, nil
}

// pollable returns the same file in non-blocking mode, out of which the calls of package pty have taken it.
func pollable(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}
