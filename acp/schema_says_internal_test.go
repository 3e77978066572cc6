package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// agentSays are the messages that agents send, each with what this package makes of one.
func agentSays(t *testing.T) map[string]func(raw json.RawMessage) any {
	t.Helper()
	says := map[string]func(json.RawMessage) any{
		"SessionNotification": func(raw json.RawMessage) any {
			line := []byte(`{"jsonrpc":"2.0","method":"session/update","params":` + string(raw) + `}`)
			e := parseEnvelope(line)
			l := newLetter(line, &e)
			var d decoder
			u, _ := d.decode(l.kind, l.update())
			return []any{string(e.session), u}
		},
	}
	// What answers a call is read by the call.
	for name, call := range map[string]func(*Conn) any{
		"AuthenticateResponse":    func(c *Conn) any { return c.Authenticate(context.Background(), "m") },
		"LogoutResponse":          func(c *Conn) any { return c.Logout(context.Background()) },
		"AuthStatusResponse":      func(c *Conn) any { return both(c.QueryAuthStatus(context.Background())) },
		"ListProvidersResponse":   func(c *Conn) any { return both(c.LLMProviders(context.Background())) },
		"SetProviderResponse":     func(c *Conn) any { return c.SetLLMProvider(context.Background(), "p", LLMConfig{}) },
		"DisableProviderResponse": func(c *Conn) any { return c.DisableLLMProvider(context.Background(), "p") },
		"NewSessionResponse":      func(c *Conn) any { return opened(c.NewSession(context.Background(), "/", nil)) },
		"LoadSessionResponse": func(c *Conn) any {
			return opened(c.LoadSession(context.Background(), "l", "/", &SessionOptions{ReplayGrace: -1}))
		},
		"ResumeSessionResponse": func(c *Conn) any { return opened(c.ResumeSession(context.Background(), "r", "/", nil)) },
		"ForkSessionResponse":   func(c *Conn) any { return opened(c.session("open").Fork(context.Background(), nil)) },
		"ListSessionsResponse": func(c *Conn) any {
			page, next, err := c.sessionPage(context.Background(), &ListOptions{}, "")
			return []any{page, next, err}
		},
		"DeleteSessionResponse":    func(c *Conn) any { return c.DeleteSession(context.Background(), "d") },
		"CloseSessionResponse":     func(c *Conn) any { return c.CloseSession(context.Background(), "d") },
		"ArchiveSessionResponse":   func(c *Conn) any { return c.ArchiveSession(context.Background(), "a") },
		"UnarchiveSessionResponse": func(c *Conn) any { return c.UnarchiveSession(context.Background(), "a") },
		"SessionStatusResponse":    func(c *Conn) any { return both(c.SessionStatus(context.Background(), "a")) },
		"SetSessionTitleResponse":  func(c *Conn) any { return both(c.SetSessionTitle(context.Background(), "a", "t")) },
		"SetSessionModeResponse":   func(c *Conn) any { return c.session("open").SetMode(context.Background(), "auto") },
		"SetSessionConfigOptionResponse": func(c *Conn) any {
			err := c.session("open").Set(context.Background(), "the-model", "big")
			return []any{err, c.session("open").ConfigOptions()}
		},
		"PromptResponse": func(c *Conn) any {
			turn, err := c.session("open").Prompt(context.Background(), Text("hi"), nil)
			if err != nil {
				return err
			}
			return both(turn.Wait(context.Background()))
		},
	} {
		says[name] = func(raw json.RawMessage) any {
			conn, p := advertised(t, nil, "open")
			answered := make(chan any, 1)
			go func() { answered <- call(conn) }()
			p.say(t, fmt.Sprintf(`{"id":%s,"result":%s}`, p.hear(t).ID, raw))
			return <-answered
		}
	}
	says["InitializeResponse"] = func(raw json.RawMessage) any {
		fromClient, toAgent := io.Pipe()
		fromAgent, toClient := io.Pipe()
		go func() {
			in := bufio.NewReader(fromClient)
			_, _ = in.ReadBytes('\n')
			_, _ = io.WriteString(toClient, `{"jsonrpc":"2.0","id":1,"result":`+string(raw)+"}\n")
			_, _ = io.Copy(io.Discard, in)
			_ = toClient.Close()
		}()
		conn, err := NewClient(Implementation{}, nil).Connect(context.Background(), &IOTransport{Reader: fromAgent, Writer: toAgent})
		if err != nil {
			return err.Error()
		}
		defer func() { assert.NoError(t, conn.Close(context.Background())) }()
		return []any{conn.Agent(), conn.Capabilities(), conn.AuthMethods(), string(conn.ProtocolVersion())}
	}
	// What asks for something is told to a handler, and answered.
	for name, method := range map[string]string{
		"RequestPermissionRequest": "session/request_permission", "ReadTextFileRequest": "fs/read_text_file",
		"WriteTextFileRequest": "fs/write_text_file", "CreateTerminalRequest": "terminal/create", "TerminalOutputRequest": "terminal/output",
		"WaitForTerminalExitRequest": "terminal/wait_for_exit", "KillTerminalRequest": "terminal/kill",
		"ReleaseTerminalRequest": "terminal/release", "CreateElicitationRequest": "elicitation/create",
	} {
		says[name] = func(raw json.RawMessage) any {
			d := newDesk()
			var asked []*PermissionRequest
			opts := d.everything()
			opts.Permission = PermissionFunc(func(_ context.Context, req *PermissionRequest) (PermissionOutcome, error) {
				asked = append(asked, req)
				return PermissionOutcome{}, nil
			})
			conn, p := advertised(t, opts, "x")
			conn.terminals.byID = map[string]*terminalEntry{}
			hosted := &fakeTerminal{desk: d, name: "made before", exited: make(chan struct{})}
			hosted.end()
			conn.terminals.byID["x"] = &terminalEntry{id: "x", owner: conn.session("x"), hosted: hosted}
			conn.wire.mu.Lock()
			conn.wire.calls[1], conn.wire.calls[2] = &call{method: "one", over: make(chan struct{})}, &call{method: "two", over: make(chan struct{})} // that a question may belong to
			conn.wire.mu.Unlock()
			p.say(t, fmt.Sprintf(`{"id":"q","method":%q,"params":%s}`, method, raw))
			answer := p.answered(t)
			return []any{d.heard(), d.creates, d.forms, d.visits, asked, answer}
		}
	}
	// What is told of is to be seen afterwards.
	for name, method := range map[string]string{
		"AuthStatusUpdateNotification": "auth/status_update", "CompleteElicitationNotification": "elicitation/complete",
	} {
		says[name] = func(raw json.RawMessage) any {
			conn, p := puppeteer(t, nil)
			visit := conn.visits.begin("x").done
			p.say(t, fmt.Sprintf(`{"method":%q,"params":%s}`, method, raw))
			p.flush(t, conn)
			done := false
			select {
			case <-visit:
				done = true
			default:
			}
			assert.Zero(t, conn.Counters().Unknown)
			return []any{done, conn.AuthStatus()}
		}
	}
	return says
}

