package mcpfile

import (
	"errors"
	"fmt"

	"github.com/acpharness/acpharness/internal/rewrite"
)

// Why a server cannot be edited. Nothing was written.
var (
	ErrNotFound  = errors.New("there is no such server")
	ErrExists    = errors.New("there is a server of that name already: remove it first")
	ErrMalformed = errors.New("its entry is no mapping, or its marker no boolean: mend the file by hand")
)

// NotFoundError says that no file that counts has a server. It wraps ErrNotFound.
type NotFoundError struct {
	Name string
	// Elsewhere is a file that has it and does not count for this agent, empty if there is none.
	Elsewhere string
}

func (e *NotFoundError) Error() string {
	if e.Elsewhere != "" {
		return fmt.Sprintf("%v: %s is in %s only, which this agent does not read", ErrNotFound, quote(e.Name), e.Elsewhere)
	}
	return fmt.Sprintf("%v: %s", ErrNotFound, quote(e.Name))
}

func (e *NotFoundError) Unwrap() error { return ErrNotFound }

// UnsupportedError says that the agent's files have no place for something.
type UnsupportedError struct {
	// What cannot be written, such as "a server over http".
	What string
}

func (e *UnsupportedError) Error() string {
	return "the agent's configuration has no place for " + e.What
}

// Why a file cannot be edited. It is as it was.
var (
	ErrChanged    = rewrite.ErrChanged    // somebody has written to it while it was edited
	ErrReadOnly   = rewrite.ErrReadOnly   // it, or its folder, must not be written to
	ErrOwner      = rewrite.ErrOwner      // it belongs to somebody else
	ErrLinked     = rewrite.ErrLinked     // it has more than one name, by hard links
	ErrNotRegular = rewrite.ErrNotRegular // it is no regular file
	ErrLocked     = rewrite.ErrLocked     // another process is editing it and does not end
	ErrTooLarge   = rewrite.ErrTooLarge   // it is more than 64 MiB long
)
