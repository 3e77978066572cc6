package mcpfile

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// WatchOptions configure [Watch]. The zero value works; a duration that is not positive means the default.
type WatchOptions struct {
	// Settle is how long a file must rest before it is read, 150 ms by default. One that cannot be read then may be half written: it is
	// read once more after the same time before anybody is told.
	Settle time.Duration
	// Limit is the time after the first change in which a file is read although it does not rest, 3 s by default.
	Limit time.Duration
	// Poll is how often the files are looked at without being told of a change, 2 s by default: events get lost, network file systems
	// have none, and nobody tells of a folder further above that was moved. Only the attributes are looked at, not the text.
	Poll time.Duration
	// Log is told what cannot be watched, or what was missed. Nil means nobody. What is missed is found by polling.
	Log *slog.Logger
}

// Update is a change of a file by anybody, this process included.
type Update struct {
	// File is one of those given to Watch.
	File *File
	// Before is the last state that could be read of which there was an update, or that the watch began with. Its Err is not nil if the
	// file could not be read yet.
	Before *State
	// After is what the file says now. Its Err is not nil if it cannot be read; then Before is that of the next update as well.
	After *State
	// Diff is what has changed, see Compare. It is Unknown if one of the states could not be read, and empty only if the file is
	// readable again and says what it said before.
	Diff Diff
}

// Watcher tells of changes of files. Its methods may be called from several goroutines.
//
// Watch starts three goroutines, and fsnotify one of its own: the core, which owns the states, the timers and what is not delivered
// yet; the one of the folders, which owns what is watched and tells the core which files to look at; and the ear, which hands on
// events and never waits, since fsnotify may hold a lock while it waits for who reads them. Close stops and joins them all.
type Watcher struct {
	core  *watchCore
	index map[*File]int
	close func() error
}

var errNoFile = errors.New("there is a nil among the files")

// Watch tells of changes of files from now on, whether they are there yet or not. What they say when it begins is known when it
// returns, and no update: see State. If the system has no more watchers to give, polling has to do. An error means that a file is nil or
// its path cannot be made absolute. The caller calls Close.
func Watch(files []*File, opts *WatchOptions) (*Watcher, error) {
	return watch(files, opts, (*File).Read)
}

func watch(files []*File, opts *WatchOptions, read func(*File) *State) (*Watcher, error) {
	o := opts.filled()
	w := &Watcher{index: map[*File]int{}}
	var own []*File // each once
	var paths []string
	for _, f := range files {
		if f == nil {
			return nil, fmt.Errorf("cannot watch: %w", errNoFile)
		}
		if _, ok := w.index[f]; ok {
			continue
		}
		path, err := f.path, error(nil)
		if !filepath.IsAbs(path) { // else ".." stays, which after a link is not where it seems to be
			path, err = filepath.Abs(path)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot watch %s: %w", f.path, err)
		}
		w.index[f] = len(own)
		own, paths = append(own, f), append(paths, path)
	}
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		o.Log.Warn("cannot be told of changes: files are polled", "error", err)
		notify = nil
	}
	dirs := newWatchDirs(paths, notify, o.Log)
	var ear *watchEar
	var heard <-chan hearing
	if notify != nil {
		ear = newWatchEar(notify)
		heard = ear.heard
	}
	dirs.look() // before the files are read, so that no change falls between
	w.core = newWatchCore(own, o, read)

	done := make(chan struct{})
	var loops sync.WaitGroup
	loops.Go(func() { w.core.run(done) })
	loops.Go(func() { dirs.run(done, heard, o.Poll, w.core.touched) })
	w.close = sync.OnceValue(func() error {
		close(done)
		loops.Wait()
		if notify == nil {
			return nil
		}
		if err := notify.Close(); err != nil {
			return fmt.Errorf("cannot stop watching: %w", err)
		}
		<-ear.ended
		return nil
	})
	return w, nil
}

func (o *WatchOptions) filled() *WatchOptions {
	var f WatchOptions
	if o != nil {
		f = *o
	}
	for _, d := range []struct {
		of    *time.Duration
		usual time.Duration
	}{{&f.Settle, 150 * time.Millisecond}, {&f.Limit, 3 * time.Second}, {&f.Poll, 2 * time.Second}} {
		if *d.of <= 0 {
			*d.of = d.usual
		}
	}
	if f.Log == nil {
		f.Log = slog.New(slog.DiscardHandler)
	}
	return &f
}

// Updates yields changes, those of one file in their order, until Close closes it. It is for one consumer, which may take its time:
// nobody waits for it, and what comes meanwhile is merged into one update for each file, or none if all is as it was. Changes of order,
// spaces and comments alone are none.
//
// A file that cannot be read, even when it has rested, is told of once for each error, and once more when it can be read again, even if
// nothing has changed. One that is not there is no error.
func (w *Watcher) Updates() <-chan Update { return w.core.updates }

// State is what a file said when it was last readable, which may be ahead of the updates. Its Err is not nil if it has never been. Nil
// means that it is none of those watched.
func (w *Watcher) State(f *File) *State {
	i, ok := w.index[f]
	if !ok {
		return nil
	}
	return w.core.files[i].good.Load()
}

// Close ends the watch and returns when all of it has ended. Updates that nobody has taken are lost. It may be called more than once,
// and returns the same error then, which comes from the system and leaves nothing to do.
func (w *Watcher) Close() error { return w.close() }
