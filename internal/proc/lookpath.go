package proc

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// LookPath finds the executable called name in the directories of path (a PATH value) and then in extraDirs. Relative
// and empty elements are skipped, so that nothing is ever taken from the working directory. On Windows the endings
// in PATHEXT are tried. A name that holds a separator is not searched for but made absolute and checked.
//
// It returns the absolute path. If nothing was found it returns the directories that were searched, in order and
// without duplicates, and an error that wraps exec.ErrNotFound; if only files without the right to execute them were
// found, the error wraps fs.ErrPermission as well.
func LookPath(name, path string, extraDirs []string) (string, []string, error) {
	if name == "" {
		return "", nil, fmt.Errorf("cannot find an executable without a name: %w", exec.ErrNotFound)
	}
	if filepath.Base(name) != name || filepath.VolumeName(name) != "" {
		return lookGiven(name)
	}
	var searched []string
	denied := ""
	for _, dir := range slices.Concat(filepath.SplitList(path), extraDirs) {
		dir = filepath.Clean(dir)
		if !filepath.IsAbs(dir) || slices.Contains(searched, dir) {
			continue
		}
		searched = append(searched, dir)
		found, err := executable(filepath.Join(dir, name))
		if err == nil {
			return found, nil, nil
		}
		if denied == "" && isRegular(filepath.Join(dir, name)) {
			denied = filepath.Join(dir, name)
		}
	}
	if denied != "" {
		return "", searched, deniedError(name, denied)
	}
	return "", searched, fmt.Errorf("cannot find %q in %d directories: %w", name, len(searched), exec.ErrNotFound)
}

func lookGiven(name string) (string, []string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", nil, fmt.Errorf("cannot make %q absolute: %w: %w", name, err, exec.ErrNotFound)
	}
	found, err := executable(abs)
	if err == nil {
		return found, nil, nil
	}
	searched := []string{filepath.Dir(abs)}
	if isRegular(abs) {
		return "", searched, deniedError(name, abs)
	}
	return "", searched, &noFileError{name}
}

// noFileError is an exec.ErrNotFound whose text does not speak of a PATH that nobody searched.
type noFileError struct{ name string }

func (e *noFileError) Error() string {
	return fmt.Sprintf("cannot find %q: there is no such file", e.name)
}

func (*noFileError) Unwrap() error { return exec.ErrNotFound }

func deniedError(name, path string) error {
	return fmt.Errorf("cannot find %q: %q may not be executed (%w): %w", name, path, fs.ErrPermission, exec.ErrNotFound)
}

// executable applies the platform's rules to one absolute path. exec.LookPath does not search for such a path.
func executable(abs string) (string, error) {
	found, err := exec.LookPath(abs)
	if err != nil {
		return "", err
	}
	if !isRegular(found) {
		return "", fs.ErrPermission
	}
	return found, nil
}

func isRegular(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}
