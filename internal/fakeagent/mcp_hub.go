package fakeagent

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"
)

// mcpHub keeps the servers of the agent file. One goroutine follows the file and starts and stops servers: run, which
// control starts, and which ends with server.life and is joined by control with the turns. Sessions start the servers
// they are given on their own goroutines. Serve calls close last.
//
// A change of what sessions see is made in two steps. Edits wait in due until no turn is running; then applying is set,
// under server.mu, and run does the work. Turns and sessions that begin meanwhile wait until it is done.
type mcpHub struct {
	agent    *server
	base     context.Context // ends with the agent: nothing can be written any more; set by run
	script   MCPScript
	path     string
	patience time.Duration // with a server that starts
	first    fileContent   // when the agent started
	work     chan struct{} // has room for one token: there is a job
	initial  bool          // the first session has been opened; guarded by server.mu, like all that follows

	flipped  bool                  // of MCPFlipping: nothing is followed any more
	config   *agentFile            // in force
	applied  *agentFile            // what the processes were made after, nil before they were started
	due      *agentFile            // waits for the turn boundary
	job      *agentFile            // is being applied
	applying chan struct{}         // closed when job is done, nil if there is none
	live     map[string]*mcpServer // the file's servers that answer

	procs  sync.Mutex // guards what follows; held while a process starts
	all    map[*mcpServer]struct{}
	closed bool
}

// newMCPHub returns nil if there is no agent file.
func newMCPHub(s *server, opts *Options) *mcpHub {
	h := &mcpHub{
		agent: s, path: opts.AgentFile, work: make(chan struct{}, 1), patience: cmp.Or(opts.mcpPatience, mcpPatience),
		live: map[string]*mcpServer{}, all: map[*mcpServer]struct{}{},
	}
	if s.script.MCP != nil {
		h.script = *s.script.MCP
	}
	h.path = or(h.script.File, h.path)
	if h.path == "" {
		return nil
	}
	h.config, _ = fileContent{}.parse()
	if first, err := readContent(h.path); err == nil {
		h.first = first
		if file, err := first.parse(); err == nil {
			h.config = file
		}
	}
	return h
}

// boundary is called when a turn has ended. The caller holds server.mu.
func (h *mcpHub) boundary() {
	if h != nil && h.due != nil && h.agent.turning == 0 {
		h.begin(h.due)
		h.due = nil
	}
}

// begin makes everybody wait until run has applied a file. The caller holds server.mu.
func (h *mcpHub) begin(file *agentFile) {
	h.job = file
	if h.applying != nil {
		return // run has not come to the last job, and does this one instead
	}
	h.applying = make(chan struct{})
	h.work <- struct{}{} // there is room: run took the last token before applying was nil again
}

// lockSettled locks server.mu at a moment when no change is being made, or ctx has ended.
func (h *mcpHub) lockSettled(ctx context.Context) {
	for {
		h.agent.mu.Lock()
		applying := h.applying
		if applying == nil || ctx.Err() != nil {
			return
		}
		h.agent.mu.Unlock()
		select {
		case <-applying:
		case <-ctx.Done():
		}
	}
}

// start starts a server and returns it when it has told its tools. The error says nothing of its environment.
func (h *mcpHub) start(ctx context.Context, name string, entry *serverEntry) (*mcpServer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, h.patience, errors.New("no answer within "+h.patience.String()))
	defer cancel()
	m := newMCPServer(name, entry)
	err := h.launch(ctx, m)
	if err == nil {
		if err = m.greet(ctx); err != nil {
			if ctx.Err() != nil { // it has had its time
				_ = m.process.cmd.Process.Kill()
			}
			h.stop(m)
		}
	}
	switch {
	case err == nil:
		return m, nil
	case ctx.Err() != nil, errors.Is(err, errServerGone): // the words are ours
		return nil, err
	default:
		return nil, errors.New(entry.redact(err.Error()))
	}
}

// launch makes no process that close would not see.
func (h *mcpHub) launch(ctx context.Context, m *mcpServer) error {
	h.procs.Lock()
	defer h.procs.Unlock()
	if h.closed {
		return errors.New("the agent ends")
	}
	if err := m.startProcess(ctx); err != nil {
		return err
	}
	h.all[m] = struct{}{}
	return nil
}

// stop ends a server that has been started and waits for its end.
func (h *mcpHub) stop(m *mcpServer) {
	m.process.stop()
	h.procs.Lock()
	delete(h.all, m)
	h.procs.Unlock()
}

// close stops every process and lets none start any more. It needs no other goroutine: some may be stuck in writes.
func (h *mcpHub) close() {
	if h == nil {
		return
	}
	h.procs.Lock()
	h.closed = true
	var stops sync.WaitGroup
	for m := range h.all {
		stops.Go(m.process.stop)
	}
	h.procs.Unlock()
	stops.Wait()
}

// told sends the notification about a server of the file that was started, or could not be. One that cannot be written
// ends the agent anyway.
func (h *mcpHub) told(name string, err error) {
	notice := h.script.Notice
	if notice == MCPNoticeNone {
		return
	}
	if notice == "" {
		notice = MCPNoticeServerName
	}
	params := object{string(notice): name}
	method := "_kiro.dev/mcp/server_initialized"
	if err != nil {
		method = "_kiro.dev/mcp/server_init_failure"
		params["error"] = err.Error()
	}
	_ = h.agent.notify(h.base, method, params)
}
