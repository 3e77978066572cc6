package mcpfile

import "github.com/fsnotify/fsnotify"

// hearing is what events have told.
type hearing struct {
	names map[string]bool
	lost  error // why there may be others; nil if there are none
}

// watchEar takes events whenever there are some, and keeps them until they are asked for.
type watchEar struct {
	heard chan hearing
	ended chan struct{}
}

// manyNames is how many names are kept apart. A folder in which more is going on is looked at anyway.
const manyNames = 4096

// newWatchEar starts a goroutine that ends when notify is closed.
func newWatchEar(notify *fsnotify.Watcher) *watchEar {
	e := &watchEar{make(chan hearing), make(chan struct{})}
	go e.run(notify.Events, notify.Errors)
	return e
}

func (e *watchEar) run(events <-chan fsnotify.Event, errs <-chan error) {
	defer close(e.ended)
	var h hearing
	for {
		var out chan<- hearing
		if len(h.names) > 0 || h.lost != nil {
			out = e.heard
		}
		select {
		case event, ok := <-events:
			if !ok {
				return
			}
			if h.names == nil {
				h.names = map[string]bool{}
			}
			h.names[event.Name] = true
			if len(h.names) > manyNames {
				h.names, h.lost = nil, fsnotify.ErrEventOverflow
			}
		case err, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			h.lost = err
		case out <- h:
			h = hearing{}
		}
	}
}
