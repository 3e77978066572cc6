package acp

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// MCPServerState is what is known of an MCP server when a session could not be opened.
type MCPServerState string

// The states.
const (
	MCPServerReady  MCPServerState = "ready"
	MCPServerFailed MCPServerState = "failed"
	MCPServerSignIn MCPServerState = "waits for a sign-in"
	MCPServerSilent MCPServerState = "silent" // it was asked for, and the agent has not told of it
)

// MCPServersError tells what an agent has reported of MCP servers, while it opened a session that came to nothing: a server
// that does not start holds up many agents for as long as it likes (KiroCrew#4242, opencode#41459).
type MCPServersError struct {
	Servers map[string]MCPServerState // by name
	Err     error                     // of the session
}

func (e *MCPServersError) Error() string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(e.Servers)) {
		words = append(words, fmt.Sprintf("%s %s", name, e.Servers[name]))
	}
	return e.Err.Error() + " (MCP servers: " + strings.Join(words, ", ") + ")"
}

// Unwrap returns why the session could not be opened.
func (e *MCPServersError) Unwrap() error { return e.Err }

// maxMCPReports bounds the names that are kept, maxMCPName what is kept of one.
const (
	maxMCPReports = 100
	maxMCPName    = 100
)

// mcpReports are the reports since the first of the sessions that are being opened. The connection's lock guards them.
type mcpReports struct {
	opening int
	states  map[string]MCPServerState
}

// beginMCPReports is told of the servers that a session is opened with. Agents quote what they were given.
func (c *Conn) beginMCPReports(asked []MCPServer) {
	for _, s := range asked {
		c.redact.learn(s.secrets())
	}
	c.mu.Lock()
	c.reports.opening++
	c.mu.Unlock()
}

// endMCPReports adds to the error of a session what was reported meanwhile.
func (c *Conn) endMCPReports(err error, asked []MCPServer) error {
	c.mu.Lock()
	states := maps.Clone(c.reports.states)
	if c.reports.opening--; c.reports.opening == 0 {
		c.reports.states = nil
	}
	c.mu.Unlock()
	if err == nil || len(states) == 0 && len(asked) == 0 || errors.Is(err, ErrUnsupported) || errors.Is(err, ErrSessionOpen) {
		return err
	}
	if states == nil {
		states = map[string]MCPServerState{}
	}
	for _, s := range asked {
		if _, told := states[s.ServerName()]; !told {
			states[s.ServerName()] = MCPServerSilent
		}
	}
	return &MCPServersError{Servers: states, Err: err}
}

// noteMCPReport keeps what an agent tells of an MCP server while it opens a session. There is no such notification in the
// protocol; kiro-cli has some of its own.
func (c *Conn) noteMCPReport(e *envelope) {
	method := string(e.method)
	_, event, ok := strings.Cut(method, "/mcp/")
	if !ok || !strings.HasPrefix(method, "_") {
		return
	}
	var state MCPServerState
	switch event {
	case "server_initialized":
		state = MCPServerReady
	case "server_init_failure", "init_failure":
		state = MCPServerFailed
	case "oauth_request":
		state = MCPServerSignIn
	default:
		return
	}
	var name string
	eachMember(e.params, func(key, value []byte) {
		if text, err := decodeString(value); err == nil && (string(key) == "serverName" || string(key) == "name") {
			name = c.redact.text(text)
		}
	})
	if len(name) > maxMCPName {
		name = strings.ToValidUTF8(name[:maxMCPName], "") + "…"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reports.opening == 0 || name == "" || len(c.reports.states) >= maxMCPReports {
		return
	}
	if c.reports.states == nil {
		c.reports.states = map[string]MCPServerState{}
	}
	c.reports.states[name] = state
}
