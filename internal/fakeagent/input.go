package fakeagent

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
)

// incoming is one line from the client.
type incoming struct {
	event Event
	line  []byte // with its line end
}

// queue holds lines between the reader and control. It has no limit: the reader must get on to the answers that
// requests of the agent wait for, whatever control is busy with.
type queue struct {
	mu     sync.Mutex
	items  []incoming
	closed bool
	err    error         // why reading ended, nil at EOF; set before closed
	wake   chan struct{} // has room for one token
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

func (q *queue) put(in incoming) {
	q.mu.Lock()
	q.items = append(q.items, in)
	q.mu.Unlock()
	q.signal()
}

func (q *queue) close(err error) {
	q.mu.Lock()
	q.closed, q.err = true, err
	q.mu.Unlock()
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// next returns false when the queue is closed and empty, or ctx has ended.
func (q *queue) next(ctx context.Context) (incoming, bool) {
	for {
		if ctx.Err() != nil {
			return incoming{}, false
		}
		q.mu.Lock()
		if len(q.items) > 0 {
			in := q.items[0]
			q.items = q.items[1:]
			q.mu.Unlock()
			return in, true
		}
		closed := q.closed
		q.mu.Unlock()
		if closed {
			return incoming{}, false
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
		}
	}
}

// read cuts the input at line feeds only and without a limit. A last line without a line end counts.
func (s *server) read(ctx context.Context, r io.Reader) {
	select {
	case <-s.started:
	case <-ctx.Done():
		return
	}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 && !s.take(line) {
			<-ctx.Done()
			return
		}
		if err == nil {
			continue
		}
		if s.script.IgnoreStdinEOF {
			<-ctx.Done()
			return
		}
		if isGone(err) {
			err = nil
		} else {
			err = fmt.Errorf("cannot read from the client: %w", err)
		}
		s.input.close(err)
		return
	}
}

// take passes a line on. It returns false if nothing more is to be read.
func (s *server) take(line []byte) bool {
	in := incoming{line: line}
	text := bytes.TrimRight(line, "\r\n")
	if len(bytes.TrimSpace(text)) > 0 {
		in.event = classify(text)
		var waiting *call
		if in.event.Kind == EventResponse {
			waiting = s.settled(&in.event)
		}
		if s.journal != nil {
			s.journal(in.event)
		}
		if waiting != nil {
			waiting.answer <- in.event
		}
		if in.event.Kind == EventNotification && !s.script.Echo && !s.script.Silent && !s.script.exitsOn(in.event.Method) {
			// A cancel is heeded before the answers that come after it, which a turn gets from here. Control heeds it
			// again, for the turn of a prompt that it has not begun yet.
			s.handleNotification(in.event)
		}
	}
	s.input.put(in)
	return s.script.StopReading == "" || in.event.Method != s.script.StopReading
}
