// Package acptest provides a scriptable agent for tests of programs that use acp, as httptest does for HTTP.
//
// An [Agent] is an acp.Transport: connect a client to it and it answers in the same process, a good agent by default and
// one with faults by its [Script]. It works inside testing/synctest.
package acptest

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/internal/fakeagent"
)

// Script says how an agent behaves. The zero value is a good agent; every member turns on one fault.
type Script = fakeagent.Script

// Noise is bytes on the output that are no frames.
type Noise = fakeagent.Noise

// Tool says what the tool call of a turn looks like.
type Tool = fakeagent.Tool

// Call is a request that the agent makes in a turn.
type Call = fakeagent.Call

// RPCError is an error answer.
type RPCError = fakeagent.RPCError

// Duration is a time.Duration that is a string in JSON.
type Duration = fakeagent.Duration

// MCPScript says how an agent treats the configuration of its MCP servers, which it starts as processes.
type MCPScript = fakeagent.MCPScript

// Event is a frame that an agent received.
type Event = fakeagent.Event

// ParseScript reads a script in JSON. A member that does not exist is an error.
func ParseScript(text []byte) (*Script, error) { return fakeagent.ParseScript(text) }

// Agent is an agent in this process. Each Connect starts one conversation on a goroutine of its own, which ends when the
// client closes its side; Close ends all that are left and joins them.
type Agent struct {
	script *Script
	ctx    context.Context
	cancel context.CancelFunc
	served sync.WaitGroup

	mu     sync.Mutex
	events []Event
	errs   []error
}

// NewAgent returns an agent that follows script, nil for a good one.
func NewAgent(script *Script) *Agent {
	a := &Agent{script: script}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a
}

// Connect implements acp.Transport.
func (a *Agent) Connect(ctx context.Context, opts *acp.StreamOptions) (acp.Stream, error) {
	if a.ctx.Err() != nil {
		return nil, errors.New("cannot connect: the agent is closed")
	}
	toAgent, fromClient := net.Pipe()
	toClient, fromAgent := net.Pipe()
	a.served.Go(func() {
		err := fakeagent.Serve(a.ctx, toAgent, fromAgent, &fakeagent.Options{Script: a.script, Version: "1.2.3", Journal: a.note})
		_ = fromAgent.Close()
		_ = toAgent.Close()
		if err != nil && a.ctx.Err() == nil {
			a.mu.Lock()
			a.errs = append(a.errs, err)
			a.mu.Unlock()
		}
	})
	return (&acp.IOTransport{Reader: toClient, Writer: fromClient}).Connect(ctx, opts)
}

func (a *Agent) note(e Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.events = append(a.events, e)
}

// Received returns the frames received so far, in order.
func (a *Agent) Received() []Event {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.events)
}

// Errors returns the errors with which conversations ended: an exit that the script demanded is an *ExitError.
func (a *Agent) Errors() []error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.errs)
}

// ExitError is the end of a conversation by an exit that the script demanded.
type ExitError = fakeagent.ExitError

// Close ends every conversation and joins its goroutines.
func (a *Agent) Close() {
	a.cancel()
	a.served.Wait()
}
