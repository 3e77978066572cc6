package mcpfile

import (
	"slices"
	"sync/atomic"
	"time"
)

// watchCore reads files when they have rested and tells what has changed. It knows nothing of where the hints come from.
type watchCore struct {
	settle, limit time.Duration
	read          func(*File) *State
	touched       chan int // files that may have changed
	updates       chan Update
	files         []*watched
	queue         []*watched // those with an update that nobody has taken yet, the oldest first
}

// watched is a file and what is known of it.
type watched struct {
	file *File
	// good is the last state that could be read, or the first of all. Others read it.
	good atomic.Pointer[State]
	// now is the last state that was believed, and known the last readable one that the consumer has.
	now, known *State
	// told is what the consumer was told last. If that is an error, it must hear of the file when it is as it was.
	told   *State
	update Update // if the file is in the queue

	// When the file was touched first since it was read, and when it is to be read; zero if it is not to be.
	first, due time.Time
	// doubted says that the file could not be read, and is given a second chance.
	doubted bool
}

// newWatchCore reads all files for a start.
func newWatchCore(files []*File, o *WatchOptions, read func(*File) *State) *watchCore {
	c := &watchCore{settle: o.Settle, limit: o.Limit, read: read, touched: make(chan int), updates: make(chan Update)}
	for _, f := range files {
		s := read(f)
		w := &watched{file: f, now: s, known: s, told: s}
		w.good.Store(s)
		c.files = append(c.files, w)
	}
	return c
}

// run works until done is closed.
func (c *watchCore) run(done <-chan struct{}) {
	defer close(c.updates)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		c.arm(timer)
		var out chan<- Update
		var next Update
		if len(c.queue) > 0 {
			out, next = c.updates, c.queue[0].update
		}
		select {
		case <-done:
			return
		case i := <-c.touched:
			c.touch(c.files[i])
		case <-timer.C:
			c.readDue()
		case out <- next:
			c.queue[0].taken()
			c.queue = c.queue[1:]
		}
	}
}

func (c *watchCore) arm(timer *time.Timer) {
	var next time.Time
	for _, w := range c.files {
		if !w.due.IsZero() && (next.IsZero() || w.due.Before(next)) {
			next = w.due
		}
	}
	timer.Stop()
	if !next.IsZero() {
		timer.Reset(time.Until(next))
	}
}

// touch has a file read when it has rested, or when it has gone on for long enough.
func (c *watchCore) touch(w *watched) {
	now := time.Now()
	if w.first.IsZero() {
		w.first = now
	}
	w.due = now.Add(c.settle)
	if last := w.first.Add(c.limit); last.Before(w.due) {
		w.due = last
	}
}

func (c *watchCore) readDue() {
	for _, w := range c.files {
		if w.due.IsZero() || time.Until(w.due) > 0 {
			continue
		}
		w.first, w.due = time.Time{}, time.Time{}
		s := c.read(w.file)
		switch {
		case s.same(w.now):
			w.doubted = false
		case s.err != nil && !w.doubted: // somebody may be writing it
			w.doubted = true
			c.touch(w)
		default:
			w.doubted = false
			c.believe(w, s)
		}
	}
}

// believe compares what a file says with what the consumer knows of it, so that what was not delivered yet is part of it.
func (c *watchCore) believe(w *watched, s *State) {
	w.now = s
	if s.err == nil {
		w.good.Store(s)
	}
	diff := Compare(w.known, s)
	news := !diff.Empty() || w.told.err != nil
	if s.err != nil {
		news = !s.same(w.told)
	}
	if !news {
		if s.err == nil {
			w.known = s
		}
		w.update = Update{}
		c.queue = slices.DeleteFunc(c.queue, func(other *watched) bool { return other == w })
		return
	}
	w.update = Update{File: w.file, Before: w.known, After: s, Diff: diff}
	if !slices.Contains(c.queue, w) {
		c.queue = append(c.queue, w)
	}
}

// taken notes that the consumer has the update.
func (w *watched) taken() {
	w.told = w.update.After
	if w.told.err == nil {
		w.known = w.told
	}
	w.update = Update{}
}
