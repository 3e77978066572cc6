package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/internal/proc"
	"github.com/acpharness/acpharness/parity/probe"
)

const doctorSchema = "acpharness.doctor/1"

// doctor is one examination.
type doctor struct {
	app      *app
	subjects []probe.Subject
	named    bool // by the user, who wants all of them to work
	json     bool
	noStart  bool
	timeout  time.Duration

	mu sync.Mutex // for stderr
}

func (a *app) doctorCommand() *cobra.Command {
	d := &doctor{app: a}
	cmd := &cobra.Command{
		Use:   "doctor [flags] [BACKEND...]",
		Short: "Check which agents are installed, fit what is known of them, and are signed in",
		Long: "doctor looks for every known agent, or for those that are named. Those that are installed are started: each tells its name and\n" +
			"version, opens a session in an empty folder, and is stopped. doctor never signs in and never sends a prompt. Where a human has\n" +
			"to act there is an issue, with what to do next; the exit code is 1 if there is one.",
		Example: "  acpctl doctor\n  acpctl doctor claude codex --json\n  acpctl doctor --no-start",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := d.choose(args); err != nil {
				return err
			}
			return d.run(cmd.Context())
		},
		ValidArgsFunction: completeBackends,
	}
	flags := cmd.Flags()
	flags.BoolVar(&d.json, "json", false, "print a JSON object (schema "+doctorSchema+")")
	flags.BoolVar(&d.noStart, "no-start", false, "start nothing: what only a running agent tells is unknown")
	flags.DurationVar(&d.timeout, "timeout", probe.DefaultTimeout, "the most that one agent may take, but for stopping it")
	return cmd
}

// choose turns names into subjects, no names into all there are.
func (d *doctor) choose(names []string) error {
	if d.timeout <= 0 {
		return usageError("--timeout must be positive")
	}
	d.named = len(names) > 0
	if !d.named {
		names = doctorIDs()
	}
	seen := map[string]bool{}
	for _, name := range names {
		s, err := backendSubject(name, nil)
		if err != nil {
			return err
		}
		if !seen[s.Name] {
			d.subjects = append(d.subjects, s)
		}
		seen[s.Name] = true
	}
	return nil
}

// doctorIDs are the ids of all known agents, the user's own included.
func doctorIDs() []string {
	ids := backends.IDs()
	users, _ := userBackends() // what is wrong with others is told when the first is looked up
	for _, u := range users {
		ids = append(ids, u.Descriptor.ID)
	}
	return ids
}

// parallelCheckups bounds how many agents run at once: people work beside it.
const parallelCheckups = 2

func (d *doctor) run(ctx context.Context) error {
	issues := []issue{}
	if !d.named {
		issues = append(issues, leftovers(d.app.trees(&treeFlags{}))...)
	}
	found := make([]*checkup, len(d.subjects))
	slots := make(chan struct{}, parallelCheckups)
	var wg sync.WaitGroup
	for i, s := range d.subjects {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			found[i] = d.examine(ctx, s)
		})
	}
	wg.Wait()
	for _, c := range found {
		issues = append(issues, c.issues...)
	}
	if err := d.print(found, issues); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return &exitError{exitInterrupted, nil}
	case len(issues) > 0:
		return &exitError{exitFailed, nil}
	}
	return nil
}

// leftovers makes an issue of what a crash has left behind. A ledger that cannot be read is nothing to act upon.
func leftovers(entries []proc.TreeEntry, err error) []issue {
	n := 0
	for i := range entries {
		if entries[i].Status == proc.TreeLeftover {
			n++
		}
	}
	if err != nil || n == 0 {
		return nil
	}
	return []issue{{
		Kind: issueLeftover, Problem: fmt.Sprintf("agents that a crash has left behind still run (process trees: %d)", n),
		Next: "acpctl ps shows them, acpctl reap ends them",
	}}
}

func (d *doctor) tell(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fmt.Fprintf(d.app.streams.Err, "acpctl: %s\n", ui.OneLine(fmt.Sprintf(format, args...), 0))
}
