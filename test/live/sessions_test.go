package live

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/parity/bench"
)

// sessionColumns are what is tried with sessions, in this order, and the headings of their table.
var sessionColumns = []struct {
	name string
	try  func(ctx context.Context, r *run) string
}{
	{"two at once", twoSessions},
	{"queued behind a cancelled turn", func(ctx context.Context, r *run) string { return r.second(ctx, acp.BusyQueue) }},
	{"replaced", func(ctx context.Context, r *run) string { return r.second(ctx, acp.BusyReplace) }},
	{"resumed after a restart", func(ctx context.Context, r *run) string { return r.reopened(ctx, (*acp.Conn).ResumeSession) }},
	{"loaded after a restart", func(ctx context.Context, r *run) string { return r.reopened(ctx, (*acp.Conn).LoadSession) }},
}

func sessionHeading() []string {
	var heading []string
	for _, c := range sessionColumns {
		heading = append(heading, c.name)
	}
	return heading
}

// TestSessions tries with every agent what depends on more than one turn, and compares it with the table of docs/agents.md.
func TestSessions(t *testing.T) {
	chosen := agents(t)
	table := readTable(t, sessionHeading())
	for _, pin := range chosen {
		t.Run(pin.id, func(t *testing.T) {
			t.Parallel()
			l := newLane(t, pin)
			if l.recipe.Shell == nil {
				t.Skip("there is no recipe by which it opens a session")
			}
			var cells []string
			for _, column := range sessionColumns {
				cell := l.withAgent(column.try)
				t.Logf("%s: %s", column.name, cell)
				cells = append(cells, cell)
			}
			table.compare(t, pin.id, cells)
			assert.Empty(t, l.left(), "processes left behind")
		})
	}
	t.Cleanup(func() { table.write(t) })
}

// withAgent runs a step with an agent of its own.
func (l *lane) withAgent(try func(context.Context, *run) string) string {
	ctx, stop := context.WithTimeout(l.t.Context(), patience)
	defer stop()
	r := &run{lane: l, asked: make(chan *question)}
	p := l.mustConnect(ctx, acp.PermissionFunc(r.ask))
	defer func() { assert.NoError(l.t, p.Close(context.WithoutCancel(ctx))) }()
	r.conn = p.Conn()
	return r.step(try)
}

// twoSessions plays a turn while another session of the same process is in the middle of one.
func twoSessions(ctx context.Context, r *run) string {
	slow := r.prompt(ctx, acp.Text("@@SLOW 240 250@@"))
	r.awaitModel(ctx)
	other := r.prompt(ctx, acp.Text("hello two"))
	cell := outcomeWord(other.Wait(ctx))
	select {
	case <-slow.Done():
		cell += ", the other had ended"
	default:
	}
	assert.NoError(r.t, slow.Cancel(ctx))
	soon, stop := context.WithTimeout(ctx, cancelPatience)
	defer stop()
	result, err := slow.Wait(soon)
	if result == nil && ctx.Err() == nil {
		return cell + ", never"
	}
	return cell + ", " + outcomeWord(result, err)
}

// cancelPatience is after how long a cancel is taken for one that is never answered. The agents that answer take less than one
// second.
const cancelPatience = 20 * time.Second

// second prompts a session that is busy. The agent never sees two prompts at once: what it would make of them is its own.
func (r *run) second(ctx context.Context, busy acp.BusyPolicy) string {
	first := r.prompt(ctx, acp.Text("@@SLOW 240 250@@"))
	r.awaitModel(ctx)
	s := first.Session()
	_, err := s.Prompt(ctx, acp.Text("refused"), nil)
	require.ErrorIs(r.t, err, acp.ErrTurnInProgress)
	next, err := s.Prompt(ctx, acp.Text("please say the word"), &acp.PromptOptions{Busy: busy})
	require.NoError(r.t, err)
	if busy == acp.BusyQueue {
		assert.NoError(r.t, first.Cancel(ctx))
	}
	return outcomeWord(first.Wait(ctx)) + ", " + outcomeWord(next.Wait(ctx))
}

// reopened tells one process something, ends it, and opens the session with another.
func (r *run) reopened(ctx context.Context, open func(*acp.Conn, context.Context, acp.SessionID, string, *acp.SessionOptions) (*acp.Session, error)) string {
	secret := fmt.Sprintf("the word is w%d", len(r.bench.ModelCalls()))
	told := r.prompt(ctx, acp.Text(secret))
	_, err := told.Wait(ctx)
	require.NoError(r.t, err)
	id := told.Session().ID()
	require.NoError(r.t, r.conn.Close(ctx))

	p := r.mustConnect(ctx, acp.PermissionFunc(r.ask))
	defer func() { assert.NoError(r.t, p.Close(ctx)) }()
	s, err := open(p.Conn(), ctx, id, r.bench.Workspace(), nil)
	if failed, ok := errors.AsType[*acp.LoadError](err); ok {
		r.t.Log(failed)
		return string(failed.Kind)
	}
	require.NoError(r.t, err)
	if r.recipe.Mode != "" {
		if err := s.SetMode(ctx, r.recipe.Mode); err != nil {
			r.t.Log(err)
		}
	}
	var words []string
	if s.Origin() == acp.OriginLoaded {
		words = append(words, map[bool]string{true: "replayed", false: "not replayed"}[s.Replayed() > 0])
	}
	turn, err := s.Prompt(ctx, acp.Text("please say the word"), nil)
	require.NoError(r.t, err)
	words = append(words, outcomeWord(turn.Wait(ctx)))
	if remembers(r.bench, secret) {
		words = append(words, "with its history")
	} else {
		words = append(words, "without its history")
	}
	return strings.Join(words, ", ")
}

// remembers reports whether a text was in the history of the last conversation with the model that asked for the word.
func remembers(b *bench.Bench, text string) bool {
	found := false
	for _, call := range b.ModelCalls() {
		if call.Utility || !strings.Contains(call.LastUser, "please say the word") {
			continue
		}
		found = false
		for _, m := range call.History {
			found = found || strings.Contains(m.Text, text)
		}
	}
	return found
}

// outcomeWord is the outcome of a turn, with what is suspicious about it.
func outcomeWord(result *acp.TurnResult, err error) string {
	if result == nil {
		return outcome(nil, err)
	}
	if result.Suspicion != "" {
		return string(result.Outcome) + " (" + string(result.Suspicion) + ")"
	}
	return string(result.Outcome)
}
