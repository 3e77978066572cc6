package acp

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"time"
)

// TerminalHandler runs commands for agents. It mirrors the client's side of terminal/create; what the other methods do is
// asked of the HostedTerminal. Package terminal has one.
type TerminalHandler interface {
	// CreateTerminal starts a command and returns at once. The terminal belongs to the session of the request, and is
	// released with it. Calls run side by side; ctx bounds the call and not the command.
	CreateTerminal(ctx context.Context, req *CreateTerminalRequest) (HostedTerminal, error)
}

// HostedTerminal is a command that runs for an agent, or has run. Its methods are called side by side.
type HostedTerminal interface {
	// Output returns what there is of the output now, and never waits for more. It mirrors terminal/output.
	Output() TerminalOutput
	// Wait returns how the command ended once it has, and ctx's error before. It mirrors terminal/wait_for_exit.
	Wait(ctx context.Context) (TerminalExitStatus, error)
	// Kill ends the command, whose output stays. Of a command that has ended it is no error. It mirrors terminal/kill.
	Kill(ctx context.Context) error
	// Release ends the command and frees everything; it is called once, and returns when nothing is left. Calls that were under
	// way then may go on beside it. It mirrors terminal/release.
	Release(ctx context.Context) error
}

// CreateTerminalRequest asks for a command to be run (CreateTerminalRequest).
type CreateTerminalRequest struct {
	SessionID       SessionID
	Roots           []string // the session's directories, its cwd first
	Command         string
	Args            []string
	Env             []EnvVariable // to be added to the environment
	CWD             string        // the session's if the agent sent none
	OutputByteLimit *int64        // how many bytes of output the agent wants kept; nil leaves it to the client
	Raw             json.RawMessage
}

// TerminalOutput is what a command has printed so far (TerminalOutputResponse).
type TerminalOutput struct {
	Output    string              // valid UTF-8
	Truncated bool                // the beginning is missing
	Exit      *TerminalExitStatus // nil while the command runs
}

// TerminalExitStatus is how a command ended (TerminalExitStatus). Both members may be missing.
type TerminalExitStatus struct {
	ExitCode *int64 `json:"exitCode,omitzero"`
	Signal   string `json:"signal,omitzero"` // its name, such as SIGKILL
}

// Agents forget to release terminals (oh-my-pi#12435). When a session gets another one, or its turn ends, those whose command
// has ended are released if they were not asked for in a while, or if there are too many. One with too many that run gets no more.
const (
	maxTerminals = 256
	terminalIdle = 10 * time.Minute
)

// terminalTable has the terminals of a connection that were not released. Each belongs to a session; that of a subagent
// counts as its parent's.
type terminalTable struct {
	tidying sync.Mutex // one at a time looks for what was forgotten

	mu     sync.Mutex
	last   int
	byID   map[string]*terminalEntry
	closed bool
}

type terminalEntry struct {
	id     string
	owner  *Session
	hosted HostedTerminal
	number int
	calls  int       // under way
	used   time.Time // when the last of them began or ended
}

// enter returns the id of a new terminal. It reports false if the owner is gone.
func (t *terminalTable) enter(owner *Session, hosted HostedTerminal) (id string, ok bool) {
	if owner.gone() {
		return "", false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return "", false
	}
	if t.byID == nil {
		t.byID = map[string]*terminalEntry{}
	}
	t.last++
	e := &terminalEntry{id: "terminal-" + strconv.Itoa(t.last), owner: owner, hosted: hosted, number: t.last, used: time.Now()}
	t.byID[e.id] = e
	return e.id, true
}

// count returns how many terminals a session has.
func (t *terminalTable) count(owner *Session) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	count := 0
	for _, e := range t.byID {
		if e.owner == owner {
			count++
		}
	}
	return count
}

// idle returns a session's terminals that no call is about, the oldest first.
func (t *terminalTable) idle(owner *Session) []*terminalEntry {
	t.mu.Lock()
	defer t.mu.Unlock()
	var entries []*terminalEntry
	for _, e := range t.byID {
		if e.owner == owner && e.calls == 0 {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b *terminalEntry) int { return a.number - b.number })
	return entries
}

