package acp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// read is the reader: it finds out what a line is and hands it over. It runs no code of the caller's and waits for
// nobody.
func (c *Conn) read() {
	defer close(c.readerDone)
	for {
		line, err := c.stream.ReadFrame()
		if err == nil {
			c.tapRead(line)
			c.dispatch(line)
			continue
		}
		if long, ok := errors.AsType[*FrameTooLongError](err); ok {
			c.overlong(long)
			continue
		}
		if err = c.lastWords(err); err != nil {
			c.die(&agentGoneError{met: err})
		}
		return
	}
}

// tapRead shows the tap a line as it was written, white space and all.
func (c *Conn) tapRead(line []byte) {
	if c.tapper == nil {
		return
	}
	if c.lines != nil {
		line = c.lines.lines.Raw()
	}
	c.tapper.frame(FromAgent, line)
}

// lastWords names a half frame at the end of the stream.
func (c *Conn) lastWords(err error) error {
	c.mu.Lock()
	half := c.noise.half
	c.mu.Unlock()
	if half > 0 && errors.Is(err, io.EOF) {
		return &TruncatedError{Length: half}
	}
	return err
}

func (c *Conn) dispatch(line []byte) {
	e := parseEnvelope(line)
	if e.repaired && e.kind == frameRequest && c.wire.isEcho(e.id, string(e.method)) {
		e.kind = frameNoise // a log line that quotes our own request
	}
	if e.kind == frameNoise {
		c.halfFrame(line)
		c.noiseLine(line)
		return
	}
	c.frames.Add(1)
	if c.lines == nil || !c.lines.lines.Buffered() { // of a burst, the last one counts
		c.lastFrame.Store(int64(time.Since(c.began)))
	}
	if e.repaired {
		c.repaired.Add(1)
	}
	switch e.kind {
	case frameNotification:
		c.notification(line, &e)
	case frameRequest:
		c.request(&e)
	case frameResponse:
		c.response(&e)
	case frameEmpty:
		c.emptyAnswer(&e)
	case frameBatch:
		c.diagnose(Diagnostic{Kind: DiagnosticProtocol, Text: "the agent sent a batch; it was refused"})
		c.send(encodeAnswer(jsonNullToken, nil, &Error{Code: CodeInvalidRequest, Message: "batches are not supported"}))
	case frameNoise:
	}
}

// halfFrame remembers that the stream ended within what looks like a frame.
func (c *Conn) halfFrame(line []byte) {
	if c.lines != nil && c.lines.lines.Unterminated() && bytes.IndexByte(line, '{') >= 0 {
		c.mu.Lock()
		c.noise.half = len(line)
		c.mu.Unlock()
	}
}

// keep returns line in memory that outlives the next read.
func (c *Conn) keep(line []byte) []byte {
	if c.lines != nil {
		return c.lines.lines.Keep(line)
	}
	return bytes.Clone(line)
}

// send queues a frame that answers no mapped request, if there is room.
func (c *Conn) send(data []byte) {
	if f := c.wire.out.tryReserve(data); f != nil {
		c.wire.out.push(f)
	}
}

func (c *Conn) notification(line []byte, e *envelope) {
	switch string(e.method) {
	case methodSessionUpdate:
		c.sessionUpdate(line, e)
	case methodCancelRequest:
		var id []byte
		eachMember(e.params, func(key, value []byte) {
			if string(key) == "requestId" {
				id = value
			}
		})
		c.wire.cancelInbound(id)
	case methodAuthStatusUpdate, vendorAuthStatusUpdate:
		c.authStatusUpdated(string(e.method), e.params)
	case methodCompleteElicitation:
		c.elicitationCompleted(e.params)
	default:
		c.noteMCPReport(e)
		c.extensionNotification(e)
	}
}

func (c *Conn) countUnknown(what string) {
	c.mu.Lock()
	c.counters.Unknown++
	c.mu.Unlock()
	c.diagnose(Diagnostic{Kind: DiagnosticUnhandled, Text: what})
}

// request registers a request of the agent; the library hands it to serve.
func (c *Conn) request(e *envelope) {
	method := string(e.method)
	if c.wire.isEcho(e.id, method) {
		c.die(fmt.Errorf("%w: our own %s request came back", ErrEcho, method))
		return
	}
	in := &inbound{id: bytes.Clone(e.id), method: method, params: bytes.Clone(e.params)}
	in.visit = c.visitOf(in)
	in.ctx, in.cancel = context.WithCancel(c.ctx) // here, so that a cancel which is read next finds it
	c.wire.request(in)
}

