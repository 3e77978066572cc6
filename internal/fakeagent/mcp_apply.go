package fakeagent

import (
	"context"
	"maps"
	"sync"
)

// change is what an edit means for one name: a server to stop, an entry to start, or both.
type change struct {
	name  string
	old   *mcpServer
	entry *serverEntry
}

// apply does the job and lets those go on who wait for it.
func (h *mcpHub) apply(ctx context.Context) {
	var work sync.WaitGroup
	for _, c := range h.plan() {
		work.Go(func() { h.make(ctx, c) }) // joined below; a start ends with ctx at the latest
	}
	work.Wait()
	h.agent.mu.Lock()
	defer h.agent.mu.Unlock()
	close(h.applying)
	h.applying = nil
}

// plan puts the job in force and takes servers that end out of sight before they do.
func (h *mcpHub) plan() []change {
	h.agent.mu.Lock()
	defer h.agent.mu.Unlock()
	next := h.follows(h.job)
	h.job = nil
	names := map[string]bool{}
	for _, file := range []*agentFile{h.applied, next} {
		if file != nil {
			for name := range file.servers {
				names[name] = true
			}
		}
	}
	var changes []change
	for name := range names {
		before, after := h.applied.enabled(name), next.enabled(name)
		switch {
		case before == nil && after == nil:
		case before != nil && before.launches(after):
		default:
			changes = append(changes, change{name: name, old: h.live[name], entry: after})
			delete(h.live, name)
		}
	}
	h.config, h.applied = next, next
	return changes
}

// follows is the part of a file that the profile follows. The caller holds server.mu.
func (h *mcpHub) follows(file *agentFile) *agentFile {
	if h.script.Profile != MCPPartial || h.applied == nil {
		return file
	}
	kept := *file
	kept.servers = maps.Clone(file.servers)
	for name, before := range h.applied.servers {
		after := file.servers[name]
		switch {
		case before.disabled:
		case after == nil:
			kept.servers[name] = before
		case after.disabled:
			on := *after
			on.disabled = false
			kept.servers[name] = &on
		}
	}
	return &kept
}

// make carries a change out and tells the client of a start.
func (h *mcpHub) make(ctx context.Context, c change) {
	if c.old != nil {
		h.stop(c.old)
	}
	if c.entry == nil {
		return
	}
	m, err := h.start(ctx, c.name, c.entry)
	if err == nil {
		h.agent.mu.Lock()
		h.live[c.name] = m
		h.agent.mu.Unlock()
	}
	if ctx.Err() == nil {
		h.told(c.name, err)
	}
}
