package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/harness/mcpfile"
)

// mcpVerb is a command that does one thing to servers that are named.
type mcpVerb struct {
	name, done, already, short string
	edit                       func(*mcpfile.Config, context.Context, ...string) (*mcpfile.Result, error)
}

func mcpVerbs() []mcpVerb {
	return []mcpVerb{
		{"enable", "enabled", "is enabled already", "Enable servers that were disabled", (*mcpfile.Config).Enable},
		{"disable", "disabled", "is disabled already", "Disable servers, and keep their entries", (*mcpfile.Config).Disable},
		{"remove", "removed", "", "Remove servers with all that refers to them", (*mcpfile.Config).Remove},
	}
}

func (a *app) mcpVerbCommand(f *mcpFlags, v mcpVerb) *cobra.Command {
	return &cobra.Command{
		Use:               v.name + " [flags] NAME...",
		Short:             v.short,
		Args:              usageArgs(cobra.MinimumNArgs(1)),
		ValidArgsFunction: f.completeServers,
		RunE: func(cmd *cobra.Command, names []string) error {
			return a.editMCP(f, v, names, func(config *mcpfile.Config) (*mcpfile.Result, error) {
				return v.edit(config, cmd.Context(), names...)
			})
		},
	}
}

func (a *app) mcpToolsCommand(f *mcpFlags) *cobra.Command {
	var filter mcpfile.Filter
	var all, none bool
	cmd := &cobra.Command{
		Use:               "tools [flags] NAME",
		Short:             "Say which of a server's tools are offered",
		Example:           "  acpctl mcp tools --backend qwen --exclude delete_repo github\n  acpctl mcp tools --backend qwen --all github",
		Args:              usageArgs(cobra.ExactArgs(1)),
		ValidArgsFunction: f.completeServers,
		RunE: func(cmd *cobra.Command, names []string) error {
			chosen := len(filter.Include)+len(filter.Exclude) > 0
			switch {
			case !all && !none && !chosen:
				return usageError("say which tools: --include, --exclude, --all or --none")
			case all && none, (all || none) && chosen:
				return usageError("--all and --none exclude each other, and any other choice")
			}
			if none {
				filter.Include = []string{}
			}
			verb := mcpVerb{name: "tools", done: "filtered", already: "has these tools already"}
			return a.editMCP(f, verb, names, func(config *mcpfile.Config) (*mcpfile.Result, error) {
				return config.SetFilter(cmd.Context(), names[0], filter)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&filter.Include, "include", nil, "offer only `TOOL`s (repeatable)")
	flags.StringSliceVar(&filter.Exclude, "exclude", nil, "do not offer `TOOL`s (repeatable)")
	flags.BoolVar(&all, "all", false, "offer all tools")
	flags.BoolVar(&none, "none", false, "offer no tool")
	return cmd
}

// mcpEditJSON is the documented form of what an edit has done.
type mcpEditJSON struct {
	Schema  string          `json:"schema"`
	Backend string          `json:"backend"`
	DryRun  bool            `json:"dryRun"`
	Servers []mcpNamedJSON  `json:"servers"`
	Files   []mcpChangeJSON `json:"files"`
	// Sessions is what is known of sessions that run: nothing, without a server that holds them.
	Sessions string `json:"sessions"`
}

type mcpNamedJSON struct {
	Name   string `json:"name"`
	Result string `json:"result"`
}

type mcpChangeJSON struct {
	Path    string        `json:"path"`
	Changes []mcpDiffJSON `json:"changes"`
}

type mcpDiffJSON struct {
	Edit   string `json:"edit"`
	Server string `json:"server,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// editMCP makes an edit and tells what came of it.
func (a *app) editMCP(f *mcpFlags, v mcpVerb, names []string, edit func(*mcpfile.Config) (*mcpfile.Result, error)) error {
	config, id, err := f.open()
	if err != nil {
		return err
	}
	result, err := edit(config)
	if _, ok := errors.AsType[*mcpfile.UnsupportedError](err); ok {
		return &exitError{exitUsage, err}
	}
	if err != nil {
		return err
	}
	out := mcpEditJSON{Schema: mcpSchema, Backend: id, DryRun: f.dryRun, Servers: []mcpNamedJSON{}, Files: []mcpChangeJSON{}, Sessions: "unknown"}
	done, wrote := v.done, "wrote"
	if f.dryRun {
		done, wrote = "would have "+done, "would write"
	}
	for i, name := range names {
		switch {
		case slices.Contains(names[:i], name):
		case slices.Contains(result.Unchanged, name):
			out.Servers = append(out.Servers, mcpNamedJSON{name, "unchanged"})
			a.sayMCP(f, "%s %s", name, v.already)
		default:
			out.Servers = append(out.Servers, mcpNamedJSON{name, v.done})
			a.sayMCP(f, "%s %s", done, name)
		}
	}
	for _, file := range result.Files {
		change := mcpChangeJSON{Path: file.Path, Changes: []mcpDiffJSON{}}
		for _, c := range file.Diff.Changes {
			change.Changes = append(change.Changes, mcpDiffJSON{string(c.Edit), c.Server, c.Detail})
		}
		out.Files = append(out.Files, change)
		a.sayMCP(f, "%s %s", wrote, shortPath(file.Path))
	}
	if f.json {
		return a.writeJSON(out)
	}
	if !f.dryRun && len(result.Files) > 0 {
		fmt.Fprintln(a.streams.Err, "acpctl: sessions that run are not known here; one that does not follow the file has to be started anew")
	}
	return nil
}

// sayMCP tells a person.
func (a *app) sayMCP(f *mcpFlags, format string, args ...any) {
	if !f.json {
		fmt.Fprintln(a.streams.Out, ui.OneLine(fmt.Sprintf(format, args...), 0))
	}
}