func both[T any](v T, err error) any { return []any{v, err} }

func opened(s *Session, err error) any {
	if err != nil {
		return err
	}
	return []any{s.ID(), s.Modes(), s.ConfigOptions()}
}

// advertised connects to a puppet that advertises everything, with an open session.
func advertised(t *testing.T, opts *ClientOptions, id string) (*Conn, *puppet) {
	t.Helper()
	conn, p := puppeteerOf(t, opts, `{"protocolVersion":1,"authMethods":[{"id":"m"}],"agentCapabilities":{"loadSession":true,"providers":{},"auth":{"logout":{},"status":{}},`+
		`"sessionCapabilities":{"list":{},"delete":{},"resume":{},"close":{},"fork":{},"additionalDirectories":{},"archive":{},"status":{},"title":{}}}}`)
	done := make(chan error, 1)
	go func() {
		_, err := conn.NewSession(context.Background(), "/", nil)
		done <- err
	}()
	p.say(t, fmt.Sprintf(`{"id":%s,"result":{"sessionId":%q,%s,%s}}`, p.hear(t).ID, id, modesOffered, selects("model=small:small,big")))
	require.NoError(t, <-done)
	return conn, p
}

// weSay are the messages that this package sends, each in the forms that together have everything in them.
func weSay() map[string][]any {
	notes := &Annotations{Audience: []Role{RoleUser, RoleAssistant}, LastModified: "2026-01-02T03:04:05Z", Priority: new(0.5)}
	blocks := []ContentBlock{
		&TextContent{Text: "t", Annotations: notes}, &ImageContent{Data: "d", MIMEType: "image/png", URI: "u", Annotations: notes},
		&AudioContent{Data: "d", MIMEType: "audio/wav", Annotations: notes},
		&ResourceLink{URI: "u", Name: "n", Title: "t", Description: "d", MIMEType: "m", Size: new(int64(1)), Annotations: notes},
		&EmbeddedResource{URI: "u", MIMEType: "m", Text: new("t"), Annotations: notes}, &EmbeddedResource{URI: "u", MIMEType: "m", Blob: new("b")},
	}
	setup := SessionOptions{
		AdditionalDirectories: []string{"/d"}, SystemPrompt: &SystemPrompt{Content: blocks},
		MCPServers: []MCPServer{
			&MCPServerStdio{Name: "s", Command: "c", Args: []string{"a"}, Env: []EnvVariable{{"A", "1"}}},
			&MCPServerHTTP{Name: "h", URL: "u", Headers: []HTTPHeader{{"A", "1"}}}, &MCPServerSSE{Name: "e", URL: "u", Headers: []HTTPHeader{{"A", "1"}}},
		},
	}
	desk := newDesk()
	opts := desk.everything()
	opts.TerminalAuth, opts.Subagents = true, true
	all := map[string][]any{
		"InitializeRequest": {initializeParams{ProtocolVersion: json.RawMessage("1"), Capabilities: offersOf(opts), ClientInfo: Implementation{"n", "t", "v"}}},
		"NewSessionRequest": {setupParams{cwd: "/", opts: &setup}},
		"PromptRequest":     {promptParams{SessionID: "s", Prompt: blocks}},
		"SetSessionConfigOptionRequest": {
			setParams{"s", ConfigOption{ID: "o", Type: ConfigBoolean, method: methodSetOption}, "true"},
			setParams{"s", ConfigOption{ID: "o", Type: ConfigSelect, method: methodSetOption}, "v"},
		},
		"SetSessionModeRequest": {setParams{"s", ConfigOption{method: methodSetMode}, "m"}},
		"ListSessionsRequest":   {listParams{"/", "c", ArchiveOnly}},
		"AuthenticateRequest":   {authenticateParams{"m"}}, "LogoutRequest": {struct{}{}}, "AuthStatusRequest": {struct{}{}},
		"ListProvidersRequest":   {struct{}{}},
		"SetProviderRequest":     {setProviderParams{"p", LLMConfig{LLMOpenAI, "u", []HTTPHeader{{"A", "1"}}}}},
		"DisableProviderRequest": {disableProviderParams{"p"}}, "SetSessionTitleRequest": {setTitleParams{"s", "t"}},
		"RequestPermissionResponse": {permissionResult{}, permissionResult{PermissionOutcome{OptionID: "o"}}},
		"ReadTextFileResponse":      {readTextFileResult{"c"}}, "WriteTextFileResponse": {struct{}{}},
		"CreateTerminalResponse":      {createTerminalResult{"t"}},
		"TerminalOutputResponse":      {terminalOutputResult{"o", true, &TerminalExitStatus{new(int64(1)), "SIGKILL"}}},
		"WaitForTerminalExitResponse": {TerminalExitStatus{new(int64(1)), "SIGKILL"}},
		"KillTerminalResponse":        {struct{}{}}, "ReleaseTerminalResponse": {struct{}{}},
		"CreateElicitationResponse": {
			elicitationResult{ElicitationAccept, map[string]any{"a": 1}}, elicitationResult{Action: ElicitationDecline}, elicitationResult{Action: ElicitationCancel},
		},
	}
	for _, name := range []string{"LoadSessionRequest", "ResumeSessionRequest", "ForkSessionRequest"} {
		all[name] = []any{setupParams{id: "s", cwd: "/", opts: &setup}}
	}
	for _, name := range []string{
		"DeleteSessionRequest", "CloseSessionRequest", "ArchiveSessionRequest", "UnarchiveSessionRequest", "SessionStatusRequest", "CancelNotification",
	} {
		all[name] = []any{sessionParams{"s"}}
	}
	return all
}
