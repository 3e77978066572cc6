package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// odd is an extension handler that returns what cannot be sent.
type odd struct {
	*desk
	result any
	err    error
}

func (o odd) HandleRequest(context.Context, *ExtensionMessage) (any, error) { return o.result, o.err }

type panicsAsJSON struct{}

func (panicsAsJSON) MarshalJSON() ([]byte, error) { panic("at the encoder") }

// What a handler returns is sent as one frame of JSON, or not at all.
func TestResultsThatCannotBeSent(t *testing.T) {
	for name, tt := range map[string]struct {
		result any
		err    error
		want   string
	}{
		"a result that panics":    {result: panicsAsJSON{}, want: "error -32603 the handler failed"},
		"raw bytes that are none": {result: json.RawMessage("oops\n{}"), want: "error -32603 cannot encode the result"},
		"data that is none":       {err: &Error{Code: -1, Message: "m", Data: json.RawMessage("oops\n{\"id\":9}")}, want: "error -1 m"},
		"no result":               {want: "null"},
	} {
		t.Run(name, func(t *testing.T) {
			_, p := puppeteer(t, &ClientOptions{Extension: odd{newDesk(), tt.result, tt.err}})
			answer := p.ask(t, "_x/ask", ``)
			if answer == "" {
				answer = "null"
			}
			assert.Equal(t, tt.want, answer)
		})
	}
	frame, err := encodeRequest(1, "session/prompt", promptParams{"s", []ContentBlock{&TextContent{Text: "x", Annotations: &Annotations{Priority: new(math.NaN())}}}})
	require.NoError(t, err)
	assert.True(t, json.Valid(frame), "%s", frame)
}

// A request that was taken back before its handler began is not handed over.
func TestRequestsTakenBackInTime(t *testing.T) {
	d := newDesk()
	conn, p := puppeteer(t, d.everything())
	openWith(t, conn, p, nil)
	ctx, cancel := context.WithCancel(conn.ctx)
	cancel()
	in := &inbound{id: []byte(`"q"`), method: methodWriteTextFile, params: []byte(`{"sessionId":"s1","path":"/a","content":"x"}`), ctx: ctx, cancel: cancel}
	conn.wire.mu.Lock()
	conn.wire.lastIn++
	in.number = conn.wire.lastIn
	conn.wire.inbound[in.number] = in
	conn.wire.mu.Unlock()
	conn.serve(in)
	assert.Equal(t, "error -32800 the request was cancelled", p.answered(t))
	assert.Empty(t, d.heard())
}

// The watchdog pauses while the agent waits for us, whatever for, and no longer.
func TestWatchdogAndRequests(t *testing.T) {
	for _, tt := range []struct {
		name, method, params string
		taken                bool // back by the agent, while the handler goes on
		waits                bool // the turn does
	}{
		{"a file", "fs/read_text_file", `"sessionId":"s1","path":"/stuck"`, false, true},
		{"a file that is not wanted any more", "fs/read_text_file", `"sessionId":"s1","path":"/stuck"`, true, false},
		{"an extension of the session", "_x/ask", `"sessionId":"s1"`, false, true},
		{"an extension of no session", "_x/ask", `"sessionId":"/stuck"`, false, true},
		{"an extension of no session that is not wanted any more", "_x/ask", `"sessionId":"/stuck"`, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &stuckDesk{newDesk(), make(chan struct{}, 1), make(chan struct{})}
				conn, p := puppeteer(t, &ClientOptions{ReadTextFile: h, Extension: h, Inactivity: Inactivity{Kill: time.Minute}})
				session := openWith(t, conn, p, nil)
				turn := mustPrompt(t, session, "go", BusyReject)
				p.hear(t)
				p.say(t, fmt.Sprintf(`{"id":"q","method":%q,"params":{%s}}`, tt.method, tt.params))
				<-h.called
				if tt.taken {
					p.say(t, `{"method":"$/cancel_request","params":{"requestId":"q"}}`)
					p.answered(t)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				_, err := turn.Wait(ctx)
				if tt.waits {
					require.ErrorIs(t, err, context.DeadlineExceeded)
				} else {
					require.ErrorAs(t, err, new(*InactivityError))
				}
				close(h.proceed)
				if tt.waits {
					p.answered(t)
				}
			})
		})
	}
}

// stuckDesk ignores that its request has ended.
type stuckDesk struct {
	*desk
	called, proceed chan struct{}
}

func (s *stuckDesk) ReadTextFile(context.Context, *ReadTextFileRequest) (string, error) {
	s.called <- struct{}{}
	<-s.proceed
	return "", nil
}

func (s *stuckDesk) HandleRequest(context.Context, *ExtensionMessage) (any, error) {
	s.called <- struct{}{}
	<-s.proceed
	return "", nil
}

