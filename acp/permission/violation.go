package permission

import (
	"fmt"
	"slices"

	"github.com/acpharness/acpharness/acp"
)

// ViolationKind says what a trip-wire noticed.
type ViolationKind string

// The kinds of violations.
const (
	ViolationMode    ViolationKind = "mode"    // the session is in a mode that it should not be in
	ViolationUnasked ViolationKind = "unasked" // a tool ran that the agent should have asked about
)

// Violation is what a trip-wire noticed.
type Violation struct {
	Kind       ViolationKind
	SessionID  acp.SessionID
	Mode       string             // of ViolationMode
	ToolCallID string             // of ViolationUnasked, empty if the agent sent none
	ToolKind   acp.ToolKind       // of ViolationUnasked
	Status     acp.ToolCallStatus // of ViolationUnasked
	Seq        uint64             // of the update, 0 if it was there when the session was opened
}

// String says in a sentence what happened.
func (v *Violation) String() string {
	if v.Kind == ViolationMode {
		return fmt.Sprintf("the session is in mode %q, which is not allowed", v.Mode)
	}
	return fmt.Sprintf("tool call %q of kind %s is %s, and the agent has not asked about it", v.ToolCallID, v.ToolKind, v.Status)
}

// mode notes the mode that one source reports. A mode that was raised is raised again when the session comes back to it.
func (w *TripWire) mode(session acp.SessionID, source, mode string) *Violation {
	s := w.session(session)
	known := false // by another name, or as it was
	for _, m := range s.modes {
		known = known || m == mode
	}
	s.modes[source] = mode
	bad := w.opts.Allowed != nil && !slices.Contains(w.opts.Allowed, mode) || slices.Contains(w.opts.Forbidden, mode)
	if known || !bad {
		return nil
	}
	return &Violation{Kind: ViolationMode, SessionID: session, Mode: mode}
}

// options notes the modes that are settings. The first violation is returned.
func (w *TripWire) options(session acp.SessionID, options []acp.ConfigOption) *Violation {
	var first *Violation
	for _, o := range options {
		if o.Category != acp.CategoryMode || o.Value == "" {
			continue
		}
		if v := w.mode(session, o.ID, o.Value); first == nil {
			first = v
		}
	}
	return first
}

// toolCall notes what an update says of a call. Kinds may come after the status, and the announcement last of all.
func (w *TripWire) toolCall(session acp.SessionID, patch *acp.ToolCall, announced bool) *Violation {
	c := w.session(session).call(patch.ID)
	if announced && c.status.Final() && !patch.Status.Final() { // the id is used again (mgaitan/telegram-acp-bot#41)
		*c = watchedCall{}
	}
	if patch.Kind != "" {
		c.kind = patch.Kind
	}
	if patch.Status != "" {
		c.status = patch.Status
	}
	ran := c.status == acp.ToolCompleted || c.status == acp.ToolInProgress && !w.opts.AsksLate
	if !ran || c.asked || c.raised || !slices.Contains(w.opts.AsksFor, c.kind) {
		return nil
	}
	c.raised = true
	return &Violation{Kind: ViolationUnasked, SessionID: session, ToolCallID: patch.ID, ToolKind: c.kind, Status: c.status}
}
