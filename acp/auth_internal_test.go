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

// The ways to sign in that real agents advertise, and those of the protocol.
func TestKindsOfAuthMethods(t *testing.T) {
	for _, tt := range []struct {
		name, raw string
		want      AuthMethod
		kind      AuthType
	}{
		{"codex", `{"id":"api-key","name":"API Key","description":"d","_meta":{"api-key":{"provider":"openai"}}}`, AuthMethod{ID: "api-key", Name: "API Key", Description: "d"}, AuthAgent},
		{"the protocol's agent", `{"type":"agent","id":"a","name":"A"}`, AuthMethod{ID: "a", Name: "A", Type: AuthAgent}, AuthAgent},
		{
			"pi, the protocol's terminal", `{"id":"t","name":"T","type":"terminal","args":["--terminal-login"],"env":{}}`,
			AuthMethod{ID: "t", Name: "T", Type: AuthTerminal, Args: []string{"--terminal-login"}},
			AuthTerminal,
		},
		{
			"terminal with variables", `{"id":"t","type":"terminal","args":[],"env":{"LOGIN":"1","é\n":"x"}}`,
			AuthMethod{ID: "t", Type: AuthTerminal, Args: []string{}, Env: []EnvVariable{{"LOGIN", "1"}, {"é\n", "x"}}},
			AuthTerminal,
		},
		{
			"terminal with a list of variables, version 2", `{"id":"t","type":"terminal","env":[{"name":"LOGIN","value":"1"}]}`,
			AuthMethod{ID: "t", Type: AuthTerminal, Env: []EnvVariable{{"LOGIN", "1"}}},
			AuthTerminal,
		},
		{
			"copilot", `{"id":"copilot-login","_meta":{"terminal-auth":{"command":"/bin/copilot","args":["login"],"label":"L"}}}`,
			AuthMethod{ID: "copilot-login", Command: "/bin/copilot", Args: []string{"login"}},
			AuthTerminal,
		},
		{
			"pi, both ways", `{"id":"t","type":"terminal","args":["--x"],"_meta":{"terminal-auth":{"command":"pi-acp","args":["--y"]}}}`,
			AuthMethod{ID: "t", Type: AuthTerminal, Args: []string{"--x"}},
			AuthTerminal,
		},
		{"qwen", `{"id":"openai","_meta":{"args":["--auth-type=openai"],"type":"terminal"}}`, AuthMethod{ID: "openai", Args: []string{"--auth-type=openai"}}, AuthTerminal},
		{"terminal without arguments", `{"id":"t","_meta":{"type":"terminal"}}`, AuthMethod{ID: "t", Args: []string{}}, AuthTerminal},
		{
			"codex-zed", `{"type":"env_var","id":"k","vars":[{"name":"CODEX_API_KEY"},{"name":"X","label":"l","secret":false,"optional":true},null],"link":"https://example.test"}`,
			AuthMethod{ID: "k", Type: AuthEnvVar, Vars: []AuthVariable{{Name: "CODEX_API_KEY", Secret: true}, {Name: "X", Label: "l", Optional: true}}, Link: "https://example.test"},
			AuthEnvVar,
		},
		{"a later type", `{"id":"p","type":"passkey"}`, AuthMethod{ID: "p", Type: "passkey"}, "passkey"},
		{"odd members", `{"id":"p","args":"x","env":5,"_meta":"y","description":null}`, AuthMethod{ID: "p"}, AuthAgent},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var d decoder
			methods := d.authMethods("m", []byte("["+tt.raw+"]"))
			require.Len(t, methods, 1)
			assert.Equal(t, tt.kind, methods[0].Kind())
			assert.JSONEq(t, tt.raw, string(methods[0].Raw))
			methods[0].Raw = nil
			assert.Equal(t, tt.want, methods[0])
		})
	}
}

