//go:build unix

package main

import (
	"io"
	"os"
)

// flushInput forgets what was typed into a terminal and not read yet.
func flushInput(in io.Reader) {
	if f, ok := in.(*os.File); ok {
		_ = flushTerminal(int(f.Fd()))
	}
}
