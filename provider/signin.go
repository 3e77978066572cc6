package provider

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
)

// SessionOpener opens a session of an agent, such as by acp.Conn.NewSession.
type SessionOpener func(ctx context.Context, conn *acp.Conn) (*acp.Session, error)

// SignInOptions configure OpenSession. The zero value works.
type SignInOptions struct {
	// Connect is what the agent was started with, in case that it has to be started anew. May be nil.
	Connect *ConnectOptions
	// Method is the id of the way to sign in. Empty takes one that needs nobody, if there is one: those that the backend is
	// known to have with the variables set that they need.
	Method string
}

// unattended bounds a sign-in that needs nobody.
const unattended = time.Minute

// OpenSession opens a session and signs in if the agent asks for that, and not before (copilot-cli#3902,
// omnigent-ai/omnigent#7282): once by one method, after which the session is tried again and, if the agent still asks, once
// more with an agent that is started anew. It never goes on from there: the error is an *acp.SignInRequiredError with the ways
// that the agent offers. Other errors are those of open.
//
// The provider that is returned is to be used, and closed, instead of p: it is p unless the agent was started anew, and then p
// is closed. It is nil if that failed.
func OpenSession(ctx context.Context, c Connector, p Provider, open SessionOpener, opts *SignInOptions) (Provider, *acp.Session, error) {
	if opts == nil {
		opts = &SignInOptions{}
	}
	s, err := open(ctx, p.Conn())
	if !acp.IsAuthRequired(err) {
		return p, s, err
	}
	refused := &acp.SignInRequiredError{Methods: acp.AuthMethodsOf(err), Err: err}
	if refused.Methods == nil {
		refused.Methods = p.Conn().AuthMethods()
	}
	method, ok := choose(c, refused.Methods, opts)
	if !ok {
		return p, nil, refused
	}
	refused.Tried = method
	if err := authenticate(ctx, p.Conn(), method, opts); err != nil {
		refused.Err = fmt.Errorf("%w; before: %w", err, refused.Err)
		return p, nil, refused
	}
	if s, err = open(ctx, p.Conn()); !acp.IsAuthRequired(err) {
		return p, s, err
	}
	// Some agents know of a sign-in only when they are started after it.
	_ = p.Close(ctx) // what does not end in time has been killed, and the new one does not need to know
	if p, err = c.Connect(ctx, opts.Connect); err != nil {
		return nil, nil, err
	}
	refused.Respawned = true
	if s, err = open(ctx, p.Conn()); !acp.IsAuthRequired(err) {
		return p, s, err
	}
	refused.Err = err
	return p, nil, refused
}

// authenticate bounds what needs nobody: a person would be waited for.
func authenticate(ctx context.Context, conn *acp.Conn, method string, opts *SignInOptions) error {
	if opts.Method == "" {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, unattended)
		defer cancel()
	}
	return conn.Authenticate(ctx, method)
}

// choose returns the method to sign in by. It reports false if there is none that an agent can be asked for.
func choose(c Connector, methods []acp.AuthMethod, opts *SignInOptions) (string, bool) {
	if opts.Method != "" {
		return opts.Method, true
	}
	backend, ok := c.(*BackendConnector)
	if !ok {
		return "", false
	}
	connect := opts.Connect
	if connect == nil {
		connect = &ConnectOptions{}
	}
	env := backend.launchEnv(connect).entries()
	for _, known := range backend.descriptor.SignIn {
		offered := slices.ContainsFunc(methods, func(m acp.AuthMethod) bool { return m.ID == known.Method })
		if offered && ready(known, env) {
			return known.Method, true
		}
	}
	return "", false
}

// ready reports whether the environment has what a method needs.
func ready(m backends.SignInMethod, env []string) bool {
	return len(m.Env) > 0 && !slices.ContainsFunc(m.Env, func(name string) bool { return value(env, name) == "" })
}

// LoginCommand is how a user signs in to an agent in a terminal: the agent's own command line, as Connect would start it, with the
// method's arguments after it or, in the way that is older than the protocol's, a command of the method's own. env is its whole
// environment, as KEY=VALUE, secrets included. Of a method that is no terminal's the error is acp.ErrNotOffered.
func (c *BackendConnector) LoginCommand(opts *ConnectOptions, m *acp.AuthMethod) (command, env []string, err error) {
	if m.Kind() != acp.AuthTerminal {
		return nil, nil, fmt.Errorf("%w: %q is no way to sign in by a terminal", acp.ErrNotOffered, m.ID)
	}
	env = c.Environ(opts)
	if m.Command != "" {
		command = []string{m.Command}
	} else if command, err = c.resolve(c.launchEnv(opts), env); err != nil {
		return nil, nil, err
	}
	for _, v := range m.Env {
		env = append(env, v.Name+"="+v.Value)
	}
	return append(command, m.Args...), env, nil
}
