package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const (
	methodAuthenticate = "authenticate"
	methodLogout       = "logout"
)

// AuthMethod is a way to sign in (AuthMethod).
type AuthMethod struct {
	ID          string
	Name        string
	Description string
	Type        AuthType // as sent; empty means AuthAgent, unless it is terminal in a way from before there were types
	// Args and Env are of a terminal method: what is added to the command line and the environment of the agent, when it is run
	// for the user in a terminal to sign in.
	Args []string
	Env  []EnvVariable
	// Command is what is run instead of the agent itself, with Args; empty runs the agent. It is older than the protocol's way.
	Command string
	// Vars are of a method of type env_var, which older agents have: the agent has to be started with these.
	Vars []AuthVariable
	Link string // where the values of Vars are to be had; empty if not sent
	Raw  json.RawMessage
}

// AuthType says who does what to sign in (the variants of AuthMethod). It is open.
type AuthType string

// The types. The first two are the protocol's.
const (
	AuthAgent    AuthType = "agent"    // Conn.Authenticate: the agent does it, and may open a browser
	AuthTerminal AuthType = "terminal" // the agent is run for the user in a terminal, and started anew
	AuthEnvVar   AuthType = "env_var"  // the agent is started anew with variables in its environment
)

// AuthVariable is a variable that an agent takes its credentials from.
type AuthVariable struct {
	Name     string
	Label    string // empty if not sent
	Secret   bool   // as it is unless the agent says otherwise
	Optional bool
}

// Kind returns the type, also of a method that says so in an older way.
func (m *AuthMethod) Kind() AuthType {
	switch {
	case m.Type != "":
		return m.Type
	case m.Command != "" || m.Args != nil:
		return AuthTerminal
	}
	return AuthAgent
}

// IsAuthRequired reports whether err says that the agent wants a sign-in first. Agents have a code for it, and some say it with
// another one or use it for quotas, too (codex-acp#495), so that their words count as well.
func IsAuthRequired(err error) bool {
	if _, ok := errors.AsType[*SignInRequiredError](err); ok {
		return true
	}
	rpc, ok := errors.AsType[*Error](err)
	if !ok {
		return false
	}
	words := rpc.Message + " " + string(rpc.Data)
	if rpc.Code == CodeAuthRequired {
		return !regexp.MustCompile(`(?i)rate.?limit|quota|too many requests|overloaded|usage limit`).MatchString(words)
	}
	// An MCP server's refusal is none of the agent's.
	return rpc.Code == CodeInternalError && !strings.Contains(strings.ToLower(words), "mcp") && regexp.MustCompile(`(?i)\bunauthori[sz]ed\b|\bnot (?:logged|signed) in\b|\b(?:authentication|login|sign-in) (?:is )?required\b|\b(?:login|token|credentials?) (?:has |have )?expired\b`).MatchString(words)
}

// AuthMethodsOf returns the ways to sign in that an error of the agent names (data.authMethods), nil if it names none.
func AuthMethodsOf(err error) []AuthMethod {
	rpc, ok := errors.AsType[*Error](err)
	if !ok {
		return nil
	}
	var methods []AuthMethod
	var d decoder
	eachMember(rpc.Data, func(key, value []byte) {
		if string(key) == "authMethods" {
			methods = d.authMethods("authMethods", value)
		}
	})
	return methods
}

// AuthMethods returns the ways to sign in that the agent advertised at initialize.
func (c *Conn) AuthMethods() []AuthMethod { return c.authMethods }

// Authenticate has the agent sign the user in by one of its methods, which may open a browser and take as long as the user:
// ctx alone bounds it. A method that the agent has not advertised is refused with ErrNotOffered, and so is one whose Type is
// another than AuthAgent. That it succeeds does not say that the agent can be used: some know of it only when they are started anew
// (copilot-cli#3902). It mirrors authenticate.
func (c *Conn) Authenticate(ctx context.Context, method string) error {
	var err error
	switch i := slices.IndexFunc(c.authMethods, func(m AuthMethod) bool { return m.ID == method }); {
	case i < 0:
		err = fmt.Errorf("%w: the agent does not advertise it", ErrNotOffered)
	case c.authMethods[i].Type != "" && c.authMethods[i].Type != AuthAgent:
		err = fmt.Errorf("%w: it is of type %s, which the agent is not asked for", ErrNotOffered, c.authMethods[i].Type)
	default:
		err = c.changeAuth(ctx, methodAuthenticate, authenticateParams{method})
	}
	if err != nil {
		return fmt.Errorf("cannot sign in by %q: %w", method, err)
	}
	return nil
}

type authenticateParams struct {
	MethodID string `json:"methodId"`
}

// Logout has the agent forget the sign-in. Of an agent that does not advertise it the error is ErrUnsupported. It mirrors
// logout.
func (c *Conn) Logout(ctx context.Context) error {
	err := c.supports(c.capabilities.Logout, "auth.logout")
	if err == nil {
		ctx, cancel := withTimeout(ctx, c.client.opts.Timeouts.Control)
		defer cancel()
		err = c.changeAuth(ctx, methodLogout, struct{}{})
	}
	if err != nil {
		return fmt.Errorf("cannot sign out: %w", err)
	}
	return nil
}
