package acp

import (
	"bytes"
	"sync"
	"time"
)

// Direction says which way a frame went.
type Direction string

// The directions.
const (
	ToAgent   Direction = "client>"
	FromAgent Direction = "agent>"
)

// TapFrame is one line as it went over the connection, noise included.
type TapFrame struct {
	Time    time.Time
	Dir     Direction
	Data    []byte // exact bytes without the newline
	Dropped int    // frames lost just before this one because the tap was slow
}

// Tap sees every frame of a connection in the order of the wire, prompts and file contents included. It runs on a
// goroutine of its own; frames beyond 64 MiB of backlog are dropped and counted.
type Tap func(TapFrame)

const tapBacklog = 64 << 20

// tapper feeds a Tap. Its goroutine is started with the connection, stopped by close, and joined by wait.
type tapper struct {
	tap  Tap
	done chan struct{}

	mu      sync.Mutex
	wake    sync.Cond
	frames  []TapFrame
	size    int
	dropped int
	closed  bool
}

// newTapper returns nil if there is nothing to feed; a nil tapper takes frames and does nothing.
func newTapper(tap Tap) *tapper {
	if tap == nil {
		return nil
	}
	t := &tapper{tap: tap, done: make(chan struct{})}
	t.wake.L = &t.mu
	go t.run()
	return t
}

func (t *tapper) frame(dir Direction, line []byte) {
	if t == nil {
		return
	}
	line = bytes.TrimSuffix(line, []byte{'\n'})
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	if t.size+len(line) > tapBacklog && len(t.frames) > 0 {
		t.dropped++
		return
	}
	t.frames = append(t.frames, TapFrame{Time: time.Now(), Dir: dir, Data: bytes.Clone(line), Dropped: t.dropped})
	t.size += len(line)
	t.dropped = 0
	t.wake.Signal()
}

func (t *tapper) run() {
	defer close(t.done)
	for {
		t.mu.Lock()
		for len(t.frames) == 0 && !t.closed {
			t.wake.Wait()
		}
		frames := t.frames
		t.frames, t.size = nil, 0
		t.mu.Unlock()
		if len(frames) == 0 {
			return
		}
		for i := range frames {
			t.tap(frames[i])
		}
	}
}

func (t *tapper) close() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.wake.Broadcast()
}

func (t *tapper) wait() {
	if t != nil {
		<-t.done
	}
}

// FrameMeta is what can be told of a frame without its content.
type FrameMeta struct {
	Time    time.Time
	Dir     Direction
	Bytes   int
	Kind    string    // request, notification, response, error, batch or noise
	ID      string    // as written, empty if there is none
	Method  string    // of a request or notification
	Session SessionID // that its params name
	Update  string    // the kind of a session update
}

// Meta returns what can be told of the frame without its content, for logs that others may read.
func (f *TapFrame) Meta() FrameMeta {
	e := parseEnvelope(f.Data)
	meta := FrameMeta{
		Time: f.Time, Dir: f.Dir, Bytes: len(f.Data), Kind: "noise",
		ID: printable(e.id), Method: printable(e.method), Session: SessionID(e.session), Update: printable(e.variant),
	}
	switch e.kind {
	case frameRequest:
		meta.Kind = "request"
	case frameNotification:
		meta.Kind = "notification"
	case frameResponse:
		meta.Kind = "response"
		if e.rpcErr != nil && !isNull(e.rpcErr) {
			meta.Kind = "error"
		}
	case frameEmpty:
		meta.Kind = "response"
	case frameBatch:
		meta.Kind = "batch"
	case frameNoise:
	}
	return meta
}
