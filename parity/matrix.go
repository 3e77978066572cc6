package parity

import (
	"context"
	"fmt"
	"slices"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/provider"
)

// MatrixOptions configure [Matrix]. The zero value works, and captures no launches.
type MatrixOptions struct {
	// Backends are the ids that the report is about; empty means all. What is compared across backends is compared with all.
	Backends []string
	// Agent is a command line that makes a program the scripted agent, when the path of a script is added to it: that of acpctl is
	// "acpctl", "mock", "agent", "--script". It plays every backend whose launch is captured.
	Agent []string
	// Env is what that program needs in its environment, as KEY=VALUE.
	Env []string
}

// Rule is a rule that all declarations follow.
type Rule struct {
	ID    string // "P1"
	Title string // a sentence
	check func(*catalog, *recorder)
}

// Rules returns the rules of [Matrix], in their order.
func Rules() []Rule {
	return []Rule{
		{"P1", "An unknown id is refused, and falls through to nothing.", checkUnknown},
		{"P2", "Trust comes from a positive identity only.", checkIdentity},
		{"P3", "Everything that a backend may be trusted with is decided, with a reason.", checkTrust},
		{"P4", "The protocol literal is a backend's own, and is what its launch sends.", checkProtocol},
		{"P5", "Ids, names and labels are complete, and no two backends share one.", checkLabels},
		{"P6", "A new backend adds: the launches of the others stay as they are.", checkAdditive},
		{"P7", "Capabilities are asked on the interface, and the default is the safe answer.", checkInterface},
		{"P8", "A floor is the lowest version in evidence, and what is granted is what the newest evidence says.", checkFloor},
		{"P9", "An override says something else than the agent advertises.", checkDrift},
	}
}

// catalog is what the rules look at: what this module has, or what a test has planted.
type catalog struct {
	all      []backends.Descriptor
	selected []backends.Descriptor
	evidence []backends.Evidence
	lookup   func(id string) (backends.Descriptor, error)
	declare  func(backends.Descriptor, acp.Implementation) provider.Capabilities
	golden   golden
	launches map[string]launch // by backend, those that were captured
	unlaunch string            // why there are none
}

// recorder collects the cells of a rule.
type recorder struct {
	rule  string
	cells []Cell
}

// compare records that two sides were compared, and what speaks against them if they differ.
func (r *recorder) compare(backend, subject, declared, observed, fault string) {
	c := Cell{Backend: backend, Check: r.rule, Subject: subject, Declared: declared, Observed: observed, Result: Pass}
	if declared != observed {
		c.Result, c.Reason = Fail, fault
	}
	r.cells = append(r.cells, c)
}

// require records whether something holds, and what is wrong if it does not.
func (r *recorder) require(backend, subject, declared string, holds bool, fault string) {
	observed := declared
	if !holds {
		observed = "not so"
	}
	r.compare(backend, subject, declared, observed, fault)
}

func (r *recorder) skip(backend, subject, reason string) {
	r.cells = append(r.cells, Cell{Backend: backend, Check: r.rule, Subject: subject, Result: Skipped, Reason: reason})
}

// Matrix compares all declarations of this module. The error says that it could not be done; what does not fit is in the report.
func Matrix(ctx context.Context, opts *MatrixOptions) (*Report, error) {
	c, err := newCatalog(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("cannot compare the declarations: %w", err)
	}
	return c.check(Rules()...), nil
}

func newCatalog(ctx context.Context, opts *MatrixOptions) (*catalog, error) {
	if opts == nil {
		opts = &MatrixOptions{}
	}
	c := &catalog{all: slices.Collect(backends.All()), lookup: backends.Lookup, declare: provider.CapabilitiesOf}
	c.selected = c.all
	if len(opts.Backends) > 0 {
		c.selected = nil
		for _, id := range opts.Backends {
			d, err := backends.Lookup(id)
			if err != nil {
				return nil, err
			}
			c.selected = append(c.selected, d)
		}
	}
	var err error
	if c.evidence, err = backends.AllEvidence(); err != nil {
		return nil, err
	}
	if c.golden, err = readGolden(); err != nil {
		return nil, err
	}
	c.launches, c.unlaunch, err = captureAll(ctx, c.selected, opts)
	return c, err
}

func (c *catalog) check(rules ...Rule) *Report {
	var cells []Cell
	for _, rule := range rules {
		r := recorder{rule: rule.ID}
		rule.check(c, &r)
		cells = append(cells, r.cells...)
	}
	return NewReport(nil, cells)
}

func answer(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}
