package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const oneField = `{"type":"object","title":"Form","properties":{"n":{"type":"integer","minimum":1}},"required":["n"]}`

var serviceTests = []struct {
	name   string
	method string
	params string // of the session s1
	answer string // the result, or "error " and its code and message
	asked  string
}{
	{"read", "fs/read_text_file", `"path":"/a"`, `{"content":"text of /a"}`, "read s1 /a [/ /more] line -1 limit -1"},
	{"read a window", "fs/read_text_file", `"path":"/a","line":5,"limit":2`, `{"content":"text of /a"}`, "read s1 /a [/ /more] line 5 limit 2"},
	{"read with null for what is left out", "fs/read_text_file", `"path":"/a","line":null,"limit":null`, `{"content":"text of /a"}`, "read s1 /a [/ /more] line -1 limit -1"},
	{"read what is not there, agentrq/acp-gateway#62", "fs/read_text_file", `"path":"/missing"`, "error -32002 cannot open it: file does not exist", "read s1 /missing [/ /more] line -1 limit -1"},
	{"read with an error of its own", "fs/read_text_file", `"path":"/typed"`, "error -7 typed", "read s1 /typed [/ /more] line -1 limit -1"},
	{"read that fails", "fs/read_text_file", `"path":"/fail"`, "error -32603 it does not go", "read s1 /fail [/ /more] line -1 limit -1"},
	{"read that panics, nextlevelbuilder/goclaw#1201", "fs/read_text_file", `"path":"/panic"`, "error -32603 the handler failed", "read s1 /panic [/ /more] line -1 limit -1"},
	{"read nothing", "fs/read_text_file", `"line":1`, "error -32602 cannot read the params: path is missing", ""},
	{"read a number", "fs/read_text_file", `"path":5`, "error -32602 cannot read the params: path is missing", ""},
	{"write", "fs/write_text_file", `"path":"/a","content":"é\r\n"`, `{}`, `write s1 /a [/ /more] "é\r\n"`},
	{"write nothing", "fs/write_text_file", `"path":"/a","content":""`, `{}`, `write s1 /a [/ /more] ""`},
	{"write without content", "fs/write_text_file", `"path":"/a"`, "error -32602 cannot read the params: content is missing", ""},
	{"write that fails", "fs/write_text_file", `"path":"/fail","content":""`, "error -32603 it does not go", `write s1 /fail [/ /more] ""`},
	{
		"create", "terminal/create", `"command":"ls","args":["-l","a b"],"env":[{"name":"A","value":"secret"}],"cwd":"/more","outputByteLimit":9`,
		`{"terminalId":"terminal-1"}`, "create s1 ls [-l a b] [A] in /more limit 9",
	},
	{"create in the session's directory", "terminal/create", `"command":"ls"`, `{"terminalId":"terminal-1"}`, "create s1 ls [] [] in / limit -1"},
	{"create nothing", "terminal/create", `"args":["x"]`, "error -32602 cannot read the params: command is missing", ""},
	{"create what is not there, Yeachan-Heo/gajae-code#3483", "terminal/create", `"command":"/missing"`, "error -32002 cannot open it: file does not exist", "create s1 /missing [] [] in / limit -1"},
	{"a terminal that there is not", "terminal/output", `"terminalId":"terminal-9"`, "error -32002 the session has no terminal terminal-9, or it was released", ""},
	{"no terminal", "terminal/kill", ``, "error -32602 cannot read the params: terminalId is missing", ""},
	{"a form that is accepted", "elicitation/create", `"mode":"form","message":"3","requestedSchema":` + oneField, `{"action":"accept","content":{"n":3}}`, `form s1  "3" Form`},
	{"a form that is filled in wrongly", "elicitation/create", `"mode":"form","message":"0","requestedSchema":` + oneField, `{"action":"cancel"}`, `form s1  "0" Form`},
	{"a form whose handler fails", "elicitation/create", `"mode":"form","message":"/panic","requestedSchema":` + oneField, `{"action":"cancel"}`, `form s1  "/panic" Form`},
	{"a form that is declined", "elicitation/create", `"mode":"form","message":"decline","requestedSchema":` + oneField, `{"action":"decline"}`, `form s1  "decline" Form`},
	{"an answer that there is not", "elicitation/create", `"mode":"form","message":"maybe","requestedSchema":` + oneField, `{"action":"cancel"}`, `form s1  "maybe" Form`},
	{"an address", "elicitation/create", `"mode":"url","message":"accept","elicitationId":"e1","url":"https://example.test/x?y"`, `{"action":"accept"}`, "url  https://example.test/x?y"},
	{"an address that is declined", "elicitation/create", `"mode":"url","message":"decline","elicitationId":"e1","url":"https://example.test"`, `{"action":"decline"}`, "url  https://example.test"},
	{"a question in another way", "elicitation/create", `"mode":"song","message":"la"`, "error -32602 cannot ask the user: no question in a mode that was offered", ""},
	{"a form without fields", "elicitation/create", `"mode":"form","message":"x"`, "error -32602 cannot ask the user: no question in a mode that was offered", ""},
	{"an extension", "_x/ask", `"a":[1]`, `{"of":"_x/ask"}`, `request _x/ask s1 {"sessionId":"s1","a":[1]}`},
	{"an extension without the underscore, qwen", "craft/drainMidTurnQueue", ``, `{"of":"craft/drainMidTurnQueue"}`, `request craft/drainMidTurnQueue s1 {"sessionId":"s1"}`},
	{"an extension that nobody knows", "_x/strange", ``, "error -32601 method not found: _x/strange", `request _x/strange s1 {"sessionId":"s1"}`},
	{"an extension whose result is none", "_x/unencodable", ``, "error -32603 cannot encode the result", `request _x/unencodable s1 {"sessionId":"s1"}`},
	{"a method of the protocol that clients do not have", "session/prompt", ``, "error -32601 method not found: session/prompt", ""},
	{"a method of a later protocol", "session/ask_politely", ``, "error -32601 method not found: session/ask_politely", ""},
}

