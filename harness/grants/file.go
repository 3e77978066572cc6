package grants

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/acpharness/acpharness/internal/rewrite"
)

// Why a file of grants cannot be used. Nothing is granted by it, and it is left as it is.
var (
	ErrDamaged = errors.New("the file is damaged: mend it, or move it away to begin anew")
	ErrVersion = errors.New("the file is of another version: use the program that wrote it, or move it away to begin anew")
	ErrExposed = errors.New("others could have written to it: look through it, then make the file and its folder yours and take write permission from group and others (chmod go-w)")
)

const (
	fileVersion = 1
	// maxSize keeps a file that is something else from being read.
	maxSize = 16 << 20
)

// content is what is in the file.
type content struct {
	Version int     `json:"version"`
	Grants  []Grant `json:"grants"`
}

// read returns the grants of the file, none if it does not exist.
func (s *Store) read() ([]Grant, error) {
	text, err := s.readText()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("cannot use the grants in %s: %w", s.file, err)
	}
	list, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("cannot use the grants in %s: %w", s.file, err)
	}
	return list, nil
}

func (s *Store) readText() ([]byte, error) {
	if err := exposedDir(filepath.Dir(s.file)); err != nil {
		return nil, err
	}
	f, err := os.Open(s.file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%w: it is no file", ErrDamaged)
	case info.Size() > maxSize:
		return nil, fmt.Errorf("%w: it is longer than %d MiB", ErrDamaged, maxSize>>20)
	}
	if err := exposed(info); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, maxSize))
}

// exposedDir returns ErrExposed if others may put another file in the place of ours.
func exposedDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	return exposed(info)
}

func decode(text []byte) ([]Grant, error) {
	var version struct {
		Version *int `json:"version"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	switch {
	case version.Version == nil:
		return nil, fmt.Errorf("%w: it has no version", ErrDamaged)
	case *version.Version != fileVersion:
		return nil, fmt.Errorf("%w: it is version %d, this program knows %d", ErrVersion, *version.Version, fileVersion)
	}
	var c content
	if err := json.Unmarshal(text, &c, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	for i := range c.Grants {
		if !c.Grants[i].valid() {
			return nil, fmt.Errorf("%w: grant %d is incomplete", ErrDamaged, i)
		}
	}
	return c.Grants, nil
}

// write replaces the file in one step, by one that only its owner can read.
func (s *Store) write(list []Grant) error {
	text, err := json.Marshal(content{fileVersion, list}, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	return rewrite.Write(s.file, append(text, '\n'), 0o600)
}
