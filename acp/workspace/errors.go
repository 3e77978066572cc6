package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/acpharness/acpharness/acp"
)

// The reasons why something is refused. Besides them Error.Reason is fs.ErrNotExist, the end of a context, or what the system
// says, for example fs.ErrPermission.
var (
	ErrBadPath    = errors.New("the path cannot be used")           // relative, empty, too long, or with characters that no path has
	ErrOutside    = errors.New("the path leads out of the session") // by itself or by a link
	ErrNotRegular = errors.New("not a regular file")                // a directory, pipe, device or socket, or something below a file
	ErrTooLarge   = errors.New("too large")
	ErrBinary     = errors.New("not a text file")
	ErrBadWindow  = errors.New("line or limit is negative")
	ErrReadOnly   = errors.New("the session is read-only")
	// ErrBrokenLink is a symbolic link to something that does not exist, or to itself. It is an fs.ErrNotExist too.
	ErrBrokenLink = fmt.Errorf("the symbolic link leads nowhere: %w", fs.ErrNotExist)
)

// Error tells why a file was not read or written. Where it was refused it wraps an [acp.Error] with CodeInvalidParams, so
// that the agent can tell that from a failure.
type Error struct {
	Op     string // "read" or "write"
	Path   string // as the agent sent it
	Reason error
	Detail string // for the agent: what is wrong, and what it can do instead

	refused bool // it is not a failure, and not something missing
}

func (e *Error) Error() string { return "cannot " + e.Op + " " + shown(e.Path) + ": " + e.Detail }

// Unwrap returns the reason, and the answer of a refusal.
func (e *Error) Unwrap() []error {
	if e.refused {
		return []error{e.Reason, &acp.Error{Code: acp.CodeInvalidParams, Message: e.Error()}}
	}
	return []error{e.Reason}
}

// refuse returns an error that asError completes.
func refuse(reason error, format string, args ...any) error {
	return &Error{Reason: reason, Detail: fmt.Sprintf(format, args...), refused: !errors.Is(reason, fs.ErrNotExist)}
}

// asError is err as the error of a whole call. The paths in the system's errors are dropped: they are relative to our roots.
func asError(op, path string, err error) error {
	if own, ok := errors.AsType[*Error](err); ok {
		own.Op, own.Path = op, path
		return own
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	} else if e, ok := errors.AsType[*os.LinkError](err); ok {
		err = e.Err
	}
	return &Error{Op: op, Path: path, Reason: err, Detail: err.Error()}
}

// notRegular refuses what is something else than a file.
func notRegular(mode fs.FileMode) error {
	kind := "not a regular file"
	switch {
	case mode.IsDir():
		return refuse(ErrNotRegular, "it is a directory; name a file in it")
	case mode&fs.ModeSymlink != 0:
		kind = "a symbolic link since a moment ago"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	}
	return refuse(ErrNotRegular, "it is %s; only regular files are read and written", kind)
}

// shown is a path for a message: in one line and not endless.
func shown(path string) string {
	const most = 300
	if len(path) > most {
		path = strings.ToValidUTF8(path[:most], "") + "…"
	}
	for _, r := range path {
		if !strconv.IsPrint(r) {
			return strconv.Quote(path)
		}
	}
	if path == "" {
		return `""`
	}
	return path
}