func TestServices(t *testing.T) {
	for _, tt := range serviceTests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk()
			d.answer = FormAnswer{Action: ElicitationAccept, Content: map[string]any{"n": 0}}
			for _, word := range []string{"decline", "maybe", "accept"} {
				if strings.Contains(tt.params, `"message":"`+word) {
					d.answer.Action, d.action = ElicitationAction(word), ElicitationAction(word)
				}
			}
			if strings.Contains(tt.params, `"message":"3"`) {
				d.answer.Content["n"] = 3
			}
			conn, p := puppeteerOf(t, d.everything(), `{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"additionalDirectories":{}}}}`)
			openWith(t, conn, p, &SessionOptions{AdditionalDirectories: []string{"/more"}})
			params := `"sessionId":"s1"`
			if tt.params != "" {
				params += "," + tt.params
			}
			assert.Equal(t, tt.answer, p.ask(t, tt.method, params))
			if tt.asked != "" {
				assert.Equal(t, []string{tt.asked}, d.heard()[:1])
			} else {
				assert.Empty(t, d.heard())
			}
		})
	}
}

// openWith opens the session s1.
func openWith(t *testing.T, conn *Conn, p *puppet, opts *SessionOptions) *Session {
	t.Helper()
	opened := make(chan *Session, 1)
	go func() {
		s, err := conn.NewSession(context.Background(), "/", opts)
		assert.NoError(t, err)
		opened <- s
	}()
	p.say(t, fmt.Sprintf(`{"id":%s,"result":{"sessionId":"s1"}}`, p.hear(t).ID))
	session := <-opened
	require.NotNil(t, session)
	return session
}

// ask sends a request of the agent and returns the answer.
func (p *puppet) ask(t *testing.T, method, params string) string {
	t.Helper()
	p.say(t, fmt.Sprintf(`{"id":"q","method":%q,"params":{%s}}`, method, params))
	return p.answered(t)
}

// answered returns the next answer of the client.
func (p *puppet) answered(t *testing.T) string {
	t.Helper()
	frame := p.hear(t)
	require.Equal(t, `"q"`, string(frame.ID), "%s", frame.Method)
	if frame.Error != nil {
		return fmt.Sprintf("error %d %s", frame.Error.Code, frame.Error.Message)
	}
	return string(frame.Result)
}

// What is advertised is what is served, one by one and all together (openclaw/acpx#619).
func TestWhatIsNotAdvertisedIsNotServed_acpx619(t *testing.T) {
	d := newDesk()
	requests := []struct{ capability, method, params string }{
		{`"readTextFile":true`, "fs/read_text_file", `"path":"/a"`},
		{`"writeTextFile":true`, "fs/write_text_file", `"path":"/a","content":"x"`},
		{`"terminal":true,`, "terminal/create", `"command":"ls"`},
		{`"terminal":true,`, "terminal/output", `"terminalId":"terminal-1"`},
		{`"terminal":true,`, "terminal/wait_for_exit", `"terminalId":"terminal-9"`},
		{`"terminal":true,`, "terminal/kill", `"terminalId":"terminal-1"`},
		{`"terminal":true,`, "terminal/release", `"terminalId":"terminal-1"`},
		{`"form":{}`, "elicitation/create", `"mode":"form","message":"x","requestedSchema":{}`},
		{`"url":{}`, "elicitation/create", `"mode":"url","message":"x","elicitationId":"e","url":"https://example.test"`},
	}
	for name, opts := range map[string]*ClientOptions{
		"nothing": {}, "everything": d.everything(), "read": {ReadTextFile: d}, "write": {WriteTextFile: d}, "terminal": {Terminal: d},
		"form": {Form: d}, "url": {URL: d}, "form and url": {Form: d, URL: d}, "extensions only": {Extension: d},
	} {
		t.Run(name, func(t *testing.T) {
			told, err := json.Marshal(offersOf(opts))
			require.NoError(t, err)
			conn, p := puppeteer(t, opts)
			openWith(t, conn, p, nil)
			for _, r := range requests {
				answer := p.ask(t, r.method, `"sessionId":"s1",`+r.params)
				served := !strings.HasPrefix(answer, "error -32601") && !strings.HasPrefix(answer, "error -32602")
				assert.Equal(t, strings.Contains(string(told), r.capability), served, "%s: told %s, answered %s", r.method, told, answer)
			}
		})
	}
}