// What a subagent asks for is served in its parent's folders by its parent's handlers, counts for its parent, and ends with it.
func TestServicesOfChildren(t *testing.T) {
	theirs, own := newDesk(), newDesk()
	opts := theirs.everything()
	opts.Subagents = true
	conn, p := puppeteer(t, opts)
	session := openWith(t, conn, p, &SessionOptions{ReadTextFile: own, Terminal: own, Form: own, URL: own})
	own.answer.Action, own.action = ElicitationDecline, ElicitationDecline
	p.say(t, updateFrame(`{"sessionUpdate":"subagent_update","sessionId":"c1","cwd":"/elsewhere","additionalDirectories":["/etc"]}`))
	p.flush(t, conn)
	assert.Contains(t, p.ask(t, "fs/read_text_file", `"sessionId":"c1","path":"/a"`), "text of /a")
	assert.JSONEq(t, `{"terminalId":"terminal-1"}`, p.ask(t, "terminal/create", `"sessionId":"c1","command":"ls"`))
	assert.Contains(t, p.ask(t, "terminal/output", `"sessionId":"s1","terminalId":"terminal-1"`), "output of ls")
	assert.JSONEq(t, `{"action":"decline"}`, p.ask(t, "elicitation/create", `"sessionId":"c1","mode":"form","message":"x","requestedSchema":{}`))
	assert.JSONEq(t, `{"action":"decline"}`, p.ask(t, "elicitation/create", `"sessionId":"c1","mode":"url","message":"x","elicitationId":"e","url":"x:y"`))
	assert.Equal(t, []string{"read c1 /a [/] line -1 limit -1", "create c1 ls [] [] in / limit -1", `form c1  "x" `, "url  x:y"}, own.heard())
	assert.Empty(t, theirs.heard())

	p.say(t, `{"id":"q","method":"fs/read_text_file","params":{"sessionId":"c1","path":"/wait"}}`)
	<-own.waiting
	require.NoError(t, session.Children()[0].Close(t.Context()))
	assert.Equal(t, "error -32800 the request was cancelled", p.answered(t), "it ends with the child")
	assert.False(t, own.terminals[0].released, "which is the parent's")
}

// Files and terminals go on when the turn is cancelled: agents tidy up by them.
func TestServicesOutliveTheirTurn(t *testing.T) {
	h := &stuckDesk{newDesk(), make(chan struct{}, 1), make(chan struct{})}
	conn, p := puppeteer(t, &ClientOptions{ReadTextFile: h})
	session := openWith(t, conn, p, nil)
	turn := mustPrompt(t, session, "go", BusyReject)
	prompt := p.hear(t)
	p.say(t, `{"id":"q","method":"fs/read_text_file","params":{"sessionId":"s1","path":"/a"}}`)
	<-h.called
	require.NoError(t, turn.Cancel(t.Context()))
	assert.Equal(t, "session/cancel", p.hear(t).Method)
	close(h.proceed)
	assert.JSONEq(t, `{"content":""}`, p.answered(t))
	p.endsTurn(t, string(prompt.ID))
}

// A fork has the handlers of what it is a fork of, unless it brings its own.
func TestForksKeepTheirHandlers(t *testing.T) {
	theirs, own := newDesk(), newDesk()
	conn, p := puppeteerOf(t, theirs.everything(), `{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"fork":{}}}}`)
	session := openWith(t, conn, p, &SessionOptions{ReadTextFile: own})
	done := make(chan error, 1)
	go func() {
		_, err := session.Fork(context.Background(), nil)
		done <- err
	}()
	p.say(t, fmt.Sprintf(`{"id":%s,"result":{"sessionId":"s2"}}`, p.hear(t).ID))
	require.NoError(t, <-done)
	p.ask(t, "fs/read_text_file", `"sessionId":"s2","path":"/a"`)
	assert.Len(t, own.heard(), 1)
	assert.Empty(t, theirs.heard())
}

// Notifications of extensions that a slow handler leaves lying are bounded in bytes, and it is told how many were lost.
func TestExtensionBacklogIsBounded(t *testing.T) {
	d := &countingDesk{desk: newDesk()}
	conn, p := puppeteer(t, &ClientOptions{Extension: d})
	p.say(t, `{"method":"_x/tell","params":{"sessionId":"/wait"}}`)
	<-d.waiting
	pad := strings.Repeat("x", 1<<20)
	for range 50 {
		p.say(t, `{"method":"_x/tell","params":{"pad":"`+pad+`"}}`)
	}
	p.flush(t, conn)
	conn.notices.mu.Lock()
	queued := conn.notices.queued
	conn.notices.mu.Unlock()
	assert.LessOrEqual(t, queued, reporterBytes)
	conn.cancel() // lets the first one go on
	for range 200 {
		d.mu.Lock()
		all := d.kept + d.dropped
		d.mu.Unlock()
		p.say(t, `{"method":"_x/tell","params":{}}`) // which is told of the loss
		if all >= 50 {
			break
		}
	}
	require.NoError(t, conn.Close(context.Background()))
	assert.Positive(t, d.dropped)
}

// countingDesk counts notifications.
type countingDesk struct {
	*desk
	kept, dropped int
}

func (c *countingDesk) HandleNotification(ctx context.Context, m *ExtensionMessage) {
	c.desk.HandleNotification(ctx, m)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept++
	c.dropped += m.Dropped
}
