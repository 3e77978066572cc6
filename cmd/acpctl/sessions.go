package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/parity/probe"
	"github.com/acpharness/acpharness/provider"
)

const sessionsSchema = "acpharness.sessions/1"

// sessionsFlags are what the commands about stored sessions have in common.
type sessionsFlags struct {
	backend, cwd string
	json         bool
	timeout      time.Duration
}

func (a *app) sessionsCommand() *cobra.Command {
	f := &sessionsFlags{}
	cmd := &cobra.Command{
		Use:     "sessions",
		Short:   "List, close and delete the sessions that an agent has stored",
		Long:    "sessions starts an agent, asks it about its stored sessions, and stops it. No session is opened and no prompt is sent.",
		Example: "  acpctl sessions list --backend opencode --cwd .\n  acpctl sessions delete --backend opencode ID",
		Args:    usageArgs(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	flags := cmd.PersistentFlags()
	flags.StringVar(&f.backend, "backend", "", "the agent to ask, see acpctl backends; ACPCTL_BACKEND is the default")
	backendFileFlag(cmd)
	flags.StringVar(&f.cwd, "cwd", "", "the `DIR` that the agent works in, the current one without it; list shows its sessions only")
	flags.BoolVar(&f.json, "json", false, "print a JSON object (schema "+sessionsSchema+")")
	flags.DurationVar(&f.timeout, "timeout", probe.DefaultTimeout, "the most that all of it may take, 0 for no limit")
	_ = cmd.RegisterFlagCompletionFunc("backend", completeBackends)
	cmd.AddCommand(
		&cobra.Command{
			Use:   "list [flags] [-- CMD ARGS...]",
			Short: "List the sessions that the agent has stored",
			Args:  cobra.ArbitraryArgs,
			RunE: func(cmd *cobra.Command, args []string) error {
				ids, command := splitDash(cmd, args)
				if len(ids) > 0 {
					return usageError("list takes no session ids")
				}
				return a.listSessions(cmd, f, command)
			},
		},
		a.sessionsDo(f, "close", "closed", "Have the agent free what it holds of sessions, which stay stored", (*acp.Conn).CloseSession),
		a.sessionsDo(f, "delete", "deleted", "Have the agent delete sessions", (*acp.Conn).DeleteSession),
	)
	return cmd
}

// sessionsDo is a command that has the agent do something to each session of a list.
func (a *app) sessionsDo(f *sessionsFlags, verb, done, short string, do func(*acp.Conn, context.Context, acp.SessionID) error) *cobra.Command {
	return &cobra.Command{
		Use:   verb + " [flags] SESSION-ID... [-- CMD ARGS...]",
		Short: short,
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, command := splitDash(cmd, args)
			if len(ids) == 0 || slices.Contains(ids, "") {
				return usageError("name the sessions to %s by their ids, see acpctl sessions list", verb)
			}
			return a.changeSessions(cmd, f, command, ids, done, do)
		},
	}
}

// ask starts the agent that was chosen, has fn ask it, and stops it.
func (a *app) ask(cmd *cobra.Command, f *sessionsFlags, command []string, fn func(context.Context, *acp.Conn, string) error) error {
	if f.timeout < 0 {
		return usageError("--timeout must not be negative")
	}
	subject, chosen, err := chosenSubject(cmd, f.backend, command)
	switch {
	case err != nil:
		return err
	case !chosen:
		return usageError("name the agent with --backend, or give its command after --")
	}
	cwd, err := directory(f.cwd)
	if err != nil {
		return usageError("cannot use --cwd %s: %w", f.cwd, err)
	}
	ctx, cancel := within(cmd.Context(), f.timeout)
	defer cancel()
	stderr, err := a.talk(ctx, subject, &provider.ConnectOptions{Dir: cwd}, func(s *started) error { return fn(ctx, s.Conn(), cwd) })
	if err != nil && !a.verbose {
		tellStderr(a.streams, stderr)
	}
	return err
}

// sessionJSON is the documented form of a stored session, and of what was done to one.
type sessionJSON struct {
	ID        acp.SessionID `json:"id"`
	Title     string        `json:"title"`
	CWD       string        `json:"cwd"`
	UpdatedAt string        `json:"updatedAt"`
}

func (a *app) listSessions(cmd *cobra.Command, f *sessionsFlags, command []string) error {
	list := []sessionJSON{}
	err := a.ask(cmd, f, command, func(ctx context.Context, conn *acp.Conn, cwd string) error {
		opts := &acp.ListOptions{}
		if f.cwd != "" {
			opts.CWD = cwd
		}
		for info, err := range conn.Sessions(ctx, opts) {
			if err != nil {
				return err
			}
			list = append(list, sessionJSON{info.ID, info.Title, info.CWD, info.UpdatedAt})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if f.json {
		return a.writeJSON(map[string]any{"schema": sessionsSchema, "sessions": list})
	}
	table := a.streams.NewTable("ID", "TITLE", "CWD", "UPDATED").Whole(1)
	for _, s := range list {
		table.Row(ui.Cell{Text: string(s.ID)}, ui.Cell{Text: dash(s.Title)}, ui.Cell{Text: dash(s.CWD)}, ui.Cell{Text: dash(s.UpdatedAt), Style: ui.Dim})
	}
	return table.Print()
}

// changedJSON is the documented form of what became of one session.
type changedJSON struct {
	ID     string `json:"id"`
	Result string `json:"result"`
	Error  string `json:"error,omitempty"`
}

// changeSessions goes on with the next session when the agent refuses one.
func (a *app) changeSessions(
	cmd *cobra.Command, f *sessionsFlags, command, ids []string, done string, do func(*acp.Conn, context.Context, acp.SessionID) error,
) error {
	list := []changedJSON{}
	refused := false
	err := a.ask(cmd, f, command, func(ctx context.Context, conn *acp.Conn, _ string) error {
		for _, id := range ids {
			changed := changedJSON{ID: id, Result: done}
			if err := do(conn, ctx, acp.SessionID(id)); err != nil {
				if _, answered := errors.AsType[*acp.Error](err); !answered || acp.IsAuthRequired(err) {
					return err
				}
				refused = true
				changed.Result, changed.Error = "failed", err.Error()
				fmt.Fprintf(a.streams.Err, "acpctl: %s\n", ui.Plain(err.Error()))
			}
			list = append(list, changed)
			if !f.json && changed.Error == "" {
				fmt.Fprintf(a.streams.Out, "%s %s\n", done, ui.OneLine(id, 0))
			}
		}
		return nil
	})
	if f.json && (err == nil || len(list) > 0) {
		err = errors.Join(err, a.writeJSON(map[string]any{"schema": sessionsSchema, "sessions": list}))
	}
	if err == nil && refused {
		err = &exitError{exitFailed, nil}
	}
	return err
}