func TestASessionHasItsOwnHandlers(t *testing.T) {
	theirs, own := newDesk(), newDesk()
	conn, p := puppeteer(t, &ClientOptions{ReadTextFile: theirs, WriteTextFile: theirs})
	openWith(t, conn, p, &SessionOptions{ReadTextFile: own})
	assert.JSONEq(t, `{"content":"text of /a"}`, p.ask(t, "fs/read_text_file", `"sessionId":"s1","path":"/a"`))
	assert.Equal(t, `{}`, p.ask(t, "fs/write_text_file", `"sessionId":"s1","path":"/a","content":""`))
	assert.Len(t, own.heard(), 1)
	assert.Len(t, theirs.heard(), 1)
	for what, opts := range map[string]*SessionOptions{
		"clientCapabilities.terminal": {Terminal: own}, "clientCapabilities.elicitation.form": {Form: own}, "clientCapabilities.elicitation.url": {URL: own},
	} {
		_, err := conn.NewSession(t.Context(), "/", opts)
		require.ErrorIs(t, err, ErrNotAdvertised)
		require.ErrorContains(t, err, what)
	}
}

func TestRequestsForNoSession(t *testing.T) {
	d := newDesk()
	conn, p := puppeteer(t, d.everything())
	openWith(t, conn, p, nil)
	for _, r := range []struct{ method, params, want string }{
		{"fs/read_text_file", `"sessionId":"s2","path":"/a"`, "error -32002 unknown session"},
		{"terminal/create", `"command":"ls"`, "error -32002 unknown session"},
		{"elicitation/create", `"sessionId":"s2","mode":"form","message":"x","requestedSchema":{}`, `{"action":"cancel"}`},
		{"elicitation/create", `"requestId":99,"mode":"form","message":"x","requestedSchema":{}`, `{"action":"cancel"}`},
	} {
		assert.Equal(t, r.want, p.ask(t, r.method, r.params))
	}
	assert.Empty(t, d.heard())
	assert.Equal(t, int64(3), conn.Counters().Strangers)
}

// A request may be cancelled, and is answered once and at once. Files and terminals go on when the turn is cancelled, and end
// with the session; questions end with the turn.
func TestWhatEndsARequest(t *testing.T) {
	const cancelled = "error -32800 the request was cancelled"
	for _, tt := range []struct {
		name, method, params string
		by                   string // cancel, turn, close or end
		want                 string
	}{
		{"a read, by the agent", "fs/read_text_file", `"path":"/wait"`, "cancel", cancelled},
		{"a read, by the end of its session", "fs/read_text_file", `"path":"/wait"`, "close", cancelled},
		{"a form, by the agent", "elicitation/create", `"mode":"form","message":"/wait","requestedSchema":{}`, "cancel", `{"action":"cancel"}`},
		{"a form, by the cancel of the turn", "elicitation/create", `"mode":"form","message":"/wait","requestedSchema":{}`, "turn", `{"action":"cancel"}`},
		{"a form, by the end of the connection", "elicitation/create", `"mode":"form","message":"/wait","requestedSchema":{}`, "end", `{"action":"cancel"}`},
		{"an address, by the cancel of the turn", "elicitation/create", `"mode":"url","message":"/wait","elicitationId":"e","url":"x:y"`, "turn", `{"action":"cancel"}`},
		{"an extension, by the agent", "_x/ask", ``, "cancel", cancelled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk()
			conn, p := puppeteer(t, d.everything())
			session := openWith(t, conn, p, nil)
			turn := mustPrompt(t, session, "go", BusyReject)
			prompt := p.hear(t)
			id := `"sessionId":"s1",`
			if tt.method == "_x/ask" {
				id = `"sessionId":"/wait"`
			}
			p.say(t, fmt.Sprintf(`{"id":"q","method":%q,"params":{%s%s}}`, tt.method, id, tt.params))
			<-d.waiting
			switch tt.by {
			case "cancel":
				p.say(t, `{"method":"$/cancel_request","params":{"requestId":"q"}}`)
			case "turn":
				require.NoError(t, turn.Cancel(t.Context()))
				assert.Equal(t, "session/cancel", p.hear(t).Method)
			case "close":
				closed := make(chan error, 1)
				go func() { closed <- session.Close(context.Background()) }()
				assert.Equal(t, "session/cancel", p.hear(t).Method)
				p.endsTurn(t, string(prompt.ID))
				require.NoError(t, <-closed)
			case "end":
				go func() { _ = conn.Close(context.Background()) }()
			}
			assert.Equal(t, tt.want, p.answered(t))
		})
	}
}

