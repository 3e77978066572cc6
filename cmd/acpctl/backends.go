package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
)

func (a *app) backendsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "backends",
		Short: "List the agents that acpctl knows",
		Args:  usageArgs(cobra.NoArgs),
		RunE:  func(*cobra.Command, []string) error { return a.listBackends(asJSON) },
	}
	cmd.PersistentFlags().BoolVar(&asJSON, "json", false, "print JSON")
	list := &cobra.Command{Use: "list", Short: cmd.Short, Args: cmd.Args, RunE: cmd.RunE}
	cmd.AddCommand(list, a.showCommand(&asJSON))
	return cmd
}

// backendJSON is the documented form of a descriptor. Of the environment it has names only.
type backendJSON struct {
	ID              string   `json:"id"`
	Name            string   `json:"name"`
	Aliases         []string `json:"aliases"`
	AgentNames      []string `json:"agentNames"`
	RegistryID      string   `json:"registryId,omitempty"`
	Command         []string `json:"command"`
	Builtin         bool     `json:"builtin"`
	ProtocolVersion string   `json:"protocolVersion"`
	EnvSet          []string `json:"envSet"`
	EnvScrub        []string `json:"envScrub"`
	Install         string   `json:"install,omitempty"`
	Verified        bool     `json:"verified"`
	VerifiedNote    string   `json:"verifiedNote"`
	Notes           []string `json:"notes"`
	Source          string   `json:"source,omitempty"` // "user", or absent for what acpctl knows itself
}

func toJSON(d backends.Descriptor) backendJSON {
	verified, note := d.Verified()
	list := func(s []string) []string { return append([]string{}, s...) }
	return backendJSON{
		ID: d.ID, Name: d.Name, Aliases: list(d.Aliases), AgentNames: list(d.AgentNames), RegistryID: d.RegistryID,
		Command: list(d.Launch.Argv()), Builtin: d.Builtin, ProtocolVersion: d.ProtocolVersion,
		EnvSet: slices.AppendSeq([]string{}, slices.Values(slices.Sorted(maps.Keys(d.Env.Set)))), EnvScrub: list(d.Env.Scrub),
		Install: d.Install.Hint, Verified: verified, VerifiedNote: note, Notes: list(d.Notes),
	}
}

func (a *app) writeJSON(v any) error {
	enc := json.NewEncoder(a.streams.Out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func (a *app) listBackends(asJSON bool) error {
	users, broken := userBackends()
	warnOfUsers(broken)
	if asJSON {
		list := []backendJSON{}
		for d := range backends.All() {
			list = append(list, toJSON(d))
		}
		for _, u := range users {
			j := toJSON(u.Descriptor)
			j.Source = "user"
			list = append(list, j)
		}
		return a.writeJSON(list)
	}
	table := a.streams.NewTable("ID", "NAME", "COMMAND", "DESCRIPTOR")
	for d := range backends.All() {
		verified, note := d.Verified()
		style := ui.Dim
		if !verified {
			style = ui.Yellow
		}
		command := strings.Join(d.Launch.Argv(), " ")
		if d.Builtin {
			command = "acpctl mock agent"
		}
		table.Row(ui.Cell{Text: d.ID}, ui.Cell{Text: d.Name}, ui.Cell{Text: command}, ui.Cell{Text: note, Style: style})
	}
	for _, u := range users {
		d := u.Descriptor
		table.Row(ui.Cell{Text: d.ID}, ui.Cell{Text: ui.OneLine(d.Name, 0)}, ui.Cell{Text: ui.OneLine(strings.Join(d.Launch.Argv(), " "), 0)},
			ui.Cell{Text: "yours, " + ui.OneLine(u.File, 0), Style: ui.Yellow})
	}
	return table.Print()
}
