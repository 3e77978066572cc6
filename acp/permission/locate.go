package permission

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// location is a path of a call in the two ways in which it can be meant.
type location struct {
	written  string // absolute and clean, .. taken by the letter
	physical string // what the system finds there: links followed, .. taken afterwards
}

// locate returns where a path leads, from each of the folders that it may be relative to. It reports false if agents may
// make something else of it.
func locate(path string, bases []string) (found []location, sure bool) {
	path, sure = localPath(path)
	if path == "" {
		return nil, false
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok { // some expand it, some do not
		if home, err := os.UserHomeDir(); err == nil {
			bases = append([]string{home}, bases...)
			path = rest
		}
	}
	full := []string{path}
	if !filepath.IsAbs(path) {
		// On Windows a path may be relative to a drive, or to the root of one.
		sure = sure && filepath.VolumeName(path) == "" && !os.IsPathSeparator(path[0])
		full = nil
		for _, base := range bases {
			if base == "" {
				sure = false
				continue
			}
			full = append(full, base+string(filepath.Separator)+path) // filepath.Join would take .. by the letter
		}
	}
	for _, f := range full {
		physical, err := resolve(f)
		if err != nil {
			sure = false
		}
		found = append(found, location{filepath.Clean(f), physical})
	}
	return found, sure
}

// localPath takes the path out of a file URL.
func localPath(path string) (local string, sure bool) {
	if regexp.MustCompile(`^(?i:file):`).MatchString(path) {
		u, err := url.Parse(path)
		if err != nil || u.Opaque != "" || u.Host != "" && u.Host != "localhost" {
			return path, false
		}
		path = filepath.FromSlash(u.Path)
		if filepath.VolumeName(strings.TrimPrefix(path, string(filepath.Separator))) != "" { // /C:/x
			path = path[1:]
		}
	}
	other := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+:`).MatchString(path)
	return path, !other && path != "" && !strings.ContainsAny(path[:1], "~$%") && !strings.ContainsFunc(path, isControl)
}

// maxLinks is how many symbolic links are followed for one path.
const maxLinks = 40

var errTooManyLinks = errors.New("too many symbolic links")

// resolve follows the symbolic links of an absolute path as the system does, the last element included. What does not
// exist is taken as a place for something new; unlike filepath.EvalSymlinks, links that lead there are followed. On an
// error it returns the path by the letter.
func resolve(path string) (string, error) {
	separator := string(filepath.Separator)
	top := filepath.VolumeName(path) + separator
	todo := strings.Split(filepath.ToSlash(path[len(filepath.VolumeName(path)):]), "/")
	at, links := top, 0
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			at = next
			continue
		case err != nil:
			return filepath.Clean(path), err
		case info.Mode()&fs.ModeSymlink == 0:
			at = next
			continue
		}
		target, err := os.Readlink(next)
		if links++; err == nil && links > maxLinks {
			err = errTooManyLinks
		}
		if err != nil {
			return filepath.Clean(path), err
		}
		if filepath.IsAbs(target) {
			at = filepath.VolumeName(target) + separator
			target = target[len(filepath.VolumeName(target)):]
		}
		todo = append(strings.Split(filepath.ToSlash(target), "/"), todo...)
	}
	if long, err := filepath.EvalSymlinks(at); err == nil { // long names for short ones, where systems have them
		at = long
	}
	return at, nil
}
