package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/internal/fakemcp"
	"github.com/acpharness/acpharness/internal/loopback"
)

func (a *app) mockMCPCommand() *cobra.Command {
	var opts fakemcp.Options
	var listen string
	cmd := &cobra.Command{
		Use:   "mcp [ARGS...]",
		Short: "Be an MCP server that writes down what happens to it",
		Long: "mock mcp is an MCP server on stdin and stdout, or with --listen on a URL that it prints. The journal has a JSON\n" +
			"object per line: the start, every message received, signals and the end. ARGS are journaled and mean nothing else.\n" +
			"Without --tools the tools are alpha and beta; a tools file may be edited at any time:\n\n" +
			`  {"instructions": "…", "tools": [{"name": "alpha", "description": "…", "inputSchema": {"type": "object"},` + "\n" +
			`   "text": "the answer", "isError": false, "delay": "200ms"}]}`,
		Example: "  acpctl mock mcp --label demo --journal demo.jsonl # what to put into the configuration of an agent",
		Args:    usageArgs(cobra.ArbitraryArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Args, opts.Log = args, a.logger
			return a.mockMCP(cmd.Context(), listen, &opts)
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // what begins ARGS may be a flag of somebody else
	flags.StringVar(&opts.Label, "label", "", "the `NAME` of the server (default \"fake\")")
	flags.StringVar(&opts.Journal, "journal", "", "append the journal to `FILE`, which servers may share")
	flags.StringVar(&opts.Tools, "tools", "", "a JSON `FILE` with the tools")
	flags.StringVar(&listen, "listen", "", "the loopback `ADDRESS` to listen on; port 0 is any that is free")
	return cmd
}

func (a *app) mockMCP(ctx context.Context, listen string, opts *fakemcp.Options) error {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	// A client that is gone must not end the process before that is journaled.
	signal.Ignore(syscall.SIGPIPE)
	defer signal.Reset(syscall.SIGPIPE)
	opts.Signals = signals
	ctx, stop := signalsFirst(ctx)
	defer stop()

	if listen == "" {
		return fakemcp.Serve(ctx, a.streams.In, a.streams.Out, opts)
	}
	server, err := fakemcp.Listen(ctx, listen, opts)
	if errors.Is(err, loopback.ErrNotLoopback) {
		return &exitError{exitUsage, err}
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(a.streams.Out, server.URL())
	return server.Wait()
}

// signalsFirst returns a context that ends a moment after ctx. The signals that end ctx are to be seen as such; ctx
// alone ends when one comes before this command listens for them.
func signalsFirst(ctx context.Context) (context.Context, context.CancelFunc) {
	later, end := context.WithCancelCause(context.WithoutCancel(ctx))
	forget := context.AfterFunc(ctx, func() { // ends with later
		moment := time.NewTimer(time.Second)
		defer moment.Stop()
		select {
		case <-moment.C:
			end(context.Cause(ctx))
		case <-later.Done():
		}
	})
	return later, func() {
		forget()
		end(nil)
	}
}
