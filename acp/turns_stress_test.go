package acp_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
)

// turnFate is what a script does with a turn, and what must become of it.
type turnFate struct {
	name   string
	script acptest.Script
	cancel bool // it is cancelled from here, at some moment
	crash  bool // the agent goes away in the middle of it
	want   acp.Outcome
}

func turnFates() []turnFate {
	return []turnFate{
		{"ends", acptest.Script{Updates: 5}, false, false, acp.OutcomeCompleted},
		{"ends with late updates", acptest.Script{Updates: 3, LateUpdates: 4}, false, false, acp.OutcomeCompleted},
		{"answers twice", acptest.Script{Updates: 3, DupResponse: true}, false, false, acp.OutcomeCompleted},
		{"answers old turns again", acptest.Script{Updates: 2, SecondAnswer: true}, false, false, acp.OutcomeCompleted},
		{"fails", acptest.Script{Updates: 2, Error: &acptest.RPCError{Code: -32603, Message: "boom"}}, false, false, acp.OutcomeFailed},
		{"is refused", acptest.Script{Stop: []byte(`"refusal"`)}, false, false, acp.OutcomeRefused},
		{"is cancelled", acptest.Script{NeverEnd: true, Updates: 3}, true, false, acp.OutcomeCancelled},
		{"is cancelled and says end_turn", acptest.Script{NeverEnd: true, Cancel: "end_turn"}, true, false, acp.OutcomeCancelled},
		{"is cancelled late", acptest.Script{NeverEnd: true, Cancel: "late", CancelDelay: acptest.Duration(time.Millisecond)}, true, false, acp.OutcomeCancelled},
		{"crashes", acptest.Script{Updates: 6, ExitAt: "mid-turn", ExitCode: 7}, false, true, acp.OutcomeUnknown},
		{"crashes while it is cancelled", acptest.Script{NeverEnd: true, ExitAt: "session/cancel"}, true, true, acp.OutcomeUnknown},
	}
}

// TestEveryTurnHasOneOutcome plays many turns of every fate, several at a time, and compares each outcome with the script's.
func TestEveryTurnHasOneOutcome_R36_R37_R42(t *testing.T) {
	turns := 600
	if heavy() {
		turns = 10_000
	}
	fates := turnFates()
	counts := make([]atomic.Int64, len(fates))
	var left atomic.Int64
	left.Store(int64(turns))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for left.Load() > 0 {
				i := rand.IntN(len(fates))
				playFate(t, &fates[i], &left, &counts[i])
			}
		})
	}
	wg.Wait()
	var total int64
	for i := range fates {
		t.Logf("%6d %s", counts[i].Load(), fates[i].name)
		total += counts[i].Load()
	}
	assert.GreaterOrEqual(t, total, int64(turns))
}

// playFate plays turns of one fate with one agent, until that goes away or there were enough.
func playFate(t *testing.T, fate *turnFate, left, count *atomic.Int64) {
	t.Helper()
	agent := acptest.NewAgent(&fate.script)
	defer agent.Close()
	conn, err := acp.NewClient(testClient, nil).Connect(context.Background(), agent)
	if !assert.NoError(t, err) {
		return
	}
	defer func() { _ = conn.Close(context.Background()) }()
	session, err := conn.NewSession(context.Background(), "/", nil)
	if !assert.NoError(t, err) {
		return
	}
	for range 10 {
		turn, err := session.Prompt(context.Background(), acp.Text("x"), nil)
		if !assert.NoError(t, err, fate.name) {
			return
		}
		if fate.cancel {
			if rand.IntN(2) == 0 { // at once, or after the first update
				for range turn.Updates() {
					break
				}
			}
			assert.NoError(t, turn.Cancel(context.Background()), fate.name)
		}
		first, err := turn.Wait(context.Background())
		again, errAgain := turn.Wait(context.Background())
		count.Add(1)
		left.Add(-1)
		if !assert.Equal(t, fate.want, first.Outcome, fmt.Sprint(fate.name, ": ", err)) {
			return
		}
		assert.Equal(t, first, again)
		assert.Equal(t, err, errAgain)
		assert.Equal(t, fate.cancel, first.CancelRequested, fate.name)
		if fate.crash {
			_, ok := errors.AsType[*acp.DeathError](err)
			assert.True(t, ok, "%s: %v", fate.name, err)
			_, err := session.Prompt(context.Background(), acp.Text("y"), nil)
			assert.Error(t, err, "nothing is sent twice by itself")
			prompts := 0
			for _, e := range agent.Received() {
				if e.Method == "session/prompt" {
					prompts++
				}
			}
			assert.Equal(t, 1, prompts, fate.name)
			return
		}
	}
}
