package acp

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRequestWithAnEmptyMethodSettlesNothing(t *testing.T) {
	conn, p := puppeteer(t, nil)
	id, outcome := p.call(t, conn) // call 2; the agent's requests are numbered from 1
	for _, request := range []string{`"a"`, `"b"`, `"c"`} {
		p.say(t, `{"jsonrpc":"2.0","id":`+request+`,"method":""}`)
		answer := p.hear(t)
		assert.Equal(t, request, string(answer.ID))
		assert.Equal(t, CodeMethodNotFound, answer.Error.Code)
	}
	select {
	case err := <-outcome:
		t.Errorf("the call was settled: %v", err)
	default:
	}
	p.say(t, fmt.Sprintf(`{"id":%s,"result":{}}`, id))
	require.NoError(t, <-outcome)
}

// openPuppet opens a session of a puppet.
func openPuppet(t *testing.T, conn *Conn, p *puppet) *Session {
	t.Helper()
	opened := make(chan *Session, 1)
	go func() {
		s, err := conn.NewSession(context.Background(), "/", nil)
		assert.NoError(t, err)
		opened <- s
	}()
	p.say(t, fmt.Sprintf(`{"id":%s,"result":{"sessionId":"s1"}}`, p.hear(t).ID))
	return <-opened
}

func TestCancelNeverGoesOutBeforeItsPrompt_goose12108(t *testing.T) {
	conn, p := puppeteer(t, nil)
	session := openPuppet(t, conn, p)
	turn := &Turn{session: session, prompt: Text("x"), done: make(chan struct{})}
	_, begun, err := session.line(turn) // as Prompt does, and then it takes its time
	require.NoError(t, err)
	require.True(t, begun)
	require.NoError(t, session.Cancel(t.Context()))
	require.NoError(t, turn.send(t.Context()))
	prompt := p.hear(t)
	assert.Equal(t, "session/prompt", prompt.Method)
	assert.Equal(t, "session/cancel", p.hear(t).Method)
	p.say(t, fmt.Sprintf(`{"id":%s,"result":{"stopReason":"cancelled"}}`, prompt.ID))
	result, err := turn.Wait(t.Context())
	require.NoError(t, err)
	assert.True(t, result.CancelRequested)
}

func TestClosedSessionsFreeWhatNobodyRead(t *testing.T) {
	conn, p := puppeteer(t, &ClientOptions{Buffers: Buffers{Memory: 64 << 10, Dir: t.TempDir()}})
	for range 3 {
		session := openPuppet(t, conn, p)
		turn, err := session.Prompt(t.Context(), Text("x"), nil)
		require.NoError(t, err)
		id := p.hear(t).ID
		update := `{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"plan","entries":[]},"pad":"` + strings.Repeat("x", 1000) + `"}}`
		for range 500 {
			p.say(t, update)
		}
		p.say(t, fmt.Sprintf(`{"id":%s,"result":{"stopReason":"end_turn"}}`, id))
		_, err = turn.Wait(t.Context())
		require.NoError(t, err)
		require.NoError(t, session.Close(t.Context()))
		assert.Empty(t, slices.Collect(turn.Updates()))
		assert.Zero(t, conn.spill.memory.Load())
		conn.spill.mu.Lock()
		assert.Zero(t, conn.spill.spilled)
		assert.Zero(t, conn.spill.waiting)
		conn.spill.mu.Unlock()
	}
}

func TestNewSessionOnADyingConnectionFails(t *testing.T) {
	for range 200 {
		conn, p := puppeteer(t, nil)
		outcome := make(chan error, 1)
		var session *Session
		go func() {
			var err error
			session, err = conn.NewSession(context.Background(), "/", nil)
			outcome <- err
		}()
		answer := fmt.Sprintf(`{"id":%s,"result":{"sessionId":"s1"}}`, p.hear(t).ID)
		var said sync.WaitGroup
		said.Go(func() { _, _ = io.Copy(io.Discard, p.in) })
		said.Go(func() { _, _ = io.WriteString(p.out, answer+"\n") })
		require.NoError(t, conn.Close(context.Background()))
		said.Wait()
		if err := <-outcome; err == nil {
			for range session.Updates() { // must end: the connection has
			}
		}
	}
}