func TestIsAuthRequired(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want bool
	}{
		{"the code", &Error{Code: CodeAuthRequired, Message: "Authentication required"}, true},
		{"the code alone", &Error{Code: CodeAuthRequired, Message: ""}, true},
		{"wrapped", fmt.Errorf("cannot: %w", &Error{Code: CodeAuthRequired}), true},
		{"a quota under that code, agentclientprotocol/codex-acp#505", &Error{Code: CodeAuthRequired, Message: "Rate limit reached"}, false},
		{"a quota in the data", &Error{Code: CodeAuthRequired, Message: "x", Data: json.RawMessage(`{"reason":"quota exceeded"}`)}, false},
		{"another code, agentclientprotocol/codex-acp#495", &Error{Code: CodeInternalError, Message: "Internal error", Data: json.RawMessage(`{"details":"401 Unauthorized"}`)}, true},
		{"another code, in words", &Error{Code: CodeInternalError, Message: "You are not logged in"}, true},
		{"an expired token", &Error{Code: CodeInternalError, Message: "Your token has expired"}, true},
		{"an MCP server's refusal", &Error{Code: CodeInternalError, Data: json.RawMessage(`{"details":"MCP server github: HTTP 401 Unauthorized"}`)}, false},
		{"an internal error", &Error{Code: CodeInternalError, Message: "cannot open login.ts"}, false},
		{"bad params", &Error{Code: CodeInvalidParams, Message: "login required"}, false},
		{"no answer", context.DeadlineExceeded, false},
		{"none", nil, false},
	} {
		assert.Equal(t, tt.want, IsAuthRequired(tt.err), tt.name)
	}
	methods := AuthMethodsOf(fmt.Errorf("x: %w", &Error{Code: CodeAuthRequired, Data: json.RawMessage(`{"authMethods":[{"id":"a","name":"A"},5]}`)}))
	require.Len(t, methods, 1)
	assert.Equal(t, "a", methods[0].ID)
	assert.Nil(t, AuthMethodsOf(context.Canceled))
	assert.Nil(t, AuthMethodsOf(&Error{Data: json.RawMessage(`"text"`)}))
}

func TestAuthenticate(t *testing.T) {
	const handshake = `{"protocolVersion":1,"agentCapabilities":{"auth":{"logout":{}}},"authMethods":[{"id":"web","name":"Web"},{"id":"tty","type":"terminal"},{"id":"copilot","_meta":{"terminal-auth":{"command":"c"}}}]}`
	conn, p := puppeteerOf(t, nil, handshake)
	for method, why := range map[string]string{"other": "does not advertise it", "tty": "of type terminal", "": "does not advertise it"} {
		err := conn.Authenticate(t.Context(), method)
		require.ErrorIs(t, err, ErrNotOffered)
		require.ErrorContains(t, err, why)
	}
	done := make(chan error, 1)
	for _, tt := range []struct {
		what   func() error
		sent   string
		answer string
		err    string
	}{
		{func() error { return conn.Authenticate(context.Background(), "web") }, `authenticate {"methodId":"web"}`, `"result":{}`, ""},
		{func() error { return conn.Authenticate(context.Background(), "copilot") }, `authenticate {"methodId":"copilot"}`, `"error":{"code":-32603,"message":"no"}`, `cannot sign in by "copilot": the agent answered with error -32603: no`},
		{func() error { return conn.Logout(context.Background()) }, `logout {}`, `"result":{}`, ""},
	} {
		go func() { done <- tt.what() }()
		frame := p.hear(t)
		assert.Equal(t, tt.sent, frame.Method+" "+string(frame.Params))
		p.say(t, fmt.Sprintf(`{"id":%s,%s}`, frame.ID, tt.answer))
		if err := <-done; tt.err != "" {
			require.EqualError(t, err, tt.err)
		} else {
			require.NoError(t, err)
		}
	}
}

// Whether the user is signed in is yes, no or unknown: that a session could be opened proves nothing
// (OpenHands/software-agent-sdk#3452).
func TestAuthStatus_softwareagentsdk3452(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		want       AuthStatus
	}{
		{"nothing was said", `{"method":"_x","params":{}}`, AuthStatus{State: AuthUnknown}},
		{
			"told", `{"method":"auth/status_update","params":{"state":"authenticated","accounts":[{"label":"a@b","active":true,"name":"A","email":"a@b","organization":"O"},7]}}`,
			AuthStatus{AuthYes, []AuthAccount{{"a@b", true, "A", "a@b", "O"}}},
		},
		{"told that it needs none", `{"method":"auth/status_update","params":{"state":"not_required"}}`, AuthStatus{State: AuthNotRequired}},
		{"told something new", `{"method":"auth/status_update","params":{"state":"expired"}}`, AuthStatus{State: "expired"}},
		{"told nothing", `{"method":"auth/status_update","params":[]}`, AuthStatus{State: AuthUnknown}},
		{"codex", `{"method":"_auth/status_update","params":{"authStatus":{"kind":"gateway","label":"Custom model gateway","detail":"fake"}}}`, AuthStatus{AuthYes, []AuthAccount{{Label: "Custom model gateway", Active: true}}}},
		{"claude, signed out", `{"method":"_auth/status_update","params":{"authStatus":{"kind":"none","label":"Not logged in"}}}`, AuthStatus{State: AuthNo}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn, p := puppeteer(t, nil)
			p.say(t, tt.line)
			p.flush(t, conn)
			assert.Equal(t, tt.want, conn.AuthStatus())
		})
	}
	t.Run("refused for want of one", func(t *testing.T) {
		conn, p := puppeteer(t, nil)
		done := make(chan error, 1)
		go func() {
			_, err := conn.NewSession(context.Background(), "/", nil)
			done <- err
		}()
		p.say(t, fmt.Sprintf(`{"id":%s,"error":{"code":-32000,"message":"Authentication required"}}`, p.hear(t).ID))
		require.True(t, IsAuthRequired(<-done))
		assert.Equal(t, AuthNo, conn.AuthStatus().State)
	})
	t.Run("asked", func(t *testing.T) {
		conn, p := puppeteerOf(t, nil, `{"protocolVersion":1,"agentCapabilities":{"auth":{"status":{}}}}`)
		done := make(chan AuthStatus, 1)
		go func() {
			s, err := conn.QueryAuthStatus(context.Background())
			assert.NoError(t, err)
			done <- s
		}()
		frame := p.hear(t)
		assert.Equal(t, "auth/status", frame.Method)
		p.say(t, fmt.Sprintf(`{"id":%s,"result":{"state":"unauthenticated"}}`, frame.ID))
		assert.Equal(t, AuthStatus{State: AuthNo}, <-done)
		assert.Equal(t, AuthNo, conn.AuthStatus().State)
	})
	conn, _ := puppeteer(t, nil)
	_, err := conn.QueryAuthStatus(t.Context())
	require.ErrorIs(t, err, ErrUnsupported)
	require.ErrorIs(t, conn.Logout(t.Context()), ErrUnsupported)
}

