package fakeagent

import (
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
)

// setupParams are the params of the requests that make or open a session.
type setupParams struct {
	SessionID             string          `json:"sessionId"` // not of session/new
	CWD                   string          `json:"cwd"`
	AdditionalDirectories []string        `json:"additionalDirectories"`
	SystemPrompt          json.RawMessage `json:"systemPrompt"`
	MCPServers            json.RawMessage `json:"mcpServers"`
}

// setup reads and checks the params of a request. Only session/new and session/load have to name MCP servers.
func setup(req request) (*setupParams, *RPCError) {
	p := &setupParams{}
	if e := decodeParams(req.params, p); e != nil {
		return nil, e
	}
	if !isAbs(p.CWD) {
		return nil, rpcErrorf(codeInvalidParams, "Invalid params: cwd must be an absolute path")
	}
	for n, dir := range p.AdditionalDirectories {
		if !isAbs(dir) {
			return nil, rpcErrorf(codeInvalidParams, "Invalid params: additionalDirectories[%d] must be an absolute path", n)
		}
	}
	if given(p.SystemPrompt) {
		if e := checkSystemPrompt(p.SystemPrompt); e != nil {
			return nil, e
		}
	}
	if given(p.MCPServers) || req.method == methodNew || req.method == methodLoad {
		if e := checkServers(p.MCPServers); e != nil {
			return nil, e
		}
	}
	return p, nil
}

// given tells whether an optional member is there and not null.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// isAbs takes paths of both kinds of systems, whichever this is.
func isAbs(name string) bool { return filepath.IsAbs(name) || path.IsAbs(name) }

func checkSystemPrompt(raw json.RawMessage) *RPCError {
	var p struct {
		Mode    string `json:"mode"`
		Content []struct {
			Type string  `json:"type"`
			Text *string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return rpcErrorf(codeInvalidParams, "Invalid params: systemPrompt: %v", err)
	}
	if !slices.Contains([]string{"append", "override"}, p.Mode) {
		return rpcErrorf(codeInvalidParams, "Invalid params: systemPrompt: unknown mode %q", p.Mode)
	}
	if len(p.Content) == 0 {
		return rpcErrorf(codeInvalidParams, "Invalid params: systemPrompt has no content")
	}
	for n, block := range p.Content {
		if block.Type != "text" || block.Text == nil {
			return rpcErrorf(codeInvalidParams, "Invalid params: systemPrompt: content[%d] is no text", n)
		}
	}
	return nil
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
