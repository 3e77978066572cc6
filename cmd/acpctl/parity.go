package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/parity"
)

type parityOptions struct {
	live                  bool
	json, markdown, junit bool
	baselineFile          string
	diffFile              string

	ids      []string         // without aliases and repetitions; empty means all
	baseline *parity.Baseline // nil without one
	before   *parity.Report   // nil without one
}

func (a *app) parityCommand() *cobra.Command {
	o := &parityOptions{}
	cmd := &cobra.Command{
		Use:   "parity [flags] [BACKEND...]",
		Short: "Hold backends to what is declared of them",
		Long: "parity compares everything that acpctl declares of backends with each other, with the evidence and with launches that it\n" +
			"captures: the built-in agent plays every backend, so that nothing has to be installed. Without a name it is about all.\n" +
			"With --live it starts the agents instead, each in a fresh place and without an account, and compares what is declared and\n" +
			"what they advertise with what they do. Without a name it then is about all that can have turns there.",
		Example: "  acpctl parity\n  acpctl parity kiro claude --md\n  acpctl parity --live opencode\n  acpctl parity --json >before.json; acpctl parity --diff before.json",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.live {
				if ran, err := a.offline(liveRecipe); ran {
					return err
				}
			}
			if err := o.choose(args); err != nil {
				return err
			}
			return a.parity(cmd.Context(), o)
		},
		ValidArgsFunction: completeKnown,
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.live, "live", false, "start the agents and compare with what they do")
	flags.BoolVar(&o.json, "json", false, "print a JSON object (schema "+parity.Schema+")")
	flags.BoolVar(&o.markdown, "md", false, "print Markdown")
	flags.BoolVar(&o.junit, "junit", false, "print JUnit XML")
	flags.StringVar(&o.baselineFile, "baseline", "", "expect the failures that `FILE` names (schema "+parity.BaselineSchema+")")
	flags.StringVar(&o.diffFile, "diff", "", "show what has changed since the report in `FILE`, which --json has printed")
	return cmd
}

// choose looks up the backends and reads the files, so that whatever is wrong with them is told before anything is started.
func (o *parityOptions) choose(names []string) error {
	if o.json && o.markdown || o.json && o.junit || o.markdown && o.junit {
		return usageError("--json, --md and --junit exclude each other")
	}
	for _, name := range names {
		d, err := backends.Lookup(name)
		if err != nil {
			return &exitError{exitUsage, err}
		}
		if !slices.Contains(o.ids, d.ID) {
			o.ids = append(o.ids, d.ID)
		}
	}
	if o.baselineFile != "" {
		text, err := os.ReadFile(o.baselineFile)
		if err != nil {
			return usageError("cannot read the baseline: %w", err)
		}
		b, err := parity.ParseBaseline(text)
		if err != nil {
			return usageError("%s: %w", o.baselineFile, err)
		}
		for _, e := range b.Expected {
			if _, err := backends.Lookup(e.Backend); err != nil && e.Backend != parity.AllBackends {
				return usageError("cannot use the baseline %s: %w", o.baselineFile, err)
			}
		}
		o.baseline = &b
	}
	if o.diffFile != "" {
		before, err := readParity(o.diffFile)
		if err != nil {
			return err
		}
		o.before = o.about(before)
	}
	return nil
}

func readParity(file string) (*parity.Report, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, usageError("cannot read the report: %w", err)
	}
	defer f.Close()
	r, err := parity.ReadReport(f)
	if err != nil {
		return nil, usageError("%s: %w", file, err)
	}
	return r, nil
}

// about is the part of an earlier report that is about the chosen backends: the others have not gone, they were not asked for.
func (o *parityOptions) about(r *parity.Report) *parity.Report {
	if len(o.ids) == 0 {
		return r
	}
	var cells []parity.Cell
	for _, c := range r.Results {
		if c.Backend == "-" || slices.Contains(o.ids, c.Backend) {
			cells = append(cells, c)
		}
	}
	return parity.NewReport(r.Agents, cells)
}

func (a *app) parity(ctx context.Context, o *parityOptions) error {
	a.hard.use() // what the first interrupt ends, it kills
	compare := a.parityMatrix
	if o.live {
		compare = a.parityLive
	}
	report, err := compare(ctx, o.ids)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return &exitError{exitInterrupted, nil} // what was not compared any more says nothing
	}
	if o.baseline != nil {
		report = report.Apply(*o.baseline)
	}
	var changes []parity.Change
	if o.before != nil {
		changes = parity.Diff(o.before, report)
	}
	if err := a.printParity(o, report, changes); err != nil {
		return err
	}
	if report.Failed > 0 || parity.Regressed(changes) {
		return &exitError{exitFailed, nil}
	}
	return nil
}

// parityMatrix compares the declarations, with acpctl itself as the agent that plays the backends.
func (a *app) parityMatrix(ctx context.Context, ids []string) (*parity.Report, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find the executable of acpctl, which plays the backends: %w", err)
	}
	return parity.Matrix(ctx, &parity.MatrixOptions{Backends: ids, Agent: []string{self, "mock", "agent", "--script"}})
}

// completeKnown completes the ids of the backends that acpctl knows itself: nothing is declared of the user's own.
func completeKnown(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	for d := range backends.All() {
		ids = append(ids, d.ID+"\t"+d.Name)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
