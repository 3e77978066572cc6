package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// puppet is an agent whose every byte the test writes.
type puppet struct {
	in  *bufio.Reader // what the client wrote
	out io.Writer
}

// puppeteer connects to a puppet that has answered initialize.
func puppeteer(t *testing.T, opts *ClientOptions) (*Conn, *puppet) {
	t.Helper()
	return puppeteerOf(t, opts, `{"protocolVersion":1}`)
}

// puppeteerOf is puppeteer for an agent that answers initialize with a result.
func puppeteerOf(t *testing.T, opts *ClientOptions, handshake string) (*Conn, *puppet) {
	t.Helper()
	fromClient, toAgent := io.Pipe()
	fromAgent, toClient := io.Pipe()
	p := &puppet{in: bufio.NewReader(fromClient), out: toClient}
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		if _, err := p.in.ReadBytes('\n'); err == nil {
			_, _ = io.WriteString(toClient, `{"jsonrpc":"2.0","id":1,"result":`+handshake+"}\n")
		}
	}()
	conn, err := NewClient(Implementation{Name: "test"}, opts).Connect(context.Background(), &IOTransport{Reader: fromAgent, Writer: toAgent})
	require.NoError(t, err)
	<-answered
	t.Cleanup(func() {
		go func() { _, _ = io.Copy(io.Discard, p.in) }()
		require.NoError(t, conn.Close(context.Background()))
		_ = fromClient.Close()
	})
	return conn, p
}

func (p *puppet) say(t *testing.T, line string) {
	t.Helper()
	_, err := io.WriteString(p.out, line+"\n")
	require.NoError(t, err)
}

// hear returns the next frame of the client.
func (p *puppet) hear(t *testing.T) (frame struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *Error
},
) {
	t.Helper()
	line, err := p.in.ReadBytes('\n')
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(line, &frame), "%s", line)
	return frame
}

// call makes a call in the background and returns its id and what becomes of it.
func (p *puppet) call(t *testing.T, conn *Conn) (id string, outcome <-chan error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := conn.wire.call(context.Background(), "test/call", struct{}{})
		done <- err
	}()
	return string(p.hear(t).ID), done
}

