package acp

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A terminal's life: what is killed can be read, what is released cannot, and others' is out of reach.
func TestTerminals(t *testing.T) {
	d := newDesk()
	conn, p := puppeteer(t, d.everything())
	openWith(t, conn, p, nil)
	terminal := func(method, id string) string {
		return p.ask(t, "terminal/"+method, `"sessionId":"s1","terminalId":"`+id+`"`)
	}
	assert.JSONEq(t, `{"terminalId":"terminal-1"}`, p.ask(t, "terminal/create", `"sessionId":"s1","command":"a"`))
	assert.JSONEq(t, `{"terminalId":"terminal-2"}`, p.ask(t, "terminal/create", `"sessionId":"s1","command":"b"`))
	assert.JSONEq(t, `{"output":"output of a","truncated":false}`, terminal("output", "terminal-1"))
	assert.Equal(t, `{}`, terminal("kill", "terminal-1"))
	assert.JSONEq(t, `{"output":"output of a","truncated":false,"exitStatus":{"signal":"SIGKILL"}}`, terminal("output", "terminal-1"))
	assert.Equal(t, `{"exitCode":3}`, terminal("wait_for_exit", "terminal-1"))
	assert.Equal(t, `{}`, terminal("release", "terminal-1"))
	for _, method := range []string{"output", "kill", "wait_for_exit", "release"} {
		assert.Contains(t, terminal(method, "terminal-1"), "error -32002")
	}
	other := make(chan *Session, 1)
	go func() {
		s, err := conn.NewSession(context.Background(), "/", nil)
		assert.NoError(t, err)
		other <- s
	}()
	p.say(t, fmt.Sprintf(`{"id":%s,"result":{"sessionId":"s2"}}`, p.hear(t).ID))
	<-other
	assert.Contains(t, p.ask(t, "terminal/output", `"sessionId":"s2","terminalId":"terminal-2"`), "error -32002", "it is another session's")
	assert.False(t, d.terminals[1].released)
	require.NoError(t, conn.Close(t.Context()))
	assert.True(t, d.terminals[1].released, "what the agent leaves ends with the connection")
}

func TestManyWaitForOneTerminal(t *testing.T) {
	d := newDesk()
	conn, p := puppeteer(t, d.everything())
	openWith(t, conn, p, nil)
	p.ask(t, "terminal/create", `"sessionId":"s1","command":"a"`)
	const waiters = 10
	for i := range waiters {
		p.say(t, fmt.Sprintf(`{"id":%d,"method":"terminal/wait_for_exit","params":{"sessionId":"s1","terminalId":"terminal-1"}}`, i))
		<-d.waiting
	}
	d.terminals[0].end()
	ids := map[string]bool{}
	for range waiters {
		frame := p.hear(t)
		assert.JSONEq(t, `{"exitCode":3}`, string(frame.Result))
		ids[string(frame.ID)] = true
	}
	assert.Len(t, ids, waiters)
}

// The terminals of a session are released with it, and so is one that is being created meanwhile (can1357/oh-my-pi#12435).
func TestTerminalsEndWithTheirSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		conn, p := puppeteer(t, d.everything())
		session := openWith(t, conn, p, nil)
		p.ask(t, "terminal/create", `"sessionId":"s1","command":"a"`)
		require.NoError(t, session.Close(t.Context()))
		synctest.Wait()
		d.mu.Lock()
		defer d.mu.Unlock()
		assert.True(t, d.terminals[0].released)
	})
}

// Agents forget to release terminals. Those whose command has ended are released after a while, when a turn ends; others stay
// (can1357/oh-my-pi#12435).
func TestForgottenTerminals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		conn, p := puppeteer(t, d.everything())
		session := openWith(t, conn, p, nil)
		for _, name := range []string{"runs", "ended", "used"} {
			p.ask(t, "terminal/create", `"sessionId":"s1","command":"`+name+`"`)
		}
		d.terminals[1].end()
		d.terminals[2].end()
		<-time.After(terminalIdle)
		p.ask(t, "terminal/output", `"sessionId":"s1","terminalId":"terminal-3"`)
		turn := mustPrompt(t, session, "go", BusyReject)
		p.endsTurn(t, string(p.hear(t).ID))
		_, err := turn.Wait(t.Context())
		require.NoError(t, err)
		synctest.Wait()
		d.mu.Lock()
		released := []bool{d.terminals[0].released, d.terminals[1].released, d.terminals[2].released}
		d.mu.Unlock()
		assert.Equal(t, []bool{false, true, false}, released)
	})
}

func TestTooManyTerminals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		conn, p := puppeteer(t, d.everything())
		openWith(t, conn, p, nil)
		for i := range maxTerminals {
			p.ask(t, "terminal/create", fmt.Sprintf(`"sessionId":"s1","command":"c%d"`, i))
		}
		d.terminals[7].end()
		d.terminals[9].end()
		p.ask(t, "terminal/create", `"sessionId":"s1","command":"last"`)
		synctest.Wait()
		d.mu.Lock()
		defer d.mu.Unlock()
		for i, terminal := range d.terminals {
			assert.Equal(t, i == 7, terminal.released, "%d", i)
		}
	})
}
