// Package permission decides what an agent may do: by fixed policies ([Policy]), by rules about the kind of a tool, its
// name, paths and commands ([Rules]), or by a person with a time limit ([Within]). A [TripWire] watches whether the agent
// asks at all.
//
// Every answer is chosen by the kind of the options that the agent offers; their ids and names are never looked at. Yes is
// said once and only when one option means that: several are a question for a person. No is the option that says no;
// "cancelled", which agents take as the end of the turn, is left for requests that offer none (hawkingrei/agenthub#555).
//
// Policies believe what an agent says of its tool calls. They are no sandbox.
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
	// Allow says yes, once, to everything, changes of mode and web addresses included: it is for places where an agent
	// may do as it likes. Rules that allow everything leave these two out.
	Allow Policy = "allow"
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
