package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/parity/bench"
	"github.com/acpharness/acpharness/provider"
)

// Subject is an agent that is looked at.
type Subject struct {
	// Descriptor says where the agent's files are and how they are written.
	Descriptor backends.Descriptor
	// Recipe is how it is made to run without an account.
	Recipe backends.Recipe
	// Connector returns what starts it at a bench.
	Connector func(*bench.Bench) (provider.Connector, error)
	// Connect are further options of every start. Environment, folder and handlers are set here.
	Connect provider.ConnectOptions
	// MCPServer is the command line of the fake MCP server, see bench.Options.
	MCPServer []string
}

// Options say how a subject is looked at. The zero value works.
type Options struct {
	// Cells are the cells to be tried; nil means those of Cells without full.
	Cells []Cell
	// Extras are the observations beside the cells, see Extras; nil means none.
	Extras []string
	// Earlier is what an earlier run has found. If the agent is of the same version, its cells and extras that were finished are not tried again.
	Earlier *Report
	// Repeat is how often the edits of an idle session are repeated to measure how long they take; 0 means once.
	Repeat int
	// Window is how long an agent may take to do something about an edit; 0 means 8 s.
	Window time.Duration
	// Patience is how long one cell may take; 0 means 3 minutes.
	Patience time.Duration
	// Progress is told of what is done next, and Finished of every result. May be nil.
	Progress func(what string)
	Finished func(*Report)
}

const (
	defaultWindow   = 8 * time.Second
	defaultPatience = 3 * time.Minute
	// quiet is how long an agent must have done nothing to be done.
	quiet = 700 * time.Millisecond
)

// ErrNoFiles says that nobody knows where an agent has its MCP servers.
var ErrNoFiles = errors.New("nobody has said where this agent has its MCP servers, see MCPFiles of its descriptor")

// Run looks at a subject, one cell after the other. A cell that could not be tried has an error in its result; Run itself fails only if
// nothing can be tried. When ctx ends, the report has what was found until then, and the error says so.
func Run(ctx context.Context, s *Subject, opts *Options) (*Report, error) {
	if opts == nil {
		opts = &Options{}
	}
	d := &s.Descriptor
	if len(d.MCPFiles) == 0 {
		return nil, fmt.Errorf("cannot edit the configuration of %s: %w", d.ID, ErrNoFiles)
	}
	o := *opts
	if o.Cells == nil {
		o.Cells = Cells(d.MCPFiles, d.Trust.TakesServers, false)
	}
	if o.Window <= 0 {
		o.Window = defaultWindow
	}
	if o.Patience <= 0 {
		o.Patience = defaultPatience
	}
	r := &run{subject: s, opts: &o, report: newReport(d.ID)}
	if err := r.resume(ctx); err != nil {
		return nil, err
	}
	for _, cell := range o.Cells {
		if err := r.cell(ctx, cell); err != nil {
			return r.report, err
		}
	}
	for _, extra := range o.Extras {
		if err := r.extra(ctx, extra); err != nil {
			return r.report, err
		}
	}
	if o.Repeat > 1 && len(r.report.Latencies) == 0 {
		if err := r.latencies(ctx); err != nil {
			return r.report, err
		}
	}
	r.finished()
	return r.report, nil
}

// run is one Run.
type run struct {
	subject *Subject
	opts    *Options
	report  *Report
}

// resume forgets what was found earlier of another version, and takes over what was measured.
func (r *run) resume(ctx context.Context) (err error) {
	earlier := r.opts.Earlier
	if earlier == nil {
		return nil
	}
	st, err := newStage(ctx, r.subject)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close(ctx)) }()
	limit, stop := context.WithTimeout(ctx, r.opts.Patience)
	defer stop()
	if err := st.connect(limit); err != nil {
		return err
	}
	if info := st.agent.Conn().Agent(); info.Name != earlier.Agent || info.Version != earlier.Version {
		r.opts.Earlier = nil
		return nil
	}
	r.report.agent(st.agent.Conn().Agent())
	r.report.Latencies = earlier.Latencies
	return nil
}

func (r *run) tell(what string) {
	if r.opts.Progress != nil {
		r.opts.Progress(what)
	}
}

func (r *run) finished() {
	if r.opts.Finished != nil {
		r.opts.Finished(r.report)
	}
}

// cell tries a cell unless it was tried before. The error is that of ctx.
func (r *run) cell(ctx context.Context, cell Cell) error {
	if r.opts.Earlier != nil {
		if i := slices.IndexFunc(r.opts.Earlier.Results, func(done Result) bool { return done.Key == cell.Key() && done.Error == "" }); i >= 0 {
			r.report.Results = append(r.report.Results, r.opts.Earlier.Results[i])
			return nil
		}
	}
	r.tell(cell.Key())
	result := Result{Cell: cell, Key: cell.Key()}
	limit, stop := context.WithTimeout(ctx, r.opts.Patience)
	defer stop()
	err := r.try(limit, &result)
	if ctx.Err() != nil {
		return fmt.Errorf("cannot go on with %s: %w", cell, context.Cause(ctx))
	}
	if err != nil {
		result.Error = err.Error()
	}
	result.judge()
	r.report.Results = append(r.report.Results, result)
	r.finished()
	return nil
}
