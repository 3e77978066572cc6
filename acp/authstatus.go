package acp

import (
	"context"
	"errors"
	"fmt"
)

const (
	methodAuthStatus       = "auth/status"
	methodAuthStatusUpdate = "auth/status_update"
	// vendorAuthStatusUpdate is what the adapters of claude and codex send, from before there was a method.
	vendorAuthStatusUpdate = "_auth/status_update"
)

// AuthState says whether the user is signed in (AuthState). It is open.
type AuthState string

// The states of the protocol.
const (
	AuthUnknown     AuthState = "unknown" // neither is known; that a session could be opened proves nothing (software-agent-sdk#3452)
	AuthYes         AuthState = "authenticated"
	AuthNo          AuthState = "unauthenticated"
	AuthNotRequired AuthState = "not_required"
)

// AuthStatus is what is known of the sign-in.
type AuthStatus struct {
	State    AuthState
	Accounts []AuthAccount // nil if the agent tells of none
}

// maxAccounts bounds the accounts that an agent may tell of.
const maxAccounts = 100

// AuthAccount is an account that the user is signed in with (AuthAccount). What was not sent is empty.
type AuthAccount struct {
	Label        string
	Active       bool
	Name         string
	Email        string
	Organization string
}

// AuthStatus returns what is known of the sign-in without asking: what the agent has told of its own accord, or that it has
// refused something for want of one. Otherwise it is unknown.
func (c *Conn) AuthStatus() AuthStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.auth.State == "" {
		return AuthStatus{State: AuthUnknown}
	}
	return c.auth
}

// QueryAuthStatus asks the agent. Of one that does not advertise it the error is ErrUnsupported. It mirrors auth/status.
func (c *Conn) QueryAuthStatus(ctx context.Context) (AuthStatus, error) {
	err := c.supports(c.capabilities.AuthStatus, "auth.status")
	var status AuthStatus
	if err == nil {
		// The answer is taken over by the reader: an update that comes right after it is newer.
		err = c.controlSettled(ctx, methodAuthStatus, struct{}{}, func(a answer) {
			if a.err == nil {
				var d decoder
				status = d.authStatus(a.result)
				c.warnings("", d.warnings)
				c.authIs(status)
			}
		})
	}
	if err != nil {
		return AuthStatus{State: AuthUnknown}, fmt.Errorf("cannot ask for the sign-in: %w", err)
	}
	return status, nil
}

// authIs takes over what the agent tells.
func (c *Conn) authIs(status AuthStatus) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.auth = status
	c.authNews++
}

// changeAuth calls a method that signs in or out. What the sign-in is then is unknown, unless the agent tells of it before or
// after its answer.
func (c *Conn) changeAuth(ctx context.Context, method string, params any) error {
	c.mu.Lock()
	before := c.authNews
	c.mu.Unlock()
	settle := func(a answer) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if a.err == nil && c.authNews == before {
			c.auth = AuthStatus{State: AuthUnknown}
		}
	}
	call, err := c.wire.start(ctx, method, params, settle, nil)
	if err != nil {
		return err
	}
	_, err = c.wire.wait(ctx, call)
	return err
}

// noteAuth takes an error of the agent that says that nobody is signed in.
func (c *Conn) noteAuth(rpc *Error) {
	if rpc.Code == CodeAuthRequired && IsAuthRequired(rpc) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.auth = AuthStatus{State: AuthNo} // no news: it may have been so until somebody signed in
	}
}

// authStatusUpdated takes what an agent tells of the sign-in.
func (c *Conn) authStatusUpdated(method string, params []byte) {
	var d decoder
	status := AuthStatus{State: AuthUnknown}
	if method == methodAuthStatusUpdate {
		status = d.authStatus(params)
	} else {
		eachMember(params, func(key, value []byte) {
			if string(key) == "authStatus" {
				status = d.vendorAuthStatus(value)
			}
		})
	}
	c.warnings("", d.warnings)
	c.authIs(status)
}

func (d *decoder) authStatus(raw []byte) AuthStatus {
	s := AuthStatus{State: AuthUnknown}
	d.object("", raw, func(key, value []byte) {
		switch string(key) {
		case "state":
			d.str("state", value, (*string)(&s.State))
		case "accounts":
			d.list("accounts", value, func(value []byte) {
				if len(s.Accounts) == maxAccounts {
					return
				}
				if a, ok := d.authAccount(value); ok {
					s.Accounts = append(s.Accounts, a)
				}
			})
		}
	})
	return s
}

func (d *decoder) authAccount(raw []byte) (a AuthAccount, ok bool) {
	ok = d.item(raw, func(key, value []byte) {
		switch string(key) {
		case "label":
			d.str("label", value, &a.Label)
		case "active":
			d.boolean("active", value, &a.Active)
		case "name":
			d.str("name", value, &a.Name)
		case "email":
			d.str("email", value, &a.Email)
		case "organization":
			d.str("organization", value, &a.Organization)
		}
	})
	return a, ok
}

// vendorAuthStatus reads {"kind":"none"}, or another kind with the label of what the user is signed in with.
func (d *decoder) vendorAuthStatus(raw []byte) AuthStatus {
	var kind string
	var account AuthAccount
	d.object("authStatus", raw, func(key, value []byte) {
		switch string(key) {
		case "kind":
			d.str("kind", value, &kind)
		case "label":
			d.str("label", value, &account.Label)
		}
	})
	switch kind {
	case "":
		return AuthStatus{State: AuthUnknown}
	case "none":
		return AuthStatus{State: AuthNo}
	}
	account.Active = true
	return AuthStatus{State: AuthYes, Accounts: []AuthAccount{account}}
}

// SignInRequiredError says that an agent cannot be used before somebody signs in.
type SignInRequiredError struct {
	// Methods are the ways that the agent offers.
	Methods []AuthMethod
	// Tried is the method that was used in vain, empty if none could be used without a person.
	Tried string
	// Respawned says that the agent was started anew after that.
	Respawned bool
	Err       error // the agent's refusal
}

func (e *SignInRequiredError) Error() string {
	text := "the agent wants a sign-in first"
	if e.Tried != "" {
		text += fmt.Sprintf(", and %q did not help", e.Tried)
	}
	if e.Err != nil && !errors.Is(e.Err, e) {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the agent's refusal.
func (e *SignInRequiredError) Unwrap() error { return e.Err }
