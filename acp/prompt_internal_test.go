package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// heardPrompt is the text and id of a prompt that the puppet is sent.
func heardPrompt(t *testing.T, p *puppet) (text, id string) {
	t.Helper()
	frame := p.hear(t)
	require.Equal(t, methodSessionPrompt, frame.Method)
	var params struct{ Prompt []struct{ Text string } }
	require.NoError(t, json.Unmarshal(frame.Params, &params))
	return params.Prompt[0].Text, string(frame.ID)
}

func (p *puppet) endsTurn(t *testing.T, id string) {
	t.Helper()
	p.say(t, `{"id":`+id+`,"result":{"stopReason":"end_turn"}}`)
}

func mustPrompt(t *testing.T, s *Session, text string, busy BusyPolicy) *Turn {
	t.Helper()
	turn, err := s.Prompt(t.Context(), Text(text), &PromptOptions{Busy: busy})
	require.NoError(t, err)
	return turn
}

func outcomeOf(t *testing.T, turn *Turn) (Outcome, error) {
	t.Helper()
	result, err := turn.Wait(t.Context())
	require.NotNil(t, result)
	return result.Outcome, err
}

// A queue goes on after a turn that failed, in order (R38).
func TestQueuedPrompts_R38_fastagent465(t *testing.T) {
	conn, p := puppeteer(t, nil)
	s := openPuppet(t, conn, p)
	one := mustPrompt(t, s, "one", BusyReject)
	_, err := s.Prompt(t.Context(), Text("no"), nil)
	require.ErrorIs(t, err, ErrTurnInProgress)
	two, three, four := mustPrompt(t, s, "two", BusyQueue), mustPrompt(t, s, "three", BusyQueue), mustPrompt(t, s, "four", BusyQueue)
	_, err = s.Prompt(t.Context(), Text("no"), nil)
	require.ErrorIs(t, err, ErrTurnInProgress)

	text, id := heardPrompt(t, p)
	assert.Equal(t, "one", text)
	require.NoError(t, three.Cancel(t.Context()))
	outcome, err := outcomeOf(t, three)
	require.NoError(t, err)
	assert.Equal(t, OutcomeCancelled, outcome, "the agent never hears of it")
	p.say(t, `{"id":`+id+`,"error":{"code":-32603,"message":"boom"}}`)
	outcome, err = outcomeOf(t, one)
	assert.Equal(t, OutcomeFailed, outcome)
	require.ErrorContains(t, err, "boom")

	text, id = heardPrompt(t, p)
	assert.Equal(t, "two", text)
	p.endsTurn(t, id)
	outcome, err = outcomeOf(t, two)
	require.NoError(t, err)
	assert.Equal(t, OutcomeCompleted, outcome)
	text, id = heardPrompt(t, p)
	assert.Equal(t, "four", text)
	p.endsTurn(t, id)
	outcome, _ = outcomeOf(t, four)
	assert.Equal(t, OutcomeCompleted, outcome)
}

func TestQueueDoesNotOutliveItsSession_R38(t *testing.T) {
	for _, end := range []struct {
		name string
		end  func(conn *Conn, s *Session)
		want error
	}{
		{"session", func(_ *Conn, s *Session) { _ = s.Close(ended()) }, ErrSessionClosed},
		{"connection", func(c *Conn, _ *Session) { _ = c.Close(ended()) }, ErrClosed},
	} {
		t.Run(end.name, func(t *testing.T) {
			conn, p := puppeteer(t, nil)
			s := openPuppet(t, conn, p)
			open, queued := mustPrompt(t, s, "one", BusyReject), mustPrompt(t, s, "two", BusyQueue)
			_, _ = heardPrompt(t, p)
			heard := make(chan struct{})
			go func() {
				defer close(heard)
				_, _ = p.in.ReadBytes('\n') // the cancel
			}()
			end.end(conn, s)
			outcome, err := outcomeOf(t, queued)
			require.ErrorIs(t, err, end.want)
			assert.Equal(t, OutcomeNotSent, outcome)
			outcome, err = outcomeOf(t, open)
			require.ErrorIs(t, err, end.want)
			assert.Equal(t, OutcomeUnknown, outcome)
			_, err = s.Prompt(t.Context(), Text("x"), &PromptOptions{Busy: BusyQueue})
			require.Error(t, err)
			_ = conn.Close(ended())
			<-heard
		})
	}
}

func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// A prompt that replaces waits until the agent has ended the turn before it (devspace#358).
func TestReplacingPrompt_R38_R40_devspace358(t *testing.T) {
	conn, p := puppeteer(t, nil)
	s := openPuppet(t, conn, p)
	one, two := mustPrompt(t, s, "one", BusyReject), mustPrompt(t, s, "two", BusyQueue)
	_, first := heardPrompt(t, p)
	replaced := make(chan *Turn, 1)
	go func() {
		three, err := s.Prompt(t.Context(), Text("three"), &PromptOptions{Busy: BusyReplace})
		assert.NoError(t, err)
		replaced <- three
	}()
	assert.Equal(t, methodSessionCancel, p.hear(t).Method)
	three := <-replaced
	outcome, _ := outcomeOf(t, two)
	assert.Equal(t, OutcomeCancelled, outcome)
	p.endsTurn(t, first) // as some call it
	outcome, _ = outcomeOf(t, one)
	assert.Equal(t, OutcomeCancelled, outcome)
	text, id := heardPrompt(t, p)
	assert.Equal(t, "three", text)
	p.endsTurn(t, id)
	result, err := three.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, OutcomeCompleted, result.Outcome)
	assert.Equal(t, SuspectStale, result.Suspicion, "an empty answer right after a cancel (claude-agent-acp#551)")
}

