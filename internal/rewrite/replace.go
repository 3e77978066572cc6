package rewrite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Replace puts a text in the place of what was read, if that is still there. Symbolic links, mode, owner and group stay. A
// file that was missing is made for its owner alone, and so are its folders. If it fails, file and folder are as they were.
// A snapshot is replaced once: after that, the file is another one.
func (s *Snapshot) Replace(text []byte) error {
	if err := s.Replaceable(); err != nil {
		return err
	}
	if err := s.replace(text); err != nil {
		return fmt.Errorf("cannot replace %s: %w", s.Path, err)
	}
	return nil
}

// Replaceable returns what Replace would fail with, as far as that is known without writing anything.
func (s *Snapshot) Replaceable() error {
	if err := s.replaceable(); err != nil {
		return fmt.Errorf("cannot replace %s: %w", s.Path, err)
	}
	return nil
}

// replaceable returns what is against it without writing anything. A rename would ask for the permission of the folder
// alone, and who made a file read-only means the file.
func (s *Snapshot) replaceable() error {
	if err := s.unchanged(); err != nil {
		return err
	}
	switch {
	case s.Missing:
		return nil
	case s.info.Mode().Perm()&0o222 == 0:
		return ErrReadOnly
	case s.linked:
		return ErrLinked
	}
	return readOnly(writable(s.Target))
}

func (s *Snapshot) replace(text []byte) (err error) {
	dir := filepath.Dir(s.Target)
	made, err := makeDirs(dir)
	defer func() {
		if err != nil {
			for _, m := range made { // the deepest comes first
				_ = os.Remove(m)
			}
		}
	}()
	if err != nil {
		return readOnly(err)
	}
	f, err := newPending(s.Target)
	if err != nil {
		return readOnly(err)
	}
	defer func() { err = errors.Join(err, f.Cleanup()) }() // before the folders
	if _, err = f.Write(text); err != nil {
		return err
	}
	if !s.Missing {
		if err = keep(f.File, s.Target, s.info); err != nil {
			return err
		}
	}
	if err = f.Sync(); err != nil { // takes long, so before the last look
		return err
	}
	if s.written != nil {
		s.written()
	}
	if err = s.unchanged(); err != nil {
		return err
	}
	if err = f.CloseAtomicallyReplace(); err != nil {
		return readOnly(err)
	}
	syncDir(dir)
	for _, m := range made {
		syncDir(filepath.Dir(m))
	}
	return nil
}

// MakeDirs makes a folder and those above it that are missing, for their owner only, so that they outlive a loss of power.
func MakeDirs(dir string) error {
	made, err := makeDirs(filepath.Clean(dir))
	for _, m := range made {
		syncDir(filepath.Dir(m))
	}
	return err
}

// makeDirs makes a folder and those above it that are missing, and returns what it made, the deepest first.
func makeDirs(dir string) (made []string, err error) {
	err = os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir {
		if made, err = makeDirs(filepath.Dir(dir)); err != nil {
			return made, err
		}
		err = os.Mkdir(dir, 0o700)
	}
	if err == nil {
		return append([]string{dir}, made...), nil
	}
	if info, e := os.Stat(dir); e == nil && info.IsDir() {
		return made, nil // as it was, or somebody else made it
	}
	return made, err
}

// readOnly adds ErrReadOnly to what systems say if something must not be written.
func readOnly(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w (%w)", ErrReadOnly, err)
	}
	return err
}
