package main

import (
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// flushInput forgets what was typed into a console and not read yet.
func flushInput(in io.Reader) {
	if f, ok := in.(*os.File); ok {
		_ = windows.FlushConsoleInputBuffer(windows.Handle(f.Fd()))
	}
}