// A cancel that waits for room while the answer comes is not written any more: it would reach the next turn.
func TestCancelNeverReachesALaterTurn_R40_devspace358(t *testing.T) {
	conn, p := puppeteer(t, nil)
	s := openPuppet(t, conn, p)
	turn := mustPrompt(t, s, "one", BusyReject)
	_, id := heardPrompt(t, p)
	full, err := conn.wire.out.reserve(t.Context(), make([]byte, queueLimit))
	require.NoError(t, err) // and now there is no room
	cancelled := make(chan error, 1)
	go func() { cancelled <- turn.Cancel(t.Context()) }()
	for {
		s.mu.Lock()
		state := turn.state
		s.mu.Unlock()
		if state == turnCancelling {
			break
		}
	}
	p.endsTurn(t, id)
	outcome, err := outcomeOf(t, turn)
	require.NoError(t, err)
	assert.Equal(t, OutcomeCancelled, outcome, "it was asked for before the answer was read")
	require.True(t, conn.wire.out.withdraw(full))
	require.NoError(t, <-cancelled)
	next := mustPrompt(t, s, "two", BusyReject)
	text, id := heardPrompt(t, p)
	assert.Equal(t, "two", text, "nothing before it")
	p.endsTurn(t, id)
	outcome, _ = outcomeOf(t, next)
	assert.Equal(t, OutcomeCompleted, outcome)
}

func TestLateUpdatesWithinTheGrace_opencode17505(t *testing.T) {
	conn, p := puppeteer(t, nil)
	s := openPuppet(t, conn, p)
	turn, err := s.Prompt(t.Context(), Text("x"), &PromptOptions{LateGrace: time.Minute})
	require.NoError(t, err)
	updates := turn.Updates()
	_, id := heardPrompt(t, p)
	chunk := func(text string) string {
		return fmt.Sprintf(`{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}}}`, text)
	}
	p.say(t, chunk("he"))
	p.endsTurn(t, id)
	result, err := turn.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, result.Messages)
	p.say(t, chunk("llo"))
	_, err = s.Prompt(t.Context(), Text("next"), nil) // ends the grace
	require.NoError(t, err)
	var texts []string
	var late []bool
	// The update above may be read after the next turn has begun; then it belongs to that.
	for n := range updates {
		texts = append(texts, n.Update.(*AgentMessageChunk).Content.(*TextContent).Text)
		late = append(late, n.Late)
	}
	assert.Subset(t, []string{"he", "llo"}, texts)
	assert.False(t, late[0])
	if len(late) > 1 {
		assert.True(t, late[1])
	}
	_, id = heardPrompt(t, p)
	p.endsTurn(t, id)
}

func TestAgentThatIgnoresACancel_R39_hermesagent79196(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, p := puppeteer(t, &ClientOptions{CancelGrace: 5 * time.Second})
		s := openPuppet(t, conn, p)
		turn := mustPrompt(t, s, "x", BusyReject)
		_, _ = heardPrompt(t, p)
		heard := make(chan string, 1)
		go func() {
			line, _ := p.in.ReadBytes('\n')
			heard <- string(line)
		}()
		began := time.Now()
		require.NoError(t, turn.Cancel(t.Context()))
		assert.Contains(t, <-heard, methodSessionCancel)
		result, err := turn.Wait(t.Context())
		var ignored *CancelIgnoredError
		require.ErrorAs(t, err, &ignored)
		assert.Equal(t, s.ID(), ignored.SessionID)
		assert.Equal(t, 5*time.Second, time.Since(began))
		assert.Equal(t, OutcomeUnknown, result.Outcome)
		assert.True(t, result.CancelRequested)
		<-conn.Done()
		assert.ErrorAs(t, conn.Err(), &ignored)
	})
}

// An agent that has lost the cancel, and goes on, is asked once more and no more often than that.
func TestLostCancelIsRepeatedOnce_R40_goose12108(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, p := puppeteer(t, nil)
		s := openPuppet(t, conn, p)
		turn := mustPrompt(t, s, "x", BusyReject)
		_, id := heardPrompt(t, p)
		methods := make(chan string, 10)
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
				methods <- frame.Method
			}
		}()
		require.NoError(t, turn.Cancel(t.Context()))
		assert.Equal(t, methodSessionCancel, <-methods)
		chunk := `{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}`
		p.say(t, chunk)
		synctest.Wait()
		assert.Empty(t, methods, "it may be on its way")
		for range 3 {
			<-time.After(3 * time.Second)
			p.say(t, chunk)
			synctest.Wait()
		}
		assert.Equal(t, methodSessionCancel, <-methods)
		assert.Empty(t, methods)
		p.endsTurn(t, id)
		outcome, err := outcomeOf(t, turn)
		require.NoError(t, err)
		assert.Equal(t, OutcomeCancelled, outcome)
	})
}
