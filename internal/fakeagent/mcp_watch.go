package fakeagent

import (
	"context"
	"time"
)

const mcpPoll = 50 * time.Millisecond

// watcher follows the agent file by looking at it: whether it is replaced, written in place, deleted or made makes no
// difference then. It belongs to mcpHub.run.
type watcher struct {
	hub   *mcpHub
	seen  fileContent // at the last look
	taken fileContent // the last that stayed for two looks
	queue []edit      // oldest first
}

// edit is a new content and when it is to be followed.
type edit struct {
	file *agentFile
	at   time.Time
}

// run follows the file and does the work, until ctx ends. base ends when nothing can be written any more.
func (h *mcpHub) run(ctx, base context.Context) {
	h.base = base
	w := &watcher{hub: h, seen: h.first, taken: h.first}
	tick := time.NewTicker(mcpPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.work:
			h.apply(ctx)
		case <-tick.C:
			if h.script.Profile != MCPBroken {
				w.look()
				w.follow()
			}
		}
	}
}

// look takes what the file holds if it has held that at the last look too: it may be half written. What cannot be
// read, or is no agent file, leaves the last good state.
func (w *watcher) look() {
	content, err := readContent(w.hub.path)
	if err != nil {
		return
	}
	if content != w.seen {
		w.seen = content
		return
	}
	if content == w.taken {
		return
	}
	w.taken = content
	file, err := content.parse()
	if err != nil {
		return
	}
	w.queue = append(w.queue, edit{file, time.Now().Add(w.hub.delay())})
}

func (h *mcpHub) delay() time.Duration {
	switch {
	case h.script.Profile != MCPSlow:
		return 0
	case h.script.Delay == 0:
		return defaultMCPDelay
	default:
		return time.Duration(h.script.Delay)
	}
}

// follow hands on the edits whose time has come.
func (w *watcher) follow() {
	h := w.hub
	h.agent.mu.Lock()
	defer h.agent.mu.Unlock()
	for len(w.queue) > 0 && !w.queue[0].at.After(time.Now()) {
		file := w.queue[0].file
		w.queue = w.queue[1:]
		switch {
		case h.flipped:
		case !h.initial: // there is no process yet
			h.config = file
		default:
			h.due = file
		}
	}
	h.boundary()
}
