package live

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/parity/bench"
)

// columns are what is tried with each agent, in this order, and the headings of the table.
var columns = []struct {
	name string
	try  func(ctx context.Context, r *run) string
}{
	{"text turn", textTurn},
	{"tool call allowed", func(ctx context.Context, r *run) string { return r.tool(ctx, allow) }},
	{"rejected", func(ctx context.Context, r *run) string { return r.tool(ctx, reject) }},
	{"cancelled while asking", func(ctx context.Context, r *run) string { return r.tool(ctx, cancel) }},
	{"cancel in mid-stream", cancelStream},
	{"HTTP 400", httpError},
}

func turnHeading() []string {
	heading := []string{"initialize", "session/new"}
	for _, c := range columns {
		heading = append(heading, c.name)
	}
	return heading
}

// TestTurns takes every agent through a handshake, a session and one turn of each kind, each in a session of its own, and
// compares what it does with the table of docs/agents.md.
func TestTurns(t *testing.T) {
	chosen := agents(t)
	table := readTable(t, turnHeading())
	for _, pin := range chosen {
		t.Run(pin.id, func(t *testing.T) {
			t.Parallel()
			l := newLane(t, pin)
			cells := l.cells()
			table.compare(t, pin.id, cells)
			assert.Empty(t, l.left(), "processes left behind")
		})
	}
	t.Cleanup(func() { table.write(t) })
}

// run is a lane whose agent is running.
type run struct {
	*lane

	conn  *acp.Conn
	asked chan *question
}

// question is a permission request that waits for its answer.
type question struct {
	req    *acp.PermissionRequest
	answer chan acp.PermissionOutcome
}

// cells runs the agent and returns its row.
func (l *lane) cells() []string {
	ctx, stop := context.WithTimeout(l.t.Context(), patience)
	defer stop()
	r := &run{lane: l, asked: make(chan *question)}
	began := time.Now()
	p, err := l.connect(ctx, acp.PermissionFunc(r.ask))
	require.NoError(l.t, err)
	defer func() { assert.NoError(l.t, p.Close(context.WithoutCancel(ctx))) }()
	r.conn = p.Conn()
	agent := r.conn.Agent()
	l.t.Logf("%s %s: initialize answered after %v", agent.Name, agent.Version, time.Since(began).Round(time.Millisecond))
	assert.Contains(l.t, l.descriptor.AgentNames, agent.Name)
	assert.Equal(l.t, l.descriptor.Observed.Version, agent.Version)
	began = time.Now()
	s, err := l.session(ctx, r.conn)
	cells := []string{"ok", "ok"}
	if err != nil {
		l.t.Log(err)
		cells[1] = outcome(nil, err)
	} else {
		l.t.Logf("session/new answered after %v", time.Since(began).Round(time.Millisecond))
		if err := s.Close(ctx); err != nil {
			l.t.Log(err) // an agent may advertise what it does not do
		}
	}
	for _, column := range columns {
		cell := "-"
		if err == nil && l.recipe.Shell != nil {
			began := time.Now()
			cell = r.step(column.try)
			l.t.Logf("%s: %s (%v)", column.name, cell, time.Since(began).Round(time.Millisecond))
		}
		cells = append(cells, cell)
	}
	return cells
}

func (r *run) step(try func(context.Context, *run) string) string {
	ctx, stop := context.WithTimeout(r.t.Context(), patience)
	defer stop()
	// An agent that never ends its turn is ended, and with it what waits for its updates.
	defer context.AfterFunc(ctx, func() { closeNow(r.conn) })()
	return try(ctx, r)
}

// prompt opens a session and begins a turn in it.
func (r *run) prompt(ctx context.Context, prompt []acp.ContentBlock) *acp.Turn {
	r.t.Helper()
	s, err := r.session(ctx, r.conn)
	require.NoError(r.t, err)
	turn, err := s.Prompt(ctx, prompt, nil)
	require.NoError(r.t, err)
	return turn
}

// ask hands a permission request to the step that waits for one.
func (r *run) ask(ctx context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
	q := &question{req, make(chan acp.PermissionOutcome, 1)}
	select {
	case r.asked <- q:
	case <-ctx.Done():
		return acp.PermissionOutcome{}, ctx.Err()
	}
	select {
	case outcome := <-q.answer:
		return outcome, nil
	case <-ctx.Done():
		return acp.PermissionOutcome{}, ctx.Err()
	}
}

