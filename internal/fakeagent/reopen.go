package fakeagent

import (
	"context"
	"encoding/json"
	"fmt"
)

// loadSession opens a session and replays its history before the answer.
func (s *server) loadSession(ctx context.Context, req request) {
	if s.script.LoadSilent {
		return
	}
	sess, rec, e := s.reopen(req, s.script.LoadError)
	if e != nil {
		s.refuse(ctx, req, e)
		return
	}
	replay := s.replay(rec)
	late := replay[max(0, len(replay)-s.script.ReplayLate):]
	for _, update := range replay[:len(replay)-len(late)] {
		if s.update(ctx, sess.id, update) != nil {
			return
		}
	}
	s.respond(ctx, req, s.setup(&rec))
	for _, update := range late {
		if s.update(ctx, sess.id, update) != nil {
			return
		}
	}
	s.sendCommands(ctx, sess.id)
}

// replay is what load sends of a record.
func (s *server) replay(rec record) []json.RawMessage {
	if s.script.ReplayNone {
		return nil
	}
	if s.script.ReplayUpdates == 0 {
		return rec.History
	}
	synthetic := make([]json.RawMessage, s.script.ReplayUpdates)
	for n := range synthetic {
		synthetic[n] = json.RawMessage(fmt.Sprintf(
			`{"sessionUpdate":"agent_message_chunk","messageId":"msg-0","content":{"type":"text","text":"replay %d "}}`, n))
	}
	return synthetic
}

// resumeSession opens a session and replays nothing.
func (s *server) resumeSession(ctx context.Context, req request) {
	sess, rec, e := s.reopen(req, s.script.ResumeError)
	if e != nil {
		s.refuse(ctx, req, e)
		return
	}
	s.respond(ctx, req, s.setup(&rec))
	s.sendCommands(ctx, sess.id)
}

// forkSession makes a session with a copy of another's history. The other one need not be open.
func (s *server) forkSession(ctx context.Context, req request) {
	p, e := setup(req)
	if e != nil {
		s.refuse(ctx, req, e)
		return
	}
	_, rec, e := s.find(p.SessionID)
	if e != nil {
		s.refuse(ctx, req, e)
		return
	}
	rec.ID = newID()
	rec.configure(p)
	rec.touch()
	sess := s.openSession(rec)
	s.mcp.mount(sess, rec.MCPServers)
	answer := s.setup(&rec)
	answer["sessionId"] = sess.id
	s.respond(ctx, req, answer)
	s.sendCommands(ctx, sess.id)
}

// reopen opens the session that a load or resume is about, unless the script has an error for it.
func (s *server) reopen(req request, fault *RPCError) (*session, record, *RPCError) {
	p, e := setup(req)
	if e != nil {
		return nil, record{}, e
	}
	if fault != nil {
		return nil, record{}, fault
	}
	sess, rec, e := s.find(p.SessionID)
	switch {
	case e != nil:
		return nil, record{}, e
	case sess == nil:
		rec.configure(p)
		sess = s.openSession(rec)
		s.mcp.mount(sess, rec.MCPServers)
		return sess, rec, nil
	case s.script.LoadOnce:
		return nil, record{}, rpcErrorf(codeInvalidParams, "Session already loaded: %s", sess.id)
	}
	s.mu.Lock()
	sess.rec.configure(p)
	rec = sess.rec.snapshot()
	s.mu.Unlock()
	s.save(sess)
	s.mcp.mount(sess, rec.MCPServers)
	return sess, rec, nil
}

// find looks for a session among those open and those saved. An open one is returned with its record.
func (s *server) find(id string) (*session, record, *RPCError) {
	s.mu.Lock()
	sess := s.sessions[id]
	var rec record
	if sess != nil {
		rec = sess.rec.snapshot()
	}
	s.mu.Unlock()
	if sess != nil {
		return sess, rec, nil
	}
	rec, ok, err := s.store.get(id)
	if err != nil {
		return nil, record{}, rpcErrorf(codeInternal, "Internal error: %v", err)
	}
	if !ok {
		return nil, record{}, notFound(id)
	}
	return nil, rec.snapshot(), nil
}
