package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/parity/probe"
	"github.com/acpharness/acpharness/provider"
)

// examine checks one agent. Texts of the agent's and lists of folders stay out of it: they may hold what its environment has.
func (d *doctor) examine(ctx context.Context, s probe.Subject) *checkup {
	c := &checkup{
		Subject: s.Name, Name: s.Descriptor.Name, NameKnown: answerUnknown, VersionKnown: answerUnknown, SignedIn: answerUnknown,
		HotReload: reloadBefore(s.Descriptor),
	}
	command, err := resolve(s)
	if err != nil {
		if d.named {
			c.notInstalled(err)
		}
		return c
	}
	c.Installed, c.Command = true, command
	if d.noStart || ctx.Err() != nil {
		return c
	}
	d.start(ctx, s, c)
	return c
}

// resolve finds the executable without starting anything.
func resolve(s probe.Subject) ([]string, error) {
	connector, ok := s.Connector.(*provider.BackendConnector)
	if !ok { // its arguments depend on the folder, its executable does not
		connector = provider.NewBackend(*s.Descriptor, nil)
	}
	return connector.Resolve(nil)
}

func (c *checkup) notInstalled(err error) {
	missing, ok := errors.AsType[*provider.NotFoundError](err)
	if !ok {
		c.issue(issueNotInstalled, "see acpctl backends show "+c.Subject, "%v", err)
		return
	}
	next := "install it, or put its folder into PATH"
	if missing.Install != "" {
		next = "install it with: " + missing.Install
	}
	if errors.Is(missing.Err, exec.ErrNotFound) {
		c.issue(issueNotInstalled, next, "%s is neither in PATH nor where agents usually are", missing.Command)
		return
	}
	c.issue(issueNotInstalled, next, "%v", missing.Err)
}

// start runs the agent and has it tell of itself.
func (d *doctor) start(ctx context.Context, s probe.Subject, c *checkup) {
	dir, err := os.MkdirTemp("", "acpctl-doctor-")
	if err != nil {
		c.issue(issueStart, "make room for temporary files", "there is no empty folder to start it in: %v", err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bounded, cancel := within(ctx, d.timeout)
	defer cancel()
	opts := &provider.ConnectOptions{Dir: dir, Started: func(command []string) {
		c.Started, c.Command = true, command
		d.tell("starting %s: %s", s.Name, shellLine(command))
	}}
	opts.Client.Timeouts = acp.Timeouts{Spawn: -1, Initialize: -1, NewSession: -1} // --timeout is the bound
	_, err = d.app.talk(bounded, s, opts, func(agent *started) error {
		c.introduced(s.Descriptor, agent.Conn().Agent())
		c.session(bounded, ctx, s.Descriptor, agent.Conn(), dir)
		return nil
	})
	if err != nil && ctx.Err() == nil { // an interrupt is no illness
		c.startFailed(err)
	}
}

// startFailed says what went wrong in words of acpctl's own. probe says it in those of the agent.
func (c *checkup) startFailed(err error) {
	next := "acpctl probe " + c.Subject + " shows what it says"
	start, ok := errors.AsType[*acp.StartError](err)
	if !ok {
		c.issue(issueStart, next, "it cannot be started")
		return
	}
	if hint := start.Hint(); hint != "" {
		next = hint + "; " + next
	}
	what := strings.ReplaceAll(string(start.Kind()), "_", " ")
	c.issue(issueStart, next, "it was started and is of no use: %s failed (%s)", start.Phase, what)
}

// session opens a session, closes it, and takes down who is signed in.
func (c *checkup) session(ctx, whole context.Context, d *backends.Descriptor, conn *acp.Conn, dir string) {
	if conn.Capabilities().AuthStatus {
		_, _ = conn.QueryAuthStatus(ctx) // what it does not answer stays unknown
	}
	session, err := conn.NewSession(ctx, dir, &acp.SessionOptions{NoUpdates: true})
	if err == nil {
		_ = session.Close(ctx)
	}
	if whole.Err() != nil {
		return
	}
	offered := acp.AuthMethodsOf(err)
	if offered == nil {
		offered = conn.AuthMethods()
	}
	c.signIn(d, err, conn.AuthStatus().State, offered)
	if err != nil && !acp.IsAuthRequired(err) {
		c.issue(issueSession, "acpctl probe "+c.Subject+" shows what it says", "it opens no session: %s", noSession(err))
	}
}

// noSession says how opening a session has failed, without the agent's words.
func noSession(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "it did not answer in time"
	}
	if rpc, ok := errors.AsType[*acp.Error](err); ok {
		return fmt.Sprintf("it refuses with code %d", rpc.Code)
	}
	return "it ended, or answered with what is no answer"
}
