package permission

import (
	"fmt"
	"log/slog"

	"github.com/acpharness/acpharness/acp"
)

// Decider says who gave an answer.
type Decider string

// The deciders.
const (
	ByRule   Decider = "rule"   // a rule or the default
	ByNext   Decider = "next"   // the next handler
	ByNobody Decider = "nobody" // it was to be asked, and there was nobody: rejected
)

// Decision is one answer to one request, for an audit.
type Decision struct {
	// Request is the whole request. Its input, title and locations may hold secrets; String and LogValue leave them out.
	Request *acp.PermissionRequest `json:"-"`
	Rule    int                    // index of the rule that matched, -1 for the default
	Name    string                 // of that rule
	Action  Action                 // what it says; an allow that was asked met options in doubt
	By      Decider
	Outcome acp.PermissionOutcome
	Err     error // of the next handler; the request is rejected by it
}

// Answer is the kind of the option that was chosen, empty if none was.
func (d Decision) Answer() acp.PermissionKind {
	option, _ := d.Request.Option(d.Outcome.OptionID)
	return option.Kind
}

// String says in a line what was decided, without anything of the tool call but its kind and name.
func (d Decision) String() string {
	answer := string(d.Answer())
	if answer == "" {
		answer = "cancelled"
	}
	if d.Err != nil {
		answer = "rejected by an error"
	}
	rule := "the default"
	if d.Rule >= 0 {
		rule = fmt.Sprintf("rule %d", d.Rule)
		if d.Name != "" {
			rule += fmt.Sprintf(" %q", d.Name)
		}
	}
	return fmt.Sprintf("%s for a tool of kind %q, name %q: %s says %s, answered by %s",
		answer, string(subjectKind(&d.Request.ToolCall)), subjectTool(&d.Request.ToolCall), rule, d.Action, d.By)
}

// GoString is String, so that %#v shows no more.
func (d Decision) GoString() string { return d.String() }

// LogValue implements slog.LogValuer, with what String says and the ids of session and call.
func (d Decision) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("session", string(d.Request.SessionID)), slog.String("tool_call", d.Request.ToolCall.ID),
		slog.String("kind", string(subjectKind(&d.Request.ToolCall))), slog.String("tool", subjectTool(&d.Request.ToolCall)),
		slog.Int("rule", d.Rule), slog.String("name", d.Name), slog.String("action", string(d.Action)),
		slog.String("by", string(d.By)), slog.String("answer", string(d.Answer())), slog.Bool("failed", d.Err != nil),
	)
}
