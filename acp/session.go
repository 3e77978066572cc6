package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"sync"
)

// SessionID names a session, as the agent chose it. It is opaque.
type SessionID string

// SessionOptions configure a session. The zero value works.
type SessionOptions struct {
	// Permission decides this session's permission requests instead of the client's handler.
	Permission PermissionHandler
	// NoUpdates says that nobody will read Session.Updates, so that nothing is kept for it.
	NoUpdates bool
}

// Session is one conversation with the agent.
type Session struct {
	conn       *Conn
	id         SessionID
	cwd        string
	permission PermissionHandler
	modes      *SessionModes
	options    []ConfigOption
	raw        json.RawMessage

	mu        sync.Mutex
	state     sessionState
	noUpdates bool
	seq       uint64   // of the update read last
	asked     uint64   // requests of the agent for this session so far
	box       *mailbox // adopted, or what came between turns; nil if there is nothing
	turn      *Turn    // the open turn
	last      *Turn    // the turn begun last, whose stream may still be asked for
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

type newSessionParams struct {
	CWD        string `json:"cwd"`
	MCPServers []any  `json:"mcpServers"`
}

// NewSession opens a session that works in cwd, which must be absolute. It mirrors session/new. Beside the errors of the
// connection it returns an *Error of the agent; IsAuthRequired tells whether that asks for a sign-in.
func (c *Conn) NewSession(ctx context.Context, cwd string, opts *SessionOptions) (*Session, error) {
	if opts == nil {
		opts = &SessionOptions{}
	}
	if !filepath.IsAbs(cwd) {
		return nil, fmt.Errorf("cannot open a session in %q: the path is not absolute", cwd)
	}
	s := &Session{
		conn: c, cwd: cwd, permission: opts.Permission, noUpdates: opts.NoUpdates,
		requests: map[*openRequest]struct{}{},
	}
	if err := c.client.during(PhaseSession, func() error { return s.open(ctx) }); err != nil {
		return nil, fmt.Errorf("cannot open a session: %w", err)
	}
	c.remember()
	return s, nil
}

// open asks the agent for the session.
func (s *Session) open(ctx context.Context) error {
	c := s.conn
	ctx, cancel := withTimeout(ctx, c.client.opts.Timeouts.NewSession)
	defer cancel()
	c.mu.Lock()
	c.held.begin()
	c.mu.Unlock()
	var once sync.Once
	var refused error
	introduce := func(a answer) { once.Do(func() { refused = s.introduce(a) }) }
	call, err := c.wire.start(ctx, methodSessionNew, newSessionParams{CWD: s.cwd, MCPServers: []any{}}, introduce, s.introduceLate)
	var result []byte
	if err == nil {
		result, err = c.wire.wait(ctx, call)
	}
	// The reader may be at it with the answer, in which case this waits for it; if there was none, nothing more is held
	// for this call.
	introduce(answer{result: result, err: err})
	if err != nil {
		return err
	}
	return refused
}

// introduce runs on the reader with the answer to session/new, so that the very next update finds its session.
func (s *Session) introduce(a answer) error {
	err := a.err
	if err == nil {
		err = s.decodeSetup(a.result)
	}
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && c.err != nil {
		err = c.err // the sessions that there were have been ended
	}
	if err == nil && c.sessions[s.id] != nil {
		err = fmt.Errorf("%w: session id %q is in use already", ErrProtocol, s.id)
		s.id = ""
	}
	letters, dropped := c.held.introduce(s.id)
	c.counters.Orphans += int64(dropped)
	if err != nil {
		return err
	}
	for _, l := range letters {
		s.deliver(l)
	}
	c.sessions[s.id] = s
	c.lastSession = nil // an id may be used again
	return nil
}

// introduceLate takes the answer to a session/new that nobody waits for any more, and closes what it opened.
func (s *Session) introduceLate(a answer) {
	c := s.conn
	late := &Session{conn: c} // s belongs to the caller that gave up
	if a.err != nil || late.decodeSetup(a.result) != nil || !c.capabilities.Session.Close {
		return
	}
	c.mu.Lock()
	taken := c.sessions[late.id] != nil
	c.mu.Unlock()
	if taken {
		return
	}
	c.background(func() {
		ctx, cancel := withTimeout(c.ctx, c.client.opts.Timeouts.Control)
		defer cancel()
		_, _ = c.wire.call(ctx, methodSessionClose, sessionParams{late.id})
	})
}

func (s *Session) decodeSetup(result []byte) error {
	var d decoder
	d.object("result", result, func(key, value []byte) {
		switch string(key) {
		case "sessionId":
			d.str("sessionId", value, (*string)(&s.id))
		case "modes":
			s.modes = d.sessionModes("modes", value)
		case "configOptions":
			s.options = d.configOptions("configOptions", value)
		}
	})
	s.raw = result
	s.conn.warnings(s.id, d.warnings)
	if s.id == "" {
		return fmt.Errorf("%w: the answer to session/new has no session id", ErrProtocol)
	}
	return nil
}

// Conn returns the connection that the session belongs to.
func (s *Session) Conn() *Conn { return s.conn }

// ID returns the agent's id of the session.
func (s *Session) ID() SessionID { return s.id }

// CWD returns the directory that the session works in.
func (s *Session) CWD() string { return s.cwd }

// Modes returns the modes that the agent offered when the session was opened, nil if none.
func (s *Session) Modes() *SessionModes { return s.modes }

// ConfigOptions returns the options that the agent offered when the session was opened.
func (s *Session) ConfigOptions() []ConfigOption { return s.options }

// Raw returns the result of session/new as it was sent.
func (s *Session) Raw() json.RawMessage { return s.raw }

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

// deliver files one update: with the open turn, with the session, and in the table of tool calls.
func (s *Session) deliver(l letter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == sessionClosed {
		return
	}
	s.seq++
	l.seq = s.seq
	l.late = s.turn == nil
	s.tools.note(&l)
	if s.turn != nil {
		s.turn.note(&l)
	}
	switch {
	case s.box != nil && (s.turn == nil || s.box.isAdopted()):
		s.box.put(l)
	case s.box == nil && s.turn == nil && !s.noUpdates:
		s.box = newMailbox(s.id, s.conn.spill)
		s.box.put(l)
	}
}

type sessionParams struct {
	SessionID SessionID `json:"sessionId"`
}

// Cancel asks the agent to stop the open turn; its outcome still comes through Turn.Wait. Every open permission request
// of the session is answered "cancelled". Without an open turn nothing is sent. It mirrors session/cancel.
func (s *Session) Cancel(ctx context.Context) error {
	s.mu.Lock()
	turn := s.turn
	s.mu.Unlock()
	if turn == nil {
		return nil
	}
	return turn.Cancel(ctx)
}

// Close ends the session: it is closed at the agent, if that advertises session/close, and forgotten here in any case.
// An open turn is cancelled by it. It mirrors session/close and may be called often; a session that the agent does not
// know any more is closed.
func (s *Session) Close(ctx context.Context) error {
	s.mu.Lock()
	if s.state != sessionOpen {
		s.mu.Unlock()
		return nil
	}
	s.state = sessionClosing
	s.mu.Unlock()
	var err error
	if s.conn.capabilities.Session.Close {
		s.cancelRequests()
		ctx, cancel := withTimeout(ctx, s.conn.client.opts.Timeouts.Control)
		defer cancel()
		_, err = s.conn.wire.call(ctx, methodSessionClose, sessionParams{s.id})
	} else if err = s.Cancel(ctx); err == nil {
		err = s.awaitTurn(ctx)
	}
	s.forget(ErrSessionClosed)
	var rpc *Error
	if errors.As(err, &rpc) && rpc.Code == CodeNotFound || errors.Is(err, ErrClosed) {
		err = nil
	}
	if err != nil {
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
	delete(s.conn.sessions, s.id)
	s.conn.mu.Unlock()
	s.end(cause)
	s.mu.Lock()
	last, box := s.last, s.box
	s.mu.Unlock()
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
	s.cancelRequests()
	s.mu.Lock()
	s.state = sessionClosed
	turn, last, box := s.turn, s.last, s.box
	s.mu.Unlock()
	if turn != nil {
		turn.finish(answer{err: cause})
	}
	if last != nil && last.box != nil {
		last.box.end()
	}
	if box != nil {
		box.end()
	}
}
