package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/parity/bench"
	"github.com/acpharness/acpharness/parity/reconcile"
	"github.com/acpharness/acpharness/provider"
)

// reconcileOptions are the flags of probe --reconcile.
type reconcileOptions struct {
	on, full, json   bool
	cells            []string
	repeat, jobs     int
	resume, evidence string
	floor, versions  string
	profile          string
}

func (o *reconcileOptions) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&o.on, "reconcile", false, "edit the agent's MCP configuration under a live session, without an account, and tell what comes of it")
	flags.BoolVar(&o.full, "full", false, "with --reconcile: under all circumstances")
	flags.StringSliceVar(&o.cells, "cells", nil, "with --reconcile: only these `CELLS`, such as add or disable/injected")
	flags.IntVar(&o.repeat, "repeat", 0, "with --reconcile: measure how long edits take so many times")
	flags.IntVar(&o.jobs, "jobs", 1, "with --reconcile: how many agents are looked at side by side")
	flags.StringVar(&o.resume, "resume", "", "with --reconcile: keep what was found in this `DIR`, and do not look again for what is there")
	flags.StringVar(&o.evidence, "evidence", "", "with --reconcile: write evidence into `DIR`")
	flags.StringVar(&o.floor, "floor", "", "with --reconcile: walk the versions `V1..V2` of one agent to the first that follows; see --versions")
	flags.StringVar(&o.versions, "versions", "", "with --floor: `DIR` has a folder for each version, made by npm install --prefix DIR/VERSION PACKAGE@VERSION")
	flags.StringVar(&o.profile, "mock-profile", "", "with --reconcile: what the built-in agent is to do: "+strings.Join(mockProfiles(), ", "))
	_ = cmd.MarkFlagDirname("resume")
	_ = cmd.MarkFlagDirname("evidence")
	_ = cmd.MarkFlagDirname("versions")
}

func mockProfiles() []string {
	return []string{"good", "broken", "slow", "partial", "false-positive", "flips-on-injection"}
}

// reconcile is probe --reconcile.
func (a *app) reconcile(ctx context.Context, o *reconcileOptions, names, command []string) error {
	if len(names) == 0 {
		names = []string{"builtin"}
	}
	if (len(command) > 0 || o.floor != "") && len(names) != 1 {
		return usageError("--floor and a command line of one's own go with one backend")
	}
	if (o.floor == "") != (o.versions == "") {
		return usageError("--floor and --versions go together")
	}
	var cells []reconcile.Cell
	for _, key := range o.cells {
		cell, err := reconcile.ParseCell(key)
		if err != nil {
			return &exitError{exitUsage, err}
		}
		cells = append(cells, cell)
	}
	var subjects []*reconcile.Subject
	for _, name := range names {
		s, err := a.reconcileSubject(o, name, command)
		if err != nil {
			return err
		}
		subjects = append(subjects, s)
	}
	a.hard.use() // an interrupt kills the agents
	if o.floor != "" {
		return a.walkFloor(ctx, o, subjects[0])
	}
	reports := make([]*reconcile.Report, len(subjects))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(o.jobs, 1))
	for i, s := range subjects {
		group.Go(func() (err error) {
			reports[i], err = a.reconcileOne(ctx, o, s, cells)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := a.printReconcile(o, reports); err != nil {
		return err
	}
	return o.finish(a, reports)
}

// finish writes the evidence and says what could not be finished.
func (o *reconcileOptions) finish(a *app, reports []*reconcile.Report) error {
	var errs []error
	for _, r := range reports {
		if failed := r.Failed(); len(failed) > 0 {
			errs = append(errs, fmt.Errorf("%s: not finished: %s", r.Backend, strings.Join(failed, ", ")))
			continue
		}
		if o.evidence == "" {
			continue
		}
		e, err := r.Evidence("acpctl probe --reconcile")
		if err == nil {
			var text []byte
			if text, err = e.Marshal(); err == nil {
				err = os.WriteFile(filepath.Join(o.evidence, e.FileName()), text, 0o600)
			}
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		fmt.Fprintf(a.streams.Err, "acpctl: wrote %s\n", filepath.Join(o.evidence, e.FileName()))
	}
	return errors.Join(errs...)
}

// reconcileSubject makes a subject of a backend. command replaces its command line if not empty.
func (a *app) reconcileSubject(o *reconcileOptions, name string, command []string) (*reconcile.Subject, error) {
	d, err := backends.Lookup(name)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	recipe, err := backends.LookupRecipe(liveRecipe, d.ID)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	if len(d.MCPFiles) == 0 {
		return nil, &exitError{exitUsage, fmt.Errorf("cannot edit the configuration of %s: %w", d.ID, reconcile.ErrNoFiles)}
	}
	if o.profile != "" && !d.Builtin {
		return nil, usageError("--mock-profile is for the built-in agent, not for %s", d.ID)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find the executable of acpctl, which the servers for the agents are part of: %w", err)
	}
	return &reconcile.Subject{
		Descriptor: d, Recipe: recipe, MCPServer: []string{self, "mock", "mcp"},
		Connect: provider.ConnectOptions{
			ClientInfo: a.info, Client: acp.ClientOptions{Tap: a.trace.tap(d.ID), Logger: a.logger}, StateDir: a.ledger(),
		},
		Connector: func(b *bench.Bench) (provider.Connector, error) {
			opts := &provider.BackendOptions{Command: command}
			if d.Builtin {
				script := filepath.Join(b.Home(), "script.json")
				if err := writeModelScript(script, b.ModelURL(), o.profile); err != nil {
					return nil, err
				}
				opts.Self = []string{self, "mock", "agent", "--script", script}
			}
			return provider.NewBackend(d, opts), nil
		},
	}, nil
}

// writeModelScript has the built-in agent ask a model, and do with its configuration what a profile says.
func writeModelScript(file, model, profile string) error {
	mcp := map[string]string{"model": model}
	if profile != "" {
		mcp["profile"] = profile
	}
	text, err := json.Marshal(map[string]any{"mcp": mcp})
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// reconcileOne looks at one agent. What it finds is kept as soon as it is found, if a folder for that was given.
func (a *app) reconcileOne(ctx context.Context, o *reconcileOptions, s *reconcile.Subject, cells []reconcile.Cell) (*reconcile.Report, error) {
	d := &s.Descriptor
	opts := &reconcile.Options{Cells: cells, Repeat: o.repeat, Progress: func(what string) {
		a.logger.Debug("reconcile", "subject", d.ID, "cell", what)
		fmt.Fprintf(a.streams.Err, "%s: %s\n", d.ID, what)
	}}
	if cells == nil {
		opts.Cells = reconcile.Cells(d.MCPFiles, d.Trust.TakesServers, o.full)
		opts.Extras = reconcile.Extras(o.full)
	}
	if o.resume != "" {
		file := filepath.Join(o.resume, d.ID+".json")
		earlier, err := readReconcile(file)
		if err != nil {
			return nil, err
		}
		opts.Earlier = earlier
		opts.Finished = func(r *reconcile.Report) {
			if err := writeReconcile(file, r); err != nil {
				fmt.Fprintf(a.streams.Err, "acpctl: %s\n", ui.Plain(err.Error()))
			}
		}
	}
	return reconcile.Run(ctx, s, opts)
}

func readReconcile(file string) (*reconcile.Report, error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil //nolint:nilnil // nothing was found earlier
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return reconcile.ReadReport(f)
}

func writeReconcile(file string, r *reconcile.Report) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.WriteFile(file+".new", append(text, '\n'), 0o600)
	}
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		return fmt.Errorf("cannot keep what was found: %w", err)
	}
	return nil
}
