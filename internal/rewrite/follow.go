package rewrite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks is how many symbolic links Linux follows.
const maxLinks = 40

// follow returns the absolute path without symbolic links of a file that need not exist, as little as its folders need.
// filepath.EvalSymlinks knows no such files.
func follow(path string) (string, error) {
	path, err := absolute(path)
	if err != nil {
		return "", err
	}
	done, rest := split(path)
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink != 0:
			if links++; links > maxLinks {
				return "", &fs.PathError{Op: "readlink", Path: next, Err: syscall.ELOOP}
			}
			text, err := os.Readlink(next)
			if err != nil {
				return "", err
			}
			var more []string
			if filepath.IsAbs(text) {
				done, more = split(text)
			} else {
				more = strings.Split(filepath.ToSlash(text), "/")
			}
			rest = append(more, rest...)
			continue
		}
		done = next
	}
	return done, nil
}

// split returns the root of an absolute path and the names below it.
func split(path string) (root string, names []string) {
	volume := filepath.VolumeName(path)
	return volume + string(filepath.Separator), strings.Split(filepath.ToSlash(path[len(volume):]), "/")
}
