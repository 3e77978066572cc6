// Package permission decides what an agent may do, by the kind of the options that it offers and the kind of the tool
// that it wants to run. Option ids and names are never looked at.
package permission

import (
	"context"
	"fmt"

	"github.com/acpharness/acpharness/acp"
)

// Policy is a simple rule for a whole session. It is an acp.PermissionHandler.
type Policy string

// The policies. Each answers only when the options leave no doubt: several options of one kind are a question for a
// person, and are rejected.
const (
	Reject     Policy = "reject"      // no to everything
	AllowReads Policy = "allow-reads" // yes, once, to tools of kind read and search
	Allow      Policy = "allow"       // yes, once, to everything
)

// Parse returns the policy of this name.
func Parse(name string) (Policy, error) {
	switch p := Policy(name); p {
	case Reject, AllowReads, Allow:
		return p, nil
	}
	return "", fmt.Errorf("unknown permission policy %q: want reject, allow-reads or allow", name)
}

// RequestPermission implements acp.PermissionHandler.
func (p Policy) RequestPermission(_ context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
	if p.allows(req.ToolCall.Kind) {
		if outcome, ok := req.Allow(); ok {
			return outcome, nil
		}
	}
	return req.Reject(), nil
}

func (p Policy) allows(kind acp.ToolKind) bool {
	switch p {
	case Allow:
		return true
	case AllowReads:
		return kind == acp.ToolRead || kind == acp.ToolSearch
	case Reject:
	}
	return false
}
