package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"
)

// SessionID names a session, as the agent chose it. It is opaque.
type SessionID string

// Session is one conversation with the agent.
type Session struct {
	conn       *Conn
	id         SessionID
	cwd        string
	dirs       []string // AdditionalDirectories
	services   services
	origin     SessionOrigin
	parent     *Session // of a subagent's session
	raw        json.RawMessage
	dropReplay bool

	mu        sync.Mutex
	state     sessionState
	noUpdates bool
	replaying bool   // history is expected
	replayed  uint64 // updates of history so far
	settings  settings
	seq       uint64   // of the update read last
	asked     uint64   // requests of the agent for this session so far
	box       *mailbox // adopted, or what came between turns; nil if there is nothing
	turn      *Turn    // the open turn
	queue     []*Turn  // what waits for it
	last      *Turn    // the turn begun last, whose stream may still be asked for
	children  []*Session
	mayCancel bool  // a child that takes session/cancel of its own
	lingering *Turn // that turn, while its stream takes late updates
	turnEnd   time.Time
	tools     toolTable
	requests  map[*openRequest]struct{}
}

// sessionState is the life of a session.
type sessionState int

const (
	sessionOpen sessionState = iota
	sessionClosing
	sessionClosed
)

// Conn returns the connection that the session belongs to.
func (s *Session) Conn() *Conn { return s.conn }

// ID returns the agent's id of the session.
func (s *Session) ID() SessionID { return s.id }

// CWD returns the directory that the session works in.
func (s *Session) CWD() string { return s.cwd }

// Roots returns the directories that the session works in: its cwd, then the additional directories that it was opened with.
// Those of a subagent's session are its parent's.
func (s *Session) Roots() []string {
	root := s.root()
	return append([]string{root.cwd}, root.dirs...)
}

// Modes returns the modes that the agent offers and the one that the session is in now, nil if the agent has none.
func (s *Session) Modes() *SessionModes {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings.read()
	return s.settings.modes
}

// Models returns the models that the agent offers in the older way and the one that the session works with as far as is known,
// nil if there are none.
func (s *Session) Models() *SessionModels {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings.read()
	return s.settings.models
}

// ConfigOptions returns the options of the session as they stand now. Settings has the modes and models, too.
func (s *Session) ConfigOptions() []ConfigOption {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings.read()
	return s.settings.options
}

// Raw returns the answer to the request that opened the session as it was sent.
func (s *Session) Raw() json.RawMessage { return s.raw }

// Origin tells how the session was opened.
func (s *Session) Origin() SessionOrigin { return s.origin }

// Updates returns the session's stream: everything from the opening on or, when that was not adopted before the first
// prompt, from the call on; what turns bring is in it. The call itself adopts the stream; there is one consumer, and a
// second call gets an empty stream. The stream ends with the session or the connection. Leaving the loop unsubscribes.
func (s *Session) Updates() iter.Seq[SessionNotification] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.noUpdates {
		return nothing
	}
	if s.box == nil {
		s.box = newMailbox(s.id, s.conn.spill)
		if s.state == sessionClosed {
			s.box.end()
		}
	}
	if !s.box.adopt() {
		return nothing
	}
	return s.box.all()
}

// deliver files one update: with the open turn, with the session, and in the table of tool calls. It returns the turn if the
// agent is to be asked once more to end it.
func (s *Session) deliver(l letter) (again *Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == sessionClosed {
		return nil
	}
	s.seq++
	l.seq = s.seq
	l.late = s.turn == nil && s.parent == nil
	l.echo = s.turn != nil && l.kind == KindUserMessageChunk
	s.tools.note(&l)
	s.settings.note(&l)
	if s.replaying && isHistory(l.kind) {
		l.replayed = true
		s.replayed++
		if s.dropReplay {
			return nil
		}
	}
	switch {
	case s.turn != nil:
		s.turn.note(&l)
		if s.turn.ignoresCancel(&l) {
			again = s.turn
		}
	case s.lingering != nil:
		s.lingering.box.put(l)
	}
	l.unsolicited = l.late && !l.replayed && isHistory(l.kind) && time.Since(s.turnEnd) > lateWindow
	switch {
	case s.box != nil && (s.turn == nil || s.box.isAdopted()):
		s.box.put(l)
	case s.box == nil && s.turn == nil && !s.noUpdates:
		s.box = newMailbox(s.id, s.conn.spill)
		s.box.put(l)
	}
	return again
}

