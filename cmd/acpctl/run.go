package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/acp/permission"
)

func (a *app) runCommand() *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:   "run [flags] PROMPT|- [-- CMD ARGS...]",
		Short: "Send one prompt to an agent and print its answer",
		Long: "run starts an agent, opens a session, sends one prompt (- reads it from stdin), streams the answer to stdout and the\n" +
			"agent's doings to stderr, and stops the agent. With --json, stdout has one JSON object per line, the last of type\n" +
			"\"outcome\". Without --backend or ACPCTL_BACKEND it talks to the built-in agent.",
		Example: "  acpctl run hello\n  acpctl run --backend opencode --permission allow-reads \"what is in this folder?\"\n" +
			"  acpctl run --backend codex --interactive --model gpt-5 \"tidy up\"\n" +
			"  acpctl run --backend opencode --resume \"and in its parent?\"\n" +
			"  git diff | acpctl run --backend claude -\n  acpctl run hello -- ./my-agent --acp",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if ran, err := a.offline(f.recipe); ran {
				return err
			}
			o, err := f.check(cmd, args, a.streams)
			if err != nil {
				return err
			}
			return a.run(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.backend, "backend", "", "the agent to talk to, see acpctl backends; ACPCTL_BACKEND is the default")
	backendFileFlag(cmd)
	flags.StringVar(&f.cwd, "cwd", "", "the `DIR` that the agent and its session work in, the current one without it; with --recipe\n"+
		"an empty one that is deleted afterwards")
	flags.StringVar(&f.session, "session", "", "continue the stored session with this `ID`")
	flags.BoolVar(&f.resume, "resume", false, "continue the newest stored session of the folder")
	flags.BoolVar(&f.orNew, "or-new", false, "with --session or --resume: open a new session if there is none to continue")
	flags.StringVar(&f.policy, "permission", string(permission.Reject), "what the agent may do: reject, allow-reads or allow")
	flags.StringVar(&f.policyFile, "permission-policy", "", "a JSON `FILE` of rules that say what the agent may do, see docs/permissions.md")
	flags.BoolVar(&f.interactive, "interactive", false, "ask on the terminal what the policy leaves open, and answer the agent's questions there")
	flags.BoolVar(&f.grants, "grants", false, "heed what was allowed for always, see acpctl grants; --interactive does")
	flags.StringVar(&f.model, "model", "", "the `MODEL` that the agent is to work with, one of those that it offers")
	flags.StringVar(&f.mode, "mode", "", "the `MODE` that the agent is to work in, one of those that it offers")
	flags.StringArrayVar(&f.settings, "option", nil, "set an option of the session, as `NAME=VALUE`; may be given often")
	flags.StringArrayVar(&f.allowDirs, "allow-dir", nil, "read and write files for the agent in `DIR` and in --cwd, if the policy allows it; may be given often")
	flags.BoolVar(&f.terminal, "terminal", false, "run commands for the agent, if the policy allows them")
	flags.BoolVar(&f.json, "json", false, "print events as JSON, one per line")
	flags.DurationVar(&f.timeout, "timeout", 0, "the most that all of it may take, 0 for no limit")
	recipeFlag(cmd, &f.recipe)
	_ = cmd.MarkFlagDirname("allow-dir")
	_ = cmd.MarkFlagFilename("permission-policy", "json")
	_ = cmd.RegisterFlagCompletionFunc("backend", completeBackends)
	_ = cmd.RegisterFlagCompletionFunc("permission", cobra.FixedCompletions(
		[]string{string(permission.Reject), string(permission.AllowReads), string(permission.Allow)}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// cancelGrace is how long an agent may take to end a turn that was cancelled.
const cancelGrace = 5 * time.Second

// run holds one conversation of one turn.
func (a *app) run(ctx context.Context, o *runOptions) error {
	if o.demo {
		fmt.Fprintln(a.streams.Err, "acpctl: talking to the built-in demo agent, which is no model; choose an agent with --backend")
	}
	ctx, cancel := within(ctx, o.timeout)
	defer cancel()
	var view runView = newTextView(a.streams, a.verbose)
	if o.json {
		view = newJSONView(a.streams.Out)
	}
	where := &place{}
	if o.recipe != nil {
		var err error
		if where, err = a.isolate(ctx, o.recipe, ""); err != nil {
			return err
		}
		defer a.leave(where)
		if o.cwd == "" {
			o.cwd = where.bench.Workspace()
		}
	}
	result := a.converse(ctx, o, view, where.opts)
	result.killed = a.hard.ctx.Err() != nil
	if result.turn == nil || result.turn.CancelRequested {
		result.cause = cutShort(ctx)
	}
	result.code = result.exitCode(ctx)
	if err := view.outcome(result); err != nil {
		return err
	}
	if result.code != exitOK {
		return &exitError{result.code, nil}
	}
	return nil
}
