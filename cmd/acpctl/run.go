package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/permission"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/parity/probe"
	"github.com/acpharness/acpharness/provider"
)

type runOptions struct {
	prompt  string
	subject probe.Subject
	demo    bool
	cwd     string
	recipe  *backends.Recipe // nil without --recipe
	policy  permission.Policy
	json    bool
	timeout time.Duration
}

func (a *app) runCommand() *cobra.Command {
	var backend, cwd, policy, recipe string
	var asJSON bool
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "run [flags] PROMPT|- [-- CMD ARGS...]",
		Short: "Send one prompt to an agent and print its answer",
		Long: "run starts an agent, opens a session, sends one prompt (- reads it from stdin), streams the answer to stdout and the\n" +
			"agent's doings to stderr, and stops the agent. With --json, stdout has one JSON object per line, the last of type\n" +
			"\"outcome\". Without --backend or ACPCTL_BACKEND it talks to the built-in agent.",
		Example: "  acpctl run hello\n  acpctl run --backend opencode --permission allow-reads \"what is in this folder?\"\n" +
			"  git diff | acpctl run --backend claude -\n  acpctl run hello -- ./my-agent --acp",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if ran, err := a.offline(recipe); ran {
				return err
			}
			o := &runOptions{json: asJSON, timeout: timeout}
			if err := o.check(cmd, args, a.streams.In, backend, cwd, policy, recipe); err != nil {
				return err
			}
			return a.run(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&backend, "backend", "", "the agent to talk to, see acpctl backends; ACPCTL_BACKEND is the default")
	flags.StringVar(&cwd, "cwd", "", "the `DIR` that the agent and its session work in, the current one without it; with --recipe\n"+
		"an empty one that is deleted afterwards")
	flags.StringVar(&policy, "permission", string(permission.Reject), "what the agent may do: reject, allow-reads or allow")
	flags.BoolVar(&asJSON, "json", false, "print events as JSON, one per line")
	flags.DurationVar(&timeout, "timeout", 0, "the most that all of it may take, 0 for no limit")
	recipeFlag(cmd, &recipe)
	_ = cmd.RegisterFlagCompletionFunc("backend", completeBackends)
	_ = cmd.RegisterFlagCompletionFunc("permission", cobra.FixedCompletions(
		[]string{string(permission.Reject), string(permission.AllowReads), string(permission.Allow)}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// check makes sure of everything that can be known before an agent is started.
func (o *runOptions) check(cmd *cobra.Command, args []string, in io.Reader, backend, cwd, policy, recipe string) error {
	words, command := splitDash(cmd, args)
	if len(words) != 1 {
		return usageError("want one prompt, have %d: quote it, or use - to read it from stdin", len(words))
	}
	if backend == "" && cmd.ArgsLenAtDash() < 0 {
		backend = os.Getenv("ACPCTL_BACKEND")
	}
	var err error
	if o.policy, err = permission.Parse(policy); err != nil {
		return &exitError{exitUsage, err}
	}
	if o.timeout < 0 {
		return usageError("--timeout must not be negative")
	}
	if cwd != "" || recipe == "" {
		if o.cwd, err = directory(cwd); err != nil {
			return &exitError{exitUsage, err}
		}
	}
	switch {
	case backend != "":
		o.subject, err = backendSubject(backend, command)
	case cmd.ArgsLenAtDash() >= 0:
		o.subject, err = commandSubject(command)
	default:
		o.demo = true
		o.subject, err = backendSubject("builtin", nil)
	}
	if err != nil {
		return err
	}
	if recipe != "" {
		if o.recipe, err = recipeOf(recipe, o.subject); err != nil {
			return err
		}
	}
	o.prompt = words[0]
	if o.prompt == "-" {
		if o.prompt, err = readAll(cmd.Context(), in); err != nil {
			return fmt.Errorf("cannot read the prompt: %w", err)
		}
	}
	switch {
	case strings.TrimSpace(o.prompt) == "":
		return usageError("the prompt is empty")
	case !utf8.ValidString(o.prompt):
		return usageError("the prompt is not UTF-8")
	}
	return nil
}

// readAll reads until the end of in or of ctx. A read of a terminal cannot be interrupted: then its goroutine lasts until
// the process ends, which is next.
func readAll(ctx context.Context, in io.Reader) (string, error) {
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		text, err := io.ReadAll(in)
		done <- read{text, err}
	}()
	select {
	case r := <-done:
		return string(r.text), r.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func directory(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("cannot use --cwd %s: %w", path, err)
	}
	info, err := os.Stat(abs)
	switch {
	case err != nil:
		return "", fmt.Errorf("cannot use --cwd: %w", err)
	case !info.IsDir():
		return "", fmt.Errorf("cannot use --cwd %s: it is not a folder", path)
	}
	return abs, nil
}

// cancelGrace is how long an agent may take to end a turn that was cancelled.
const cancelGrace = 5 * time.Second

// stopGrace bounds the stop of the agent at the end.
const stopGrace = 15 * time.Second

// run holds one conversation of one turn.
func (a *app) run(ctx context.Context, o *runOptions) error {
	if o.demo {
		fmt.Fprintln(a.streams.Err, "acpctl: talking to the built-in demo agent, which is no model; choose an agent with --backend")
	}
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.timeout, &timeoutError{o.timeout})
		defer cancel()
	}
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

// timeoutError says that --timeout is over. It is a context.DeadlineExceeded.
type timeoutError struct{ limit time.Duration }

func (e *timeoutError) Error() string { return fmt.Sprintf("the timeout of %v is over", e.limit) }

func (*timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// cutShort returns why ctx has ended, nil if it has not.
func cutShort(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	return errors.New("interrupted")
}

// converse starts the agent, plays the turn and stops the agent. connect has the environment.
func (a *app) converse(ctx context.Context, o *runOptions, view runView, connect provider.ConnectOptions) *runResult {
	connect.ClientInfo, connect.StateDir, connect.Dir = a.info, a.ledger(), o.cwd
	connect.Client = acp.ClientOptions{
		Logger: a.logger, Tap: a.trace.tap(o.subject.Name), Diagnostic: view.diagnostic,
		Permission: acp.PermissionFunc(func(ctx context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			outcome, err := o.policy.RequestPermission(ctx, req)
			view.permission(req, outcome)
			return outcome, err
		}),
	}
	p, err := o.subject.Connector.Connect(ctx, &connect)
	if err != nil {
		result := &runResult{err: err}
		if start, ok := errors.AsType[*acp.StartError](err); ok {
			result.stderr = start.Stderr
		}
		return result
	}
	conn := p.Conn()
	result := a.turn(ctx, o, view, conn)
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	if err := p.Close(stopping); err != nil {
		a.logger.Warn("agent not stopped cleanly", "err", err)
	}
	result.exit, result.stderr = conn.Exit(), conn.StderrTail()
	return result
}

// sessionCode is the exit code for an agent that opened no session.
func sessionCode(err error) int {
	switch {
	case acp.IsAuthRequired(err):
		return exitAuth
	case errors.Is(err, context.DeadlineExceeded):
		return exitTimeout
	default:
		return exitStart
	}
}

// turn opens a session and plays one turn in it.
func (a *app) turn(ctx context.Context, o *runOptions, view runView, conn *acp.Conn) *runResult {
	result := &runResult{}
	session, err := conn.NewSession(ctx, o.cwd, nil)
	if err != nil {
		result.err = &exitError{sessionCode(err), err}
		return result
	}
	view.session(o.subject.Name, conn, session)
	updates := session.Updates() // the whole session's: what comes before the turn, and late after it
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		for n := range updates {
			result.take(n)
			view.update(n)
		}
	}()
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelGrace)
		defer cancel()
		_ = session.Close(closing) // ends the stream in any case
		<-shown
	}()
	if o.recipe != nil && o.recipe.Mode != "" {
		if err := session.SetMode(ctx, o.recipe.Mode); err != nil {
			result.err = err
			return result
		}
	}
	turn, err := session.Prompt(ctx, acp.Text(o.prompt), &acp.PromptOptions{NoUpdates: true})
	if err != nil {
		result.err = err
		return result
	}
	stop := context.AfterFunc(ctx, func() {
		// The agent is asked to stop; if it does not, the end of the connection ends the turn.
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelGrace)
		defer cancel()
		_ = turn.Cancel(grace)
		select {
		case <-turn.Done():
		case <-grace.Done():
			now, cancel := context.WithCancel(context.Background())
			cancel()
			_ = conn.Close(now)
		}
	})
	defer stop()
	result.turn, result.err = turn.Wait(context.WithoutCancel(ctx))
	if rpc, ok := errors.AsType[*acp.Error](result.err); ok {
		result.err = fmt.Errorf("the turn failed: %w", rpc)
	}
	return result
}