// lateWindow is how long after a turn something may be the end of it. What comes later the agent does of its own accord
// (wave-agent#1348).
const lateWindow = 2 * time.Second

type sessionParams struct {
	SessionID SessionID `json:"sessionId"`
}

// Cancel asks the agent to stop the open turn; its outcome still comes through Turn.Wait. Every open question
// of the session is answered "cancelled". Without an open turn nothing is sent. A child session is asked to stop what it does,
// if the agent has announced that it takes that, else the error is ErrChildSession. It mirrors session/cancel.
func (s *Session) Cancel(ctx context.Context) error {
	if s.parent != nil {
		return s.cancelChild(ctx)
	}
	s.mu.Lock()
	turn := s.turn
	s.mu.Unlock()
	if turn == nil {
		return nil
	}
	return turn.Cancel(ctx)
}

// Close ends the session: it is closed at the agent, if that advertises session/close, and forgotten here in any case.
// An open turn is cancelled by it. It mirrors session/close and may be called often: while one call closes the session,
// another returns at once. A session that the agent does not know any more is closed.
func (s *Session) Close(ctx context.Context) error {
	s.mu.Lock()
	if s.state != sessionOpen {
		s.mu.Unlock()
		return nil
	}
	s.state = sessionClosing
	if s.turn != nil && s.conn.capabilities.Session.Close {
		s.turn.state, _ = s.turn.state.after(eventCancel) // session/close cancels it
	}
	s.mu.Unlock()
	var err error
	switch {
	case s.parent != nil: // it is the agent's own; here it is forgotten
	case s.conn.capabilities.Session.Close:
		s.cancelRequests()
		_, err = s.conn.control(ctx, methodSessionClose, sessionParams{s.id})
	default:
		if err = s.Cancel(ctx); err == nil {
			err = s.awaitTurn(ctx)
		}
	}
	s.forget(ErrSessionClosed)
	if err = unlessGone(err); err != nil && !errors.Is(err, ErrClosed) {
		return fmt.Errorf("cannot close the session at the agent: %w", err)
	}
	return nil
}

// awaitTurn waits for the end of a turn that was cancelled.
func (s *Session) awaitTurn(ctx context.Context) error {
	s.mu.Lock()
	turn := s.turn
	s.mu.Unlock()
	if turn == nil {
		return nil
	}
	ctx, cancel := withTimeout(ctx, s.conn.client.opts.Timeouts.Control)
	defer cancel()
	select {
	case <-turn.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// forget takes the session off the connection; an open turn ends with cause.
func (s *Session) forget(cause error) {
	s.conn.mu.Lock()
	if s.conn.sessions[s.id] == s { // the id may have been opened again
		delete(s.conn.sessions, s.id)
		s.conn.known.Add(1) // the reader must look it up again
	}
	s.conn.mu.Unlock()
	s.end(cause)
	s.mu.Lock()
	last, box, children := s.last, s.box, s.children
	s.children = nil
	s.mu.Unlock()
	for _, child := range children {
		child.forget(cause)
	}
	if last != nil && last.box != nil {
		last.box.discard() // nobody will ask for what nobody has adopted
	}
	if box != nil {
		box.discard()
	}
}

// connectionEnded ends the session with its connection.
func (s *Session) connectionEnded() { s.end(s.conn.Err()) }

func (s *Session) end(cause error) {
	s.mu.Lock()
	s.state = sessionClosed
	turn, queue, last, box := s.turn, s.queue, s.last, s.box
	s.queue, s.lingering = nil, nil
	s.mu.Unlock()
	s.root().endRequests(func(r *openRequest) bool { return s.parent == nil || r.asker == s })
	s.releaseTerminals(true)
	if turn != nil {
		turn.on(eventSettled, answer{err: cause})
	}
	for _, t := range queue {
		t.on(eventSettled, answer{err: cause})
	}
	if last != nil && last.box != nil {
		last.box.end()
	}
	if box != nil {
		box.end()
	}
}
