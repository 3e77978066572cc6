package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/parity"
	"github.com/acpharness/acpharness/parity/bench"
	"github.com/acpharness/acpharness/provider"
)

// liveRecipe is the recipe by which agents have turns without an account.
const liveRecipe = "loopback"

// parityLive checks the agents of backends, by default of all that have the recipe, each in a place of its own. The error says that it
// could not be done.
func (a *app) parityLive(ctx context.Context, ids []string) (*parity.Report, error) {
	if len(ids) == 0 {
		ids = backends.RecipeBackends(liveRecipe)
	}
	var chosen []backends.Descriptor
	for _, id := range ids {
		d, err := backends.Lookup(id)
		if err != nil {
			return nil, &exitError{exitUsage, err}
		}
		if !slices.ContainsFunc(chosen, func(c backends.Descriptor) bool { return c.ID == d.ID }) {
			chosen = append(chosen, d)
		}
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find the executable of acpctl, which the servers for the agents are part of: %w", err)
	}
	reports := make([]*parity.Report, len(chosen))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0)) // the time that agents take is compared with limits
	for i, d := range chosen {
		group.Go(func() (err error) {
			reports[i], err = a.checkLive(ctx, d, self)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return parity.Join(reports...), nil
}

// checkLive checks one agent. self is the executable of acpctl.
func (a *app) checkLive(ctx context.Context, d backends.Descriptor, self string) (report *parity.Report, err error) {
	recipe, err := backends.LookupRecipe(liveRecipe, d.ID)
	turns := err == nil
	if !turns {
		recipe = backends.Recipe{Backend: d.ID, Name: "none"} // it starts, and wants an account
	}
	// An interrupt stops the agent first, and the servers after it.
	b, err := bench.Start(context.WithoutCancel(ctx), recipe, &bench.Options{
		MCPServer: []string{self, "mock", "mcp"}, Log: a.logger, Journal: a.modelCall,
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	var opts provider.BackendOptions
	if d.Builtin {
		script := filepath.Join(b.Home(), "script.json")
		if err := writeStoreScript(script, filepath.Join(b.Home(), "sessions")); err != nil {
			return nil, err
		}
		opts.Self = []string{self, "mock", "agent", "--script", script}
	}
	s := parity.Subject{
		Name: d.ID, Connector: provider.NewBackend(d, &opts), Descriptor: &d, Dir: b.Workspace(), Mode: recipe.Mode,
		Connect: provider.ConnectOptions{
			ClientInfo: a.info, Client: acp.ClientOptions{Tap: a.trace.tap(d.ID), Logger: a.logger},
			EnvMode: provider.EnvClean, SetEnv: b.Env(), StateDir: a.ledger(), KillDaemons: true,
		},
	}
	if turns {
		s.Say = acp.Text("hello")
	}
	switch {
	case d.Builtin: // it runs nothing, and asks where the prompt says so
		s.Shell = func(command string) ([]acp.ContentBlock, error) { return acp.Text("permission for " + command), nil }
	case recipe.Shell != nil:
		s.Shell = func(command string) ([]acp.ContentBlock, error) {
			call, err := recipe.ShellCall(command)
			return acp.Text(fmt.Sprintf("@@TOOL %s %s@@", call.Name, call.Arguments)), err
		}
	}
	s.StdioServer, s.HTTPServer = liveServers(b)
	return parity.Check(ctx, s, &parity.Options{Progress: func(check string) {
		a.logger.Debug("check", "subject", d.ID, "check", check)
		if a.streams.ErrTTY {
			fmt.Fprintf(a.streams.Err, "%s: %s\n", d.ID, check)
		}
	}}), nil
}

// writeStoreScript has the built-in agent keep its sessions, as agents do that one installs.
func writeStoreScript(file, store string) error {
	if err := os.MkdirAll(store, 0o700); err != nil {
		return err
	}
	text, err := json.Marshal(map[string]string{"store": store})
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// liveServers make MCP servers that write down what happens to them.
func liveServers(b *bench.Bench) (stdio, http parity.ServerFunc) {
	var count atomic.Int64
	next := func() string { return fmt.Sprintf("parity%d", count.Add(1)) }
	stdio = func() (acp.MCPServer, func() (bool, error), error) {
		s, err := b.MCPServer(next())
		if err != nil {
			return nil, nil, err
		}
		return &acp.MCPServerStdio{Name: s.Name, Command: s.Command, Args: s.Args}, usedServer(s), nil
	}
	http = func() (acp.MCPServer, func() (bool, error), error) {
		s, err := b.ServeMCP(next())
		if err != nil {
			return nil, nil, err
		}
		return &acp.MCPServerHTTP{Name: s.Name, URL: s.URL}, usedServer(s), nil
	}
	return stdio, http
}

// usedServer reports whether an agent has asked a server for its tools.
func usedServer(s *bench.MCPServer) func() (bool, error) {
	return func() (bool, error) {
		entries, err := s.Journal()
		return slices.ContainsFunc(entries, func(e bench.MCPEntry) bool { return e.Method == "tools/list" }), err
	}
}