// textTurn is the plainest turn. The model must have seen the prompt in the one call that is no errand of the agent's own.
func textTurn(ctx context.Context, r *run) string {
	turn := r.prompt(ctx, acp.Text("please say the word"))
	text := answer(turn)
	cell := outcome(turn.Wait(ctx))
	assert.Contains(r.t, text, "pong", "%v", calls(r.bench))
	var conversation int
	for _, call := range r.bench.ModelCalls() {
		if strings.Contains(call.LastUser, "please say the word") && !call.Utility {
			conversation++
			assert.NotEmpty(r.t, call.Tools, "what an agent can do is offered to its model")
		}
	}
	assert.Equal(r.t, 1, conversation, "%v", calls(r.bench))
	return cell
}

// calls shows the journal of the model, for a failure.
func calls(b *bench.Bench) []string {
	var lines []string
	for _, c := range b.ModelCalls() {
		errand := ""
		if c.Utility {
			errand = " errand"
		}
		prompt := strings.Join(strings.Fields(c.LastUser), " ")
		lines = append(lines, fmt.Sprintf("%s %s %s%s %.100q", c.Method, c.Path, c.Kind, errand, prompt))
	}
	return lines
}

// verdict is what becomes of a permission request.
type verdict func(r *run, turn *acp.Turn, q *question)

func allow(r *run, _ *acp.Turn, q *question) {
	outcome, ok := q.req.Allow()
	assert.True(r.t, ok, "no single option to allow it once: %s", q.req.Raw)
	q.answer <- outcome
}

func reject(_ *run, _ *acp.Turn, q *question) { q.answer <- q.req.Reject() }

// cancel cancels the turn, by which its requests are answered.
func cancel(r *run, turn *acp.Turn, _ *question) { assert.NoError(r.t, turn.Cancel(r.t.Context())) }

// tool lets the model call the shell. The cell tells whether the client was asked, whether the command ran, and how the
// turn ended.
func (r *run) tool(ctx context.Context, decide verdict) string {
	file := filepath.Join(r.bench.Workspace(), "made.txt")
	defer func() { _ = os.Remove(file) }()
	turn := r.prompt(ctx, r.shell("touch made.txt"))
	var words []string
	for waiting := true; waiting; {
		select {
		case q := <-r.asked:
			words = append(words, "asked")
			decide(r, turn, q)
		case <-turn.Done():
			waiting = false
		case <-ctx.Done():
			waiting = false
		}
	}
	result, err := turn.Wait(ctx)
	if _, missing := os.Stat(file); missing == nil {
		words = append(words, "ran")
	} else {
		words = append(words, "not run")
	}
	return strings.Join(append(words, outcome(result, err)), ", ")
}

// cancelStream cancels a turn in the middle of a long answer: when its first words are there or, as some agents tell
// nothing before they have it all, a while after the model has begun.
func cancelStream(ctx context.Context, r *run) string {
	turn := r.prompt(ctx, acp.Text("@@SLOW 240 250@@"))
	words := make(chan struct{})
	go func() {
		var once sync.Once
		for n := range turn.Updates() {
			if strings.Contains(chunk(n), "slow") {
				once.Do(func() { close(words) })
			}
		}
	}()
	r.awaitModel(ctx)
	select {
	case <-words:
	case <-time.After(3 * time.Second):
		r.t.Log("cancel in mid-stream: it has told nothing of the answer for 3s")
	case <-turn.Done():
		return outcome(turn.Wait(ctx)) + " before the cancel"
	}
	asked := time.Now()
	assert.NoError(r.t, turn.Cancel(ctx))
	cell := outcome(turn.Wait(ctx))
	r.t.Logf("cancel in mid-stream: answered after %v", time.Since(asked).Round(time.Millisecond))
	return cell
}

// httpError lets the model refuse the request.
func httpError(ctx context.Context, r *run) string {
	turn := r.prompt(ctx, acp.Text("@@ERR 400@@"))
	text := answer(turn)
	result, err := turn.Wait(ctx)
	cell := outcome(result, err)
	if err == nil && strings.Contains(text, "fake error 400") {
		cell += ", the error as text"
	}
	return cell
}