// takeIdle takes a terminal out of the table if no call is about it and it was not used in a while, or there are too many.
func (t *terminalTable) takeIdle(e *terminalEntry, most int) HostedTerminal {
	surplus := t.count(e.owner) > most
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID[e.id] != e || e.calls > 0 || !surplus && time.Since(e.used) < terminalIdle {
		return nil
	}
	delete(t.byID, e.id)
	return e.hosted
}

// forgotten takes out what a session's agent seems to have forgotten: of the commands that have ended, those that it has not
// asked for in a while and, if there are too many terminals, the oldest.
func (c *Conn) forgotten(owner *Session) []HostedTerminal { return c.forgottenBut(owner, maxTerminals) }

// forgottenBut is forgotten where there are too many terminals if there are more than some.
func (c *Conn) forgottenBut(owner *Session, most int) []HostedTerminal {
	t := &c.terminals
	t.tidying.Lock()
	defer t.tidying.Unlock()
	var taken []HostedTerminal
	for _, e := range t.idle(owner) {
		if t.count(owner) <= most && time.Since(t.usedAt(e)) < terminalIdle {
			continue
		}
		out, err := c.safely("terminal", owner.id, func() (any, error) { return e.hosted.Output(), nil })
		if err != nil || out.(TerminalOutput).Exit == nil {
			continue
		}
		if hosted := t.takeIdle(e, most); hosted != nil {
			taken = append(taken, hosted)
		}
	}
	return taken
}

func (t *terminalTable) usedAt(e *terminalEntry) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return e.used
}

// hold returns a session's terminal for one call, and what to do after it; nil if there is none of this id.
func (t *terminalTable) hold(owner *Session, id string) (hosted HostedTerminal, done func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.byID[id]
	if e == nil || e.owner != owner {
		return nil, func() {}
	}
	e.calls++
	e.used = time.Now()
	return e.hosted, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		e.calls--
		e.used = time.Now()
	}
}

// take takes a session's terminal out of the table.
func (t *terminalTable) take(owner *Session, id string) (hosted HostedTerminal, done func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.byID[id]
	if e == nil || e.owner != owner {
		return nil, func() {}
	}
	delete(t.byID, id)
	return e.hosted, func() {}
}

// takeAll takes out what is chosen.
func (t *terminalTable) takeAll(chosen func(*terminalEntry) bool) []HostedTerminal {
	t.mu.Lock()
	defer t.mu.Unlock()
	var taken []HostedTerminal
	for id, e := range t.byID {
		if chosen(e) {
			taken = append(taken, e.hosted)
			delete(t.byID, id)
		}
	}
	return taken
}

// close takes out everything and lets nothing in any more.
func (t *terminalTable) close() []HostedTerminal {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	return t.takeAll(func(*terminalEntry) bool { return true })
}

// releaseAll releases terminals side by side, and returns when all are released or ctx has ended.
func (c *Conn) releaseAll(ctx context.Context, terminals []HostedTerminal) {
	var wg sync.WaitGroup
	for _, t := range terminals {
		wg.Go(func() {
			if err := c.release(ctx, t); err != nil {
				c.diagnose(Diagnostic{Kind: DiagnosticHandler, Text: "cannot release a terminal: " + err.Error()})
			}
		})
	}
	wg.Wait()
}

// release survives a terminal that panics.
func (c *Conn) release(ctx context.Context, t HostedTerminal) error {
	_, err := c.safely("terminal", "", func() (any, error) { return nil, t.Release(ctx) })
	return err
}

// releaseTerminals releases what the agent has left of a session: everything, or what it seems to have forgotten.
func (s *Session) releaseTerminals(everything bool) {
	if s.conn.terminals.count(s) == 0 {
		return
	}
	s.conn.background(func() {
		var left []HostedTerminal
		if everything {
			left = s.conn.terminals.takeAll(func(e *terminalEntry) bool { return e.owner == s })
		} else {
			left = s.conn.forgotten(s)
		}
		ctx, cancel := withTimeout(s.conn.hurry, s.conn.client.opts.Timeouts.Control) // which the end of the connection waits for
		defer cancel()
		s.conn.releaseAll(ctx, left)
	})
}

// tooManyTerminals reports whether the session may have no more, after what was forgotten is released.
func (s *Session) tooManyTerminals() bool {
	if s.conn.terminals.count(s) < maxTerminals {
		return false
	}
	s.conn.releaseAll(s.conn.hurry, s.conn.forgottenBut(s, maxTerminals-1))
	return s.conn.terminals.count(s) >= maxTerminals
}
