package reconcile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/parity/bench"
)

// Extra is an observation beside the cells.
type Extra struct {
	Name string `json:"name"`
	// Holds says whether it is so.
	Holds bool   `json:"holds"`
	Why   string `json:"why"`
	Error string `json:"error,omitempty"`
}

// Extras are the observations that there are: whether an agent that is started anew obeys the marker, whether it follows a server that
// says that its tools have changed, and, with full, whether it keeps what it has while its file is broken, and lets go of it when the file is gone.
func Extras(full bool) []string {
	if full {
		return []string{"cold-start", "list-changed", "broken-file", "deleted-file"}
	}
	return []string{"cold-start", "list-changed"}
}

// extra makes an observation. The error is that of ctx.
func (r *run) extra(ctx context.Context, name string) error {
	if r.opts.Earlier != nil {
		if i := slices.IndexFunc(r.opts.Earlier.Extras, func(done Extra) bool { return done.Name == name && done.Error == "" }); i >= 0 {
			r.report.Extras = append(r.report.Extras, r.opts.Earlier.Extras[i])
			return nil
		}
	}
	r.tell(name)
	e := Extra{Name: name}
	limit, stop := context.WithTimeout(ctx, r.opts.Patience)
	defer stop()
	err := r.observe(limit, &e)
	if ctx.Err() != nil {
		return fmt.Errorf("cannot go on with %s: %w", name, context.Cause(ctx))
	}
	if err != nil {
		e.Error = err.Error()
	}
	r.report.Extras = append(r.report.Extras, e)
	r.finished()
	return nil
}

func (r *run) observe(ctx context.Context, e *Extra) (err error) {
	st, err := newStage(ctx, r.subject)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close(ctx)) }()
	edit := backends.EditRemove // both servers are there before it
	if e.Name == "cold-start" {
		edit = backends.EditEnable // extra is disabled before it
	}
	if err := st.baseline(ctx, edit); err != nil {
		return fmt.Errorf("cannot write the file: %w", err)
	}
	if err := st.connect(ctx); err != nil {
		return err
	}
	r.report.agent(st.agent.Conn().Agent())
	session, err := st.open(ctx, false)
	if err != nil {
		return err
	}
	if base, err := st.await(ctx, session, st.base, r.opts.Window); err != nil || base.Called["alpha"] != Yes {
		return errors.Join(errors.New("the server that is there all the time cannot be called"), err)
	}
	switch e.Name {
	case "cold-start":
		return st.coldStart(ctx, session, e)
	case "list-changed":
		return r.listChanged(ctx, st, session, e)
	case "broken-file":
		return r.broken(ctx, st, session, e)
	case "deleted-file":
		return r.deleted(ctx, st, session, e)
	default:
		return fmt.Errorf("there is no observation %q", e.Name)
	}
}

// coldStart: what is disabled is not started.
func (st *stage) coldStart(ctx context.Context, session *acp.Session, e *Extra) error {
	sight, err := st.look(ctx, session, st.extra, "alpha", "beta")
	if err != nil {
		return err
	}
	entries, err := st.extra.Journal()
	e.Holds = len(entries) == 0 && sight.matches(expected{})
	e.Why = fmt.Sprintf("a server that was disabled before the start: %d entries in its journal; %s", len(entries), sight)
	return err
}

// listChanged: a server says that it has another tool.
func (r *run) listChanged(ctx context.Context, st *stage, session *acp.Session, e *Extra) error {
	before, err := st.base.Journal()
	if err != nil {
		return err
	}
	if err := st.base.SetTools(bench.MCPTools{Tools: []bench.MCPTool{{Name: "alpha"}, {Name: "beta"}, {Name: "gamma"}}}); err != nil {
		return err
	}
	limit, stop := context.WithTimeout(ctx, r.opts.Window)
	_, asked := st.base.Await(limit, func(entries []bench.MCPEntry) bool {
		return slices.ContainsFunc(entries[len(before):], func(e bench.MCPEntry) bool { return e.Method == "tools/list" })
	})
	stop()
	if _, err := st.rest(ctx, 0); err != nil { // it may have to tell others
		return err
	}
	sight, err := st.look(ctx, session, st.base, "gamma")
	if err != nil {
		return err
	}
	e.Holds = sight.Called["gamma"] == Yes && sight.Offered["gamma"] != No
	e.Why = fmt.Sprintf("a server that had a third tool and said so: asked for its tools %t; %s", asked == nil, sight)
	return nil
}

// broken: a file that cannot be read changes nothing, and is followed again when it can.
func (r *run) broken(ctx context.Context, st *stage, session *acp.Session, e *Extra) error {
	text, err := os.ReadFile(st.path)
	if err != nil {
		return err
	}
	seen, err := st.extra.Journal()
	if err != nil {
		return err
	}
	if err := os.WriteFile(st.path, text[:len(text)/2], 0o600); err != nil {
		return err
	}
	if _, err := st.settle(ctx, len(seen), backends.EditRemove, processes(seen), r.opts.Window/2); err != nil {
		return err
	}
	sight, err := st.look(ctx, session, st.extra, "alpha", "beta")
	if err != nil {
		return err
	}
	e.Holds = sight.matches(expected{alpha: true, beta: true})
	e.Why = "half of the file was there: " + sight.String()
	return os.WriteFile(st.path, text, 0o600)
}

// deleted: with the file the servers go.
func (r *run) deleted(ctx context.Context, st *stage, session *acp.Session, e *Extra) error {
	seen, err := st.extra.Journal()
	if err != nil {
		return err
	}
	if err := os.Remove(st.path); err != nil {
		return err
	}
	if _, err := st.settle(ctx, len(seen), backends.EditRemove, processes(seen), r.opts.Window); err != nil {
		return err
	}
	sight, err := st.look(ctx, session, st.extra, "alpha", "beta")
	if err != nil {
		return err
	}
	e.Holds = sight.matches(expected{})
	e.Why = "the file was deleted: " + sight.String()
	return nil
}
