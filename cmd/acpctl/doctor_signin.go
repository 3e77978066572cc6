package main

import (
	"os"
	"slices"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
)

// refuseSessions are the backends whose notes say that a session is refused without credentials. Of any other a session that opens
// proves nothing: it may be the first prompt that is refused.
func refuseSessions() []string {
	return []string{"codex", "gemini", "qwen", "copilot", "cline", "auggie", "qoder"}
}

// signIn takes how opening a session has ended, and what the agent says of the sign-in.
func (c *checkup) signIn(d *backends.Descriptor, err error, state acp.AuthState, offered []acp.AuthMethod) {
	switch {
	case acp.IsAuthRequired(err), state == acp.AuthNo:
		c.SignedIn = answerNo
	case d.Builtin, state == acp.AuthNotRequired:
		c.SignedIn = answerNotRequired
	case state == acp.AuthYes, err == nil && slices.Contains(refuseSessions(), d.ID):
		c.SignedIn = answerYes
	}
	if c.SignedIn != answerNo {
		return
	}
	if method, ok := unattended(d.SignIn, offered); ok {
		c.SignInBy = method
		return
	}
	next := "acpctl login " + c.Subject
	if len(offered) == 0 {
		next = "sign in with its own command; acpctl backends show " + c.Subject + " may have it"
	}
	c.issue(issueSignIn, next, "it wants a sign-in")
}

// unattended returns the method by which a session is signed in to without anybody, if the variables for it are set.
func unattended(known []backends.SignInMethod, offered []acp.AuthMethod) (string, bool) {
	for _, m := range known {
		missing := slices.ContainsFunc(m.Env, func(name string) bool { return os.Getenv(name) == "" })
		is := slices.ContainsFunc(offered, func(o acp.AuthMethod) bool { return o.ID == m.Method })
		if is && !missing && len(m.Env) > 0 {
			return m.Method, true
		}
	}
	return "", false
}
