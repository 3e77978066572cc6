package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/harness/grants"
)

const grantsSchema = "acpharness.grants/1"

// grantsFlags are what the commands about grants have in common.
type grantsFlags struct {
	backend, root, stateDir string
	json, all               bool
}

func (a *app) grantsCommand() *cobra.Command {
	f := &grantsFlags{}
	cmd := &cobra.Command{
		Use:   "grants",
		Short: "List and revoke the permissions that were given \"always\"",
		Long: "A grant is an answer \"always\" to an agent that asked for permission: it holds for one backend in one folder, for\n" +
			"exactly what was asked. No agent is started by these commands.",
		Example: "  acpctl grants list --backend claude --root .\n  acpctl grants revoke 3f2a9c51d07e4b86\n  acpctl grants revoke --all --root .",
		Args:    usageArgs(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	flags := cmd.PersistentFlags()
	flags.StringVar(&f.backend, "backend", "", "only grants of this backend")
	flags.StringVar(&f.root, "root", "", "only grants of sessions in this `DIR`")
	flags.StringVar(&f.stateDir, "state-dir", "", "`DIR` of the file grants.json instead of the user's own")
	flags.BoolVar(&f.json, "json", false, "print a JSON object (schema "+grantsSchema+")")
	_ = cmd.RegisterFlagCompletionFunc("backend", completeBackends)
	revoke := &cobra.Command{
		Use:   "revoke [flags] ID...|--all",
		Short: "Revoke grants by their ids, or all that the flags choose",
		Args:  cobra.ArbitraryArgs,
		RunE:  func(cmd *cobra.Command, args []string) error { return a.revokeGrants(cmd, f, args) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return completeGrants(f), cobra.ShellCompDirectiveNoFileComp
		},
	}
	revoke.Flags().BoolVar(&f.all, "all", false, "revoke all grants, or all of --backend and --root")
	cmd.AddCommand(
		&cobra.Command{
			Use:   "list [flags]",
			Short: "List the grants",
			Args:  usageArgs(cobra.NoArgs),
			RunE:  func(*cobra.Command, []string) error { return a.listGrants(f) },
		},
		revoke,
	)
	return cmd
}

// open returns the store and what the flags choose of it.
func (f *grantsFlags) open() (*grants.Store, *grants.Filter, error) {
	filter := &grants.Filter{Backend: f.backend}
	if f.root != "" {
		var err error
		if filter.Root, err = filepath.Abs(f.root); err != nil { // it need not exist any more
			return nil, nil, fmt.Errorf("cannot use --root %s: %w", f.root, err)
		}
	}
	if f.stateDir != "" {
		return grants.Open(filepath.Join(f.stateDir, "grants.json")), filter, nil
	}
	file, err := grants.DefaultFile()
	return grants.Open(file), filter, err
}

// completeGrants says of each id what it is for.
func completeGrants(f *grantsFlags) []string {
	store, filter, err := f.open()
	if err != nil {
		return nil
	}
	list, _ := store.List(filter)
	var ids []string
	for i := range list {
		ids = append(ids, list[i].ID+"\t"+ui.OneLine(list[i].Backend+" "+grantedTool(&list[i])+" "+list[i].Target(), 60))
	}
	return ids
}

func grantedTool(g *grants.Grant) string {
	return strings.TrimSpace(string(g.Kind) + " " + g.Tool)
}

// grantJSON is the documented form of a grant.
type grantJSON struct {
	ID       string       `json:"id"`
	Backend  string       `json:"backend"`
	Root     string       `json:"root"`
	Kind     acp.ToolKind `json:"kind"`
	Tool     string       `json:"tool"`
	Commands []string     `json:"commands"`
	Paths    []string     `json:"paths"`
	Input    string       `json:"input,omitempty"`
	Created  time.Time    `json:"created"`
}

func grantToJSON(g *grants.Grant) grantJSON {
	return grantJSON{
		g.ID, g.Backend, g.Root, g.Kind, g.Tool,
		append([]string{}, g.Commands...), append([]string{}, g.Paths...), g.Input, g.Created,
	}
}

func (a *app) listGrants(f *grantsFlags) error {
	store, filter, err := f.open()
	if err != nil {
		return err
	}
	list, err := store.List(filter)
	if err != nil {
		return err
	}
	if f.json {
		out := []grantJSON{}
		for i := range list {
			out = append(out, grantToJSON(&list[i]))
		}
		return a.writeJSON(map[string]any{"schema": grantsSchema, "grants": out})
	}
	table := a.streams.NewTable("ID", "BACKEND", "ROOT", "TOOL", "ALLOWS", "SINCE").Whole(1)
	for i := range list {
		g := &list[i]
		table.Row(
			ui.Cell{Text: g.ID}, ui.Cell{Text: g.Backend}, ui.Cell{Text: g.Root}, ui.Cell{Text: grantedTool(g)}, ui.Cell{Text: g.Target()},
			ui.Cell{Text: g.Created.Format(time.RFC3339), Style: ui.Dim},
		)
	}
	return table.Print()
}

// revokedJSON is the documented form of what became of one id.
type revokedJSON struct {
	ID     string `json:"id"`
	Result string `json:"result"`
}

// revokeGrants names every id that there is no grant for, and revokes the others.
func (a *app) revokeGrants(cmd *cobra.Command, f *grantsFlags, ids []string) error {
	switch {
	case f.all && len(ids) > 0:
		return usageError("--all and ids exclude each other")
	case !f.all && (len(ids) == 0 || slices.Contains(ids, "")):
		return usageError("name the grants to revoke by their ids, see acpctl grants list, or say --all")
	}
	store, filter, err := f.open()
	if err != nil {
		return err
	}
	filter.IDs = ids
	revoked, err := store.Revoke(cmd.Context(), filter)
	if err != nil {
		return err
	}
	list := []revokedJSON{}
	for i := range revoked {
		list = append(list, revokedJSON{revoked[i].ID, "revoked"})
	}
	missing := 0
	for _, id := range ids {
		if !slices.ContainsFunc(list, func(r revokedJSON) bool { return r.ID == id }) {
			missing++
			list = append(list, revokedJSON{id, "not_found"})
			fmt.Fprintf(a.streams.Err, "acpctl: there is no such grant: %s\n", ui.OneLine(id, 0))
		}
	}
	if f.json {
		err = a.writeJSON(map[string]any{"schema": grantsSchema, "grants": list})
	} else {
		for _, r := range list[:len(revoked)] {
			fmt.Fprintf(a.streams.Out, "revoked %s\n", ui.OneLine(r.ID, 0))
		}
	}
	if err == nil && missing > 0 {
		err = &exitError{exitFailed, nil}
	}
	return err
}
