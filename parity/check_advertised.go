package parity

import (
	"context"
	"errors"
	"slices"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/provider"
)

// checkAdvertised uses everything that the agent advertises, or is declared to do. What an override says that does not work is asked for
// over the wire all the same, to see whether it still does not.
func checkAdvertised(ctx context.Context, t *trial) {
	a := &advertised{trial: t, overrides: map[string]backends.Override{}}
	if d := t.subject.Descriptor; d != nil {
		for _, o := range d.Overrides {
			if o.Capability == backends.OverrideProtocolVersion {
				continue
			}
			a.overrides[o.Capability] = o
			if !slices.ContainsFunc(ways(), func(w way) bool { return w.capability == o.Capability }) {
				t.skip(o.Capability, "it is not used by a call")
			}
		}
	}
	if why := t.seen.noSession(); why != "" {
		t.skip("all", why)
		return
	}
	a.first(ctx)
}

// advertised is the check at work.
type advertised struct {
	*trial

	overrides map[string]backends.Override
	id        acp.SessionID // of the session that has had a turn
}

// wanted reports whether a capability is to be used.
func (a *advertised) wanted(w way) bool {
	_, overridden := a.overrides[w.capability]
	return a.seen.advertised(w.capability) || overridden
}

// connect starts the subject with everything that is overridden turned on.
func (a *advertised) connect(ctx context.Context) (provider.Provider, error) {
	return a.trial.connect(ctx, func(o *provider.ConnectOptions) {
		o.Client.Corrections = slices.Clone(o.Client.Corrections)
		for capability := range a.overrides {
			o.Client.Corrections = append(o.Client.Corrections, acp.Correction{Capability: capability, Works: true, Reason: "It is tried."})
		}
	})
}

// first does everything that one process is enough for, then what needs the session of another process.
func (a *advertised) first(ctx context.Context) {
	p, err := a.connect(ctx)
	if err != nil {
		a.skip("all", "it did not start: "+a.failure(err))
		return
	}
	session, err := p.Conn().NewSession(ctx, a.subject.Dir, &acp.SessionOptions{NoUpdates: true})
	if err != nil {
		a.skip("all", "it did not open a session: "+a.failure(err))
		return
	}
	a.id = session.ID()
	noTurn := "there is no turn to play first"
	if a.subject.Say != nil {
		noTurn = ""
		if ended := a.say(ctx, session, a.subject.Say); ended != string(acp.StopEndTurn) {
			noTurn = "the turn that comes first did not end well: " + ended
		}
	}
	var later []way
	for _, w := range ways() {
		switch {
		case !a.wanted(w):
		case w.capability == capabilityHTTP && a.subject.HTTPServer != nil:
			later = append(later, w)
		case w.spared != "":
			a.skip(w.capability, w.spared)
		case w.needsTurn() && noTurn != "":
			a.skip(w.capability, noTurn)
		case w.capability == capabilityLoad || w.capability == capabilityResume || w.capability == capabilityDelete:
			later = append(later, w)
		default:
			a.compare(ctx, w, w.use(ctx, p.Conn(), session, a.target(ctx, p.Conn(), w), a.subject.Dir))
		}
	}
	a.ended(ctx, p)
	for _, w := range later {
		if w.capability == capabilityHTTP {
			a.http(ctx, w)
		} else {
			a.again(ctx, w)
		}
	}
}

// needsTurn reports whether agents need to have stored the session, which many do with its first turn.
func (w way) needsTurn() bool {
	switch w.capability {
	case capabilityLoad, capabilityResume, capabilityFork, capabilityDelete, "sessionCapabilities.archive", "sessionCapabilities.title":
		return true
	default:
		return false
	}
}

// target returns the session that a capability is used on. The one to close is another one: that with the turn is opened again later.
func (a *advertised) target(ctx context.Context, conn *acp.Conn, w way) acp.SessionID {
	if w.capability != "sessionCapabilities.close" {
		return a.id
	}
	second, err := conn.NewSession(ctx, a.subject.Dir, &acp.SessionOptions{NoUpdates: true})
	if err != nil {
		return a.id // sharing a process is a check of its own
	}
	return second.ID()
}

// again uses a capability in another process with the same environment.
func (a *advertised) again(ctx context.Context, w way) {
	p, err := a.connect(ctx)
	if err != nil {
		a.skip(w.capability, "it did not start again: "+a.failure(err))
		return
	}
	a.compare(ctx, w, w.use(ctx, p.Conn(), nil, a.id, a.subject.Dir))
	a.ended(ctx, p)
}

// http gives a session a server over HTTP: an agent that advertises it and uses none does not do it.
func (a *advertised) http(ctx context.Context, w way) {
	server, started, err := a.subject.HTTPServer()
	if err != nil {
		a.skip(w.capability, "there is no server: "+err.Error())
		return
	}
	p, err := a.connect(ctx)
	if err != nil {
		a.skip(w.capability, "it did not start again: "+a.failure(err))
		return
	}
	session, err := p.Conn().NewSession(ctx, a.subject.Dir, &acp.SessionOptions{NoUpdates: true, MCPServers: []acp.MCPServer{server}})
	if err == nil {
		used, observed, unknown := a.uses(ctx, session, started)
		switch {
		case unknown != nil:
			a.skip(w.capability, "nobody knows whether it was used: "+unknown.Error())
			return
		case !used:
			err = errors.New(observed)
		}
	}
	a.compare(ctx, w, err)
	a.ended(ctx, p)
}

// compare records what became of a capability that was used.
func (a *advertised) compare(ctx context.Context, w way, err error) {
	o, overridden := a.overrides[w.capability]
	advertised := a.seen.advertised(w.capability)
	observed := a.failure(err)
	switch {
	case err != nil && ctx.Err() != nil: // one call alone has a shorter time, see connect
		a.skip(w.capability, overtime)
	case !overridden:
		a.require(w.capability, "advertised", observed, err == nil, "it is advertised, and needs an override or a fix")
	case advertised == o.Works:
		a.record(w.capability, overrideText(o), "advertised: "+answer(advertised), Fail, "the override says nothing else than the agent: it is not needed any more")
	case o.Works:
		a.require(w.capability, overrideText(o), observed, err == nil, "the override promises what does not work")
	default:
		a.require(w.capability, overrideText(o), observed, err != nil, "the override is not needed any more: it works")
	}
}

func overrideText(o backends.Override) string {
	if o.Works {
		return "not advertised, works"
	}
	return "advertised, does not work"
}
