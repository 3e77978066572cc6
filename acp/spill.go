package acp

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Buffers bound what a connection keeps for consumers that do not keep up. Zero values are the defaults.
type Buffers struct {
	// Memory is how many bytes of unread updates a connection keeps in memory, 32 MiB. A single session may always keep
	// a little, so that many sessions may go somewhat above it.
	Memory int64
	// Spill is how many bytes go to files beyond that, 1 GiB; negative means none. At the limit, or when the disk is
	// full, the session that overflows gets a Gap in its stream, and no other does.
	Spill int64
	// Dir is where the files are made, readable by their owner only, and deleted as they are read; empty means the
	// system's folder for temporary files.
	Dir string
}

const (
	defaultMemory = 32 << 20
	defaultSpill  = 1 << 30

	// largeBatch is what one mailbox may hold before it is spilled, and smallBatch what it may hold when the memory of
	// the connection is used up.
	largeBatch = 16 << 20
	smallBatch = 32 << 10

	segmentSize = 16 << 20
)

// batchState is the life of a batch of letters.
type batchState int

const (
	batchWaiting batchState = iota // in memory, to be written
	batchWritten                   // on disk
	batchTaken                     // handed to the consumer, or dropped
	batchLost                      // a gap
)

// batch is a run of letters of one mailbox that is on its way to disk or there.
type batch struct {
	state   batchState
	writing bool // the goroutine reads letters: whoever takes them gets a copy
	letters []letter
	size    int64
	first   uint64 // seq of the first letter
	count   int
	late    bool

	segment *segment
	offset  int64
	length  int
}

// spillLog takes what consumers leave lying, for all mailboxes of a connection. Its goroutine writes batches to segments;
// it is started with the first batch, stopped by stop, and joined by wait. After that batches stay in memory.
type spillLog struct {
	opts   Buffers
	failed func(error) // told when a batch was lost; must not wait

	memory atomic.Int64 // bytes of letters in memory: in mailboxes, waiting batches, and consumers' hands
	toDisk atomic.Int64 // letters that went to disk or were on the way
	lost   atomic.Int64 // letters that are gaps now

	mu      sync.Mutex
	wake    sync.Cond // of the goroutine
	room    sync.Cond // of the reader
	queue   []*batch
	waiting int64 // bytes of waiting batches
	spilled int64 // bytes of waiting and written batches
	running bool
	stopped bool
	stalled bool // the disk did not move for as long as reading waits for it; cleared by the next write that ends
	done    chan struct{}

	current *segment // the goroutine's own
}

func newSpillLog(opts Buffers, failed func(error)) *spillLog {
	if opts.Memory <= 0 {
		opts.Memory = defaultMemory
	}
	if opts.Spill == 0 {
		opts.Spill = defaultSpill
	}
	l := &spillLog{opts: opts, failed: failed, done: make(chan struct{})}
	l.wake.L, l.room.L = &l.mu, &l.mu
	return l
}

// full counts a new letter of this size and reports whether its mailbox, which holds held bytes, must spill now.
func (l *spillLog) full(held, size int64) bool {
	used := l.memory.Add(size)
	return held >= min(largeBatch, l.opts.Memory) || held >= smallBatch && used > l.opts.Memory
}

// release says that bytes are no longer in memory.
func (l *spillLog) release(size int64) {
	if size != 0 {
		l.memory.Add(-size)
	}
}

// take makes a batch of letters, which follow the batch last of their mailbox. At the limit it is a gap, and nil if that
// only makes the gap before it longer.
func (l *spillLog) take(letters []letter, size int64, last *batch) *batch {
	b := &batch{letters: letters, size: size, first: letters[0].seq, count: len(letters), late: letters[0].late}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spilled+size > l.opts.Spill || !l.roomFor(size) {
		l.lose(b)
		if last != nil && last.state == batchLost {
			last.count += b.count
			return nil
		}
		return b
	}
	l.toDisk.Add(int64(b.count))
	l.waiting += size
	l.spilled += size
	l.queue = append(l.queue, b)
	if !l.running {
		l.running = true
		go l.run()
	}
	l.wake.Signal()
	return b
}

// roomFor waits until the goroutine has written so much that size more bytes may wait: the memory they take is bounded,
// and a disk is no consumer that may never come. A disk that does not move for a while is one. The lock is held.
func (l *spillLog) roomFor(size int64) bool {
	fits := func() bool { return l.waiting == 0 || l.waiting+size <= l.opts.Memory }
	if l.stopped || fits() {
		return !l.stopped
	}
	given := false
	patience := time.AfterFunc(diskPatience, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		given = true
		l.room.Broadcast()
	})
	defer patience.Stop()
	for !l.stopped && !l.stalled && !given && !fits() {
		l.room.Wait()
	}
	l.stalled = l.stalled || given && !fits()
	return !l.stopped && fits()
}