// What an agent tells of the sign-in while it signs in or out is not forgotten for its answer, which says nothing, and what
// comes after an answer is newer.
func TestAuthStatusAroundAnAnswer(t *testing.T) {
	const handshake = `{"protocolVersion":1,"agentCapabilities":{"auth":{"logout":{},"status":{}}},"authMethods":[{"id":"web"}]}`
	const update = `{"method":"auth/status_update","params":{"state":"authenticated"}}`
	for _, tt := range []struct {
		name, before, after string
		want                AuthState
	}{
		{"told before the answer", update, "", AuthYes},
		{"told after the answer", "", update, AuthYes},
		{"told nothing", "", "", AuthUnknown},
	} {
		for method, call := range map[string]func(*Conn) error{
			"authenticate": func(c *Conn) error { return c.Authenticate(context.Background(), "web") },
			"logout":       func(c *Conn) error { return c.Logout(context.Background()) },
			"auth/status": func(c *Conn) error {
				_, err := c.QueryAuthStatus(context.Background())
				return err
			},
		} {
			if method == "auth/status" && tt.after == "" {
				continue // the answer is the newest
			}
			t.Run(method+", "+tt.name, func(t *testing.T) {
				conn, p := puppeteerOf(t, nil, handshake)
				p.say(t, `{"method":"auth/status_update","params":{"state":"unauthenticated"}}`)
				p.flush(t, conn)
				done := make(chan error, 1)
				go func() { done <- call(conn) }()
				id := p.hear(t).ID
				for _, line := range []string{tt.before, fmt.Sprintf(`{"id":%s,"result":{"state":"unauthenticated"}}`, id), tt.after} {
					if line != "" {
						p.say(t, line)
					}
				}
				require.NoError(t, <-done)
				p.flush(t, conn)
				assert.Equal(t, tt.want, conn.AuthStatus().State)
			})
		}
	}
}

