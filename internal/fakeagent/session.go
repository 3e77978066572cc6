package fakeagent

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// session is one open session.
type session struct {
	id  string
	cwd string

	turn    *turn // nil if idle; guarded by server.mu
	prompts int   // prompts accepted so far; guarded by server.mu
}

type sessionParams struct {
	SessionID string `json:"sessionId"`
}

var modeIDs = [...]string{"default", "plan"}

func (s *server) newSession(ctx context.Context, req request) {
	var p struct {
		CWD        string          `json:"cwd"`
		MCPServers json.RawMessage `json:"mcpServers"`
	}
	e := decodeParams(req.params, &p)
	switch {
	case e != nil:
	case !filepath.IsAbs(p.CWD) && !path.IsAbs(p.CWD):
		e = rpcErrorf(codeInvalidParams, "Invalid params: cwd must be an absolute path")
	default:
		e = checkServers(p.MCPServers)
	}
	if e == nil && s.authLeft != 0 {
		s.authLeft = max(s.authLeft-1, -1)
		e = rpcErrorf(codeAuthRequired, "Authentication required")
	}
	if e != nil {
		s.refuse(ctx, req, e)
		return
	}
	sess := &session{id: "mock-" + strings.ToLower(rand.Text()), cwd: p.CWD}
	s.mu.Lock()
	s.sessions[sess.id] = sess
	s.mu.Unlock()
	for n := range s.script.EarlyUpdates {
		if s.update(ctx, sess.id, textChunk("agent_message_chunk", "", fmt.Sprintf("early %d ", n))) != nil {
			return
		}
	}
	s.respond(ctx, req, object{
		"sessionId": sess.id,
		"modes": object{"currentModeId": modeIDs[0], "availableModes": []any{
			object{"id": modeIDs[0], "name": "Default", "description": "Asks before it edits"},
			object{"id": modeIDs[1], "name": "Plan", "description": "Plans and edits nothing"},
		}},
	})
	_ = s.update(ctx, sess.id, object{"sessionUpdate": "available_commands_update", "availableCommands": []any{
		object{"name": "help", "description": "Say what this agent is"},
		object{"name": "say", "description": "Say something", "input": object{"hint": "what to say"}},
	}})
}

// checkServers knows the two mistakes clients make most: no array at all, and maps where lists belong.
func checkServers(raw json.RawMessage) *RPCError {
	var servers []struct {
		Type    string           `json:"type"`
		Name    *string          `json:"name"`
		Command *string          `json:"command"`
		Args    *[]string        `json:"args"`
		Env     *[]nameValuePair `json:"env"`
		URL     *string          `json:"url"`
		Headers *[]nameValuePair `json:"headers"`
	}
	if len(raw) == 0 || raw[0] != '[' {
		return rpcErrorf(codeInvalidParams, "Invalid params: mcpServers must be an array")
	}
	if err := json.Unmarshal(raw, &servers); err != nil {
		return rpcErrorf(codeInvalidParams, "Invalid params: mcpServers: %v", err)
	}
	for n, srv := range servers {
		bad := srv.Name == nil
		switch srv.Type {
		case "", "stdio":
			bad = bad || srv.Command == nil || srv.Args == nil || srv.Env == nil
		case "http", "sse":
			bad = bad || srv.URL == nil || srv.Headers == nil
		}
		if bad {
			return rpcErrorf(codeInvalidParams, "Invalid params: mcpServers[%d] lacks a required member", n)
		}
	}
	return nil
}

type nameValuePair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// lookup finds the session a request is about.
func (s *server) lookup(params json.RawMessage) (*session, *RPCError) {
	var p sessionParams
	if e := decodeParams(params, &p); e != nil {
		return nil, e
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sess := s.sessions[p.SessionID]
	if sess == nil {
		return nil, rpcErrorf(codeNotFound, "Session not found: %s", p.SessionID)
	}
	return sess, nil
}

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
	s.respond(ctx, req, object{})
	_ = s.update(ctx, sess.id, object{"sessionUpdate": "current_mode_update", "currentModeId": p.ModeID})
}

// closeSession stops the session's turn and lets it be answered first.
func (s *server) closeSession(ctx context.Context, req request) {
	sess, e := s.lookup(req.params)
	if e != nil {
		s.refuse(ctx, req, e)
		return
	}
	s.mu.Lock()
	delete(s.sessions, sess.id)
	t := sess.turn
	s.mu.Unlock()
	if t != nil {
		t.stop()
		<-t.done
	}
	s.respond(ctx, req, object{})
}
