package acp

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// queueLimit bounds the bytes that wait to be written on one connection.
const queueLimit = 16 << 20

// frame is one message on its way out.
type frame struct {
	data   []byte
	weight int64
	taken  bool // the writer has begun with it, or it was withdrawn
}

// writeQueue holds frames for the one writer of a connection. Whoever wants to send reserves room first, under its own
// context; a frame that waits can be withdrawn, one that was begun is finished.
type writeQueue struct {
	room *semaphore.Weighted

	mu     sync.Mutex
	wake   sync.Cond
	frames []*frame
	closed bool
}

func newWriteQueue() *writeQueue {
	q := &writeQueue{room: semaphore.NewWeighted(queueLimit)}
	q.wake.L = &q.mu
	return q
}

// reserve waits until there is room for data. A frame above the limit takes the whole queue.
func (q *writeQueue) reserve(ctx context.Context, data []byte) (*frame, error) {
	f := newFrame(data)
	if err := q.room.Acquire(ctx, f.weight); err != nil {
		return nil, err
	}
	return f, nil
}

// tryReserve is reserve without waiting; nil means that there is no room now.
func (q *writeQueue) tryReserve(data []byte) *frame {
	f := newFrame(data)
	if !q.room.TryAcquire(f.weight) {
		return nil
	}
	return f
}

func newFrame(data []byte) *frame {
	return &frame{data: data, weight: min(int64(len(data)), queueLimit)}
}

// push hands a reserved frame to the writer. It never waits. It reports false if the queue is closed.
func (q *writeQueue) push(f *frame) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		f.taken = true
		q.room.Release(f.weight)
		return false
	}
	q.frames = append(q.frames, f)
	q.wake.Signal()
	return true
}

// withdraw takes back a frame that was reserved, pushed or not. It reports false if the writer has begun with it, or it was
// taken back before.
func (q *writeQueue) withdraw(f *frame) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if f.taken {
		return false
	}
	f.taken = true
	f.data = nil
	q.room.Release(f.weight)
	return true
}

// next waits for the next frame; false means that the queue is closed and empty.
func (q *writeQueue) next() (*frame, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for len(q.frames) > 0 {
			f := q.frames[0]
			q.frames[0] = nil
			q.frames = q.frames[1:]
			if !f.taken {
				f.taken = true
				return f, true
			}
		}
		if q.closed {
			return nil, false
		}
		q.wake.Wait()
	}
}

// written gives back the room of a frame that next returned.
func (q *writeQueue) written(f *frame) {
	f.data = nil // its call may live for long
	q.room.Release(f.weight)
}

// close lets the writer finish what is queued and then end; with drop, what waits is thrown away.
func (q *writeQueue) close(drop bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	if drop {
		for _, f := range q.frames {
			if !f.taken {
				f.taken = true
				q.room.Release(f.weight)
			}
		}
		q.frames = nil
	}
	q.wake.Broadcast()
}
