package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTurnStates has every event in every state: what is not listed must change nothing.
func TestTurnStates_R36(t *testing.T) {
	names := []string{"queued", "sending", "withdrawn", "open", "cancelling", "ended"}
	moves := map[turnStep]struct {
		to     turnState
		action turnAction
	}{
		{turnQueued, eventBegin}:        {turnSending, actSend},
		{turnQueued, eventCancel}:       {turnEnded, actSettleHere},
		{turnQueued, eventSettled}:      {turnEnded, actSettle},
		{turnSending, eventSent}:        {turnOpen, actNothing},
		{turnSending, eventCancel}:      {turnWithdrawn, actNothing},
		{turnSending, eventSettled}:     {turnEnded, actSettle},
		{turnWithdrawn, eventSent}:      {turnCancelling, actAskToStop},
		{turnWithdrawn, eventSettled}:   {turnEnded, actSettle},
		{turnOpen, eventCancel}:         {turnCancelling, actAskToStop},
		{turnOpen, eventSettled}:        {turnEnded, actSettle},
		{turnCancelling, eventNotAsked}: {turnOpen, actNothing},
		{turnCancelling, eventSettled}:  {turnEnded, actSettle},
	}
	for state := turnQueued; state <= turnEnded; state++ {
		for event := eventBegin; event <= eventSettled; event++ {
			want, listed := moves[turnStep{state, event}]
			if !listed {
				want.to = state
			}
			to, action := state.after(event)
			assert.Equal(t, want.to, to, "%s, event %d", names[state], event)
			assert.Equal(t, want.action, action, "%s, event %d", names[state], event)
		}
	}
}

// theatre is a session with an open turn whose agent is the test.
type theatre struct {
	t       *testing.T
	conn    *Conn
	puppet  *puppet
	session *Session
	turn    *Turn
	prompt  string // the id of its request

	mu    sync.Mutex
	heard []string // methods, after the prompt
}

func openTheatre(t *testing.T) *theatre {
	t.Helper()
	conn, p := puppeteer(t, nil)
	th := &theatre{t: t, conn: conn, puppet: p, session: openPuppet(t, conn, p)}
	var err error
	th.turn, err = th.session.Prompt(t.Context(), Text("x"), nil)
	require.NoError(t, err)
	th.prompt = string(p.hear(t).ID)
	in := p.in
	p.in = bufio.NewReader(strings.NewReader("")) // it is read here from now on
	go func() {
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			var frame struct{ Method string }
			_ = json.Unmarshal(line, &frame)
			th.mu.Lock()
			th.heard = append(th.heard, frame.Method)
			th.mu.Unlock()
		}
	}()
	return th
}

// tell says something to a client that may be gone.
func (th *theatre) tell(line string) {
	_, _ = fmt.Fprintln(th.puppet.out, line)
}

// seen is what is known of a turn at its end.
type seen struct {
	outcome   Outcome
	cancelled bool
	suspicion Suspicion
	err       error
}

// turnScene is one thing that can happen to an open turn, and what it means if nothing has ended it before.
type turnScene struct {
	name string
	play func(th *theatre)
	mean func(s *seen) (ended bool)
}

func turnScenes() []turnScene {
	answer := func(result string) func(th *theatre) {
		return func(th *theatre) {
			th.tell(`{"jsonrpc":"2.0","id":` + th.prompt + `,` + result + `}`)
			<-th.turn.Done()
		}
	}
	rpc := &Error{Code: CodeInternalError, Message: "boom"}
	return []turnScene{
		{"cancel", func(th *theatre) { _ = th.turn.Cancel(context.Background()) }, func(s *seen) bool {
			s.cancelled = true
			return false
		}},
		{"update", func(th *theatre) {
			th.tell(`{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}`)
		}, func(*seen) bool { return false }},
		{"end_turn", answer(`"result":{"stopReason":"end_turn"}`), func(s *seen) bool {
			s.outcome = OutcomeCompleted
			if s.cancelled {
				s.outcome = OutcomeCancelled
			}
			return true
		}},
		{"cancelled", answer(`"result":{"stopReason":"cancelled"}`), func(s *seen) bool {
			s.outcome = OutcomeCancelled
			if !s.cancelled {
				s.suspicion = SuspectUnasked
			}
			return true
		}},
		{"error", answer(`"error":{"code":-32603,"message":"boom"}`), func(s *seen) bool {
			s.outcome, s.err = OutcomeFailed, rpc
			return true
		}},
		{"error that is a cancel", answer(`"error":{"code":-32800,"message":"stopped"}`), func(s *seen) bool {
			s.outcome = OutcomeCancelled
			return true
		}},
		{"exit", func(th *theatre) {
			_ = th.puppet.out.(io.Closer).Close()
			<-th.turn.Done()
		}, func(s *seen) bool {
			s.outcome, s.err = OutcomeUnknown, &DeathError{}
			return true
		}},
		{"close of the session", func(th *theatre) {
			now, cancel := context.WithCancel(context.Background())
			cancel()
			_ = th.session.Close(now)
		}, func(s *seen) bool {
			s.cancelled = true // without session/close it is the way to end a turn
			s.outcome, s.err = OutcomeUnknown, ErrSessionClosed
			return true
		}},
		{"close of the connection", func(th *theatre) {
			now, cancel := context.WithCancel(context.Background())
			cancel()
			_ = th.conn.Close(now)
		}, func(s *seen) bool {
			s.outcome, s.err = OutcomeUnknown, ErrClosed
			return true
		}},
	}
}

