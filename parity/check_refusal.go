package parity

import (
	"context"
	"errors"
	"sync"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/provider"
)

// checkRefusal asks for everything that the connection does not have: not a frame of it may reach the agent.
func checkRefusal(ctx context.Context, t *trial) {
	frames := &counter{}
	p, err := t.connect(ctx, func(o *provider.ConnectOptions) { o.Client.Tap = frames.tap(o.Client.Tap) })
	if err != nil {
		t.skip("all", "it did not start: "+t.failure(err))
		return
	}
	expected := map[string]int{}
	var session *acp.Session
	if t.seen.refused == nil {
		session, err = p.Conn().NewSession(ctx, t.subject.Dir, &acp.SessionOptions{NoUpdates: true})
		expected["session/new"]++
		if err != nil {
			t.skip("all", "it did not open a session: "+t.failure(err))
			return
		}
	}
	can := p.Conn().Capabilities()
	var asked []way
	refusals := map[string]error{}
	for _, w := range ways() {
		switch {
		case w.has(can):
		case w.capability == capabilityFork && session == nil:
			t.skip(w.capability, t.seen.noSession())
		default:
			asked = append(asked, w)
			refusals[w.capability] = w.use(ctx, p.Conn(), session, "parity-unknown", t.subject.Dir)
		}
	}
	t.ended(ctx, p) // then the tap has seen everything
	if frames.of("initialize") == 0 {
		t.skip("all", "the connector does not pass the tap on, and nobody sees what is sent")
		return
	}
	for _, w := range asked {
		unsupported, ok := errors.AsType[*acp.UnsupportedError](refusals[w.capability])
		sent := frames.of(w.method) - expected[w.method]
		const declared = "refused, no frame"
		switch {
		case sent > 0:
			t.record(w.capability, declared, w.method+" was sent", Fail, "the agent was asked for what it does not do")
		case !ok:
			t.record(w.capability, declared, t.failure(refusals[w.capability]), Fail, "the error does not say that it is unsupported")
		default:
			t.require(w.capability, declared, declared, unsupported.Capability == w.capability, "the error names "+unsupported.Capability)
		}
	}
}

// counter counts what is sent to an agent.
type counter struct {
	mu   sync.Mutex
	sent map[string]int // by method
}

func (c *counter) tap(next acp.Tap) acp.Tap {
	return func(f acp.TapFrame) {
		if f.Dir == acp.ToAgent {
			c.mu.Lock()
			if c.sent == nil {
				c.sent = map[string]int{}
			}
			c.sent[f.Meta().Method]++
			c.mu.Unlock()
		}
		if next != nil {
			next(f)
		}
	}
}

func (c *counter) of(method string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent[method]
}
