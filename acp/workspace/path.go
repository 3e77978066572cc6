package workspace

import (
	"os"
	"path/filepath"
	"strings"
)

// maxPath is what no system takes in one call, in bytes.
const maxPath = 4096

// checkPath refuses what is no path of a file, before anything is looked up.
func checkPath(path string, rs roots) error {
	switch {
	case path == "":
		return refuse(ErrBadPath, "the path is empty; use an absolute path in %s", rs)
	case strings.ContainsRune(path, 0):
		return refuse(ErrBadPath, "the path has a NUL character")
	case len(path) > maxPath:
		return refuse(ErrBadPath, "the path has %d bytes, more than %d", len(path), maxPath)
	case !filepath.IsAbs(path):
		return refuse(ErrBadPath, "the path is relative; use an absolute path in %s", rs)
	}
	return nil
}

// elements cuts an absolute path into its volume, which is empty but on Windows, and the rest as parts does.
func elements(path string) []string {
	volume := filepath.VolumeName(path)
	return append([]string{volume}, parts(path[len(volume):])...)
}

// parts cuts a path at its separators. Empty parts and "." are dropped, which changes nothing. ".." stays: what it means
// is known only when the part before it has been looked at, which may be a link (nextlevelbuilder/goclaw#1201). A path
// that has to be one of a directory, as "x/" and "x/." are, ends in ".".
func parts(path string) []string {
	var out []string
	directory := true
	for part := range strings.FieldsFuncSeq(path, isSeparator) {
		directory = part == "."
		if !directory {
			out = append(out, part)
		}
	}
	if directory || os.IsPathSeparator(path[len(path)-1]) {
		out = append(out, ".")
	}
	return out
}

func isSeparator(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }

// rooted reports whether a path does not go on from where it stands. On Windows that is more than the absolute ones.
func rooted(path string) bool {
	return filepath.VolumeName(path) != "" || path != "" && os.IsPathSeparator(path[0])
}

// join is the opposite of parts for names inside a root.
func join(names []string) string {
	if len(names) == 0 {
		return "."
	}
	return strings.Join(names, string(filepath.Separator))
}
