package terminal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/acpharness/acpharness/acp"
)

var (
	// ErrNotAbsolute is the error of a directory that is no absolute path.
	ErrNotAbsolute = errors.New("it is not absolute")
	// ErrOutside is the error of a directory that is in none of the session's, and in none of Options.Dirs.
	ErrOutside = errors.New("it is outside the session's directories")
)

// DirError reports a working directory that a command cannot be started in.
type DirError struct {
	Dir string // as the agent sent it
	Err error  // ErrNotAbsolute, ErrOutside, or the system's, such as one that wraps fs.ErrNotExist
}

func (e *DirError) Error() string {
	return fmt.Sprintf("working directory %q cannot be used: %v", e.Dir, e.Err)
}

// Unwrap returns Err.
func (e *DirError) Unwrap() error { return e.Err }

// checkDir says whether a command may start in the directory of a request.
func (h *Host) checkDir(req *acp.CreateTerminalRequest) error {
	dir := req.CWD
	if !filepath.IsAbs(dir) {
		return &DirError{dir, ErrNotAbsolute}
	}
	st, err := os.Stat(dir)
	if err == nil && !st.IsDir() {
		err = syscall.ENOTDIR
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err // the directory is named already
	}
	switch {
	case err != nil:
		return &DirError{dir, err}
	case h.opts.AnyDir, within(dir, req.Roots), within(dir, h.opts.Dirs):
		return nil
	}
	return &DirError{dir, ErrOutside}
}

// within reports whether an existing directory is one of roots or below one. Files are compared and not names, of which
// a directory may have many.
func within(dir string, roots []string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	for {
		st, err := os.Stat(dir)
		if err != nil {
			return false
		}
		for _, root := range roots {
			if r, err := os.Stat(root); err == nil && os.SameFile(st, r) {
				return true
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}
