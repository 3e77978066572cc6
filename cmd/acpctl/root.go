package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
)

// app is what the commands of one invocation share.
type app struct {
	streams *ui.Streams
	info    acp.Implementation
	hard    *hardStop

	verbose   bool
	logFile   string
	traceFile string

	logger  *slog.Logger
	trace   *trace
	closers []func() error
}

// execute runs one command line and returns its exit code. The end of ctx asks it to end, that of hard to end at once.
func execute(ctx context.Context, hard *hardStop, streams *ui.Streams, args []string) int {
	a := &app{
		streams: streams, hard: hard,
		info:   acp.Implementation{Name: "acpctl", Title: "acpharness acpctl", Version: version()},
		logger: slog.New(slog.DiscardHandler),
	}
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	err := root.ExecuteContext(ctx)
	for _, closer := range a.closers {
		if cerr := closer(); cerr != nil && err == nil {
			err = cerr
		}
	}
	if reported, ok := errors.AsType[*exitError](err); err != nil && (!ok || reported.err != nil) {
		fmt.Fprintf(streams.Err, "acpctl: %s\n", ui.Plain(explain(err)))
	}
	return exitCode(ctx, err)
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "acpctl",
		Short: "Inspect and drive coding agents that speak the Agent Client Protocol",
		Long: "acpctl starts coding agents that speak the Agent Client Protocol (ACP) over stdio, shows what they are and do,\n" +
			"and holds conversations with them.",
		Example: "  acpctl probe                          # the built-in agent: nothing to install\n" +
			"  acpctl probe opencode claude --json   # what two agents say of themselves\n" +
			"  acpctl run --backend opencode \"hello\" # one turn",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          usageArgs(cobra.NoArgs),
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return a.openLogs()
		},
	}
	flags := root.PersistentFlags()
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "tell on stderr what happens, the agent's own stderr included")
	flags.StringVar(&a.logFile, "log-file", "", "append the log to `FILE`, in JSON")
	flags.StringVar(&a.traceFile, "trace", "", "write every frame to `FILE`, exactly and readable by its owner only; it holds prompts and secrets")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &exitError{exitUsage, err} })
	root.AddCommand(
		a.probeCommand(), a.runCommand(), a.sessionsCommand(), a.loginCommand(), a.backendsCommand(), a.mockCommand(), a.versionCommand(),
		a.grantsCommand(), a.mcpCommand(), a.psCommand(), a.reapCommand(), a.doctorCommand(), a.parityCommand(),
		&cobra.Command{Use: "exit-codes", Short: "The meaning of the exit codes", Long: exitCodesHelp},
	)
	root.CompletionOptions.HiddenDefaultCmd = false
	return root
}

// usageArgs makes the complaints of a positional-argument check usage errors.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return &exitError{exitUsage, err}
		}
		return nil
	}
}

func (a *app) openLogs() error {
	var handlers []slog.Handler
	if a.verbose {
		handlers = append(handlers, slog.NewTextHandler(a.streams.Err, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	if a.logFile != "" {
		f, err := os.OpenFile(a.logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return usageError("cannot open the log file: %w", err)
		}
		a.closers = append(a.closers, f.Close)
		handlers = append(handlers, slog.NewJSONHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	if len(handlers) > 0 {
		a.logger = slog.New(slog.NewMultiHandler(handlers...))
	}
	if a.traceFile != "" {
		t, err := openTrace(a.traceFile)
		if err != nil {
			return usageError("cannot open the trace file: %w", err)
		}
		a.trace = t
		a.closers = append(a.closers, t.close)
	}
	return nil
}
