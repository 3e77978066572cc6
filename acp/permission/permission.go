// Package permission decides what an agent may do, by the kind of the options that it offers and the kind of the tool
// that it wants to run. Option ids and names are never looked at.
package permission

import (
	"context"
	"fmt"
	"slices"

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
		if outcome, ok := req.Allow(); ok && means(req, outcome.OptionID, acp.AllowOnce) {
			return outcome, nil
		}
	}
	refusals := *req
	refusals.Options = slices.DeleteFunc(slices.Clone(req.Options), func(o acp.PermissionOption) bool {
		return !means(req, o.ID, acp.RejectOnce, acp.RejectAlways)
	})
	return refusals.Reject(), nil
}

// means reports whether every option with this id is of one of these kinds. An id that says yes and no leaves it to the
// agent which of them it takes.
func means(req *acp.PermissionRequest, id string, kinds ...acp.PermissionKind) bool {
	return !slices.ContainsFunc(req.Options, func(o acp.PermissionOption) bool {
		return o.ID == id && !slices.Contains(kinds, o.Kind)
	})
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
