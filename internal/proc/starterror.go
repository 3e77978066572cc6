package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// Reason is the kind of a start failure.
type Reason int

const (
	// Other is any failure without a kind of its own.
	Other Reason = iota
	// NotFound means there is no file at Path, or that Path is a bare name.
	NotFound
	// NotExecutable means Path exists but may not be executed, or is a directory.
	NotExecutable
	// WrongArchitecture means Path is a binary for another machine or system.
	WrongArchitecture
	// ExecFormat means Path is neither a binary nor a script with a "#!" line.
	ExecFormat
	// InterpreterMissing means that the interpreter in the "#!" line, or the loader of a binary, is missing.
	InterpreterMissing
	// DirMissing means that the working directory does not exist.
	DirMissing
)

// String returns a short description.
func (r Reason) String() string {
	switch r {
	case NotFound:
		return "not found"
	case NotExecutable:
		return "not executable"
	case WrongArchitecture:
		return "wrong architecture"
	case ExecFormat:
		return "unknown executable format"
	case InterpreterMissing:
		return "interpreter missing"
	case DirMissing:
		return "working directory missing"
	case Other:
		return "other failure"
	default:
		return fmt.Sprintf("Reason(%d)", int(r))
	}
}

// StartError says why a process could not be started. It never holds arguments or environment values.
type StartError struct {
	Reason Reason
	Path   string // as given in the Spec
	Err    error  // the detail; wraps the system's error where there is one
}

// Error implements error.
func (e *StartError) Error() string {
	if e.Reason == Other {
		return fmt.Sprintf("cannot start %q: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("cannot start %q: %s: %v", e.Path, e.Reason, e.Err)
}

// Unwrap returns Err.
func (e *StartError) Unwrap() error { return e.Err }

func dirError(dir, what string, err error) error {
	return fmt.Errorf("working directory %q %s: %w", dir, what, bareError(err))
}

// bareError removes the operation and path that the os package puts around a system error, because the caller
// names the path itself.
func bareError(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// diagnose turns the error of a failed exec into a StartError.
func diagnose(path string, err error) *StartError {
	err = bareError(err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return diagnoseMissing(path, err)
	case errors.Is(err, syscall.ENOTDIR):
		return &StartError{NotFound, path, err}
	case errors.Is(err, fs.ErrPermission):
		return &StartError{NotExecutable, path, err}
	case isExecFormat(err):
		if hasBinaryMagic(readHead(path)) {
			return &StartError{WrongArchitecture, path, err}
		}
		return &StartError{ExecFormat, path, err}
	default:
		return &StartError{Other, path, err}
	}
}

// diagnoseMissing tells a missing file from a file whose interpreter is missing: the system's error is the same.
func diagnoseMissing(path string, err error) *StartError {
	if _, statErr := os.Stat(path); statErr != nil {
		return &StartError{NotFound, path, err}
	}
	head := readHead(path)
	if line, ok := shebang(head); ok {
		name, _, _ := strings.Cut(line, " ")
		return &StartError{InterpreterMissing, path, fmt.Errorf("its first line names %q: %w", name, err)}
	}
	if hasBinaryMagic(head) {
		return &StartError{InterpreterMissing, path, fmt.Errorf("the loader this binary needs is not installed: %w", err)}
	}
	return &StartError{Other, path, err}
}

// readHead returns the first bytes of a file, or nothing if it cannot be read.
func readHead(path string) []byte {
	// A fifo or device would block or misbehave.
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(f, head)
	return head[:n]
}

// shebang returns the text after "#!" in the first line. A carriage return at its end is kept on purpose: to the
// system it is part of the interpreter's name.
func shebang(head []byte) (string, bool) {
	rest, ok := bytes.CutPrefix(head, []byte("#!"))
	if !ok {
		return "", false
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return strings.Trim(string(line), " \t"), true
}

func hasBinaryMagic(head []byte) bool {
	for _, magic := range []string{
		"\x7fELF", "MZ",
		"\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xfe\xed\xfa\xcf", "\xfe\xed\xfa\xce", "\xca\xfe\xba\xbe",
	} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return false
}
