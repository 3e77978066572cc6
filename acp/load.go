package acp

import (
	"context"
	"errors"
	"sync"
	"time"
)

// LoadSession opens a session that the agent has stored, by its id, and lets it replay the history (SessionOptions.Replay).
// cwd must be the one of the session. The agent may take its time as long as it sends history: Timeouts.NewSession bounds
// its silence. A session that this connection has open is not loaded again: ErrSessionOpen. A refusal is a *LoadError; of an
// agent that does not advertise it, too. It mirrors session/load.
func (c *Conn) LoadSession(ctx context.Context, id SessionID, cwd string, opts *SessionOptions) (*Session, error) {
	return c.openStored(ctx, OriginLoaded, id, cwd, opts)
}

// ResumeSession opens a session that the agent has stored, by its id, without its history being replayed. The rest is as
// with LoadSession. It mirrors session/resume.
func (c *Conn) ResumeSession(ctx context.Context, id SessionID, cwd string, opts *SessionOptions) (*Session, error) {
	return c.openStored(ctx, OriginResumed, id, cwd, opts)
}

// openStored opens a session whose id is known, so that it is entered before the agent is asked: what comes before the
// answer belongs to it.
func (c *Conn) openStored(ctx context.Context, origin SessionOrigin, id SessionID, cwd string, opts *SessionOptions) (*Session, error) {
	s, opts := c.newSession(origin, cwd, opts)
	s.id = id
	params := setupParams{id: id, cwd: cwd, opts: opts}
	method, capability, advertised := methodSessionLoad, "loadSession", c.capabilities.LoadSession
	if origin == OriginResumed {
		method, capability, advertised = methodSessionResume, "sessionCapabilities.resume", c.capabilities.Session.Resume
	}
	s.replaying = origin == OriginLoaded
	err := c.supports(advertised, capability)
	if err == nil {
		err = params.check(c)
	}
	if err == nil {
		c.beginMCPReports(opts.MCPServers)
		err = c.client.during(PhaseSession, func() error { return s.openByID(ctx, method, params) })
		err = c.endMCPReports(err, opts.MCPServers)
	}
	if err != nil {
		return nil, &LoadError{SessionID: id, Method: method, Kind: loadErrorKind(err), PID: lockHolder(err), Err: err}
	}
	c.remember()
	s.awaitReplay(ctx, opts.ReplayGrace)
	if err := s.apply(ctx, opts.Settings); err != nil {
		kind := LoadNotSet
		if IsAuthRequired(err) {
			kind = LoadAuth
		}
		return nil, &LoadError{SessionID: id, Method: method, Kind: kind, Err: err}
	}
	return s, nil
}

func (s *Session) openByID(ctx context.Context, method string, params setupParams) error {
	c := s.conn
	c.mu.Lock()
	err := c.err
	switch {
	case s.id == "":
		err = errors.New("it has no id")
	case err == nil && c.sessions[s.id] != nil:
		err = ErrSessionOpen
	case err == nil:
		c.enter(s)
	}
	c.mu.Unlock()
	if err != nil {
		return err
	}
	ctx, cancel := s.whileActive(ctx, c.client.opts.Timeouts.NewSession)
	defer cancel()
	var once sync.Once
	var refused error
	call, err := c.wire.start(ctx, method, params, func(a answer) {
		once.Do(func() {
			if a.err == nil {
				refused = s.decodeSetup(a.result)
			}
		})
	}, s.introduceLate)
	if err == nil {
		_, err = c.wire.wait(ctx, call)
	}
	once.Do(func() {}) // the reader may be at it with the answer, in which case this waits for it
	if err == nil {
		err = refused
	}
	if err != nil {
		s.forget(err)
	}
	return err
}

// whileActive bounds ctx by the time that nothing comes for the session, negative for no bound (Kiro#6753). Its goroutine
// ends with the cancel that is returned, which joins it.
func (s *Session) whileActive(ctx context.Context, limit time.Duration) (context.Context, func()) {
	if limit < 0 {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for seen := s.read(); ; {
			timer := time.NewTimer(limit)
			select {
			case <-over:
				timer.Stop()
				return
			case <-timer.C:
			}
			now := s.read()
			if now == seen {
				cancel(&timeoutError{limit})
				return
			}
			seen = now
		}
	}()
	return ctx, func() {
		close(over)
		<-ended
		cancel(nil)
	}
}

// read is how many updates were read for the session.
func (s *Session) read() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seq
}

// defaultReplayGrace is how long history may be late; maxReplayGraces bounds how often it may be late again.
const (
	defaultReplayGrace = 100 * time.Millisecond
	maxReplayGraces    = 50
)

// awaitReplay closes the replay when no history has come for the grace.
func (s *Session) awaitReplay(ctx context.Context, grace time.Duration) {
	grace = orDefault(grace, defaultReplayGrace)
	for range maxReplayGraces {
		s.mu.Lock()
		before, on := s.replayed, s.replaying
		s.mu.Unlock()
		if !on || grace < 0 {
			break
		}
		timer := time.NewTimer(grace)
		select {
		case <-timer.C:
		case <-ctx.Done():
		case <-s.conn.dying:
		}
		timer.Stop()
		s.mu.Lock()
		quiet := s.replayed == before
		s.mu.Unlock()
		if quiet || ctx.Err() != nil {
			break
		}
	}
	s.mu.Lock()
	s.replaying = false
	s.mu.Unlock()
}

// Replayed returns how many updates of history LoadSession has brought, delivered or not.
func (s *Session) Replayed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int(s.replayed)
}

// isHistory reports whether updates of a kind make up a conversation. The others describe a session as it is now.
func isHistory(kind UpdateKind) bool {
	switch kind {
	case KindUserMessageChunk, KindAgentMessageChunk, KindAgentThoughtChunk, KindToolCall, KindToolCallUpdate, KindPlan, KindPlanUpdate,
		KindPlanRemoved, KindCompaction, KindCompactionSummary, KindSessionMessage, KindSessionMessageChunk:
		return true
	default:
		return false
	}
}
