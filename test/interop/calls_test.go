package interop_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
)

// calls are done in this order, with one agent.
var calls = []struct {
	name string
	do   func(t *testing.T, p *peer)
}{
	{"initialize", initialized},
	{"auth/status, authenticate, logout", signsInAndOut},
	{"session/new", opens},
	{"session/set_mode, session/set_config_option", sets},
	{"session/prompt", prompts},
	{"requests of the agent", answers},
	{"session/update", updates},
	{"auth/status_update", hearsOfSignIn},
	{"session/cancel", cancels},
	{"session/load, session/resume, session/fork", reopens},
	{"session/list", lists},
	{"session/status, session/set_title, session/archive, session/unarchive", keeps},
	{"session/close, session/delete", ends},
	{"providers/list, providers/set, providers/disable", configuresProviders},
	{"extension", extends},
	{"$/cancel_request", takesBack},
}

func initialized(t *testing.T, p *peer) {
	t.Helper()
	assert.JSONEq(t, "1", string(p.conn.ProtocolVersion()))
	assert.Equal(t, acp.Implementation{Name: "interop", Title: "Interop agent", Version: "2.4.0"}, p.conn.Agent())
	capabilities := p.conn.Capabilities()
	capabilities.Raw = nil
	assert.Equal(t, acp.AgentCapabilities{
		LoadSession: true,
		Prompt:      acp.PromptCapabilities{Image: true, Audio: true, EmbeddedContext: true},
		MCP:         acp.MCPCapabilities{HTTP: true, SSE: true},
		Session: acp.SessionCapabilities{
			List: true, Delete: true, Resume: true, Close: true, Fork: true, AdditionalDirectories: true, SystemPrompt: true,
			SystemPromptOverride: true, Archive: true, Status: true, Title: true,
		},
		Logout: true, AuthStatus: true, Providers: true,
	}, capabilities)
	methods := p.conn.AuthMethods()
	for i := range methods {
		methods[i].Raw = nil
	}
	assert.Equal(t, []acp.AuthMethod{
		{ID: "browser", Name: "Browser", Description: "opens a browser"},
		{
			ID: "terminal", Name: "Terminal", Description: "asks in a terminal", Type: acp.AuthTerminal,
			Args: []string{"--login"}, Env: []acp.EnvVariable{{Name: "LOGIN", Value: "1"}},
		},
	}, methods)
}

func signsInAndOut(t *testing.T, p *peer) {
	t.Helper()
	status, err := p.conn.QueryAuthStatus(within(t))
	require.NoError(t, err)
	assert.Equal(t, acp.AuthStatus{State: acp.AuthNo}, status)

	require.NoError(t, p.conn.Authenticate(within(t), "browser"))
	signedIn := acp.AuthStatus{State: acp.AuthYes, Accounts: []acp.AuthAccount{
		{Label: "work", Active: true, Name: "A. User", Email: "user@example.com", Organization: "Example"}, {Label: "home"},
	}}
	assert.Equal(t, signedIn, p.conn.AuthStatus(), "the agent has told of it before it answered")
	assert.Equal(t, acp.ElicitationScope{Method: "authenticate"}, p.user.form(t, "Which code?").Scope)
	assert.Equal(t, acp.ElicitationScope{Method: "authenticate"}, p.user.address(t, "Sign in").Scope)
	assert.Equal(t, "https://example.com/sign-in", p.user.address(t, "Sign in").URL)
	completed(t, p, "Sign in")
	status, err = p.conn.QueryAuthStatus(within(t))
	require.NoError(t, err)
	assert.Equal(t, signedIn, status)

	require.NoError(t, p.conn.Logout(within(t)))
	assert.Equal(t, acp.AuthStatus{State: acp.AuthNo}, p.conn.AuthStatus())
}

// completed waits until the agent tells that what was to be done at an address is done.
func completed(t *testing.T, p *peer, message string) {
	t.Helper()
	select {
	case <-p.user.address(t, message).Completed:
	case <-within(t).Done():
		t.Fatal("the agent has not told that the address was visited")
	}
}