func (c *Conn) response(e *envelope) {
	id, err := strconv.ParseUint(string(e.id), 10, 64)
	if err != nil {
		// A null, missing or foreign id settles nothing: guessing would hit the wrong call (toolhive#6038).
		c.unmatched(e)
		return
	}
	var a answer
	if e.rpcErr != nil && !isNull(e.rpcErr) {
		rpc := decodeError(e.rpcErr)
		if c.wire.underWay(id) != nil {
			c.noteAuth(rpc)
		}
		a.err = c.redact.error(rpc)
	} else {
		a.result = bytes.Clone(e.result)
	}
	if !c.wire.settleCall(id, a) {
		c.unmatched(e)
	}
}

func (c *Conn) unmatched(e *envelope) {
	c.mu.Lock()
	c.counters.Unmatched++
	c.mu.Unlock()
	text := "an answer with id " + c.shown(e.id) + " belongs to no call"
	if e.rpcErr != nil && !isNull(e.rpcErr) {
		text += ": " + decodeError(e.rpcErr).Message
	}
	c.diagnose(Diagnostic{Kind: DiagnosticProtocol, Text: text})
}

// emptyAnswer settles the call of an answer that has neither result nor error, so that it does not hang.
func (c *Conn) emptyAnswer(e *envelope) {
	id, err := strconv.ParseUint(string(e.id), 10, 64)
	if err != nil || !c.wire.settleCall(id, answer{err: fmt.Errorf("%w: an answer without result and error", ErrProtocol)}) {
		c.unmatched(e)
	}
}

// overlong takes a line above the cap: noise, unless its beginning says which call it answers.
func (c *Conn) overlong(long *FrameTooLongError) {
	c.noiseLine(long.Head)
	if id, ok := responseID(long.Head); ok {
		c.wire.settleCall(id, answer{err: long})
	}
}

// responseID finds the id in the beginning of a response whose end is missing.
func responseID(head []byte) (uint64, bool) {
	c := cursor{b: head}
	var id []byte
	answer, method := false, false
	for more := c.object(); more; more = c.next('}') {
		switch string(c.key()) {
		case "id":
			id = c.value()
		case "result", "error":
			answer = true
			c.skip()
		case "method":
			method = true
			c.skip()
		default:
			c.skip()
		}
	}
	n, err := strconv.ParseUint(string(id), 10, 64)
	return n, err == nil && answer && !method
}

// sessionUpdate files an update with its session.
func (c *Conn) sessionUpdate(line []byte, e *envelope) {
	if e.update == nil {
		c.diagnose(Diagnostic{Kind: DiagnosticProtocol, Text: "a session/update without update"})
		return
	}
	l := newLetter(c.keep(line), e)
	s, known := c.lastSession, c.known.Load()
	if s == nil || string(e.session) != string(s.id) || c.lastKnown != known {
		if s = c.sessionOf(e.session, l); s == nil {
			return
		}
		c.lastSession, c.lastKnown = s, known
	}
	if turn := s.deliver(l); turn != nil {
		c.background(func() { _ = turn.writeCancel(c.ctx, true) })
	}
	if l.kind == KindSubagent {
		s.announce(&l)
	}
	if s.parent != nil {
		c.strangers.Add(1) // its parent is not silent
	}
}

// sessionOf returns the session of an update; that of one which is not known yet is held.
func (c *Conn) sessionOf(id []byte, l letter) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sessions[SessionID(id)]
	if s == nil {
		c.strangers.Add(1)
		if !c.held.add(SessionID(id), l) {
			c.counters.Orphans++
		}
	}
	return s
}

// newLetter makes a letter of a frame whose line is in memory that stays.
func newLetter(line []byte, e *envelope) letter {
	from := e.paramsAt
	to := from + len(e.params)
	update := e.updateAt - from
	return letter{
		params: line[from:to:to],
		from:   uint32(update),
		to:     uint32(update + len(e.update)),
		kind:   updateKind(e.variant),
		bad:    e.badUTF8,
	}
}
