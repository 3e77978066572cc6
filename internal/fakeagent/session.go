package fakeagent

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// session is one open session. All but its id is guarded by server.mu.
type session struct {
	id  string
	rec record
	mcp mounts

	turn     *turn       // nil if idle
	latest   *turn       // may have updates to send behind its answer
	answered *oldAnswer  // of the latest turn, for Script.SecondAnswer
	skewed   bool        // Script.Desync answers the next prompt at once
	owed     *owedAnswer // and its text comes with the prompt after that
}

type sessionParams struct {
	SessionID string `json:"sessionId"`
}

var modeIDs = [...]string{"default", "plan"}

func newID() string { return "mock-" + strings.ToLower(rand.Text()) }

func (s *server) newSession(ctx context.Context, req request) {
	p, e := setup(req)
	if e == nil && s.authLeft != 0 {
		s.authLeft = max(s.authLeft-1, -1)
		e = rpcErrorf(codeAuthRequired, "Authentication required")
	}
	if e == nil && !s.signedIn() {
		e = rpcErrorf(codeAuthRequired, "Authentication required")
	}
	if e != nil {
		s.refuse(ctx, req, e)
		return
	}
	if s.script.NewDelay == 0 {
		s.apart(req, func() { s.createSession(ctx, req, p) })
		return
	}
	s.turns.Go(func() { // other requests go on meanwhile
		if pause(s.life, time.Duration(s.script.NewDelay)) == nil {
			s.createSession(ctx, req, p)
		}
	})
}

func (s *server) createSession(ctx context.Context, req request, p *setupParams) {
	rec := record{ID: newID(), Mode: modeIDs[0], Options: s.script.options()}
	rec.configure(p)
	rec.touch()
	sess := s.openSession(rec)
	s.mcp.mount(sess, rec.MCPServers)
	for n := range s.script.EarlyUpdates {
		if s.update(ctx, sess.id, textChunk("agent_message_chunk", "", fmt.Sprintf("early %d ", n))) != nil {
			return
		}
	}
	answer := s.setup(&rec)
	answer["sessionId"] = sess.id
	s.respond(ctx, req, answer)
	s.sendCommands(ctx, sess.id)
}

// openSession makes the session of a record known to the client's other requests.
func (s *server) openSession(rec record) *session {
	sess := &session{id: rec.ID, rec: rec}
	s.mu.Lock()
	s.sessions[sess.id] = sess
	s.mu.Unlock()
	s.save(sess)
	return sess
}

// save ends the agent if it cannot be done: a session that does not last as the script says makes a test lie.
func (s *server) save(sess *session) {
	err := s.store.put(sess.id, func() record {
		s.mu.Lock()
		defer s.mu.Unlock()
		return sess.rec.snapshot()
	})
	if err != nil {
		s.end(err)
	}
}

func modes(current string) object {
	return object{"currentModeId": current, "availableModes": []any{
		object{"id": modeIDs[0], "name": "Default", "description": "Asks before it edits"},
		object{"id": modeIDs[1], "name": "Plan", "description": "Plans and edits nothing"},
	}}
}

func (s *server) sendCommands(ctx context.Context, sessionID string) {
	_ = s.update(ctx, sessionID, object{"sessionUpdate": "available_commands_update", "availableCommands": []any{
		object{"name": "help", "description": "Say what this agent is"},
		object{"name": "say", "description": "Say something", "input": object{"hint": "what to say"}},
	}})
}

// lookup finds the open session a request is about.
func (s *server) lookup(params json.RawMessage) (*session, *RPCError) {
	var p sessionParams
	if e := decodeParams(params, &p); e != nil {
		return nil, e
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sess := s.sessions[p.SessionID]
	if sess == nil {
		return nil, notFound(p.SessionID)
	}
	return sess, nil
}

func notFound(id string) *RPCError { return rpcErrorf(codeNotFound, "Session not found: %s", id) }

func (s *server) setMode(ctx context.Context, req request) {
	sess, e := s.lookup(req.params)
	var p struct {
		ModeID string `json:"modeId"`
	}
	if e == nil {
		e = decodeParams(req.params, &p)
	}
	if e == nil && !slices.Contains(modeIDs[:], p.ModeID) {
		e = rpcErrorf(codeInvalidParams, "Invalid params: unknown mode %q", p.ModeID)
	}
	if e != nil {
		s.refuse(ctx, req, e)
		return
	}
	s.mu.Lock()
	sess.rec.Mode = p.ModeID
	sess.rec.touch()
	s.mu.Unlock()
	s.save(sess)
	s.respond(ctx, req, object{})
	_ = s.update(ctx, sess.id, object{"sessionUpdate": "current_mode_update", "currentModeId": p.ModeID})
}
