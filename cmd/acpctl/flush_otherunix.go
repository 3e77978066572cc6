//go:build unix && !linux

package main

import "golang.org/x/sys/unix"

func flushTerminal(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, flushRead) }

// flushRead is FREAD of <sys/file.h>: the input only.
const flushRead = 1
