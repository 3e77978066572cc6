package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/parity/bench"
)

// Result is what was found in a cell.
type Result struct {
	Cell
	Key string `json:"key"`
	// Skipped says why the cell was not tried, Error why it could not be finished.
	Skipped string `json:"skipped,omitempty"`
	Error   string `json:"error,omitempty"`
	// Given is the transport of the server that the session was given.
	Given string `json:"given,omitempty"`
	// Events are what happened to the edited server after the edit and before the next prompt, Latency when the first of it did that the edit
	// asks for, in seconds; 0 if nothing did.
	Events  []string `json:"events,omitempty"`
	Latency float64  `json:"latency,omitempty"`
	// Listed reports whether the server was asked for its tools before the next prompt.
	Listed bool `json:"listed,omitempty"`
	// Held reports whether an edit in the middle of a turn waited for its end.
	Held bool `json:"held,omitempty"`
	// Notices are what the agent announced on the wire.
	Notices []string `json:"notices,omitempty"`
	// Before is the session before the edit, Next at the prompt after it, Later at the one after that, if Next was as before.
	Before *Sight `json:"before,omitempty"`
	Next   *Sight `json:"next,omitempty"`
	Later  *Sight `json:"later,omitempty"`
	// Control is the server that nobody edited, after the edit.
	Control *Sight `json:"control,omitempty"`
	// SecondSight is another session that was live, NewSession one that was opened after the edit, in the same process, and LaterSession one
	// that was opened a window later, if NewSession was not as edited.
	SecondSight  *Sight `json:"secondSession,omitempty"`
	NewSession   *Sight `json:"newSession,omitempty"`
	LaterSession *Sight `json:"laterSession,omitempty"`
	// Verdict is what follows from it, with Why in a sentence.
	Verdict backends.Verdict `json:"verdict"`
	Why     string           `json:"why"`
}

// try plays a cell at a bench of its own.
func (r *run) try(ctx context.Context, res *Result) (err error) {
	st, err := newStage(ctx, r.subject)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close(ctx)) }()
	if err := st.baseline(ctx, res.Edit); err != nil {
		return fmt.Errorf("cannot write the file: %w", err)
	}
	if err := st.connect(ctx); err != nil {
		return err
	}
	r.report.agent(st.agent.Conn().Agent())
	if res.Injected {
		if res.Skipped, err = st.give(res); err != nil || res.Skipped != "" {
			return err
		}
	}
	session, err := st.open(ctx, res.Injected)
	if err != nil {
		return err
	}
	if res.Injected {
		if res.Skipped = st.unused(ctx, r.opts.Window); res.Skipped != "" {
			return nil
		}
	}
	return r.play(ctx, st, session, res)
}

