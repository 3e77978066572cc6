package provider_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/provider"
)

// inProcess is a connector of agents in this process, which counts them.
type inProcess struct {
	agent    *acptest.Agent
	connects int
	closes   int
	fail     error // of every connect but the first
}

func (c *inProcess) ID() string { return "test" }

func (c *inProcess) Connect(ctx context.Context, _ *provider.ConnectOptions) (provider.Provider, error) {
	if c.connects++; c.connects > 1 && c.fail != nil {
		return nil, c.fail
	}
	conn, err := acp.NewClient(acp.Implementation{}, nil).Connect(ctx, c.agent)
	if err != nil {
		return nil, err
	}
	return &inProcessProvider{connector: c, conn: conn}, nil
}

type inProcessProvider struct {
	provider.Unimplemented
	connector *inProcess
	conn      *acp.Conn
}

func (p *inProcessProvider) Conn() *acp.Conn { return p.conn }

func (p *inProcessProvider) Close(ctx context.Context) error {
	p.connector.closes++
	return p.conn.Close(ctx)
}

func (c *inProcess) called(method string) int {
	n := 0
	for _, e := range c.agent.Received() {
		if e.Method == method {
			n++
		}
	}
	return n
}

func newSession(ctx context.Context, conn *acp.Conn) (*acp.Session, error) {
	return conn.NewSession(ctx, "/", nil)
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	atOnce := func(token string) *acptest.Script { return &acptest.Script{SignIn: "at-once", SignInFile: token} }
	onRestart := func(token string) *acptest.Script { return &acptest.Script{SignIn: "on-restart", SignInFile: token} }
	never := func(string) *acptest.Script { return &acptest.Script{AuthRequired: -1} }
	const twoMethods = `[{"id":"web","name":"Web"},{"id":"tty","name":"TTY","type":"terminal","args":["--login"]}]`
	for _, tt := range []struct {
		name          string
		script        func(token string) *acptest.Script
		method        string
		fail          error
		authenticated int // calls
		asked         int // session/new
		connects      int
		opened        bool
		err           string
		tried         string
		respawned     bool
		gone          bool // no provider is left
	}{
		{
			name: "nobody asks", script: func(string) *acptest.Script { return &acptest.Script{AuthMethods: []byte(twoMethods)} }, method: "web",
			asked: 1, connects: 1, opened: true,
		},
		{
			name: "it helps at once", script: atOnce,
			method: "mock-login", authenticated: 1, asked: 2, connects: 1, opened: true,
		},
		{
			name:   "only an agent that is started afterwards knows, github/copilot-cli#3902",
			script: onRestart,
			method: "mock-login", authenticated: 1, asked: 3, connects: 2, opened: true,
		},
		{
			name: "it never helps, github/copilot-cli#3902", script: never,
			method: "mock-login", authenticated: 1, asked: 3, connects: 2, err: `the agent wants a sign-in first, and "mock-login" did not help`, tried: "mock-login", respawned: true,
		},
		{
			name: "no method needs nobody, omnigent-ai/omnigent#7282", script: func(string) *acptest.Script {
				return &acptest.Script{AuthRequired: -1, AuthMethods: []byte(twoMethods)}
			}, asked: 1, connects: 1, err: "the agent wants a sign-in first: cannot open a session",
		},
		{
			name: "a method that is not offered", script: never,
			method: "other", asked: 1, connects: 1, err: "the agent does not advertise it", tried: "other",
		},
		{
			name: "a method of a terminal",
			script: func(string) *acptest.Script {
				return &acptest.Script{AuthRequired: -1, AuthMethods: []byte(twoMethods)}
			},
			method: "tty", asked: 1, connects: 1, err: "of type terminal", tried: "tty",
		},
		{
			name: "the new agent does not start", script: never,
			method: "mock-login", fail: errors.New("it does not start"), authenticated: 1, asked: 2, connects: 2, err: "it does not start", gone: true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			connector := &inProcess{agent: acptest.NewAgent(tt.script(filepath.Join(t.TempDir(), "token"))), fail: tt.fail}
			t.Cleanup(connector.agent.Close)
			first, err := connector.Connect(t.Context(), nil)
			require.NoError(t, err)
			p, session, err := provider.OpenSession(t.Context(), connector, first, newSession, &provider.SignInOptions{Method: tt.method})
			assert.Equal(t, tt.opened, session != nil)
			if tt.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tt.err)
			}
			if !tt.opened && !tt.gone {
				assert.True(t, acp.IsAuthRequired(err))
				required, ok := errors.AsType[*acp.SignInRequiredError](err)
				require.True(t, ok)
				assert.NotEmpty(t, required.Methods)
				assert.Equal(t, tt.tried, required.Tried)
				assert.Equal(t, tt.respawned, required.Respawned)
			}
			assert.Equal(t, tt.gone, p == nil)
			if p != nil {
				require.NoError(t, p.Close(t.Context()))
			}
			assert.Equal(t, tt.connects, connector.connects)
			if !tt.gone {
				assert.Equal(t, tt.connects, connector.closes, "every agent that was started is stopped")
			}
			assert.Equal(t, tt.authenticated, connector.called("authenticate"))
			assert.Equal(t, tt.asked, connector.called("session/new"))
		})
	}
}

