// Package rewrite rewrites files that others read and write as well: in one step, so that nobody ever sees half of one, and
// only as long as they are what was read, so that nothing gets lost that somebody else has written.
package rewrite

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Why a file is not read or replaced. It is left as it is.
var (
	ErrChanged    = errors.New("the file has changed since it was read: read it again and repeat the change")
	ErrReadOnly   = errors.New("the file cannot be written to: give it and its folder write permission, or make the change where it comes from")
	ErrOwner      = errors.New("the file belongs to somebody else and would become yours: make the change as its owner")
	ErrLinked     = errors.New("the file has more than one name (hard links), which would be parted: make the change by hand, or leave it one name")
	ErrNotRegular = errors.New("it is no regular file: name a file, or move it away")
	ErrTooLarge   = errors.New("the file is too large for what it should be: look whether it is the right one")
)

// Snapshot is a file as it was read, or that there was none.
type Snapshot struct {
	Path    string // as asked
	Target  string // the absolute path of what is behind symbolic links
	Text    []byte
	Missing bool // Target is where the file would be made

	limit  int64
	info   fs.FileInfo       // nil if Missing
	linked bool              // by another name
	sum    [sha256.Size]byte // of Text, which its user may work on
	// written is called when the new text is in a temporary file. Nil outside tests.
	written func()
}

// Read reads a regular file of at most limit bytes. That there is none is no error.
func Read(file string, limit int64) (*Snapshot, error) {
	s := &Snapshot{Path: file, limit: limit}
	err := s.read()
	if errors.Is(err, fs.ErrNotExist) {
		s.Missing, err = true, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", file, err)
	}
	return s, nil
}

func (s *Snapshot) read() (err error) {
	if s.Target, err = follow(s.Path); err != nil {
		return err
	}
	info, err := os.Lstat(s.Target)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular(): // opening it might wait for somebody, or do something
		return ErrNotRegular
	}
	f, err := open(s.Target)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err = f.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return ErrNotRegular
	}
	if s.linked, err = linked(f, info); err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(f, s.limit))
	if err != nil {
		return err
	}
	if n, _ := f.Read(make([]byte, 1)); n > 0 {
		return fmt.Errorf("%w: it is longer than %d bytes", ErrTooLarge, s.limit)
	}
	s.Text, s.sum, s.info = text, sha256.Sum256(text), info
	return nil
}

// unchanged returns ErrChanged if the file is no longer what was read: another one, elsewhere, with another text or for
// other people. A file of the same text in its place is another one.
func (s *Snapshot) unchanged() error {
	now, err := Read(s.Path, s.limit)
	switch {
	case err != nil:
		return fmt.Errorf("%w (%w)", ErrChanged, err)
	case now.Target != s.Target, now.Missing != s.Missing:
		return ErrChanged
	case s.Missing:
		return nil
	case !os.SameFile(now.info, s.info), now.info.Mode() != s.info.Mode(), !sameOwner(now.info, s.info),
		now.linked != s.linked, now.sum != s.sum:
		return ErrChanged
	}
	return nil
}
