package fakeagent

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
)

// mounts is what a session has of servers. It is guarded by server.mu.
type mounts struct {
	given  map[string]*mcpServer // at session/new or another opening, nil for one that did not start
	of     map[*mcpServer]*mount // of the file; a server that is started anew has to be mounted anew
	frozen []mcpOffer            // of MCPFalse: what there was when the session was opened
}

// mount is what references have ever selected of a server that runs. One that goes from the file takes nothing back.
type mount struct {
	whole bool
	tools map[string]bool
}

// mcpOffer is a tool that a session has.
type mcpOffer struct {
	server *mcpServer
	tool   mcpTool
	given  bool // by the session, not by the file
}

// name is what the model calls the tool.
func (o mcpOffer) name() string { return o.server.name + "_" + o.tool.Name }

// apart opens a session on a goroutine of its own if that has to wait for servers, so that other requests go on. Control
// joins it with the turns; server.life ends the waiting.
func (s *server) apart(req request, open func()) {
	if s.mcp.makesWait(req) {
		s.turns.Go(open)
	} else {
		open()
	}
}

func (h *mcpHub) makesWait(req request) bool {
	if h == nil {
		return false
	}
	h.agent.mu.Lock()
	defer h.agent.mu.Unlock()
	var p setupParams
	return h.applying != nil || (!h.initial && h.config.startsAny()) ||
		(decodeParams(req.params, &p) == nil && len(givenServers(p.MCPServers)) > 0)
}

// mount gives a session that is being opened its servers: those of the file, which the first session starts, and those
// that the client names. It waits until they have started, or could not.
func (h *mcpHub) mount(sess *session, raw json.RawMessage) {
	if h == nil {
		return
	}
	entries := givenServers(raw)
	h.prepare(len(entries) > 0 || namesServers(raw))
	life := h.agent.life
	given := h.startGiven(life, entries) // beside those of the file

	patience, cancel := context.WithTimeout(life, h.patience)
	defer cancel()
	h.lockSettled(patience)
	stale := sess.mcp.given
	if h.agent.sessions[sess.id] != sess { // closed meanwhile
		stale, given = given, nil
	}
	sess.mcp = mounts{given: given, of: map[*mcpServer]*mount{}}
	offers := h.offers(sess)
	if h.script.Profile == MCPFalse {
		sess.mcp.frozen = append([]mcpOffer{}, offers...)
	}
	h.agent.mu.Unlock()
	h.stopAll(stale)
}

// prepare starts the servers of the file if this is the first session, and takes note of one that is given servers.
func (h *mcpHub) prepare(injected bool) {
	h.agent.mu.Lock()
	defer h.agent.mu.Unlock()
	if injected && h.script.Profile == MCPFlipping {
		h.flipped, h.due = true, nil
	}
	if !h.initial {
		h.initial = true
		h.begin(h.config)
	}
}

func (h *mcpHub) startGiven(ctx context.Context, entries map[string]*serverEntry) map[string]*mcpServer {
	given := map[string]*mcpServer{}
	var mu sync.Mutex
	var starts sync.WaitGroup
	for name, entry := range entries {
		starts.Go(func() { // joined below; a start ends with ctx at the latest
			m, err := h.start(ctx, name, entry)
			if err != nil {
				m = nil
			}
			mu.Lock()
			defer mu.Unlock()
			given[name] = m
		})
	}
	starts.Wait()
	return given
}

// unmount stops the servers that a session was given.
func (h *mcpHub) unmount(sess *session) {
	if h == nil || sess == nil {
		return
	}
	h.agent.mu.Lock()
	given := sess.mcp.given
	sess.mcp = mounts{}
	h.agent.mu.Unlock()
	h.stopAll(given)
}

func (h *mcpHub) stopAll(servers map[string]*mcpServer) {
	var stops sync.WaitGroup
	for _, m := range servers {
		if m != nil {
			stops.Go(func() { h.stop(m) })
		}
	}
	stops.Wait()
}

// offers is what a session has now, sorted by the names. It mounts what the file refers to. The caller holds server.mu.
func (h *mcpHub) offers(sess *session) []mcpOffer {
	if sess.mcp.frozen != nil {
		return sess.mcp.frozen
	}
	var offers []mcpOffer
	for _, m := range sess.mcp.given {
		if m != nil {
			for _, tool := range m.current() {
				offers = append(offers, mcpOffer{server: m, tool: tool, given: true})
			}
		}
	}
	for name, m := range h.live {
		if _, outranked := sess.mcp.given[name]; outranked {
			continue
		}
		selected := sess.mcp.mount(m, h.config.tools)
		for _, tool := range m.current() {
			if selected(tool.Name) && !slices.Contains(h.config.servers[name].disabledTools, tool.Name) {
				offers = append(offers, mcpOffer{server: m, tool: tool})
			}
		}
	}
	maps.DeleteFunc(sess.mcp.of, func(m *mcpServer, _ *mount) bool { return h.live[m.name] != m })
	slices.SortFunc(offers, mcpOffer.compare)
	return offers
}

func (o mcpOffer) compare(other mcpOffer) int {
	return cmp.Or(strings.Compare(o.name(), other.name()), strings.Compare(o.server.name, other.server.name))
}

// mount adds what references select of a server, and tells whether a tool is among all that was ever selected.
func (ms *mounts) mount(m *mcpServer, refs references) func(tool string) bool {
	if ms.of == nil {
		ms.of = map[*mcpServer]*mount{}
	}
	mounted := ms.of[m]
	if mounted == nil {
		mounted = &mount{tools: map[string]bool{}}
		ms.of[m] = mounted
	}
	mounted.whole = mounted.whole || refs == nil || refs.everything() || refs.server(m.name)
	for _, tool := range m.current() {
		if refs.tool(m.name, tool.Name) {
			mounted.tools[tool.Name] = true
		}
	}
	return func(tool string) bool { return mounted.whole || mounted.tools[tool] }
}
