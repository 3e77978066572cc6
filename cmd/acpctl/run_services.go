package main

import (
	"context"
	"fmt"
	"os"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/permission"
	"github.com/acpharness/acpharness/acp/terminal"
	"github.com/acpharness/acpharness/acp/workspace"
	"github.com/acpharness/acpharness/harness/grants"
	"github.com/acpharness/acpharness/provider"
)

// serve makes the client serve what was asked for, each thing judged by the policy.
func (a *app) serve(o *runOptions, view runView, connect *provider.ConnectOptions) error {
	judge, err := a.policy(o)
	if err != nil {
		return err
	}
	seen := acp.PermissionFunc(func(ctx context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
		outcome, err := judge.RequestPermission(ctx, req)
		view.permission(req, outcome)
		return outcome, err
	})
	gate := permission.NewGate(seen, o.cwd)
	client := &connect.Client
	client.Permission = gate
	if len(o.dirs) > 0 {
		files := workspace.New(&workspace.Options{Dirs: o.dirs, Missing: o.missing()})
		client.ReadTextFile, client.WriteTextFile = gate.Reader(files), gate.Writer(files)
	}
	if o.terminal {
		client.Terminal = gate.Terminal(terminal.New(&terminal.Options{
			Env: append(os.Environ(), connect.SetEnv...), Dirs: o.dirs, StateDir: a.ledger(), Logger: a.logger,
		}))
	}
	if o.person != nil {
		client.Form, client.URL = o.person, o.person
	}
	return nil
}

// missing says how a file that is not there is read: some agents make a new file only if it seems to be empty.
func (o *runOptions) missing() workspace.Missing {
	if d := o.subject.Descriptor; d != nil && d.ReadsBeforeCreating {
		return workspace.MissingEmpty
	}
	return workspace.MissingError
}

// policy returns who decides: the rules; then what was decided for always; then the person, if there is one.
func (a *app) policy(o *runOptions) (acp.PermissionHandler, error) {
	var next acp.PermissionHandler
	if o.person != nil {
		next = o.person
	}
	if o.grants {
		file, err := grants.DefaultFile()
		if err != nil {
			return nil, err
		}
		backend := o.subject.Name
		if next == nil {
			next = permission.Reject
		}
		next, err = grants.Open(file).Handler(grants.Scope{Backend: backend, Root: o.cwd}, next, &grants.Options{Log: func(e grants.Event) {
			a.logger.Info("grant", "event", e)
		}})
		if err != nil {
			return nil, fmt.Errorf("cannot use the grants: %w", err)
		}
	}
	if o.rules == nil && next == nil {
		return o.policyName, nil
	}
	rules := o.rules
	if rules == nil {
		rules = rulesOf(o.policyName)
	}
	return rules.Handler(&permission.Options{Root: o.cwd, Next: next, Log: func(d permission.Decision) { a.logger.Info("permission", "decision", d) }})
}

// rulesOf is a named policy that asks instead of rejecting.
func rulesOf(p permission.Policy) *permission.Rules {
	switch p {
	case permission.Allow:
		return &permission.Rules{Default: permission.ActionAllow}
	case permission.AllowReads:
		return &permission.Rules{
			Rules:   []permission.Rule{{Action: permission.ActionAllow, Kinds: []acp.ToolKind{acp.ToolRead, acp.ToolSearch}}},
			Default: permission.ActionAsk,
		}
	case permission.Reject:
	}
	return &permission.Rules{Default: permission.ActionAsk}
}
