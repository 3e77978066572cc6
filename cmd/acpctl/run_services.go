package main

import (
	"context"
	"fmt"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/permission"
	"github.com/acpharness/acpharness/acp/terminal"
	"github.com/acpharness/acpharness/acp/workspace"
	"github.com/acpharness/acpharness/harness/grants"
	"github.com/acpharness/acpharness/provider"
)

// serve makes the client serve what was asked for. One judge decides about what the agent asks leave for and what it has us do.
func (a *app) serve(o *runOptions, view runView, connect *provider.ConnectOptions) error {
	judge, err := a.judge(o)
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
	client.Permission = seen
	if len(o.dirs) > 0 {
		files := workspace.New(&workspace.Options{Dirs: o.dirs, Missing: o.missing()})
		client.ReadTextFile, client.WriteTextFile = gate.Reader(files), gate.Writer(files)
	}
	if o.terminal {
		client.Terminal = gate.Terminal(terminal.New(&terminal.Options{
			Env: environOf(o.subject, connect), Dirs: o.dirs, StateDir: a.ledger(), Logger: a.logger,
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

// judge returns who decides: the policy first; then what was decided for always; then the person, if there is one.
func (a *app) judge(o *runOptions) (acp.PermissionHandler, error) {
	next, err := a.asked(o)
	switch {
	case err != nil:
		return nil, err
	case o.rules != nil:
		return o.rules.Handler(&permission.Options{
			Root: o.cwd, Next: next, Log: func(d permission.Decision) { a.logger.Info("permission", "decision", d) },
		})
	case next != nil:
		return o.policy.Else(next), nil
	}
	return o.policy, nil
}

// asked returns who is asked about what the policy leaves open, nil if there is nobody.
func (a *app) asked(o *runOptions) (acp.PermissionHandler, error) {
	var next acp.PermissionHandler
	if o.person != nil {
		o.person.root = o.cwd
		next = o.person
	}
	if o.grants {
		file, err := grants.DefaultFile()
		if err != nil {
			return nil, err
		}
		if next == nil {
			next = permission.Reject
		}
		log := &grants.Options{Log: func(e grants.Event) { a.logger.Info("grant", "event", e) }}
		next, err = grants.Open(file).Handler(grants.Scope{Backend: o.subject.Name, Root: o.cwd}, next, log)
		if err != nil {
			return nil, fmt.Errorf("cannot use the grants: %w", err)
		}
	}
	if next == nil {
		return nil, nil //nolint:nilnil // nobody is there
	}
	o.once = permission.NewOnce(next, o.cwd)
	return o.once, nil
}
