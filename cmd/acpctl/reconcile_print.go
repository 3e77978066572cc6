package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/parity/reconcile"
)

// printReconcile prints what was found: a row for each cell, and the verdicts with their conditions on stderr.
func (a *app) printReconcile(o *reconcileOptions, reports []*reconcile.Report) error {
	if o.json {
		return a.writeJSON(map[string]any{"schema": reconcile.Schema, "reports": reports})
	}
	table := a.streams.NewTable("AGENT", "VERSION", "CELL", "VERDICT", "AFTER", "WHY").Whole(5)
	for _, r := range reports {
		for i := range r.Results {
			res := &r.Results[i]
			after := "-"
			if res.Latency > 0 {
				after = fmt.Sprintf("%.2f s", res.Latency)
			}
			table.Row(ui.Cell{Text: r.Backend}, ui.Cell{Text: dash(r.Version)}, ui.Cell{Text: res.Key},
				ui.Cell{Text: string(res.Verdict), Style: verdictStyle(res.Verdict)}, ui.Cell{Text: after}, ui.Cell{Text: ui.OneLine(res.Why, 0), Style: ui.Dim})
		}
		for _, e := range r.Extras {
			word, why := "no", e.Why
			if e.Holds {
				word = "yes"
			}
			if e.Error != "" {
				word, why = "unknown", e.Error
			}
			table.Row(ui.Cell{Text: r.Backend}, ui.Cell{Text: dash(r.Version)}, ui.Cell{Text: e.Name}, ui.Cell{Text: word}, ui.Cell{Text: "-"}, ui.Cell{Text: ui.OneLine(why, 0), Style: ui.Dim})
		}
		for _, edit := range backends.Edits() {
			if times := r.Latencies[edit]; len(times) > 0 {
				table.Row(ui.Cell{Text: r.Backend}, ui.Cell{Text: dash(r.Version)}, ui.Cell{Text: string(edit) + " repeated"}, ui.Cell{Text: strconv.Itoa(len(times))},
					ui.Cell{Text: "-"}, ui.Cell{Text: reconcile.Spread(times), Style: ui.Dim})
			}
		}
	}
	if err := table.Print(); err != nil {
		return err
	}
	for _, r := range reports {
		word := "does not follow"
		if r.Follows() {
			word = "follows"
		}
		fmt.Fprintf(a.streams.Err, "%s: %s %s adding, disabling, enabling and removing a server\n", r.Backend, r.Name(), word)
		for _, edit := range backends.Edits() {
			if f, ok := r.Findings()[edit]; ok && len(f.Conditions) > 0 {
				var conditions []string
				for _, c := range f.Conditions {
					conditions = append(conditions, string(c))
				}
				fmt.Fprintf(a.streams.Err, "%s: %s: %s, if %s\n", r.Backend, edit, f.Verdict, strings.Join(conditions, ", "))
			}
		}
	}
	return nil
}

func verdictStyle(v backends.Verdict) ui.Style {
	switch v {
	case backends.VerdictFollows, backends.VerdictNextTurn:
		return ui.Green
	case backends.VerdictFalsePositive:
		return ui.Red
	default:
		return ui.Yellow
	}
}

// walkFloor is --floor.
func (a *app) walkFloor(ctx context.Context, o *reconcileOptions, s *reconcile.Subject) error {
	low, high, ok := strings.Cut(o.floor, "..")
	from, fromOK := backends.ParseVersion(low)
	to, toOK := backends.ParseVersion(high)
	if !ok || !fromOK || !toOK {
		return usageError("--floor %s: want two versions, such as 1.0.92..1.0.102", o.floor)
	}
	entries, err := os.ReadDir(o.versions)
	if err != nil {
		return usageError("cannot use --versions: %w", err)
	}
	type candidate struct {
		version backends.Version
		dir     string
	}
	var found []candidate
	for _, entry := range entries {
		v, isVersion := backends.ParseVersion(entry.Name())
		if isVersion && entry.IsDir() && v.Compare(from) >= 0 && v.Compare(to) <= 0 {
			found = append(found, candidate{v, entry.Name()})
		}
	}
	if len(found) == 0 {
		return usageError("there is no version from %s to %s in %s", low, high, o.versions)
	}
	slices.SortFunc(found, func(x, y candidate) int { return x.version.Compare(y.version) })
	var subjects []*reconcile.Subject
	for _, c := range found {
		bin, err := filepath.Abs(filepath.Join(o.versions, c.dir, "node_modules", ".bin"))
		if err != nil {
			return err
		}
		one, err := a.reconcileSubject(o, s.Descriptor.ID, append([]string{filepath.Join(bin, s.Descriptor.Launch.Command)}, s.Descriptor.Launch.Args...))
		if err != nil {
			return err
		}
		subjects = append(subjects, one)
	}
	report, err := reconcile.Walk(ctx, subjects, &reconcile.Options{Progress: func(what string) { fmt.Fprintf(a.streams.Err, "%s: %s\n", s.Descriptor.ID, what) }})
	if err != nil {
		return err
	}
	if o.json {
		return a.writeJSON(report)
	}
	table := a.streams.NewTable("VERSION", "FOLLOWS", "EDITS")
	for _, v := range report.Versions {
		word := "no"
		if v.Follows {
			word = "yes"
		}
		var edits []string
		for _, edit := range backends.Edits() {
			if verdict, ok := v.Edits[edit]; ok {
				edits = append(edits, fmt.Sprintf("%s %s", edit, verdict))
			}
		}
		table.Row(ui.Cell{Text: v.Version}, ui.Cell{Text: word}, ui.Cell{Text: strings.Join(edits, ", ")})
	}
	if err := table.Print(); err != nil {
		return err
	}
	fmt.Fprintf(a.streams.Err, "acpctl: the first version that follows: %s\n", dash(report.Floor))
	return nil
}
