package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/harness/mcpfile"
)

const mcpSchema = "acpharness.mcp/1"

// mcpFlags are what the commands about MCP servers have in common.
type mcpFlags struct {
	backend, agent, home, stateDir string
	json, dryRun                   bool
}

func (a *app) mcpCommand() *cobra.Command {
	f := &mcpFlags{}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "List and change the MCP servers in agents' own configuration files",
		Long: "The servers in the configuration files of agents, edited in place: nothing else in such a file moves by a byte. No agent\n" +
			"is started. What sessions that run make of an edit is not known to these commands.",
		Example: "  acpctl mcp list\n  acpctl mcp add --backend copilot time -- uvx mcp-server-time\n" +
			"  acpctl mcp disable --backend kiro --agent crew time github",
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	flags := cmd.PersistentFlags()
	flags.StringVar(&f.backend, "backend", "", "the agent whose files are meant; list without it: all that have one")
	flags.StringVar(&f.agent, "agent", "", "the custom agent `NAME` that has a file of its own")
	flags.StringVar(&f.home, "home", "", "the agent's home is `DIR`, not the user's")
	flags.StringVar(&f.stateDir, "state-dir", "", "`DIR` for entries that are taken out of their file until they are enabled")
	flags.BoolVar(&f.json, "json", false, "print a JSON object (schema "+mcpSchema+")")
	_ = cmd.RegisterFlagCompletionFunc("backend", completeBackends)
	_ = cmd.MarkPersistentFlagDirname("home")
	cmd.AddCommand(a.mcpListCommand(f), a.mcpAddCommand(f), a.mcpToolsCommand(f))
	for _, v := range mcpVerbs() {
		cmd.AddCommand(a.mcpVerbCommand(f, v))
	}
	for _, c := range cmd.Commands() {
		if c.Name() != "list" {
			c.Flags().BoolVar(&f.dryRun, "dry-run", false, "only tell what would change")
		}
	}
	return cmd
}

// open finds the files of the backend that the flags name.
func (f *mcpFlags) open() (*mcpfile.Config, string, error) {
	if f.backend == "" {
		return nil, "", usageError("say whose files are meant: --backend ID")
	}
	d, user, err := lookupBackend(f.backend)
	if err != nil {
		return nil, "", err
	}
	layouts := d.MCPFiles
	if user != nil {
		if layouts, err = f.userLayouts(user); err != nil {
			return nil, "", err
		}
	}
	config, err := f.openLayouts(layouts)
	return config, d.ID, err
}

// userLayouts are the files of a backend that the user has described.
func (f *mcpFlags) userLayouts(user *backends.UserBackend) ([]backends.MCPFile, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	home := f.home
	if home == "" {
		home, _ = os.UserHomeDir() // without one there is nothing to put in
	} else if home, err = filepath.Abs(home); err != nil {
		return nil, err
	}
	return user.MCPFiles(cwd, home), nil
}

func (f *mcpFlags) openLayouts(layouts []backends.MCPFile) (*mcpfile.Config, error) {
	config, err := mcpfile.Open(layouts, &mcpfile.Options{Home: f.home, Agent: f.agent, StateDir: f.stateDir, DryRun: f.dryRun})
	var unsupported *mcpfile.UnsupportedError
	if errors.Is(err, mcpfile.ErrNoFiles) || errors.As(err, &unsupported) {
		err = &exitError{exitUsage, err}
	}
	return config, err
}

// completeServers completes names of servers, with what they are.
func (f *mcpFlags) completeServers(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
	config, _, err := f.open()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	rows, _ := config.List()
	var names []string
	for i := range rows {
		if row := &rows[i]; row.Counts && !strings.Contains("\n"+strings.Join(given, "\n")+"\n", "\n"+row.Name+"\n") {
			names = append(names, row.Name+"\t"+mcpState(row))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// mcpState says in a word how a server stands.
func mcpState(row *mcpfile.Row) string {
	switch {
	case row.Malformed:
		return "malformed"
	case !row.Counts:
		return "not read"
	case row.Disabled:
		return "disabled"
	default:
		return "enabled"
	}
}

// shortPath is a path for people: the home is ~.
func shortPath(path string) string {
	home, err := os.UserHomeDir()
	if rel, e := filepath.Rel(home, path); err == nil && e == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		path = filepath.Join("~", rel)
	}
	return ui.OneLine(path, 0)
}