// everything is all that a session can be opened with.
func everything(t *testing.T, mode acp.SystemPromptMode) *acp.SessionOptions {
	t.Helper()
	return &acp.SessionOptions{
		MCPServers: []acp.MCPServer{
			&acp.MCPServerStdio{
				Name: "stdio", Command: "server", Args: []string{"--fast"}, Env: []acp.EnvVariable{{Name: "LEVEL", Value: "9"}},
			},
			&acp.MCPServerHTTP{
				Name: "http", URL: "https://example.com/mcp", Headers: []acp.HTTPHeader{{Name: "X-Level", Value: "9"}},
			},
			&acp.MCPServerSSE{
				Name: "sse", URL: "https://example.com/sse", Headers: []acp.HTTPHeader{{Name: "X-Level", Value: "9"}},
			},
		},
		AdditionalDirectories: []string{t.TempDir()},
		SystemPrompt:          &acp.SystemPrompt{Mode: mode, Content: acp.Text("Be brief.")},
	}
}

func opens(t *testing.T, p *peer) {
	t.Helper()
	var err error
	p.session, err = p.conn.NewSession(within(t), p.cwd, everything(t, acp.SystemPromptAppend))
	require.NoError(t, err)
	assert.Equal(t, acp.SessionID("session-1"), p.session.ID())
	hasSettings(t, p.session, "ask", "small", true)
}

// hasSettings makes sure that everything was read that the agent has said of a session's settings.
func hasSettings(t *testing.T, s *acp.Session, mode, model string, web bool) {
	t.Helper()
	assert.Equal(t, &acp.SessionModes{Current: mode, Available: []acp.SessionMode{
		{ID: "ask", Name: "Ask", Description: "asks before it changes anything"}, {ID: "code", Name: "Code"},
	}}, s.Modes())
	assert.Equal(t, []acp.ConfigOption{
		{
			ID: "model", Name: "Model", Description: "who answers", Category: acp.CategoryModel, Type: acp.ConfigSelect, Value: model,
			Choices: []acp.ConfigChoice{
				{Value: "small", Name: "Small", Description: "quick", Group: "Fast", GroupID: "fast"},
				{Value: "big", Name: "Big", Group: "Good", GroupID: "good"},
			},
		},
		{
			ID: "effort", Name: "Effort", Category: acp.CategoryThoughtLevel, Type: acp.ConfigSelect, Value: "low",
			Choices: []acp.ConfigChoice{{Value: "low", Name: "Low"}, {Value: "high", Name: "High"}},
		},
		{ID: "web", Name: "Web", Category: acp.CategoryModelConfig, Type: acp.ConfigBoolean, Bool: web},
	}, s.ConfigOptions())
}

func sets(t *testing.T, p *peer) {
	t.Helper()
	require.NoError(t, p.session.SetMode(within(t), "code"))
	require.NoError(t, p.session.SetModel(within(t), "big"))
	require.NoError(t, p.session.Set(within(t), "web", "false"))
	hasSettings(t, p.session, "code", "big", false)
}

func prompts(t *testing.T, p *peer) {
	t.Helper()
	annotations := &acp.Annotations{
		Audience: []acp.Role{acp.RoleUser, acp.RoleAssistant}, LastModified: "2026-11-30T12:00:00Z", Priority: new(0.5),
	}
	result, _ := p.play(t, `[]`,
		&acp.TextContent{Text: "one <&> \u2028 line", Annotations: annotations},
		&acp.ImageContent{Data: "AAAA", MIMEType: "image/png", URI: "file:///a.png", Annotations: annotations},
		&acp.AudioContent{Data: "AAAA", MIMEType: "audio/wav", Annotations: annotations},
		&acp.ResourceLink{
			URI: "file:///a.md", Name: "a.md", Title: "A", Description: "notes", MIMEType: "text/markdown", Size: new(int64(7)),
			Annotations: annotations,
		},
		&acp.EmbeddedResource{URI: "file:///a.txt", MIMEType: "text/plain", Text: new("text"), Annotations: annotations},
		&acp.EmbeddedResource{URI: "file:///a.bin", MIMEType: "application/octet-stream", Blob: new("AAAA")},
	)
	assert.Equal(t, acp.OutcomeCompleted, result.Outcome)
	assert.Equal(t, &acp.Usage{
		Total: new(int64(60)), Input: new(int64(10)), Output: new(int64(20)), Thought: new(int64(5)), CachedRead: new(int64(15)),
		CachedWrite: new(int64(10)),
	}, result.Usage)
	for reason, want := range map[acp.StopReason]acp.Outcome{
		acp.StopEndTurn: acp.OutcomeCompleted, acp.StopMaxTokens: acp.OutcomeMaxTokens,
		acp.StopMaxTurnRequests: acp.OutcomeMaxRequests, acp.StopRefusal: acp.OutcomeRefused,
	} {
		result, _ := p.play(t, `[{"stop": "`+string(reason)+`"}]`)
		assert.Equal(t, want, result.Outcome)
		assert.Equal(t, reason, result.StopReason)
	}
}

