package mcpfile

import (
	"fmt"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/internal/rewrite"
)

// maxSize keeps a file that is something else from being read. Some agents keep years of history in theirs.
const maxSize = 64 << 20

// File is one file of an agent, whether it is there or not.
type File struct {
	path   string
	layout backends.MCPFile
}

// NewFile returns the file at a path that is written as layout says. Nothing is read yet.
func NewFile(path string, layout *backends.MCPFile) *File { return &File{path, *layout} }

// Path is where the file is.
func (f *File) Path() string { return f.path }

// Layout says how it is written.
func (f *File) Layout() backends.MCPFile { return f.layout }

// Read returns what the file says now. A file that is not there has no servers; one that cannot be read has an error.
func (f *File) Read() *State {
	s, _ := f.snapshot()
	return s
}

func (f *File) snapshot() (*State, *rewrite.Snapshot) {
	snap, err := rewrite.Read(f.path, maxSize)
	switch {
	case err != nil:
		return &State{file: f, err: err}, nil
	case snap.Missing:
		return f.missingState(), snap
	}
	s := f.ParseState(snap.Text)
	if s.err != nil {
		s.err = fmt.Errorf("cannot read %s: %w", f.path, s.err)
	}
	return s, snap
}