// A question that belongs to a call of ours, such as a sign-in, is known by that call's id.
func TestAQuestionAboutACall(t *testing.T) {
	d := newDesk()
	d.action = ElicitationAccept
	conn, p := puppeteerOf(t, d.everything(), `{"protocolVersion":1,"authMethods":[{"id":"web","name":"Web"}]}`)
	done := make(chan error, 1)
	go func() { done <- conn.Authenticate(context.Background(), "web") }()
	call := p.hear(t)
	answer := p.ask(t, "elicitation/create", fmt.Sprintf(`"requestId":%s,"mode":"url","message":"sign in","elicitationId":"e1","url":"https://example.test/login"`, call.ID))
	assert.JSONEq(t, `{"action":"accept"}`, answer)
	assert.Equal(t, []string{"url authenticate https://example.test/login"}, d.heard())
	p.say(t, `{"method":"elicitation/complete","params":{"elicitationId":"other"}}`)
	p.say(t, `{"method":"elicitation/complete","params":{"elicitationId":"e1"}}`)
	<-d.visits[0].Completed
	p.say(t, fmt.Sprintf(`{"id":%s,"result":{}}`, call.ID))
	require.NoError(t, <-done)
	assert.Zero(t, conn.Counters().Unknown)
}

func TestExtensionNotificationsComeInOrder(t *testing.T) {
	d := newDesk()
	conn, p := puppeteer(t, d.everything())
	for i := range 100 {
		session := ""
		if i == 50 {
			session = `"sessionId":"/panic",`
		}
		p.say(t, fmt.Sprintf(`{"method":"_x/tell","params":{%s"n":%d}}`, session, i))
	}
	p.say(t, `{"method":"session/unheard_of","params":{}}`)
	p.flush(t, conn)
	require.NoError(t, conn.Close(t.Context()))
	heard := d.heard()
	require.Len(t, heard, 99, "all but the one that panicked")
	for i, line := range heard {
		if i >= 50 {
			i++
		}
		assert.Contains(t, line, fmt.Sprintf(`"n":%d}`, i))
	}
	assert.Equal(t, int64(1), conn.Counters().Unknown)
}

func TestCallsOfExtensions(t *testing.T) {
	conn, p := puppeteer(t, nil)
	type outcome struct {
		result json.RawMessage
		err    error
	}
	done := make(chan outcome, 1)
	call := func(method string, params any) {
		go func() {
			result, err := conn.Call(context.Background(), method, params)
			done <- outcome{result, err}
		}()
	}
	call("_x/ask", map[string]int{"n": 1})
	frame := p.hear(t)
	assert.Equal(t, "_x/ask", frame.Method)
	assert.JSONEq(t, `{"n":1}`, string(frame.Params))
	p.say(t, fmt.Sprintf(`{"id":%s,"result":[1, 2]}`, frame.ID))
	got := <-done
	require.NoError(t, got.err)
	assert.Equal(t, `[1, 2]`, string(got.result))

	call("_x/refuse", nil)
	frame = p.hear(t)
	assert.JSONEq(t, `{}`, string(frame.Params))
	p.say(t, fmt.Sprintf(`{"id":%s,"error":{"code":-32601,"message":"no"}}`, frame.ID))
	got = <-done
	rpc, ok := errors.AsType[*Error](got.err)
	require.True(t, ok)
	assert.Equal(t, CodeMethodNotFound, rpc.Code)

	for _, method := range []string{"", "session/prompt", "initialize", "$/cancel_request", "fs/read_text_file"} {
		_, err := conn.Call(t.Context(), method, nil)
		require.ErrorContains(t, err, "the protocol's own")
		require.ErrorContains(t, conn.Notify(t.Context(), method, nil), "the protocol's own")
	}
	notified := make(chan error, 1)
	go func() { notified <- conn.Notify(context.Background(), "_x/tell", nil) }()
	assert.Equal(t, "_x/tell", p.hear(t).Method)
	require.NoError(t, <-notified)
}