// orders yields every order of up to n different scenes.
func orders(scenes []turnScene, n int) [][]turnScene {
	if n == 0 {
		return [][]turnScene{nil}
	}
	var all [][]turnScene
	for i, scene := range scenes {
		rest := append(append([]turnScene{}, scenes[:i]...), scenes[i+1:]...)
		for _, tail := range orders(rest, n-1) {
			all = append(all, append([]turnScene{scene}, tail...))
		}
	}
	return all
}

// TestOutcomeOfEveryOrder plays every order of three things that can happen to a turn, one after the other, against a model:
// the first that ends it decides, once.
func TestOutcomeOfEveryOrder_R36_R37_vellum36890(t *testing.T) {
	for _, order := range orders(turnScenes(), 3) {
		var names []string
		var want seen
		ended := false
		for _, scene := range order {
			names = append(names, scene.name)
			if !ended {
				ended = scene.mean(&want)
			}
		}
		t.Run(strings.Join(names, ", "), func(t *testing.T) {
			t.Parallel()
			th := openTheatre(t)
			for _, scene := range order {
				scene.play(th)
			}
			if !ended {
				last := turnScenes()[2]
				last.play(th)
				last.mean(&want)
			}
			result, err := th.turn.Wait(t.Context())
			assert.Equal(t, want.outcome, result.Outcome)
			assert.Equal(t, want.cancelled, result.CancelRequested)
			assert.Equal(t, want.suspicion, result.Suspicion)
			switch wanted := want.err.(type) { //nolint:errorlint // it is made above
			case nil:
				require.NoError(t, err)
			case *Error:
				assert.Equal(t, wanted, err)
				assert.Equal(t, wanted, result.AgentError)
			case *DeathError:
				death, ok := errors.AsType[*DeathError](err)
				assert.True(t, ok, "%v", death)
			default:
				require.ErrorIs(t, err, wanted)
			}
			th.mu.Lock()
			defer th.mu.Unlock()
			cancels := 0
			for _, method := range th.heard {
				if method == methodSessionCancel {
					cancels++
				}
			}
			assert.LessOrEqual(t, cancels, 1, "%v", th.heard)
			if !want.cancelled {
				assert.Zero(t, cancels, "a cancel that nobody asked for")
			}
		})
	}
}

// TestOutcomeOfEverythingAtOnce lets three things happen to a turn at the same time: whichever comes first, there is one
// outcome, and it is that of one of them.
func TestOutcomeOfEverythingAtOnce_R36(t *testing.T) {
	scenes := turnScenes()
	for range 300 {
		th := openTheatre(t)
		rand.Shuffle(len(scenes), func(i, j int) { scenes[i], scenes[j] = scenes[j], scenes[i] })
		var wg sync.WaitGroup
		possible := map[Outcome]bool{}
		ends := false
		for _, scene := range scenes[:3] {
			for _, cancelled := range []bool{false, true} {
				s := seen{cancelled: cancelled}
				if scene.mean(&s) {
					possible[s.outcome], ends = true, true
				}
			}
		}
		for _, scene := range scenes[:3] {
			wg.Go(func() { scene.play(th) })
		}
		if !ends {
			possible[OutcomeCompleted], possible[OutcomeCancelled] = true, true
			wg.Go(func() { th.tell(`{"id":` + th.prompt + `,"result":{"stopReason":"end_turn"}}`) })
		}
		wg.Wait()
		result, _ := th.turn.Wait(t.Context())
		assert.True(t, possible[result.Outcome], "%s, of %v", result.Outcome, possible)
	}
}
