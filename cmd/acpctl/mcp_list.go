package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/harness/mcpfile"
)

func (a *app) mcpListCommand(f *mcpFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "list [flags]",
		Short: "List the servers, those that are disabled included",
		Args:  usageArgs(cobra.NoArgs),
		RunE:  func(*cobra.Command, []string) error { return a.listMCP(f) },
	}
}

// mcpServerJSON is the documented form of a server. Of environment and headers it has names only.
type mcpServerJSON struct {
	Backend   string          `json:"backend"`
	Name      string          `json:"name"`
	Disabled  bool            `json:"disabled"`
	Counts    bool            `json:"counts"`
	Kept      bool            `json:"kept,omitempty"`
	Malformed bool            `json:"malformed,omitempty"`
	Transport string          `json:"transport,omitempty"`
	Source    string          `json:"source"`
	File      string          `json:"file"`
	Refs      []string        `json:"refs"`
	Spec      json.RawMessage `json:"spec"`
}

// mcpSource is the configuration of a backend.
type mcpSource struct {
	id     string
	config *mcpfile.Config
}

// sources are the configurations that the flags mean: that of one backend, or of all, the user's own included.
func (f *mcpFlags) sources() ([]mcpSource, error) {
	if f.backend != "" {
		config, id, err := f.open()
		return []mcpSource{{id, config}}, err
	}
	if f.agent != "" {
		return nil, usageError("--agent is the name of a custom agent of one --backend")
	}
	var sources []mcpSource
	add := func(id string, layouts []backends.MCPFile) error {
		if len(layouts) == 0 {
			return nil
		}
		config, err := f.openLayouts(layouts)
		sources = append(sources, mcpSource{id, config})
		return err
	}
	for d := range backends.All() {
		if err := add(d.ID, d.MCPFiles); err != nil {
			return nil, err
		}
	}
	users, broken := userBackends()
	warnOfUsers(broken)
	for i := range users {
		layouts, err := f.userLayouts(&users[i])
		if err == nil {
			err = add(users[i].Descriptor.ID, layouts)
		}
		if err != nil {
			return nil, err
		}
	}
	return sources, nil
}

// listMCP lists what can be read, and fails if anything cannot.
func (a *app) listMCP(f *mcpFlags) error {
	sources, err := f.sources()
	if err != nil {
		return err
	}
	list := []mcpServerJSON{}
	table := a.streams.NewTable("BACKEND", "SERVER", "STATE", "TRANSPORT", "SOURCE", "FILE")
	var faults []error
	for _, s := range sources {
		rows, err := s.config.List()
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", s.id, err))
		}
		for i := range rows {
			row := &rows[i]
			list = append(list, mcpServerToJSON(s.id, row))
			style := ui.Green
			if state := mcpState(row); state != "enabled" {
				style = ui.Yellow
			}
			table.Row(ui.Cell{Text: s.id}, ui.Cell{Text: ui.OneLine(row.Name, 0)}, ui.Cell{Text: mcpState(row), Style: style},
				ui.Cell{Text: string(row.Transport)}, ui.Cell{Text: row.Source}, ui.Cell{Text: shortPath(row.File), Style: ui.Dim})
		}
		if f.backend != "" && len(rows) == 0 && err == nil {
			a.noServers(s.config)
		}
	}
	if f.json {
		err = a.writeJSON(map[string]any{"schema": mcpSchema, "servers": list})
	} else {
		err = table.Print()
	}
	return errors.Join(append(faults, err)...)
}

// noServers says where there are none, so that nobody looks for them elsewhere.
func (a *app) noServers(config *mcpfile.Config) {
	for _, file := range config.Files() {
		what := "there are no servers in"
		if _, err := os.Stat(file.Path()); err != nil {
			what = "there is no file"
		}
		fmt.Fprintf(a.streams.Err, "acpctl: %s %s\n", what, shortPath(file.Path()))
	}
}

func mcpServerToJSON(id string, row *mcpfile.Row) mcpServerJSON {
	return mcpServerJSON{
		Backend: id, Name: row.Name, Disabled: row.Disabled, Counts: row.Counts, Kept: row.Kept, Malformed: row.Malformed,
		Transport: string(row.Transport), Source: row.Source, File: row.File, Refs: append([]string{}, row.Refs...),
		Spec: json.RawMessage(row.Spec.Masked()),
	}
}