// play edits the file and asks all witnesses.
func (r *run) play(ctx context.Context, st *stage, session *acp.Session, res *Result) (err error) {
	server := st.target(res)
	// The base teaches the model how the agent calls the tools of servers, and proves that the configuration is read at all.
	if base, err := st.await(ctx, session, st.base, r.opts.Window); err != nil || base.Called["alpha"] != Yes {
		return errors.Join(fmt.Errorf("the server that is there all the time cannot be called: nothing can be told by this: %s", base), err)
	}
	before := expectation(res.Edit, false)
	if res.Before, err = st.look(ctx, session, server, "alpha", "beta"); err != nil {
		return err
	}
	if !res.Before.matches(before) && !res.SameName {
		return fmt.Errorf("before the edit the session was not as it should have been: %s %s", res.Before, res.Before.Answer)
	}
	var second *acp.Session
	if res.Second {
		if second, err = st.open(ctx, false); err != nil {
			return err
		}
		if _, err := st.await(ctx, second, st.base, r.opts.Window); err != nil {
			return err
		}
	}
	if err := r.wait(ctx, st, session, res); err != nil {
		return err
	}
	if res.Next, err = st.look(ctx, session, server, "alpha", "beta"); err != nil {
		return err
	}
	// That a call reaches nothing says something only if others do.
	if res.Control, err = st.look(ctx, session, st.base, "alpha"); err != nil {
		return err
	}
	want := expectation(res.Edit, true)
	if !res.Next.matches(want) {
		if res.Later, err = st.look(ctx, session, server, "alpha", "beta"); err != nil {
			return err
		}
	}
	if second != nil {
		if res.SecondSight, err = st.look(ctx, second, server, "alpha", "beta"); err != nil {
			return err
		}
	}
	if res.NewSession, err = st.fresh(ctx, server, want, r.opts.Window/2); err != nil || res.NewSession.matches(want) {
		return err
	}
	// Some read their configuration anew only some time after they have read it.
	select {
	case <-time.After(r.opts.Window):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	res.LaterSession, err = st.fresh(ctx, server, want, r.opts.Window/2)
	return err
}

// fresh looks at a server in a session that is opened for it.
func (st *stage) fresh(ctx context.Context, server *bench.MCPServer, want expected, window time.Duration) (*Sight, error) {
	seen, err := st.extra.Journal()
	if err != nil {
		return nil, err
	}
	session, err := st.open(ctx, false)
	if err != nil {
		return nil, err
	}
	if want.alpha { // agents start servers beside the session
		if _, err := st.settle(ctx, len(seen), backends.EditAdd, nil, window); err != nil {
			return nil, err
		}
	}
	return st.look(ctx, session, server, "alpha", "beta")
}

// target is the server whose tools are looked at: with a server of the same name it is the one that was given.
func (st *stage) target(res *Result) *bench.MCPServer {
	if res.SameName {
		return st.given
	}
	return st.extra
}

// await looks at a server until it can be called: agents start servers beside the session.
func (st *stage) await(ctx context.Context, session *acp.Session, server *bench.MCPServer, window time.Duration) (*Sight, error) {
	limit, stop := context.WithTimeout(ctx, window)
	defer stop()
	_, _ = server.Await(limit, func(entries []bench.MCPEntry) bool { // what is missing shows below
		return slices.ContainsFunc(entries, func(e bench.MCPEntry) bool { return e.Method == "tools/list" })
	})
	sight, err := st.look(ctx, session, server, "alpha")
	if err != nil || sight.Called["alpha"] == Yes {
		return sight, err
	}
	return st.look(ctx, session, server, "alpha")
}

// wait edits the file, and waits until the agent has done what it does about that.
func (r *run) wait(ctx context.Context, st *stage, session *acp.Session, res *Result) error {
	var slow *acp.Turn
	if res.MidTurn {
		var err error
		if slow, err = session.Prompt(ctx, acp.Text("@@SLOW 24 250@@"), &acp.PromptOptions{NoUpdates: true}); err != nil {
			return err
		}
		select {
		case <-st.model.slow:
		case <-slow.Done():
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	n, err := st.extra.Journal()
	if err != nil {
		return err
	}
	had := processes(n)
	at := time.Now()
	if err := st.edit(ctx, res.Cell); err != nil {
		return fmt.Errorf("cannot make the edit: %w", err)
	}
	if slow != nil {
		during, err := st.settle(ctx, len(n), res.Edit, had, 3*time.Second)
		if err != nil {
			return err
		}
		res.Held = !happened(during, res.Edit)
		if _, err := slow.Wait(ctx); err != nil {
			return err
		}
	}
	entries, err := st.settle(ctx, len(n), res.Edit, had, r.opts.Window)
	if err != nil {
		return err
	}
	res.note(entries, at)
	res.Notices = st.noticed(at)
	return nil
}

// settle waits until what an edit asks for has happened to the server, or the window is over, and then until it is quiet. had are the
// processes of the server before the edit. It returns what happened since the entry seen.
func (st *stage) settle(ctx context.Context, seen int, edit backends.Edit, had []int, window time.Duration) ([]bench.MCPEntry, error) {
	limit, stop := context.WithTimeout(ctx, window)
	defer stop()
	if !stops(edit) || len(had) == 0 {
		_, _ = st.extra.Await(limit, func(entries []bench.MCPEntry) bool { return happened(entries[seen:], edit) })
		return st.rest(ctx, seen)
	}
	gone := watch(limit, had)
	first, ok := <-gone // a process that has written its end is gone soon after
	stop()
	for range gone { // until it is closed
	}
	entries, err := st.rest(ctx, seen)
	return ended(entries, first, ok), err
}

// rest waits until nothing happens to the server any more, and returns what has since the entry seen.
func (st *stage) rest(ctx context.Context, seen int) ([]bench.MCPEntry, error) {
	entries, err := st.extra.Journal()
	for err == nil && ctx.Err() == nil {
		pause, done := context.WithTimeout(ctx, quiet)
		more, quietly := st.extra.Await(pause, func(now []bench.MCPEntry) bool { return len(now) > len(entries) })
		done()
		if quietly != nil {
			break
		}
		entries = more
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	case len(entries) < seen:
		return nil, errors.New("the journal of the server has become shorter")
	}
	return entries[seen:], nil
}

// happened reports whether the journal has what an edit asks for: a start that led to the list of tools, or an end.
func happened(entries []bench.MCPEntry, edit backends.Edit) bool {
	for _, e := range entries {
		switch edit {
		case backends.EditAdd, backends.EditEnable, backends.EditChangeTransport:
			if e.Method == "tools/list" {
				return true
			}
		case backends.EditDisable, backends.EditRemove:
			if ends(e) {
				return true
			}
		default:
			if e.Event == "start" || e.Method == "tools/list" {
				return true
			}
		}
	}
	return false
}

// note writes down what happened to the server, and when.
func (res *Result) note(entries []bench.MCPEntry, at time.Time) {
	for _, e := range entries {
		what := string(e.Event)
		switch e.Event {
		case "received":
			if e.Method != "tools/list" && e.Method != "initialize" {
				continue
			}
			what = e.Method
			res.Listed = res.Listed || e.Method == "tools/list"
		case "signal", "exit":
			what = strings.TrimSpace(what + " " + e.Signal)
		default:
		}
		after := e.Time.Sub(at)
		res.Events = append(res.Events, what+" after "+seconds(after))
		if res.Latency == 0 && first(e, res.Edit) {
			res.Latency = max(after.Seconds(), 0.001)
		}
	}
}

// first reports whether an entry is the beginning of what an edit asks for.
func first(e bench.MCPEntry, edit backends.Edit) bool {
	switch edit {
	case backends.EditDisable, backends.EditRemove:
		return ends(e)
	default:
		return e.Event == "start" || e.Method == "tools/list"
	}
}

// give makes the server that the session is given, by a transport that the agent takes.
func (st *stage) give(res *Result) (skipped string, err error) {
	name := givenName
	takes := st.subject.Descriptor.Trust.TakesServers
	http := takes.HTTP || st.agent.Conn().Capabilities().MCP.HTTP
	switch {
	case takes.Stdio && !res.SameName:
		res.Given = "stdio"
		st.given, err = st.bench.MCPServer(name)
	case http:
		res.Given = "http"
		st.given, err = st.bench.ServeMCP(name)
	case takes.Stdio:
		res.Given = "stdio"
		st.given, err = st.bench.MCPServer(name)
	default:
		return "the agent takes no server by a transport that can be tried", nil
	}
	if err == nil && res.SameName {
		given := *st.given
		given.Name = extraName
		st.given = &given
	}
	return "", err
}

// unused says that a server that was given to the session is not asked for its tools.
func (st *stage) unused(ctx context.Context, window time.Duration) string {
	limit, stop := context.WithTimeout(ctx, window)
	defer stop()
	_, err := st.given.Await(limit, func(entries []bench.MCPEntry) bool {
		return slices.ContainsFunc(entries, func(e bench.MCPEntry) bool { return e.Method == "tools/list" })
	})
	if err != nil {
		return "the agent did not use the server that its session was given"
	}
	return ""
}
