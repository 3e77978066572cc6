package fakemcp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// fallback is how often a file counts as changed without any event. Events can
// be lost, and a system has only so many watchers to give.
const fallback = time.Second

// changes tells of changes of one file, whether it exists or not. It watches
// the folder, because a file that is replaced is another file. Its owner calls
// close, which joins what the watcher runs.
type changes struct {
	name    string
	watcher *fsnotify.Watcher // nil if there was none to be had
	tick    *time.Ticker
}

// watch begins to watch; a change from here on is not missed.
func watch(path string) (*changes, error) {
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil {
		return nil, fmt.Errorf("cannot watch: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("cannot watch: %s is no folder", folder)
	}
	c := &changes{name: filepath.Base(path)}
	if watcher, err := fsnotify.NewWatcher(); err == nil {
		if watcher.Add(folder) == nil {
			c.watcher = watcher
		} else {
			_ = watcher.Close()
		}
	}
	c.tick = time.NewTicker(fallback)
	return c, nil
}

// next returns when the file may have changed, or with the cause of ctx's end.
func (c *changes) next(ctx context.Context) error {
	var events chan fsnotify.Event
	var errs chan error
	if c.watcher != nil {
		events, errs = c.watcher.Events, c.watcher.Errors
	}
	for {
		select {
		case event := <-events:
			if filepath.Base(event.Name) == c.name {
				return nil
			}
		case <-errs: //nolint:errcheck // whatever it is, events were lost
			return nil
		case <-c.tick.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// settle returns when no change has come for a moment: whoever writes a file
// may do so in several steps.
func (c *changes) settle(ctx context.Context) {
	const quiet, atMost = 20 * time.Millisecond, 10
	for range atMost {
		moment, cancel := context.WithTimeout(ctx, quiet)
		err := c.next(moment)
		cancel()
		if err != nil {
			return
		}
	}
}

func (c *changes) close() {
	c.tick.Stop()
	if c.watcher != nil {
		_ = c.watcher.Close()
	}
}
