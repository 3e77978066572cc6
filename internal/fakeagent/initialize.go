package fakeagent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

const loginMethod = "mock-login"

func (s *server) initialize(ctx context.Context, req request) {
	var p struct {
		ProtocolVersion json.RawMessage `json:"protocolVersion"`
	}
	if e := decodeParams(req.params, &p); e != nil {
		s.refuse(ctx, req, e)
		return
	}
	switch {
	case p.ProtocolVersion == nil:
		s.refuse(ctx, req, rpcErrorf(codeInvalidParams, "Invalid params: protocolVersion is missing"))
		return
	case s.script.ProtocolVersion == nil && !isNumber(p.ProtocolVersion):
		// As real agents do; one with a version of its own takes what it is sent.
		s.refuse(ctx, req, rpcErrorf(codeInvalidParams, "Invalid params: protocolVersion: expected a number"))
		return
	}
	s.writeLog()
	if pause(ctx, time.Duration(s.script.SlowStart)) != nil {
		return
	}
	s.respond(ctx, req, s.initializeResult())
}

func isNumber(raw json.RawMessage) bool {
	var n json.Number
	return raw[0] != '"' && json.Unmarshal(raw, &n) == nil && n != ""
}

// initializeResult holds version 1 whatever was asked for: an agent answers its newest if it cannot do more.
func (s *server) initializeResult() object {
	result := object{
		"protocolVersion": 1,
		"agentCapabilities": object{
			"loadSession": true, "promptCapabilities": object{}, "mcpCapabilities": object{},
			"sessionCapabilities": object{
				"list": object{}, "resume": object{}, "fork": object{}, "delete": object{}, "close": object{},
				"additionalDirectories": object{},
			},
		},
		"agentInfo":   object{"name": "acpharness-mock", "title": "acpharness built-in agent", "version": s.agentVersion()},
		"authMethods": s.authMethods(),
	}
	if s.script.NullOptionals {
		result["agentCapabilities"], result["agentInfo"], result["authMethods"] = nil, nil, nil
	}
	for name, raw := range map[string]json.RawMessage{
		"protocolVersion": s.script.ProtocolVersion, "agentCapabilities": s.script.Capabilities,
		"agentInfo": s.script.AgentInfo, "authMethods": s.script.AuthMethods,
	} {
		if raw != nil {
			result[name] = raw
		}
	}
	if s.script.OmitAgentInfo {
		delete(result, "agentInfo")
	}
	if s.script.OmitProtocolVersion {
		delete(result, "protocolVersion")
	}
	return result
}

func (s *server) agentVersion() string {
	if s.script.Version != "" {
		return s.script.Version
	}
	return s.version
}

func (s *server) authMethods() any {
	switch {
	case s.script.AuthMethods != nil:
		return s.script.AuthMethods
	case s.script.AuthRequired != 0 || s.script.SignIn != "":
		return []any{object{"id": loginMethod, "name": "Log in to the built-in agent"}}
	default:
		return []any{}
	}
}

func (s *server) authenticate(ctx context.Context, req request) {
	var p struct {
		MethodID string `json:"methodId"`
	}
	if e := decodeParams(req.params, &p); e != nil {
		s.refuse(ctx, req, e)
		return
	}
	if slices.Contains(s.authMethodIDs(), p.MethodID) {
		if err := s.signIn(); err != nil {
			s.refuse(ctx, req, rpcErrorf(codeInternal, "%v", err))
			return
		}
		s.respond(ctx, req, object{})
		return
	}
	s.refuse(ctx, req, rpcErrorf(codeInvalidParams, "Invalid params: unknown auth method %q", p.MethodID))
}

func (s *server) authMethodIDs() []string {
	raw, err := encode(s.authMethods())
	if err != nil {
		return nil
	}
	var methods []struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(raw, &methods) != nil { // a script may offer anything
		return nil
	}
	ids := make([]string, 0, len(methods))
	for _, m := range methods {
		ids = append(ids, m.ID)
	}
	return ids
}

// writeLog writes exactly Script.Stderr bytes in lines of at most 80. A log that nobody can take any more is lost.
func (s *server) writeLog() {
	const width = 80
	for left, n := s.script.Stderr, 1; left > 0; n++ {
		line := fmt.Sprintf("acpharness-mock: log line %d ", n)
		size := min(left, width)
		line += strings.Repeat(".", max(0, width-len(line)))
		if _, err := s.stderr.Write([]byte(line[:size-1] + "\n")); err != nil {
			return
		}
		left -= size
	}
}
