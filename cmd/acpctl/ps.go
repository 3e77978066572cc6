package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/internal/proc"
)

const (
	psSchema   = "acpharness.ps/1"
	reapSchema = "acpharness.reap/1"
)

// treeFlags are what ps and reap have in common.
type treeFlags struct {
	stateDir string
	json     bool
	dryRun   bool
}

func (f *treeFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.stateDir, "state-dir", "", "`DIR` of the ledger instead of the user's own")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
}

func (a *app) psCommand() *cobra.Command {
	var f treeFlags
	cmd := &cobra.Command{
		Use:   "ps",
		Short: "List the process trees of agents, those that a crash left behind included",
		Args:  usageArgs(cobra.NoArgs),
		RunE:  func(*cobra.Command, []string) error { return a.listTrees(&f) },
	}
	f.add(cmd)
	return cmd
}

func (a *app) reapCommand() *cobra.Command {
	var f treeFlags
	cmd := &cobra.Command{
		Use:   "reap",
		Short: "End the process trees that a crash left behind",
		Long: "reap ends the processes of agents whose host is gone: SIGTERM, and SIGKILL after 5 seconds or at an interrupt.\n" +
			"Trees whose host runs are never touched. It is no failure if there is nothing to do; it is one if something survives.",
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.reapTrees(cmd.Context(), &f) },
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "only tell what would be done")
	return cmd
}

// stateDir is where programs of one user keep what has to outlive them.
func stateDir() (string, error) {
	// The specification of XDG wants relative paths to be ignored.
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "acpharness"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("cannot find the state directory: %w", err)
	}
	return filepath.Join(home, ".local", "state", "acpharness"), nil
}

// trees reads the ledger. Entries that cannot be read are told on stderr.
func (a *app) trees(f *treeFlags) ([]proc.TreeEntry, error) {
	dir := f.stateDir
	if dir == "" {
		var err error
		if dir, err = stateDir(); err != nil {
			return nil, err
		}
	}
	entries, errs := proc.ReadLedger(dir)
	for _, err := range errs {
		if errors.Is(err, errors.ErrUnsupported) {
			return nil, err
		}
		fmt.Fprintf(a.streams.Err, "acpctl: %s\n", ui.Plain(err.Error()))
	}
	return entries, nil
}

// treeJSON is the documented form of an entry of the ledger.
type treeJSON struct {
	Label     string          `json:"label"`
	Name      string          `json:"name"`
	Nonce     string          `json:"nonce"`
	HostPID   int             `json:"hostPid"`
	LeaderPID int             `json:"leaderPid"`
	Status    proc.TreeStatus `json:"status"`
	Started   time.Time       `json:"started"`
	RSS       int64           `json:"rssBytes"`
	Processes []proc.Swept    `json:"processes"`
}

func treeToJSON(e *proc.TreeEntry) treeJSON {
	return treeJSON{
		Label: e.Label, Name: e.Name, Nonce: e.Nonce, HostPID: e.Host.PID, LeaderPID: e.Leader.PID, Status: e.Status,
		Started: e.Started, RSS: e.RSS, Processes: append([]proc.Swept{}, e.Members...),
	}
}

func (a *app) listTrees(f *treeFlags) error {
	entries, err := a.trees(f)
	if err != nil {
		return err
	}
	if f.json {
		list := []treeJSON{}
		for i := range entries {
			list = append(list, treeToJSON(&entries[i]))
		}
		return a.writeJSON(map[string]any{"schema": psSchema, "trees": list})
	}
	table := a.streams.NewTable("LABEL", "NAME", "HOST", "LEADER", "STATUS", "PROCESSES", "RSS MB", "AGE")
	for i := range entries {
		e := &entries[i]
		style := ui.Dim
		if e.Status == proc.TreeLeftover {
			style = ui.Yellow
		}
		table.Row(
			ui.Cell{Text: e.Label}, ui.Cell{Text: e.Name}, ui.Cell{Text: strconv.Itoa(e.Host.PID)},
			ui.Cell{Text: strconv.Itoa(e.Leader.PID)}, ui.Cell{Text: string(e.Status), Style: style},
			ui.Cell{Text: strconv.Itoa(len(e.Members))}, ui.Cell{Text: strconv.FormatInt((e.RSS+1<<19)>>20, 10)},
			ui.Cell{Text: max(time.Since(e.Started), 0).Round(time.Second).String()},
		)
	}
	return table.Print()
}

// reapedJSON is the documented form of what reap did about one tree.
type reapedJSON struct {
	treeJSON
	Killed []proc.Swept `json:"killed"`
	Error  string       `json:"error,omitempty"`
}

func (a *app) reapTrees(ctx context.Context, f *treeFlags) error {
	entries, err := a.trees(f)
	if err != nil {
		return err
	}
	list := []reapedJSON{}
	survived := false
	for i := range entries {
		e := &entries[i]
		if e.Status != proc.TreeLeftover && e.Status != proc.TreeGone {
			continue
		}
		r := reapedJSON{treeJSON: treeToJSON(e), Killed: []proc.Swept{}}
		if !f.dryRun {
			killed, err := proc.Reap(ctx, e, 0)
			r.Killed = append(r.Killed, killed...)
			if err != nil {
				survived = true
				r.Error = err.Error()
				fmt.Fprintf(a.streams.Err, "acpctl: %s\n", ui.Plain(r.Error))
			}
		}
		list = append(list, r)
	}
	if f.json {
		err = a.writeJSON(map[string]any{"schema": reapSchema, "dryRun": f.dryRun, "trees": list})
	} else {
		err = a.printReaped(list, f.dryRun)
	}
	if err == nil && survived {
		err = &exitError{exitFailed, nil}
	}
	return err
}

// printReaped prints a line for each process.
func (a *app) printReaped(list []reapedJSON, dryRun bool) error {
	var b strings.Builder
	for _, r := range list {
		what, processes := "ended", r.Killed
		if dryRun {
			what, processes = "would end", r.Processes
		}
		for _, p := range processes {
			fmt.Fprintf(&b, "%s %d (%s) of %s\n", what, p.PID, ui.OneLine(p.Name, 0), ui.OneLine(r.Label+" "+r.Name, 0))
		}
	}
	_, err := fmt.Fprint(a.streams.Out, b.String())
	return err
}
