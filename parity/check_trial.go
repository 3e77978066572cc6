package parity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/provider"
)

// trial is one check of one subject.
type trial struct {
	check   string
	subject Subject
	opts    Options
	seen    *introduction

	cells   []Cell
	started []provider.Provider // until the check is over
}

// run makes one check within its timeout, and ends what it has started.
func (t *trial) run(ctx context.Context, check CheckInfo) {
	defer t.close(ctx)
	bounded, cancel := context.WithTimeout(ctx, t.opts.Timeout)
	defer cancel()
	if ctx.Err() == nil {
		check.run(bounded, t)
	}
	if ctx.Err() != nil { // what fails now says nothing of the subject
		t.cells = nil
		t.skip("all", interrupted(ctx))
	}
}

func interrupted(ctx context.Context) string {
	return fmt.Sprintf("interrupted: %v", context.Cause(ctx))
}

// overtime is why nothing is known of what comes late in a check.
const overtime = "the time for the check was over"

// stopTime bounds the stop of a process: what has not ended until then is killed.
const stopTime = 30 * time.Second

func (t *trial) close(ctx context.Context) {
	for _, p := range t.started {
		t.stop(ctx, p)
	}
	t.started = nil
}

// stop ends a process, also when the check has run out of time.
func (t *trial) stop(ctx context.Context, p provider.Provider) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime+t.opts.StdinGrace)
	defer cancel()
	_ = p.Close(ctx) // how it ends is a check of its own
}

// connect starts the subject. It is ended with the check, if not before. change may be nil.
func (t *trial) connect(ctx context.Context, change func(*provider.ConnectOptions)) (provider.Provider, error) {
	opts := t.subject.Connect
	opts.Client.Timeouts.NewSession = cmp.Or(opts.Client.Timeouts.NewSession, t.opts.Timeout/2) // so that a check can tell what takes its time
	if change != nil {
		change(&opts)
	}
	p, err := t.subject.Connector.Connect(ctx, &opts)
	if err != nil {
		return nil, err
	}
	t.started = append(t.started, p)
	return p, nil
}

// ended ends the subject before the end of the check.
func (t *trial) ended(ctx context.Context, p provider.Provider) {
	t.stop(ctx, p)
	for i, each := range t.started {
		if each == p {
			t.started = append(t.started[:i:i], t.started[i+1:]...)
			return
		}
	}
}

// open starts the subject and opens a session.
func (t *trial) open(ctx context.Context, opts *acp.SessionOptions) (*acp.Session, error) {
	p, err := t.connect(ctx, nil)
	if err != nil {
		return nil, err
	}
	return p.Conn().NewSession(ctx, t.subject.Dir, opts)
}

// say plays the turn of a prompt, and says in a word how it ended.
func (t *trial) say(ctx context.Context, s *acp.Session, prompt []acp.ContentBlock) string {
	turn, err := s.Prompt(ctx, prompt, &acp.PromptOptions{NoUpdates: true})
	if err != nil {
		return t.failure(err)
	}
	result, err := turn.Wait(ctx)
	if err != nil {
		return t.failure(err)
	}
	if result.StopReason == acp.StopEndTurn && result.Messages == 0 {
		return "end_turn without a word" // the answer may have gone to another session, or nowhere
	}
	return string(result.StopReason)
}

// failure says what an error means for the report.
func (t *trial) failure(err error) string {
	rpc, refused := errors.AsType[*acp.Error](err)
	switch {
	case err == nil:
		return "works"
	case errors.Is(err, acp.ErrUnsupported):
		return "refused here: not advertised"
	case refused:
		return fmt.Sprintf("error %d: %.200s", rpc.Code, rpc.Message)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("no answer in time (%v)", t.opts.Timeout)
	default:
		return fmt.Sprintf("%.300s", err.Error())
	}
}

func (t *trial) record(subject, declared, observed string, result Result, reason string) {
	t.cells = append(t.cells, Cell{t.subject.Name, t.check, subject, declared, observed, result, reason})
}

func (t *trial) skip(subject, reason string) { t.record(subject, "", "", Skipped, reason) }

// require records something that has to be so.
func (t *trial) require(subject, declared, observed string, holds bool, fault string) {
	if holds {
		t.record(subject, declared, observed, Pass, "")
	} else {
		t.record(subject, declared, observed, Fail, fault)
	}
}

// hold compares a decision with what the subject does. To do more than is declared is no fault.
func (t *trial) hold(subject string, declared backends.Ruling, does bool, observed string) {
	switch {
	case declared.Granted && !does:
		t.record(subject, declared.Value, observed, Fail, "it is declared: "+declared.Reason)
	case !declared.Granted && does:
		t.record(subject, declared.Value, observed, Undeclared, declared.Reason)
	default:
		t.record(subject, declared.Value, observed, Pass, "")
	}
}

// declared returns a decision, and false if nothing can be compared with it; then the cell says why.
func (t *trial) declared(subject string, key backends.TrustKey) (backends.Ruling, bool) {
	switch why := t.seen.noSession(); {
	case t.seen.declared.Backend() == "":
		t.skip(subject, "nothing is declared of it")
	case why != "":
		t.skip(subject, why)
	default:
		return t.seen.declared.Trust(key), true
	}
	return backends.Ruling{}, false
}