func TestAnswersOfAnyShape(t *testing.T) {
	for _, tc := range []struct {
		name, answer string
		want         string // part of the error, empty for success
	}{
		{"result", `{"id":%s,"result":{}}`, ""},
		{"null result, jsonrpsee#1045", `{"id":%s,"result":null}`, ""},
		{"error", `{"id":%s,"error":{"code":-32000,"message":"sign in"}}`, "-32000: sign in"},
		{"error beside a null result, jsonrpsee#1045", `{"id":%s,"result":null,"error":{"code":-32603,"message":"x"}}`, "-32603: x"},
		{"error beside a result", `{"id":%s,"result":{},"error":{"code":-32603,"message":"x"}}`, "-32603: x"},
		{"error as a text", `{"id":%s,"error":"boom"}`, "boom"},
		{"nothing but an id, jsonrpsee#1045", `{"jsonrpc":"2.0","id":%s}`, "without result and error"},
		{"null error", `{"id":%s,"error":null}`, "without result and error"},
		{"result beside a null error", `{"id":%s,"result":1,"error":null}`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			conn, p := puppeteer(t, nil)
			id, outcome := p.call(t, conn)
			p.say(t, fmt.Sprintf(tc.answer, id))
			err := <-outcome
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestWhatSettlesNothing(t *testing.T) {
	for _, line := range []string{
		`{"level":"info","id":%s,"msg":"x"}`,                          // a log object, benchflow#236
		`{"id":null,"error":{"code":-32700,"message":"parse error"}}`, // toolhive#6038
		`{"error":{"code":-32700,"message":"parse error"}}`,           // tower-mcp#802
		`{"id":"%s","result":{}}`,                                     // a string is no number, bounty-challenge#17448
		`{"id":0,"result":{}}`,                                        // bounty-challenge#51361
		`{"id":-%s,"result":{}}`, `{"id":%s.5,"result":{}}`, `{"id":99,"result":{}}`,
		`{"jsonrpc":"1.0","id":%s,"result":{}}`,
		`[{"id":%s,"result":{}}]`,
		`abc{"level":"info","id":%s,"result":1`,
	} {
		conn, p := puppeteer(t, nil)
		id, outcome := p.call(t, conn)
		if strings.Contains(line, "%s") {
			line = fmt.Sprintf(line, id)
		}
		p.say(t, line)
		if strings.HasPrefix(line, "[") {
			assert.Equal(t, CodeInvalidRequest, p.hear(t).Error.Code)
		}
		// Answers come in order: had the line settled the call, it would be settled now.
		second, other := p.call(t, conn)
		p.say(t, fmt.Sprintf(`{"id":%s,"result":{}}`, second))
		require.NoError(t, <-other)
		select {
		case err := <-outcome:
			t.Errorf("%s settled the call: %v", line, err)
		default:
		}
		p.say(t, fmt.Sprintf(`{"id":%s,"result":{}}`, id))
		require.NoError(t, <-outcome)
	}
}

func TestOverlongAnswerFailsItsCall_kimicli831(t *testing.T) {
	conn, p := puppeteer(t, &ClientOptions{MaxFrame: 64 << 10})
	id, outcome := p.call(t, conn)
	p.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"text":%q}}`, id, strings.Repeat("x", 70<<10)))
	var long *FrameTooLongError
	require.ErrorAs(t, <-outcome, &long)
	assert.Equal(t, 64<<10, long.Max)
	id, outcome = p.call(t, conn)
	p.say(t, fmt.Sprintf(`{"id":%s,"result":{}}`, id))
	require.NoError(t, <-outcome)
}

func TestLongLinesAndWhatFollows_t3code11217(t *testing.T) {
	conn, p := puppeteer(t, nil)
	id, outcome := p.call(t, conn)
	p.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"text":%q}}`, id, strings.Repeat("x", 63<<20)))
	require.NoError(t, <-outcome)
	id, outcome = p.call(t, conn)
	p.say(t, strings.Repeat("y", 65<<20))
	p.say(t, fmt.Sprintf(`{"id":%s,"result":{}}`, id))
	require.NoError(t, <-outcome)
	assert.Equal(t, int64(1), conn.Counters().Noise)
}

func TestCancelledCallsLeaveNothingPending(t *testing.T) {
	calls := 10_000
	if os.Getenv("ACP_HEAVY") != "" {
		calls = 100_000
	}
	conn, p := puppeteer(t, nil)
	go func() { _, _ = io.Copy(io.Discard, p.in) }()
	const workers = 16
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range calls / workers {
				ctx, cancel := context.WithCancel(context.Background())
				c, err := conn.wire.start(ctx, "test/call", struct{}{}, nil, nil)
				if !assert.NoError(t, err) {
					cancel()
					return
				}
				cancel()
				_, err = conn.wire.wait(ctx, c)
				assert.ErrorIs(t, err, context.Canceled)
			}
		})
	}
	wg.Wait()
	pending := func() int {
		return reflect.ValueOf(conn.wire.lib).Elem().FieldByName("pending").Len()
	}
	// The library forgets a call when it reads the skeleton that settles it, a moment later.
	id, outcome := p.callUnheard(conn)
	p.say(t, fmt.Sprintf(`{"id":%d,"result":{}}`, id))
	require.NoError(t, <-outcome)
	assert.Zero(t, pending())
	conn.wire.mu.Lock()
	defer conn.wire.mu.Unlock()
	assert.Empty(t, conn.wire.calls)
	assert.Empty(t, conn.wire.dead)
}

// callUnheard is call for a test that does not read what the client writes.
func (p *puppet) callUnheard(conn *Conn) (id uint64, outcome <-chan error) {
	done := make(chan error, 1)
	c, err := conn.wire.start(context.Background(), "test/call", struct{}{}, nil, nil)
	if err != nil {
		done <- err
		return 0, done
	}
	go func() {
		_, err := conn.wire.wait(context.Background(), c)
		done <- err
	}()
	return c.id, done
}

