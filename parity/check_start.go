package parity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/provider"
)

// introduction is what the first process of a subject said and did: a handshake, a session without a turn, and a stop.
type introduction struct {
	agent      acp.Implementation
	version    json.RawMessage // of the protocol
	declared   provider.Capabilities
	can        acp.AgentCapabilities // as advertised, after the corrections
	advertised func(capability string) bool
	refused    error // that of session/new

	alive             bool     // what McpConfigHotReload answered in its life
	inherited, hidden []string // see inherits

	exit  *acp.Exit             // nil for what is no process
	after provider.Capabilities // what it declared when it had ended
	hot   bool
}

// noSession says why there is nothing to compare that needs a session, empty if there are sessions.
func (i *introduction) noSession() string {
	switch {
	case i.refused == nil:
		return ""
	case acp.IsAuthRequired(i.refused):
		return "it wants an account for a session"
	default:
		return "it opens no session"
	}
}

// introduction starts the subject for the first time. Without an answer the cells say why.
func (t *trial) introduction(ctx context.Context) *introduction {
	whole := ctx
	ctx, cancel := context.WithTimeout(ctx, t.opts.Timeout)
	defer cancel()
	p, err := t.connect(ctx, func(o *provider.ConnectOptions) { o.Stop.StdinClose = t.opts.StdinGrace })
	switch {
	case err != nil && whole.Err() != nil:
		t.skip("start", interrupted(whole))
		return nil
	case err != nil:
		t.startFailed(err)
		return nil
	}
	conn := p.Conn()
	seen := &introduction{
		agent: conn.Agent(), version: conn.ProtocolVersion(), declared: p.Capabilities(),
		can: conn.Capabilities(), advertised: conn.Advertised,
	}
	seen.alive = p.McpConfigHotReload()
	seen.inherited, seen.hidden = inherits(p)
	_, seen.refused = conn.NewSession(ctx, t.subject.Dir, &acp.SessionOptions{NoUpdates: true})
	t.stop(ctx, p)
	seen.exit, seen.after, seen.hot = conn.Exit(), p.Capabilities(), p.McpConfigHotReload()
	return seen
}

func (t *trial) startFailed(err error) {
	missing, notFound := errors.AsType[*provider.NotFoundError](err)
	switch {
	case notFound && missing.Install != "":
		t.skip("start", "not installed: "+missing.Install)
	case notFound:
		t.skip("start", "not installed: "+missing.Error())
	case acp.IsAuthRequired(err):
		t.skip("start", "it wants an account before it starts")
	default:
		t.record("start", "starts", t.failure(err), Fail, "it cannot be started")
	}
}

// checkIntroduction compares how it introduced itself.
func checkIntroduction(_ context.Context, t *trial) {
	d, agent := t.subject.Descriptor, t.seen.agent
	if d == nil {
		t.skip("name", "there is no descriptor")
		return
	}
	t.require("name", fmt.Sprintf("one of %q", d.AgentNames), fmt.Sprintf("%q", agent.Name), slices.Contains(d.AgentNames, agent.Name),
		"the descriptor does not know an agent of this name, and nothing that is granted holds for it")
	t.require("version", "a version", fmt.Sprintf("%q", agent.Version), d.VersionOf(agent.Name, agent.Version).Known(),
		"it cannot be compared with a floor")
	if backend := t.seen.declared.Backend(); backend != "" {
		t.require("backend", d.ID, backend, backend == d.ID, "the provider declares what another backend does")
	}
}

// checkSession compares what became of session/new.
func checkSession(_ context.Context, t *trial) {
	if acp.IsAuthRequired(t.seen.refused) {
		t.skip("session/new", t.seen.noSession())
		return
	}
	t.require("session/new", "opens", t.failure(t.seen.refused), t.seen.refused == nil, "no agent is of use without sessions")
}