// A backend whose key is in the environment is signed in without anybody, and only when it asks.
func TestSignInThatNeedsNobody(t *testing.T) {
	t.Parallel()
	descriptor := backends.Descriptor{
		ID: "keyed", ProtocolVersion: "1",
		SignIn: []backends.SignInMethod{{Method: "other", Env: []string{"KEY"}}, {Method: "mock-login", Env: []string{"KEY", "SECOND"}}},
	}
	for _, tt := range []struct {
		name   string
		env    []string
		opened bool
	}{
		{"all that it needs", []string{"KEY=a", "SECOND=b"}, true},
		{"one is missing", []string{"KEY=a"}, false},
		{"one is empty", []string{"KEY=a", "SECOND="}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			script := fmt.Sprintf(`{"signIn":"on-restart","signInFile":%q}`, filepath.Join(dir, "token"))
			connect := &provider.ConnectOptions{Env: agentEnv(filepath.Join(dir, "seen"), append(tt.env, scriptText+"="+script)...)}
			connector := provider.NewBackend(descriptor, &provider.BackendOptions{Command: []string{self(t)}})
			first, err := connector.Connect(t.Context(), connect)
			require.NoError(t, err)
			p, session, err := provider.OpenSession(t.Context(), connector, first, newSession, &provider.SignInOptions{Connect: connect})
			require.NotNil(t, p)
			assert.Equal(t, tt.opened, session != nil)
			assert.Equal(t, !tt.opened, acp.IsAuthRequired(err))
			require.NoError(t, p.Close(context.Background()))
		})
	}
}

func TestLoginCommand(t *testing.T) {
	t.Parallel()
	connector := provider.NewBackend(backends.Descriptor{
		ID: "x", Env: backends.Environment{Set: map[string]string{"AGENT_SET": "1"}, Scrub: []string{"OUTER_MARKER"}},
	}, &provider.BackendOptions{Command: []string{self(t), "--acp"}})
	opts := &provider.ConnectOptions{Env: []string{"OUTER_MARKER=1", "MINE=kept"}}
	for _, tt := range []struct {
		name    string
		method  acp.AuthMethod
		command []string // nil for an error
		env     string
	}{
		{"the agent's own, with arguments added", acp.AuthMethod{Type: acp.AuthTerminal, Args: []string{"--login"}}, []string{self(t), "--acp", "--login"}, ""},
		{"with variables", acp.AuthMethod{Type: acp.AuthTerminal, Env: []acp.EnvVariable{{Name: "A", Value: "1"}}}, []string{self(t), "--acp"}, "A=1"},
		{"a command of its own, copilot", acp.AuthMethod{Command: "/bin/copilot", Args: []string{"login"}}, []string{"/bin/copilot", "login"}, ""},
		{"the agent's affair", acp.AuthMethod{ID: "web"}, nil, ""},
		{"variables", acp.AuthMethod{Type: acp.AuthEnvVar}, nil, ""},
	} {
		command, env, err := connector.LoginCommand(opts, &tt.method)
		assert.Equal(t, tt.command, command, tt.name)
		if tt.command == nil {
			require.ErrorIs(t, err, acp.ErrNotOffered)
			continue
		}
		require.NoError(t, err)
		assert.Contains(t, env, "AGENT_SET=1", "it is the agent's environment")
		assert.Contains(t, env, "MINE=kept")
		assert.NotContains(t, env, "OUTER_MARKER=1")
		if tt.env != "" {
			assert.Contains(t, env, tt.env)
		}
	}
}