func TestLateAnswerIsCountedAndDropped(t *testing.T) {
	conn, p := puppeteer(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	c, err := conn.wire.start(ctx, "test/call", struct{}{}, nil, nil)
	require.NoError(t, err)
	assert.Equal(t, "test/call", p.hear(t).Method)
	cancel()
	_, err = conn.wire.wait(ctx, c)
	require.ErrorIs(t, err, context.Canceled)
	told := p.hear(t)
	assert.Equal(t, "$/cancel_request", told.Method)
	assert.JSONEq(t, fmt.Sprintf(`{"requestId":%d}`, c.id), string(told.Params))
	p.say(t, fmt.Sprintf(`{"id":%d,"result":{}}`, c.id))
	id, outcome := p.call(t, conn)
	p.say(t, fmt.Sprintf(`{"id":%s,"result":{}}`, id))
	require.NoError(t, <-outcome)
	assert.Equal(t, int64(1), conn.Counters().Unmatched)
}

func TestAnAnswerThatWasReadWins_KiroCrew9185(t *testing.T) {
	conn, p := puppeteer(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	c, err := conn.wire.start(ctx, "test/call", struct{}{}, nil, nil)
	require.NoError(t, err)
	p.hear(t)
	read := make(chan struct{})
	conn.wire.mu.Lock()
	c.settle = func(answer) { close(read) }
	conn.wire.mu.Unlock()
	p.say(t, fmt.Sprintf(`{"id":%d,"result":{"won":true}}`, c.id))
	<-read
	cancel()
	result, err := conn.wire.wait(ctx, c)
	require.NoError(t, err)
	assert.JSONEq(t, `{"won":true}`, string(result))
}

func TestSessionThatIsIntroducedTooLateIsClosed(t *testing.T) {
	conn, p := puppeteer(t, nil)
	conn.capabilities.Session.Close = true
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error, 1)
	go func() {
		_, err := conn.NewSession(ctx, "/", nil)
		failed <- err
	}()
	id := string(p.hear(t).ID)
	cancel()
	require.ErrorIs(t, <-failed, context.Canceled)
	assert.Equal(t, "$/cancel_request", p.hear(t).Method)
	p.say(t, fmt.Sprintf(`{"id":%s,"result":{"sessionId":"late"}}`, id))
	closing := p.hear(t)
	assert.Equal(t, "session/close", closing.Method)
	assert.JSONEq(t, `{"sessionId":"late"}`, string(closing.Params))
	p.say(t, fmt.Sprintf(`{"id":%s,"result":{}}`, closing.ID))
}

func TestEveryRequestIsAnsweredOnce_kcapcli308(t *testing.T) {
	handler := PermissionFunc(func(ctx context.Context, req *PermissionRequest) (PermissionOutcome, error) {
		switch req.ToolCall.ID {
		case "panic":
			panic("broken")
		case "wait":
			<-ctx.Done()
		}
		return req.Reject(), nil
	})
	conn, p := puppeteer(t, &ClientOptions{Permission: handler})
	opened := make(chan *Session, 1)
	go func() {
		s, err := conn.NewSession(context.Background(), "/", nil)
		assert.NoError(t, err)
		opened <- s
	}()
	p.say(t, fmt.Sprintf(`{"id":%s,"result":{"sessionId":"s1"}}`, p.hear(t).ID))
	<-opened
	ask := func(session, call string) string {
		return `"method":"session/request_permission","params":{"sessionId":"` + session + `","toolCall":{"toolCallId":"` + call +
			`"},"options":[{"optionId":"n","kind":"reject_once"}]}`
	}
	requests := []string{
		ask("s1", "plain"), ask("s1", "panic"), ask("s1", "wait"), ask("child", "plain"),
		`"method":"session/request_permission"`, `"method":"session/request_permission","params":[1]`,
		`"method":"fs/read_text_file","params":{"sessionId":"s1","path":"/etc/passwd"}`, `"method":"_vendor/ask"`, `"method":"session/prompt"`,
	}
	ids := []string{`0`, `-1`, `"a"`, `9007199254740993`, `"0"`, `1`, `null`, `1.5`, `"é"`}
	for i, request := range requests {
		p.say(t, `{"jsonrpc":"2.0","id":`+ids[i]+`,`+request+`}`)
	}
	p.say(t, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"a"}}`) // ends the one that waits
	answers := map[string]int{}
	for range requests {
		answers[string(p.hear(t).ID)]++
	}
	want := map[string]int{}
	for _, id := range ids {
		want[id] = 1
	}
	assert.Equal(t, want, answers)
}

// FuzzDispatch lets an agent say anything in any order: the connection keeps its head, and ends in good order.
//
// fuzz: 1/50
func FuzzDispatch(f *testing.F) {
	f.Add([]byte(`{"id":2,"result":{"sessionId":"s1"}}` + "\n" + `{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"plan","entries":[]}}}`))
	f.Add([]byte(`{"id":"x","method":"session/request_permission","params":{"sessionId":"s1","toolCall":{},"options":[{"optionId":"a","kind":"allow_once"}]}}`))
	f.Add([]byte("[{\"id\":1,\"method\":\"x\"}]\n{\"id\":2}\n{\"id\":null,\"error\":{}}\nnoise\n{\"id\":3,\"result\":{\"stopReason\":\"end_turn\"}}"))
	f.Add([]byte(`{"method":"$/cancel_request","params":{"requestId":"x"}}`))
	f.Fuzz(func(t *testing.T, said []byte) {
		conn, p := puppeteer(t, &ClientOptions{MaxFrame: 1 << 20, Timeouts: Timeouts{NewSession: 50 * time.Millisecond, Control: 50 * time.Millisecond}})
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = io.Copy(io.Discard, p.in) })
		wg.Go(func() {
			_, _ = p.out.Write(said)
			_, _ = io.WriteString(p.out, "\n")
		})
		session, err := conn.NewSession(context.Background(), "/", nil)
		if err == nil {
			turn, err := session.Prompt(context.Background(), Text("x"), nil)
			if err == nil {
				wait, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
				_, _ = turn.Wait(wait)
				cancel()
				_ = turn.Cancel(context.Background())
			}
		}
		require.NoError(t, conn.Close(context.Background()))
		wg.Wait()
		if session != nil {
			for range session.Updates() { // over with the connection, so that this ends
			}
		}
	})
}

func TestInvalidUTF8IsReportedAndKept_codexacp345(t *testing.T) {
	conn, p := puppeteer(t, nil)
	opened := make(chan *Session, 1)
	go func() {
		s, err := conn.NewSession(context.Background(), "/", nil)
		assert.NoError(t, err)
		opened <- s
	}()
	p.say(t, fmt.Sprintf(`{"id":%s,"result":{"sessionId":"s1"}}`, p.hear(t).ID))
	session := <-opened
	const update = `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a` + "\xff" + `b"}}`
	p.say(t, `{"method":"session/update","params":{"sessionId":"s1","update":`+update+`}}`)
	for n := range session.Updates() {
		assert.True(t, bytes.Equal([]byte(update), n.Raw), "the bytes are all there")
		assert.NotEmpty(t, n.Warnings)
		assert.Equal(t, "a\uFFFDb", n.Update.(*AgentMessageChunk).Content.(*TextContent).Text)
		break
	}
}

func TestAnswersThatComeTwiceAreCounted_claudeagentacp551(t *testing.T) {
	conn, p := puppeteer(t, nil)
	for range 3 {
		id, outcome := p.call(t, conn)
		p.say(t, fmt.Sprintf(`{"id":%s,"result":{}}`, id))
		p.say(t, fmt.Sprintf(`{"id":%s,"error":{"code":1,"message":"again"}}`, id))
		require.NoError(t, <-outcome)
	}
	id, outcome := p.call(t, conn)
	p.say(t, fmt.Sprintf(`{"id":%s,"result":{}}`, id))
	require.NoError(t, <-outcome)
	assert.Equal(t, int64(3), conn.Counters().Unmatched)
}
