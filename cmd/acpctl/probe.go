package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/parity/bench"
	"github.com/acpharness/acpharness/parity/probe"
)

type probeOptions struct {
	subjects []probe.Subject
	all      bool
	json     bool
	timeout  time.Duration
	home     string
	isolated bool
	recipe   string
	recipes  map[string]*backends.Recipe // by subject
}

func (a *app) probeCommand() *cobra.Command {
	o := &probeOptions{}
	r := &reconcileOptions{}
	cmd := &cobra.Command{
		Use:   "probe [flags] [BACKEND...] [-- CMD ARGS...]",
		Short: "Show what agents are and do",
		Long: "probe starts each subject, reads what it says of itself in the handshake, asks it for a session in an empty folder,\n" +
			"stops it and reports. It never signs in and never sends a prompt. Without a subject it probes the built-in agent.",
		Example: "  acpctl probe\n  acpctl probe opencode gemini --isolated --json\n  acpctl probe -- ./my-agent --acp",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			recipe := o.recipe
			if r.on {
				recipe = liveRecipe
			}
			if ran, err := a.offline(recipe); ran {
				return err
			}
			names, command := splitDash(cmd, args)
			if r.on {
				r.json = o.json
				return a.reconcile(cmd.Context(), r, names, command)
			}
			if err := o.choose(cmd, names, command); err != nil {
				return err
			}
			return a.probe(cmd.Context(), o)
		},
		ValidArgsFunction: completeBackends,
	}
	flags := cmd.Flags()
	backendFileFlag(cmd)
	flags.BoolVar(&o.all, "all", false, "probe every known backend; one that is not installed is no failure")
	flags.BoolVar(&o.json, "json", false, "print a JSON object (schema "+probe.Schema+")")
	flags.DurationVar(&o.timeout, "timeout", probe.DefaultTimeout, "the most that one subject may take for everything")
	flags.StringVar(&o.home, "home", "", "give the agents `DIR` as their home and for their configuration")
	flags.BoolVar(&o.isolated, "isolated", false, "give each agent a fresh home, deleted afterwards")
	recipeFlag(cmd, &o.recipe)
	r.register(cmd)
	return cmd
}

// choose turns names and a command into subjects.
func (o *probeOptions) choose(cmd *cobra.Command, names, command []string) error {
	if o.timeout <= 0 {
		return usageError("--timeout must be positive")
	}
	if o.home != "" && o.isolated {
		return usageError("--home and --isolated exclude each other")
	}
	if o.home != "" && o.recipe != "" {
		return usageError("--home and --recipe, which makes a home of its own, exclude each other")
	}
	if o.all {
		if len(names) > 0 {
			return usageError("--all takes no backends")
		}
		names = backends.IDs()
	}
	seen := map[string]bool{}
	for _, name := range names {
		s, err := backendSubject(name, nil)
		if err != nil {
			return err
		}
		if !seen[s.Name] {
			o.subjects = append(o.subjects, s)
		}
		seen[s.Name] = true
	}
	if file, given := backendFile(cmd); given {
		s, err := fileSubject(file, nil)
		if err != nil {
			return err
		}
		if seen[s.Name] {
			return usageError("%s and --backend-file are both called %s", s.Name, s.Name)
		}
		o.subjects = append(o.subjects, s)
	}
	if cmd.ArgsLenAtDash() >= 0 {
		s, err := commandSubject(command)
		if err != nil {
			return err
		}
		o.subjects = append(o.subjects, s)
	}
	if len(o.subjects) == 0 {
		s, err := backendSubject("builtin", nil)
		if err != nil {
			return err
		}
		o.subjects = append(o.subjects, s)
	}
	return o.chooseRecipes()
}

// chooseRecipes looks up the recipe of every subject. With --all, who has none is probed in an isolated home.
func (o *probeOptions) chooseRecipes() error {
	if o.recipe == "" {
		return nil
	}
	o.isolated = true
	o.recipes = map[string]*backends.Recipe{}
	for _, s := range o.subjects {
		if o.all && s.Descriptor != nil && !slices.Contains(backends.RecipeBackends(o.recipe), s.Descriptor.ID) {
			continue
		}
		r, err := recipeOf(o.recipe, s)
		if err != nil {
			return err
		}
		o.recipes[s.Name] = r
	}
	return nil
}

func (a *app) probe(ctx context.Context, o *probeOptions) error {
	// The first stage is as hard already: a probe that is interrupted kills its agents.
	a.hard.use()
	if o.home != "" { // before anything is started
		if _, err := bench.NewHome(o.home); err != nil {
			return usageError("cannot use --home: %w", err)
		}
	}
	report := &probe.Report{Schema: probe.Schema, Subjects: make([]*probe.Observation, len(o.subjects))}
	errs := make([]error, len(o.subjects))
	slots := make(chan struct{}, parallelProbes)
	var wg sync.WaitGroup
	for i, s := range o.subjects {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			report.Subjects[i], errs[i] = a.observe(ctx, o, s)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	if err := a.printReport(o, report); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return &exitError{exitInterrupted, nil}
	}
	for _, seen := range report.Subjects {
		if code := o.failure(seen); code != exitOK {
			return &exitError{code, nil}
		}
	}
	return nil
}

