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

// listMCP lists what can be read, and fails if anything cannot.
func (a *app) listMCP(f *mcpFlags) error {
	type source struct {
		id     string
		config *mcpfile.Config
	}
	var sources []source
	if f.backend != "" {
		config, id, err := f.open()
		if err != nil {
			return err
		}
		sources = append(sources, source{id, config})
	} else {
		if f.agent != "" {
			return usageError("--agent is the name of a custom agent of one --backend")
		}
		for d := range backends.All() {
			if len(d.MCPFiles) == 0 {
				continue
			}
			config, err := f.openLayouts(d.MCPFiles)
			if err != nil {
				return err
			}
			sources = append(sources, source{d.ID, config})
		}
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
	var err error
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
