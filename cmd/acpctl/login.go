package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/parity/probe"
	"github.com/acpharness/acpharness/provider"
)

const loginSchema = "acpharness.login/1"

// loginFlags are the flags of login.
type loginFlags struct {
	method     string
	list, json bool
	timeout    time.Duration
}

func (a *app) loginCommand() *cobra.Command {
	f := &loginFlags{}
	cmd := &cobra.Command{
		Use:   "login [flags] BACKEND|-- CMD ARGS...",
		Short: "Sign in to an agent",
		Long: "login shows the ways to sign in that an agent offers, or signs in by one of them: the agent is asked to, which may open\n" +
			"a browser, or its sign-in is run in this terminal. Afterwards the agent is started anew and asked whether it helped.",
		Example: "  acpctl login codex --list\n  acpctl login codex --method api-key\n  acpctl login copilot",
		Args:    cobra.ArbitraryArgs,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.login(cmd, f, args) },
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			return completeBackends(cmd, args, word)
		},
	}
	flags := cmd.Flags()
	backendFileFlag(cmd)
	flags.StringVar(&f.method, "method", "", "the `ID` of the way to sign in; not needed if there is one only")
	flags.BoolVar(&f.list, "list", false, "list the ways to sign in, and sign in by none")
	flags.BoolVar(&f.json, "json", false, "with --list: print a JSON object (schema "+loginSchema+")")
	flags.DurationVar(&f.timeout, "timeout", 0, "the most that all of it may take, 0 for no limit")
	return cmd
}

// signInNeeded says that a sign-in was tried and did not help, or cannot be done from here.
func signInNeeded(format string, args ...any) error {
	return &exitError{exitAuth, fmt.Errorf(format, args...)}
}

func (a *app) login(cmd *cobra.Command, f *loginFlags, args []string) error {
	names, command := splitDash(cmd, args)
	_, described := backendFile(cmd)
	if len(names) > 1 || len(names) == 0 && command == nil && !described || len(names) == 1 && names[0] == "" {
		return usageError("name one agent, or give its command after --")
	}
	if f.timeout < 0 {
		return usageError("--timeout must not be negative")
	}
	if f.json && !f.list {
		return usageError("--json needs --list")
	}
	subject, _, err := chosenSubject(cmd, strings.Join(names, ""), command)
	if err != nil {
		return err
	}
	ctx, cancel := within(cmd.Context(), f.timeout)
	defer cancel()
	var offered []acp.AuthMethod
	var method *acp.AuthMethod
	stderr, err := a.talk(ctx, subject, a.loginOptions(), func(agent *started) error {
		conn := agent.Conn()
		offered = conn.AuthMethods()
		if f.list {
			return a.listMethods(f, subject, conn)
		}
		if method, err = chooseMethod(offered, f.method); err != nil {
			return err
		}
		if method.Kind() != acp.AuthAgent {
			return nil // the agent is in the way
		}
		fmt.Fprintf(a.streams.Err, "acpctl: %s signs you in by %q; it may open a browser\n", subject.Name, ui.OneLine(method.Name, 0))
		return conn.Authenticate(ctx, method.ID)
	})
	if err != nil {
		if !a.verbose {
			tellStderr(a.streams, stderr)
		}
		return err
	}
	if f.list {
		return nil
	}
	if err := a.loginHere(ctx, subject, method); err != nil {
		return err
	}
	return a.checkLogin(ctx, subject)
}

// loginOptions are how an agent is started that somebody is to sign in to.
func (a *app) loginOptions() *provider.ConnectOptions {
	opts := &provider.ConnectOptions{Client: acp.ClientOptions{TerminalAuth: true}}
	if a.streams.InTTY {
		person := newPerson(a.streams)
		opts.Client.Form, opts.Client.URL = person, person
	}
	return opts
}

// chooseMethod returns the way that was named, or the only one.
func chooseMethod(offered []acp.AuthMethod, id string) (*acp.AuthMethod, error) {
	var ids []string
	for i := range offered {
		// A command that the agent names is not run because it is the only way: somebody has to have asked for it.
		only := len(offered) == 1 && offered[i].Command == ""
		if offered[i].ID == id && id != "" || id == "" && only {
			return &offered[i], nil
		}
		ids = append(ids, offered[i].ID)
	}
	switch {
	case len(offered) == 0:
		return nil, signInNeeded("the agent offers no way to sign in; use its own command")
	case id == "":
		return nil, &exitError{exitFailed, fmt.Errorf("choose one with --method: %s", strings.Join(ids, ", "))}
	}
	return nil, &exitError{exitFailed, fmt.Errorf("the agent does not offer %q: it has %s", id, strings.Join(ids, ", "))}
}

