package mcpfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// way is how a path leads to a file at one moment, or as far as it leads.
type way struct {
	// spots are the links on the way, and last the file, or what is missing first.
	spots []spot
	info  fs.FileInfo // of the file, nil if the way does not lead to one
	fault string      // why it does not
	fresh bool        // the file was written just now, so that another change may leave it with the same time
}

// spot is a name in a folder that is there.
type spot struct{ folder, name string }

func (s spot) path() string { return filepath.Join(s.folder, s.name) }

const (
	// maxLinks is how many symbolic links are followed, as Linux does.
	maxLinks = 40
	// coarse is how coarse the times of a file system may be.
	coarse = 2 * time.Second
)

// wayTo follows an absolute path.
func wayTo(path string) way {
	var w way
	volume := filepath.VolumeName(path)
	done, rest := volume+string(filepath.Separator), names(path[len(volume):])
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		at := spot{done, name}
		info, err := os.Lstat(at.path())
		if err == nil && info.Mode()&fs.ModeIrregular != 0 {
			info, err = os.Stat(at.path()) // other links than symbolic ones that Windows has
		}
		switch {
		case err != nil:
			return w.ending(at, err)
		case info.Mode()&fs.ModeSymlink != 0:
			text, err := os.Readlink(at.path())
			if err != nil {
				return w.ending(at, err)
			}
			if links++; links > maxLinks {
				return w.ending(at, &fs.PathError{Op: "readlink", Path: path, Err: fs.ErrInvalid})
			}
			w.spots = append(w.spots, at)
			if filepath.IsAbs(text) {
				volume := filepath.VolumeName(text)
				done, text = volume+string(filepath.Separator), text[len(volume):]
			}
			rest = append(names(text), rest...)
		case info.IsDir() && len(rest) > 0:
			done = at.path()
		default:
			w.spots = append(w.spots, at)
			w.info = info
			age := time.Since(info.ModTime())
			w.fresh = -coarse < age && age < coarse
			return w
		}
	}
	return w
}

func (w *way) ending(at spot, err error) way {
	w.spots = append(w.spots, at)
	w.fault = err.Error()
	return *w
}

func names(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == filepath.Separator })
}

// changed reports whether a later look at the same path leads elsewhere, or may lead to another text.
func (w *way) changed(now *way) bool {
	if w.fresh && !now.fresh || w.fault != now.fault || (w.info == nil) != (now.info == nil) || !slices.Equal(w.spots, now.spots) {
		return true
	}
	return w.info != nil && (!os.SameFile(w.info, now.info) || w.info.Size() != now.info.Size() || w.info.Mode() != now.info.Mode() ||
		!w.info.ModTime().Equal(now.info.ModTime()))
}
