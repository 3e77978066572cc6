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

// hostOf is a handler whose terminals are all this one.
type hostOf struct{ terminal HostedTerminal }

func (h hostOf) CreateTerminal(context.Context, *CreateTerminalRequest) (HostedTerminal, error) {
	return h.terminal, nil
}

// panicky is a terminal that panics wherever it can.
type panicky struct{ HostedTerminal }

// slowRelease is a terminal whose release takes its time, as long as it may.
type slowRelease struct {
	*fakeTerminal
	took chan time.Duration
}

func (s slowRelease) Release(ctx context.Context) error {
	began := time.Now()
	select {
	case <-ctx.Done():
	case <-time.After(5 * time.Second):
	}
	s.took <- time.Since(began)
	return ctx.Err()
}

// Whatever a terminal does, the program and the connection go on.
func TestTerminalsThatPanic(t *testing.T) {
	for name, terminal := range map[string]HostedTerminal{"one that panics": panicky{}, "none": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn, p := puppeteer(t, &ClientOptions{Terminal: hostOf{terminal}})
				session := openWith(t, conn, p, nil)
				created := p.ask(t, "terminal/create", `"sessionId":"s1","command":"a"`)
				assert.Equal(t, terminal == nil, created == "error -32603 the handler made no terminal", created)
				for _, method := range []string{"output", "wait_for_exit", "kill"} {
					assert.Contains(t, p.ask(t, "terminal/"+method, `"sessionId":"s1","terminalId":"terminal-1"`), "error ")
				}
				<-time.After(terminalIdle)
				turn := mustPrompt(t, session, "go", BusyReject)
				p.endsTurn(t, string(p.hear(t).ID))
				_, err := turn.Wait(t.Context())
				require.NoError(t, err)
				synctest.Wait()
			})
		})
	}
}

// A terminal that the agent waits for, or has just waited for, is not forgotten.
func TestTerminalsInUseAreNotForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		conn, p := puppeteer(t, d.everything())
		openWith(t, conn, p, nil)
		p.ask(t, "terminal/create", `"sessionId":"s1","command":"build"`)
		p.say(t, `{"id":"q","method":"terminal/wait_for_exit","params":{"sessionId":"s1","terminalId":"terminal-1"}}`)
		<-d.waiting
		<-time.After(2 * terminalIdle)
		p.say(t, `{"id":"other","method":"terminal/create","params":{"sessionId":"s1","command":"other"}}`)
		assert.JSONEq(t, `"other"`, string(p.hear(t).ID))
		d.terminals[0].end()
		assert.JSONEq(t, `{"exitCode":3}`, p.answered(t))
		p.ask(t, "terminal/create", `"sessionId":"s1","command":"third"`)
		synctest.Wait()
		assert.Contains(t, p.ask(t, "terminal/output", `"sessionId":"s1","terminalId":"terminal-1"`), "output of build")
	})
}

// A session with too many terminals that run gets no more.
func TestTooManyTerminalsThatRun(t *testing.T) {
	d := newDesk()
	conn, p := puppeteer(t, d.everything())
	openWith(t, conn, p, nil)
	for i := range maxTerminals {
		assert.Contains(t, p.ask(t, "terminal/create", fmt.Sprintf(`"sessionId":"s1","command":"c%d"`, i)), "terminalId")
	}
	assert.Contains(t, p.ask(t, "terminal/create", `"sessionId":"s1","command":"more"`), "too many terminals that run")
	p.ask(t, "terminal/kill", `"sessionId":"s1","terminalId":"terminal-9"`)
	assert.Contains(t, p.ask(t, "terminal/create", `"sessionId":"s1","command":"more"`), "terminalId")
	assert.True(t, d.terminals[8].released)
}

// A release has its time, also if the connection ends right after the session.
func TestReleaseIsNotCutShort(t *testing.T) {
	for _, first := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			slow := slowRelease{&fakeTerminal{desk: newDesk(), exited: make(chan struct{})}, make(chan time.Duration, 2)}
			conn, p := puppeteer(t, &ClientOptions{Terminal: hostOf{slow}})
			session := openWith(t, conn, p, nil)
			p.ask(t, "terminal/create", `"sessionId":"s1","command":"a"`)
			if first {
				require.NoError(t, session.Close(t.Context()))
				synctest.Wait()
			}
			require.NoError(t, conn.Close(t.Context()))
			assert.Equal(t, 5*time.Second, <-slow.took)
		})
	}
}

// slowHost makes terminals when it is told to.
type slowHost struct {
	desk           *desk
	asked, proceed chan struct{}
}

func (h *slowHost) CreateTerminal(ctx context.Context, req *CreateTerminalRequest) (HostedTerminal, error) {
	h.asked <- struct{}{}
	<-h.proceed
	return h.desk.CreateTerminal(context.WithoutCancel(ctx), req)
}

// A terminal that comes into being when nobody wants it any more is released at once.
func TestTerminalsThatComeTooLate(t *testing.T) {
	for _, by := range []string{"the session has ended", "the agent has taken the request back"} {
		t.Run(by, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := &slowHost{newDesk(), make(chan struct{}), make(chan struct{})}
				conn, p := puppeteer(t, &ClientOptions{Terminal: host})
				session := openWith(t, conn, p, nil)
				p.say(t, `{"id":"q","method":"terminal/create","params":{"sessionId":"s1","command":"late"}}`)
				<-host.asked
				if by == "the session has ended" {
					require.NoError(t, session.Close(t.Context()))
				} else {
					p.say(t, `{"method":"$/cancel_request","params":{"requestId":"q"}}`)
				}
				assert.Equal(t, "error -32800 the request was cancelled", p.answered(t))
				close(host.proceed)
				synctest.Wait()
				host.desk.mu.Lock()
				defer host.desk.mu.Unlock()
				assert.True(t, host.desk.terminals[0].released)
			})
		})
	}
}
