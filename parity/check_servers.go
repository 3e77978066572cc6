package parity

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
)

// checkServers gives MCP servers to sessions.
func checkServers(ctx context.Context, t *trial) {
	for _, each := range []struct {
		transport string
		make      ServerFunc
	}{{"stdio", t.subject.StdioServer}, {"http", t.subject.HTTPServer}} {
		declared, ok := t.declared(each.transport, backends.TrustTakesServers)
		if !ok {
			continue
		}
		if each.make == nil {
			t.skip(each.transport, "there is no such server to give")
			continue
		}
		declared.Granted = slices.Contains(strings.Split(declared.Value, ", "), each.transport)
		declared.Value = answer(declared.Granted)
		t.give(ctx, each.transport, declared, each.make)
	}
	if _, ok := t.declared("sse", backends.TrustTakesServers); ok {
		t.skip("sse", "there is no such server to give")
	}
}

// give opens a session with a server and compares whether that is used.
func (t *trial) give(ctx context.Context, transport string, declared backends.Ruling, makeServer ServerFunc) {
	server, started, err := makeServer()
	if err != nil {
		t.skip(transport, "there is no server: "+err.Error())
		return
	}
	session, err := t.open(ctx, &acp.SessionOptions{NoUpdates: true, MCPServers: []acp.MCPServer{server}})
	if err != nil && ctx.Err() != nil {
		t.skip(transport, overtime)
		return
	}
	if err != nil {
		t.hold(transport, declared, false, t.failure(err))
		return
	}
	used, observed, err := t.uses(ctx, session, started)
	if err != nil {
		t.skip(transport, "nobody knows whether it was used: "+err.Error())
		return
	}
	t.hold(transport, declared, used, observed)
}

// uses looks whether a server that a session was given is used, at the latest after a turn.
func (t *trial) uses(ctx context.Context, session *acp.Session, started func() (bool, error)) (used bool, observed string, err error) {
	observed = "not used"
	if t.subject.Say != nil {
		if ended := t.say(ctx, session, t.subject.Say); ended != string(acp.StopEndTurn) {
			observed += ", turn: " + ended
		}
	}
	settle, cancel := context.WithTimeout(ctx, t.opts.Settle)
	defer cancel()
	if used, err = poll(settle, started); used {
		observed = "used"
	}
	return used, observed, err
}

// poll asks again and again until something is so, or ctx ends.
func poll(ctx context.Context, is func() (bool, error)) (bool, error) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if yes, err := is(); yes || err != nil {
			return yes, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return is()
		}
	}
}