// The calls of the protocol's drafts: what is sent, what is read, and that nothing is sent to an agent that does not advertise it.
func TestDrafts(t *testing.T) {
	const all = `{"protocolVersion":1,"agentCapabilities":{"providers":{},"sessionCapabilities":{"archive":{},"status":{},"title":{},"list":{}}}}`
	for _, tt := range []struct {
		name   string
		call   func(*Conn) (any, error)
		sent   string
		result string
		want   any
	}{
		{"archive", func(c *Conn) (any, error) { return nil, c.ArchiveSession(context.Background(), "s") }, `session/archive {"sessionId":"s"}`, `{}`, nil},
		{"unarchive", func(c *Conn) (any, error) { return nil, c.UnarchiveSession(context.Background(), "s") }, `session/unarchive {"sessionId":"s"}`, `{}`, nil},
		{"status", func(c *Conn) (any, error) { return c.SessionStatus(context.Background(), "s") }, `session/status {"sessionId":"s"}`, `{"status":"saved"}`, SessionStatusSaved},
		{"title", func(c *Conn) (any, error) { return c.SetSessionTitle(context.Background(), "s", "T") }, `session/set_title {"sessionId":"s","title":"T"}`, `{"title":"t"}`, "t"},
		{
			"list providers", func(c *Conn) (any, error) { return c.LLMProviders(context.Background()) }, `providers/list {}`,
			`{"providers":[{"providerId":"main","supported":["openai","x"],"required":true,"current":{"apiType":"openai","baseUrl":"u"}},{"providerId":"b","current":null}]}`,
			[]LLMProvider{{"main", []LLMProtocol{"openai", "x"}, true, &LLMConfig{Protocol: LLMOpenAI, BaseURL: "u"}}, {ID: "b"}},
		},
		{
			"set a provider", func(c *Conn) (any, error) {
				return nil, c.SetLLMProvider(context.Background(), "main", LLMConfig{LLMOpenAI, "u", []HTTPHeader{{"A", "1"}, {"B", "2"}}})
			}, `providers/set {"providerId":"main","apiType":"openai","baseUrl":"u","headers":{"A":"1","B":"2"}}`, `{}`, nil,
		},
		{"disable a provider", func(c *Conn) (any, error) { return nil, c.DisableLLMProvider(context.Background(), "b") }, `providers/disable {"providerId":"b"}`, `{}`, nil},
		{
			"list archived sessions", func(c *Conn) (any, error) {
				for info, err := range c.Sessions(context.Background(), &ListOptions{Archived: ArchiveOnly}) {
					return info.Archived, err
				}
				return nil, nil
			}, `session/list {"archived":"only"}`, `{"sessions":[{"sessionId":"s","archived":true}]}`, true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			type outcome struct {
				value any
				err   error
			}
			conn, p := puppeteerOf(t, nil, all)
			done := make(chan outcome, 1)
			go func() {
				value, err := tt.call(conn)
				done <- outcome{value, err}
			}()
			frame := p.hear(t)
			assert.Equal(t, tt.sent, frame.Method+" "+string(frame.Params))
			p.say(t, fmt.Sprintf(`{"id":%s,"result":%s}`, frame.ID, tt.result))
			got := <-done
			require.NoError(t, got.err)
			assert.Equal(t, tt.want, got.value)
			if tt.name != "list archived sessions" {
				plain, _ := puppeteer(t, nil)
				_, err := tt.call(plain)
				require.ErrorIs(t, err, ErrUnsupported)
			}
		})
	}
}

// One method is used once, whatever else has its id.
func TestMethodsOfOneID(t *testing.T) {
	for _, second := range []string{`{"id":"a"}`, `{"id":"a","type":"terminal"}`} {
		conn, p := puppeteerOf(t, nil, `{"protocolVersion":1,"authMethods":[{"id":"a"},`+second+`]}`)
		done := make(chan error, 1)
		go func() { done <- conn.Authenticate(context.Background(), "a") }()
		p.say(t, fmt.Sprintf(`{"id":%s,"result":{}}`, p.hear(t).ID))
		require.NoError(t, <-done)
		p.flush(t, conn) // nothing was sent between
	}
}

// What answers no call tells nothing of the sign-in, and a long list of accounts is cut.
func TestAuthStatusIsNotFooled(t *testing.T) {
	conn, p := puppeteer(t, nil)
	p.say(t, `{"method":"auth/status_update","params":{"state":"authenticated","accounts":[{}`+strings.Repeat(`,{}`, 10_000)+`]}}`)
	p.say(t, `{"id":999,"error":{"code":-32000,"message":"sign in"}}`)
	p.flush(t, conn)
	assert.Equal(t, AuthYes, conn.AuthStatus().State)
	assert.Len(t, conn.AuthStatus().Accounts, maxAccounts)
}

// Headers and passwords for providers are masked in what an agent says about them.
func TestProviderSecrets(t *testing.T) {
	conn, p := puppeteerOf(t, nil, `{"protocolVersion":1,"agentCapabilities":{"providers":{}}}`)
	done := make(chan error, 1)
	go func() {
		done <- conn.SetLLMProvider(context.Background(), "main", LLMConfig{LLMOpenAI, "https://me:S3NTINELpass@x.test", []HTTPHeader{{"Authorization", "Bearer S3NTINEL-abcdef"}}})
	}()
	frame := p.hear(t)
	p.say(t, fmt.Sprintf(`{"id":%s,"error":{"code":-32602,"message":"bad params","data":%s}}`, frame.ID, frame.Params))
	err := <-done
	rpc, ok := errors.AsType[*Error](err)
	require.True(t, ok)
	assert.NotContains(t, err.Error()+string(rpc.Data), "S3NTINEL")
}

func TestSignInsOfLoads(t *testing.T) {
	assert.Equal(t, LoadAuth, loadErrorKind(&Error{Code: CodeInternalError, Message: "Internal error", Data: json.RawMessage(`{"details":"401 Unauthorized"}`)}))
	assert.NotEqual(t, LoadAuth, loadErrorKind(&Error{Code: CodeAuthRequired, Message: "Rate limit reached"}))
}
