package acp

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stuff leaves no room in the write queue until the function that it returns is called.
func stuff(t *testing.T, conn *Conn) (makeRoom func()) {
	t.Helper()
	full, err := conn.wire.out.reserve(t.Context(), make([]byte, queueLimit))
	require.NoError(t, err)
	return func() { require.True(t, conn.wire.out.withdraw(full)) }
}

// becomes waits until a turn is in a state.
func becomes(turn *Turn, state turnState) {
	for {
		turn.session.mu.Lock()
		now := turn.state
		turn.session.mu.Unlock()
		if now == state {
			return
		}
	}
}

// begun waits for a session's turn.
func begun(s *Session) *Turn {
	for {
		s.mu.Lock()
		turn := s.turn
		s.mu.Unlock()
		if turn != nil {
			return turn
		}
	}
}

// methods are those of what the client writes until the connection ends.
func (p *puppet) methods() []string {
	var all []string
	for {
		line, err := p.in.ReadBytes('\n')
		if err != nil {
			return all
		}
		method, _, _ := bytes.Cut(line[bytes.Index(line, []byte(`"method":"`))+len(`"method":"`):], []byte(`"`))
		all = append(all, string(method))
	}
}

// A prompt that waits for room is not sent after its session has ended: its outcome says that it was not.
func TestPromptOfAClosedSessionIsNotSent_R36(t *testing.T) {
	conn, p := puppeteer(t, nil)
	s := openPuppet(t, conn, p)
	makeRoom := stuff(t, conn)
	prompted := make(chan error, 1)
	go func() {
		_, err := s.Prompt(t.Context(), Text("one"), nil)
		prompted <- err
	}()
	turn := begun(s)
	s.forget(ErrSessionClosed)
	outcome, err := outcomeOf(t, turn)
	require.ErrorIs(t, err, ErrSessionClosed)
	assert.Equal(t, OutcomeNotSent, outcome)
	makeRoom()
	require.ErrorIs(t, <-prompted, ErrSessionClosed)
	heard := make(chan []string, 1)
	go func() { heard <- p.methods() }()
	require.NoError(t, conn.Close(t.Context()))
	assert.Empty(t, <-heard)
}

// What is queued is cancelled before the open turn: else it is sent when the agent ends that while its cancel waits for room.
func TestReplacingPromptOvertakesTheQueue_R38(t *testing.T) {
	conn, p := puppeteer(t, nil)
	s := openPuppet(t, conn, p)
	one, two := mustPrompt(t, s, "one", BusyReject), mustPrompt(t, s, "two", BusyQueue)
	_, id := heardPrompt(t, p)
	makeRoom := stuff(t, conn)
	replaced := make(chan struct{})
	go func() {
		defer close(replaced)
		_, err := s.Prompt(t.Context(), Text("three"), &PromptOptions{Busy: BusyReplace})
		assert.NoError(t, err)
	}()
	becomes(one, turnCancelling)
	p.endsTurn(t, id)
	outcome, _ := outcomeOf(t, two)
	assert.Equal(t, OutcomeCancelled, outcome)
	<-one.Done()
	makeRoom()
	text, id := heardPrompt(t, p)
	assert.Equal(t, "three", text)
	<-replaced
	p.endsTurn(t, id)
}

// Whoever cancels while another one's cancel waits is told the truth also when that is given up.
func TestCancelOutlivesTheOneBeforeIt_R40(t *testing.T) {
	conn, p := puppeteer(t, nil)
	s := openPuppet(t, conn, p)
	turn := mustPrompt(t, s, "one", BusyReject)
	_, id := heardPrompt(t, p)
	makeRoom := stuff(t, conn)
	ctx, giveUp := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- turn.Cancel(ctx) }()
	becomes(turn, turnCancelling)
	go func() { second <- turn.Cancel(t.Context()) }()
	giveUp()
	require.ErrorIs(t, <-first, context.Canceled)
	makeRoom()
	assert.Equal(t, methodSessionCancel, p.hear(t).Method)
	require.NoError(t, <-second)
	require.NoError(t, turn.Cancel(t.Context()), "it was asked already")
	p.endsTurn(t, id)
	result, err := turn.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, OutcomeCancelled, result.Outcome)
	assert.True(t, result.CancelRequested)
}

// session/close cancels the open turn, so that its end is no surprise.
func TestTurnOfASessionThatIsClosed(t *testing.T) {
	conn, p := puppeteer(t, nil)
	s := openPuppet(t, conn, p)
	conn.capabilities.Session.Close = true
	turn := mustPrompt(t, s, "one", BusyReject)
	_, id := heardPrompt(t, p)
	closed := make(chan error, 1)
	go func() { closed <- s.Close(t.Context()) }()
	frame := p.hear(t)
	assert.Equal(t, methodSessionClose, frame.Method)
	p.say(t, `{"id":`+id+`,"result":{"stopReason":"cancelled"}}`)
	result, err := turn.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, OutcomeCancelled, result.Outcome)
	assert.True(t, result.CancelRequested)
	assert.Empty(t, result.Suspicion)
	p.say(t, `{"id":`+string(frame.ID)+`,"result":{}}`)
	require.NoError(t, <-closed)
}