// diskPatience is how long reading pauses for a disk.
const diskPatience = 2 * time.Second

// lose makes a gap of a batch. The lock is held.
func (l *spillLog) lose(b *batch) {
	b.state, b.letters = batchLost, nil
	l.lost.Add(int64(b.count))
	l.release(b.size)
}

// open returns the letters of a batch and their size in memory.
func (l *spillLog) open(b *batch) ([]letter, int64) {
	l.mu.Lock()
	state := b.state
	switch state {
	case batchWaiting:
		letters := b.letters
		if b.writing {
			letters = slices.Clone(letters)
		}
		l.leaveQueue(b)
		l.mu.Unlock()
		return letters, b.size
	case batchWritten:
		l.mu.Unlock()
		letters, err := readBatch(b)
		l.drop(b)
		if err != nil {
			l.lost.Add(int64(b.count))
			l.failed(err)
			return b.asGap(), 0
		}
		l.memory.Add(b.size)
		return letters, b.size
	default:
		l.mu.Unlock()
		return b.asGap(), 0
	}
}

func (b *batch) asGap() []letter {
	return []letter{{seq: b.first, gap: uint32(b.count), late: b.late}}
}

// leaveQueue takes a waiting batch back. The lock is held.
func (l *spillLog) leaveQueue(b *batch) {
	b.state, b.letters = batchTaken, nil
	l.waiting -= b.size
	l.spilled -= b.size
	l.room.Broadcast()
}

// drop frees a batch that nobody will open any more.
func (l *spillLog) drop(b *batch) {
	var free *segment
	defer func() {
		if free != nil {
			free.unref() // may delete a file
		}
	}()
	l.mu.Lock()
	defer l.mu.Unlock()
	switch b.state {
	case batchWaiting:
		l.leaveQueue(b)
		l.release(b.size)
	case batchWritten:
		b.state = batchTaken
		l.spilled -= b.size
		free = b.segment
	case batchTaken, batchLost:
	}
}

// run writes batches in the order in which they came.
func (l *spillLog) run() {
	defer close(l.done)
	for {
		l.mu.Lock()
		for len(l.queue) == 0 && !l.stopped {
			l.wake.Wait()
		}
		if l.stopped {
			l.mu.Unlock()
			l.closeCurrent()
			return
		}
		b := l.queue[0]
		l.queue[0] = nil
		l.queue = l.queue[1:]
		letters := b.letters // nil if it was taken back meanwhile
		b.writing = letters != nil
		l.mu.Unlock()
		if letters != nil {
			l.write(b, encodeBatch(letters))
		}
	}
}

// write appends a batch to the current segment.
func (l *spillLog) write(b *batch, data []byte) {
	segment, err := l.segment()
	var offset int64
	if err == nil {
		offset, err = segment.append(data)
	}
	l.mu.Lock()
	if b.state != batchWaiting { // taken back while it was written
		l.stalled = false
		l.mu.Unlock()
		return
	}
	l.waiting -= b.size
	l.stalled = false
	l.room.Broadcast()
	if err != nil {
		l.spilled -= b.size
		l.lose(b)
		l.mu.Unlock()
		l.closeCurrent() // the next one may have room again
		l.failed(fmt.Errorf("cannot spill %d updates: %w", b.count, err))
		return
	}
	segment.ref()
	b.state, b.letters = batchWritten, nil
	b.segment, b.offset, b.length = segment, offset, len(data)
	l.release(b.size)
	l.mu.Unlock()
}

// segment returns the segment to write to. Only the goroutine calls it, and without the lock: a file system may take its
// time.
func (l *spillLog) segment() (*segment, error) {
	if l.current != nil && l.current.size < segmentSize {
		return l.current, nil
	}
	l.closeCurrent()
	s, err := newSegment(l.opts.Dir)
	if err != nil {
		return nil, err
	}
	l.current = s
	return s, nil
}

// closeCurrent gives up the goroutine's own reference. Only the goroutine calls it, and without the lock.
func (l *spillLog) closeCurrent() {
	if l.current != nil {
		l.current.unref()
		l.current = nil
	}
}

// stop ends the goroutine; what waits stays in memory for its consumers.
func (l *spillLog) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
	l.wake.Broadcast()
	l.room.Broadcast()
}

func (l *spillLog) wait() {
	l.mu.Lock()
	running := l.running
	l.mu.Unlock()
	if running {
		<-l.done
	}
}