// loginHere does what the agent cannot do for a client.
func (a *app) loginHere(ctx context.Context, s probe.Subject, m *acp.AuthMethod) error {
	switch m.Kind() {
	case acp.AuthAgent:
		return nil
	case acp.AuthTerminal:
		connector, ok := s.Connector.(*provider.BackendConnector)
		if !ok {
			return signInNeeded("cannot sign in to %s in a terminal: its command is not known", s.Name)
		}
		command, env, err := connector.LoginCommand(a.loginOptions(), m)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.streams.Err, "acpctl: running %s\n", ui.OneLine(shellLine(command), 0))
		return a.runHere(ctx, command, env)
	case acp.AuthEnvVar:
		var missing []string
		for _, v := range m.Vars {
			if _, set := os.LookupEnv(v.Name); !set && !v.Optional {
				missing = append(missing, v.Name)
			}
		}
		if len(missing) == 0 {
			return nil
		}
		where := ""
		if m.Link != "" {
			where = "; they are to be had at " + m.Link
		}
		return signInNeeded("set %s in the environment that the agent is started with%s", strings.Join(missing, ", "), where)
	}
	return signInNeeded("cannot sign in by a method of type %q; use the agent's own command", m.Kind())
}

// runHere runs a command in this terminal, with what it starts in its foreground. It ends with ctx, and at once with the second
// stage of an interrupt.
func (a *app) runHere(ctx context.Context, command, env []string) error {
	hard := a.hard.use()
	cmd := exec.CommandContext(context.WithoutCancel(ctx), command[0], command[1:]...) // it is ended by its group
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, a.streams.In, a.streams.Out, a.streams.Err
	end, restore, err := startForeground(cmd)
	if err != nil {
		return signInNeeded("cannot run the sign-in: %w", err)
	}
	defer restore()
	defer context.AfterFunc(ctx, func() { end(false) })()
	defer context.AfterFunc(hard, func() { end(true) })()
	err = cmd.Wait()
	end(true) // what it has left behind
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case wasInterrupted(err):
		return &exitError{exitInterrupted, errors.New("the sign-in was interrupted")}
	case err != nil:
		return signInNeeded("the sign-in failed: %s: %w", command[0], err)
	}
	return nil
}

func shellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = shellWord(word)
	}
	return strings.Join(quoted, " ")
}

// checkLogin starts the agent anew and finds out whether it still asks for a sign-in.
func (a *app) checkLogin(ctx context.Context, s probe.Subject) error {
	dir, err := os.MkdirTemp("", "acpctl-login-")
	if err != nil {
		return fmt.Errorf("cannot check the sign-in: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	stderr, err := a.talk(ctx, s, a.loginOptions(), func(agent *started) error {
		conn := agent.Conn()
		if conn.Capabilities().AuthStatus {
			if _, err := conn.QueryAuthStatus(ctx); err != nil {
				return err
			}
		}
		session, err := conn.NewSession(ctx, dir, &acp.SessionOptions{NoUpdates: true})
		if err == nil {
			defer func() { _ = session.Close(context.WithoutCancel(ctx)) }()
		}
		status := conn.AuthStatus()
		switch {
		case acp.IsAuthRequired(err):
			return signInNeeded("%s still wants a sign-in: %v", s.Name, err)
		case err == nil && status.State == acp.AuthNo:
			return signInNeeded("%s says that nobody is signed in", s.Name)
		case err != nil:
			return err
		case status.State == acp.AuthYes:
			fmt.Fprintf(a.streams.Err, "acpctl: signed in to %s%s\n", s.Name, accounts(status))
		default:
			fmt.Fprintln(a.streams.Err, "acpctl: the agent opens sessions; some find out with the first prompt only whether anybody is signed in")
		}
		return nil
	})
	if err != nil && !a.verbose {
		tellStderr(a.streams, stderr)
	}
	return err
}

func accounts(status acp.AuthStatus) string {
	var labels []string
	for _, account := range status.Accounts {
		labels = append(labels, account.Label)
	}
	if len(labels) == 0 {
		return ""
	}
	return " as " + ui.OneLine(strings.Join(labels, ", "), 0)
}

// methodJSON is the documented form of a way to sign in.
type methodJSON struct {
	ID          string       `json:"id"`
	Name        string       `json:"name"`
	Kind        acp.AuthType `json:"kind"`
	Description string       `json:"description"`
	Needs       []string     `json:"needs"` // variables
}

// listMethods shows the ways to sign in, and whether somebody has.
func (a *app) listMethods(f *loginFlags, s probe.Subject, conn *acp.Conn) error {
	methods := []methodJSON{}
	for _, m := range conn.AuthMethods() {
		needs := []string{}
		for _, v := range m.Vars {
			needs = append(needs, v.Name)
		}
		if s.Descriptor != nil {
			for _, known := range s.Descriptor.SignIn {
				if known.Method == m.ID {
					needs = append(needs, strings.Join(known.Env, "+"))
				}
			}
		}
		methods = append(methods, methodJSON{m.ID, m.Name, m.Kind(), m.Description, needs})
	}
	if f.json {
		return a.writeJSON(map[string]any{
			"schema": loginSchema, "backend": s.Name, "state": conn.AuthStatus().State, "methods": methods,
		})
	}
	table := a.streams.NewTable("METHOD", "KIND", "NAME", "NEEDS").Whole(1)
	for _, m := range methods {
		table.Row(ui.Cell{Text: m.ID}, ui.Cell{Text: string(m.Kind)}, ui.Cell{Text: dash(m.Name)}, ui.Cell{Text: dash(strings.Join(m.Needs, " or "))})
	}
	return table.Print()
}
