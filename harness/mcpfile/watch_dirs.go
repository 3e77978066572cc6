package mcpfile

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watchDirs finds out which files may have changed. It watches folders and never files, because one that is replaced is another file:
// those of the file, of each link on the way to it, and if there is no such folder the nearest one above.
type watchDirs struct {
	paths  []string
	notify *fsnotify.Watcher // nil if there was none to be had
	log    *slog.Logger

	ways    []way
	folders map[string]fs.FileInfo // those that are watched, as they were when that began
	matter  map[string][]int       // the files by the names that events may have, folded
	refused map[string]bool        // the folders that cannot be watched, which is logged once
}

func newWatchDirs(paths []string, notify *fsnotify.Watcher, log *slog.Logger) *watchDirs {
	return &watchDirs{
		paths: paths, notify: notify, log: log, ways: make([]way, len(paths)), folders: map[string]fs.FileInfo{}, refused: map[string]bool{},
	}
}

// run sends the indices of files that may have changed until done is closed.
func (d *watchDirs) run(done <-chan struct{}, heard <-chan hearing, poll time.Duration, touched chan<- int) {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		var files []int
		select {
		case <-done:
			return
		case h := <-heard:
			files = d.hear(&h)
		case <-tick.C:
			files = d.look()
		}
		for _, i := range files {
			select {
			case <-done:
				return
			case touched <- i:
			}
		}
	}
}

// hear returns the files that events are about.
func (d *watchDirs) hear(h *hearing) []int {
	var files []int
	for name := range h.names {
		files = append(files, d.matter[fold(name)]...)
	}
	if h.lost != nil {
		d.log.Warn("missed changes: all files are looked at", "error", h.lost)
		for i := range d.paths {
			files = append(files, i)
		}
	}
	if len(files) > 0 {
		files = append(files, d.look()...)
	}
	return unique(files)
}

// unique sorts as well.
func unique(files []int) []int {
	slices.Sort(files)
	return slices.Compact(files)
}

// rounds is how often the ways are followed again because they were not watched yet. Should they change still, the next poll will do.
const rounds = 40

// look follows the ways to all files, has their folders watched, and returns the files that look otherwise than they did. It is cheap.
func (d *watchDirs) look() []int {
	var files []int
	for range rounds {
		d.matter = map[string][]int{}
		for i, path := range d.paths {
			now := wayTo(path)
			if d.ways[i].changed(&now) {
				files = append(files, i)
			}
			d.ways[i] = now
			for _, s := range now.spots {
				for _, name := range []string{fold(s.path()), fold(s.folder)} {
					d.matter[name] = append(d.matter[name], i)
				}
			}
		}
		if !d.follow() {
			break
		}
	}
	return unique(files)
}

// fold makes names equal that a file system may take for equal. That others are equal as well costs a look at a file.
func fold(name string) string { return strings.ToLower(name) }

// follow watches the folders on the ways, and no others. It reports whether there are new ones, which may have changed before they were
// watched, or some that are gone: then the ways lead elsewhere.
func (d *watchDirs) follow() bool {
	if d.notify == nil {
		return false
	}
	needed := map[string]bool{}
	for i := range d.ways {
		for _, s := range d.ways[i].spots {
			needed[s.folder] = true
		}
	}
	alive := d.notify.WatchList() // a folder that was deleted or moved is not among them, whatever is at its path now
	for folder, was := range d.folders {
		now, err := os.Stat(folder)
		if needed[folder] && err == nil && os.SameFile(was, now) && slices.Contains(alive, folder) {
			continue
		}
		_ = d.notify.Remove(folder) // it may be gone
		delete(d.folders, folder)
	}
	again := false
	for folder := range needed {
		if d.folders[folder] == nil && d.add(folder) {
			again = true
		}
	}
	return again
}

// errOtherName comes from bind mounts, or names that differ in case: events have the name that was first.
var errOtherName = errors.New("it is watched by another name")

// add reports whether the folder is watched from now on, or gone.
func (d *watchDirs) add(folder string) bool {
	info, err := os.Stat(folder) // before, so that another one that comes to its place is noticed
	if err == nil {
		err = d.notify.Add(folder)
	}
	if err == nil && !slices.Contains(d.notify.WatchList(), folder) {
		if _, err = os.Stat(folder); err == nil { // else it is gone again
			err = errOtherName
		}
	}
	switch {
	case err == nil:
		delete(d.refused, folder)
		d.folders[folder] = info
		return true
	case errors.Is(err, fs.ErrNotExist):
		return true
	case !d.refused[folder]:
		d.refused[folder] = true
		d.log.Warn("cannot watch a folder: it is polled", "folder", folder, "error", err)
	}
	return false
}