// parallelProbes bounds how many agents start at once: their start-up is mostly work for the processor.
const parallelProbes = 4

func (a *app) observe(ctx context.Context, o *probeOptions, s probe.Subject) (*probe.Observation, error) {
	where := &place{}
	if o.isolated || o.home != "" {
		var err error
		if where, err = a.isolate(ctx, o.recipes[s.Name], o.home); err != nil {
			return nil, err
		}
		defer a.leave(where)
	}
	tap := a.trace.tap(s.Name)
	where.opts.ClientInfo, where.opts.StateDir = a.info, a.ledger()
	where.opts.Client = acp.ClientOptions{Tap: tap, Logger: a.logger}
	seen := probe.Observe(ctx, s, &probe.Options{
		Connect: where.opts, Timeout: o.timeout,
		Progress: func(phase acp.Phase) {
			a.logger.Debug("probe", "subject", s.Name, "phase", phase)
			if len(o.subjects) > 1 || a.streams.ErrTTY {
				fmt.Fprintf(a.streams.Err, "%s: %s\n", s.Name, phase)
			}
		},
	})
	return seen, nil
}

// failure returns the exit code that an observation asks for.
func (o *probeOptions) failure(seen *probe.Observation) int {
	if seen.Initialized {
		return exitOK
	}
	switch seen.Outcome {
	case probe.Timeout:
		return exitTimeout
	case probe.AuthRequired:
		return exitAuth
	case probe.NotFound:
		if o.all {
			return exitOK
		}
	case probe.OK, probe.StartFailed, probe.NotACP:
	}
	return exitStart
}

func (a *app) printReport(o *probeOptions, report *probe.Report) error {
	if o.json {
		enc := json.NewEncoder(a.streams.Out)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(report)
	}
	table := a.streams.NewTable("SUBJECT", "OUTCOME", "AGENT", "VERSION", "PROTO", "SESSION", "START", "STOPPED", "LEFT", "DESCRIPTOR")
	for _, seen := range report.Subjects {
		table.Row(row(seen)...)
	}
	if err := table.Print(); err != nil {
		return err
	}
	for _, seen := range report.Subjects {
		a.details(seen, o)
	}
	return nil
}

func row(seen *probe.Observation) []ui.Cell {
	style := ui.Red
	switch seen.Outcome {
	case probe.OK:
		style = ui.Green
	case probe.AuthRequired, probe.NotFound:
		style = ui.Yellow
	case probe.StartFailed, probe.NotACP, probe.Timeout:
	}
	agent := seen.Agent.Title
	if agent == "" {
		agent = seen.Agent.Name
	}
	session, start, stopped, left := "-", "-", "-", "-"
	if seen.Session != nil {
		session = "refused"
		if seen.Session.Opened {
			session = "opened"
		}
	}
	if seen.Initialized {
		start = strconv.FormatFloat(seen.Timings.Spawn+seen.Timings.Initialize, 'f', 0, 64) + " ms"
	}
	if seen.Stop != nil {
		stopped = seen.Stop.By
		left = strconv.Itoa(len(seen.Stop.Leftover))
	}
	verified := seen.Verified
	if verified == "" {
		verified = "-"
	}
	return []ui.Cell{
		{Text: seen.Subject},
		{Text: string(seen.Outcome), Style: style},
		{Text: dash(agent)},
		{Text: dash(seen.Agent.Version)},
		{Text: dash(string(seen.ProtocolVersion))},
		{Text: session},
		{Text: start},
		{Text: stopped},
		{Text: left},
		{Text: verified, Style: ui.Dim},
	}
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// details tells on stderr what does not fit into a row.
func (a *app) details(seen *probe.Observation, o *probeOptions) {
	if o.all && seen.Outcome == probe.NotFound {
		return
	}
	tell := func(format string, args ...any) {
		fmt.Fprintf(a.streams.Err, "%s: %s\n", seen.Subject, ui.Plain(fmt.Sprintf(format, args...)))
	}
	if seen.Error != "" {
		tell("%s", seen.Error)
	}
	if seen.Session != nil && seen.Outcome == probe.AuthRequired {
		var ways []string
		for _, m := range seen.AuthMethods {
			ways = append(ways, m.ID+" ("+m.Type+")")
		}
		tell("wants a sign-in; it offers: %s", dash(strings.Join(ways, ", ")))
	}
	if seen.Noise.Lines > 0 && seen.Initialized {
		tell("wrote beside the protocol (lines: %d), the first: %s", seen.Noise.Lines, seen.Noise.Sample[0])
	}
	if seen.Stderr != "" {
		tell("its standard error ended:\n%s", strings.TrimRight(seen.Stderr, "\n"))
	}
	if seen.Stop != nil && len(seen.Stop.Leftover) > 0 {
		tell("left processes behind: %v", seen.Stop.Leftover)
	}
	if seen.Hint != "" && !strings.Contains(seen.Error, seen.Hint) {
		tell("%s", seen.Hint)
	}
}