func hearsOfSignIn(t *testing.T, p *peer) {
	t.Helper()
	for _, state := range []acp.AuthState{acp.AuthNotRequired, acp.AuthUnknown} {
		p.play(t, `[{"notify": "auth/status_update", "params": {"state": "`+string(state)+`"}}]`)
		assert.Equal(t, acp.AuthStatus{State: state}, p.conn.AuthStatus())
	}
}

func cancels(t *testing.T, p *peer) {
	t.Helper()
	turn := p.begin(t, `[
		{"request": "session/request_permission", "params": {"sessionId": "${session}", "options": [
			{"optionId": "allow", "name": "Allow", "kind": "allow_once"}], "toolCall": {"toolCallId": "call-w", "title": "wait"}}},
		{"await": "cancel"}]`)
	p.user.awaitQuestion(t)
	require.NoError(t, turn.Cancel(within(t)))
	result, answers := p.end(t, turn)
	assert.Equal(t, acp.OutcomeCancelled, result.Outcome)
	assert.Equal(t, acp.StopCancelled, result.StopReason)
	assert.JSONEq(t, `[{"outcome": {"outcome": "cancelled"}}]`, answers)
}

func configuresProviders(t *testing.T, p *peer) {
	t.Helper()
	all := []acp.LLMProtocol{acp.LLMAnthropic, acp.LLMOpenAI, acp.LLMAzure, acp.LLMVertex, acp.LLMBedrock}
	for _, protocol := range all {
		require.NoError(t, p.conn.SetLLMProvider(within(t), "main", acp.LLMConfig{
			Protocol: protocol, BaseURL: "https://example.com/" + string(protocol), Headers: []acp.HTTPHeader{{Name: "X-Level", Value: "9"}},
		}))
		providers, err := p.conn.LLMProviders(within(t))
		require.NoError(t, err)
		require.Len(t, providers, 2)
		assert.Equal(t, acp.LLMProvider{
			ID: "main", Supported: all, Required: true,
			Current: &acp.LLMConfig{Protocol: protocol, BaseURL: "https://example.com/" + string(protocol)},
		}, providers[0])
	}
	require.NoError(t, p.conn.DisableLLMProvider(within(t), "spare"))
	providers, err := p.conn.LLMProviders(within(t))
	require.NoError(t, err)
	assert.Equal(t, acp.LLMProvider{ID: "spare", Supported: []acp.LLMProtocol{acp.LLMOpenAI}}, providers[1])
}

func extends(t *testing.T, p *peer) {
	t.Helper()
	answer, err := p.conn.Call(within(t), "_interop/ask", map[string]any{"deep": []any{1, "two", nil}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"asked": {"deep": [1, "two", null]}}`, string(answer))
	require.NoError(t, p.conn.Notify(within(t), "_interop/tell", map[string]any{"level": 9}))
	assert.JSONEq(t, `{"told": {"level": 9}}`, p.user.hear(t))
}

func takesBack(t *testing.T, p *peer) {
	t.Helper()
	ctx, cancel := context.WithCancel(within(t))
	defer cancel()
	called := make(chan error, 1)
	go func() {
		_, err := p.conn.Call(ctx, "_interop/wait", nil)
		called <- err
	}()
	assert.JSONEq(t, `{"waits": true}`, p.user.hear(t))
	cancel()
	require.ErrorIs(t, <-called, context.Canceled)
	assert.JSONEq(t, `{"waits": false}`, p.user.hear(t))
}