// The close of a session that came too late must not hit the one that was opened since under the same id.
func TestLateSessionIsNotClosedOnceItIsOpen_R33(t *testing.T) {
	conn, p := puppeteer(t, nil)
	conn.capabilities.LoadSession, conn.capabilities.Session.Close = true, true
	ctx, giveUp := context.WithCancel(t.Context())
	given := make(chan error, 1)
	go func() {
		_, err := conn.LoadSession(ctx, "x", "/", nil)
		given <- err
	}()
	first := p.hear(t)
	giveUp()
	require.ErrorIs(t, <-given, context.Canceled)
	assert.Equal(t, methodCancelRequest, p.hear(t).Method)
	makeRoom := stuff(t, conn)
	p.say(t, `{"id":`+string(first.ID)+`,"result":{}}`) // and the close waits for room
	loaded := make(chan *Session, 1)
	go func() {
		s, err := conn.LoadSession(t.Context(), "x", "/", nil)
		assert.NoError(t, err)
		loaded <- s
	}()
	for conn.openSession("x") == nil { // until it is being opened
	}
	makeRoom()
	frame := p.hear(t)
	assert.Equal(t, methodSessionLoad, frame.Method)
	p.say(t, `{"id":`+string(frame.ID)+`,"result":{}}`)
	turn := mustPrompt(t, <-loaded, "one", BusyReject)
	text, id := heardPrompt(t, p)
	assert.Equal(t, "one", text, "nothing before it")
	p.endsTurn(t, id)
	outcome, err := outcomeOf(t, turn)
	require.NoError(t, err)
	assert.Equal(t, OutcomeCompleted, outcome)
}

// A child's id may be opened as a session of its own; the end of the parent leaves that alone.
func TestClosedChildIsOpenedAgain_R46(t *testing.T) {
	conn, p := puppeteer(t, nil)
	conn.capabilities.LoadSession = true
	s := openPuppet(t, conn, p)
	announce := func(id string) {
		p.say(t, fmt.Sprintf(`{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"subagent_update","sessionId":%q}}}`, id))
	}
	announce("kid")
	for len(s.Children()) == 0 {
	}
	require.NoError(t, s.Children()[0].Close(t.Context()))
	announce("kid") // it stays closed
	loaded := make(chan *Session, 1)
	go func() {
		l, err := conn.LoadSession(t.Context(), "kid", "/", nil)
		assert.NoError(t, err)
		loaded <- l
	}()
	frame := p.hear(t)
	p.say(t, `{"id":`+string(frame.ID)+`,"result":{}}`)
	kid := <-loaded
	require.NoError(t, s.Close(t.Context()))
	turn := mustPrompt(t, kid, "one", BusyReject)
	_, id := heardPrompt(t, p)
	p.endsTurn(t, id)
	outcome, err := outcomeOf(t, turn)
	require.NoError(t, err)
	assert.Equal(t, OutcomeCompleted, outcome)
}

// An agent makes a session for every errand of its subagents: only so many are known.
func TestChildSessionsAreBounded_R46(t *testing.T) {
	reported := make(chan Diagnostic, 10)
	conn, p := puppeteer(t, &ClientOptions{Diagnostic: func(d Diagnostic) {
		if d.Session == "s1" {
			reported <- d
		}
	}})
	s := openPuppet(t, conn, p)
	for i := range maxChildren + 1 {
		p.say(t, fmt.Sprintf(`{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"subagent_update","sessionId":"kid%d"}}}`, i))
	}
	assert.Equal(t, DiagnosticProtocol, (<-reported).Kind)
	assert.Len(t, s.Children(), maxChildren)
}

// Agents put what a server was started with into their errors.
func TestSecretsOfMCPServersAreMasked(t *testing.T) {
	conn, p := puppeteer(t, nil)
	refused := make(chan error, 1)
	go func() {
		_, err := conn.NewSession(t.Context(), "/", &SessionOptions{MCPServers: []MCPServer{
			&MCPServerStdio{Name: "srv", Command: "/x", Env: []EnvVariable{{Name: "API_TOKEN", Value: "sk-verysecretvalue"}}},
		}})
		refused <- err
	}()
	frame := p.hear(t)
	p.say(t, `{"id":`+string(frame.ID)+`,"error":{"code":-32603,"message":"cannot start srv with API_TOKEN=sk-verysecretvalue"}}`)
	err := <-refused
	require.ErrorContains(t, err, "cannot start srv")
	assert.NotContains(t, err.Error(), "sk-verysecretvalue")
}

// What comes for a session after its close is nobody's, also if it was the last that something came for.
func TestUpdatesOfAClosedSessionAreOrphans(t *testing.T) {
	conn, p := puppeteer(t, nil)
	s := openPuppet(t, conn, p)
	update := `{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"subagent_update","sessionId":"kid"}}}`
	p.say(t, update)
	for len(s.Children()) == 0 {
	}
	before := conn.strangers.Load()
	require.NoError(t, s.Close(t.Context()))
	p.say(t, update)
	for conn.strangers.Load() == before {
	}
	assert.Empty(t, s.Children())
}
