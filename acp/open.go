package acp

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// SessionOrigin tells how a session was opened.
type SessionOrigin string

// The origins.
const (
	OriginNew     SessionOrigin = "new"     // session/new: without history
	OriginLoaded  SessionOrigin = "loaded"  // session/load: the agent has the history, and has replayed it
	OriginResumed SessionOrigin = "resumed" // session/resume: the agent has the history
	OriginForked  SessionOrigin = "forked"  // session/fork: the agent has a copy of another session's history
	OriginChild   SessionOrigin = "child"   // the agent's own: a subagent works in it
)

// NewSession opens a session that works in cwd, which must be absolute. It mirrors session/new. Beside the errors of the
// connection it returns an *Error of the agent; IsAuthRequired tells whether that asks for a sign-in.
func (c *Conn) NewSession(ctx context.Context, cwd string, opts *SessionOptions) (*Session, error) {
	s, err := c.openFresh(ctx, methodSessionNew, OriginNew, "", cwd, opts)
	if err != nil {
		return nil, fmt.Errorf("cannot open a session: %w", err)
	}
	return s, nil
}

// Fork opens a session that begins with a copy of this one's history; this one goes on. Handlers that opts do not have are this one's. An agent that does not advertise it
// is not asked: ErrUnsupported. It mirrors session/fork.
func (s *Session) Fork(ctx context.Context, opts *SessionOptions) (*Session, error) {
	var forked *Session
	err := s.conn.supports(s.conn.capabilities.Session.Fork, "sessionCapabilities.fork")
	if s.parent != nil {
		err = ErrChildSession
	}
	if err == nil {
		forked, err = s.conn.openFresh(ctx, methodSessionFork, OriginForked, s.id, s.cwd, s.handlersFor(opts))
	}
	if err != nil {
		return nil, fmt.Errorf("cannot fork session %s: %w", s.id, err)
	}
	return forked, nil
}

// handlersFor returns opts with the session's handlers where they have none.
func (s *Session) handlersFor(opts *SessionOptions) *SessionOptions {
	var o SessionOptions
	if opts != nil {
		o = *opts
	}
	own := s.services.with(&o)
	o.Permission, o.ReadTextFile, o.WriteTextFile, o.Terminal, o.Form, o.URL = own.permission, own.readTextFile, own.writeTextFile, own.terminal, own.form, own.url
	return &o
}

// supports returns an *UnsupportedError unless an agent has advertised something, or is known to do it.
func (c *Conn) supports(advertised bool, what string) error {
	if !advertised {
		return c.unsupported(what)
	}
	return nil
}

func (c *Conn) newSession(origin SessionOrigin, cwd string, opts *SessionOptions) (*Session, *SessionOptions) {
	if opts == nil {
		opts = &SessionOptions{}
	}
	return &Session{
		conn: c, cwd: cwd, dirs: slices.Clone(opts.AdditionalDirectories), origin: origin,
		services: c.client.opts.services().with(opts), noUpdates: opts.NoUpdates,
		dropReplay: opts.Replay == ReplayDrop, requests: map[*openRequest]struct{}{},
	}, opts
}

// openFresh opens a session whose id the agent makes up.
func (c *Conn) openFresh(ctx context.Context, method string, origin SessionOrigin, source SessionID, cwd string, opts *SessionOptions) (*Session, error) {
	s, opts := c.newSession(origin, cwd, opts)
	params := setupParams{id: source, cwd: cwd, opts: opts}
	if err := params.check(c); err != nil {
		return nil, err
	}
	c.beginMCPReports(opts.MCPServers)
	err := c.client.during(PhaseSession, func() error { return s.open(ctx, method, params) })
	if err = c.endMCPReports(err, opts.MCPServers); err != nil {
		return nil, err
	}
	c.remember()
	if err := s.apply(ctx, opts.Settings); err != nil {
		return nil, err
	}
	return s, nil
}

// open asks the agent for the session.
func (s *Session) open(ctx context.Context, method string, params setupParams) error {
	c := s.conn
	ctx, cancel := withTimeout(ctx, c.client.opts.Timeouts.NewSession)
	defer cancel()
	c.mu.Lock()
	c.held.begin()
	c.mu.Unlock()
	var once sync.Once
	var refused error
	introduce := func(a answer) { once.Do(func() { refused = s.introduce(a) }) }
	call, err := c.wire.start(ctx, method, params, introduce, s.introduceLate)
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

// introduce runs on the reader with the answer that names the session, so that the very next update finds it.
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
		l.held = true // it was read before the answer
		s.deliver(l)
	}
	c.enter(s)
	return nil
}

// enter makes a session known. The connection's lock is held.
func (c *Conn) enter(s *Session) {
	c.sessions[s.id] = s
	c.known.Add(1)
}

// introduceLate takes the answer to a request that nobody waits for any more, and closes what it opened.
func (s *Session) introduceLate(a answer) {
	late := &Session{conn: s.conn, id: s.id} // s belongs to the caller that gave up
	if a.err == nil && late.decodeSetup(a.result) == nil {
		late.closeUnwanted()
	}
}

// closeUnwanted closes a session at the agent that nobody has, if the agent can do that.
func (s *Session) closeUnwanted() {
	c := s.conn
	if !c.capabilities.Session.Close {
		return
	}
	c.background(func() {
		ctx, cancel := withTimeout(c.ctx, c.client.opts.Timeouts.Control)
		defer cancel()
		// Unless somebody has opened it since: then the close must not come after that.
		nobodys := &condition{&c.mu, func() bool { return c.sessions[s.id] == nil }}
		_ = c.wire.startIf(ctx, methodSessionClose, sessionParams{s.id}, nil, nobodys)
	})
}

// decodeSetup reads the answer that opens a session. One that was asked for by its id keeps that.
func (s *Session) decodeSetup(result []byte) error {
	var d decoder
	var modes *SessionModes
	var models *SessionModels
	var options []ConfigOption
	id := s.id
	d.object("result", result, func(key, value []byte) {
		switch string(key) {
		case "sessionId":
			d.str("sessionId", value, (*string)(&id))
		case "modes":
			modes = d.sessionModes("modes", value)
		case "models":
			models = d.sessionModels("models", value)
		case "configOptions":
			options = d.configOptions("configOptions", value)
		}
	})
	if s.id == "" {
		s.id = id
	}
	s.raw = result
	s.mu.Lock()
	s.settings.offered(modes, models, options)
	s.mu.Unlock()
	s.conn.warnings(s.id, d.warnings)
	if s.id == "" {
		return fmt.Errorf("%w: the answer has no session id", ErrProtocol)
	}
	return nil
}
