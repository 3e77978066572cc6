package main

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/permission"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
)

// runView shows a run while it goes on. Its methods are called from several goroutines.
type runView interface {
	session(backend string, s *acp.Session, historyLost bool)
	update(n acp.SessionNotification)
	permission(req *acp.PermissionRequest, outcome acp.PermissionOutcome)
	violation(v *permission.Violation)
	diagnostic(d acp.Diagnostic)
	outcome(r *runResult) error
}

// textView is for people: the answer on stdout, everything else on stderr.
type textView struct {
	streams *ui.Streams
	verbose bool

	mu      sync.Mutex
	midLine bool // the answer on stdout does not end in a newline
	err     error

	titles map[string]string // of tool calls, by id; used by update only
}

func newTextView(streams *ui.Streams, verbose bool) *textView {
	return &textView{streams: streams, verbose: verbose, titles: map[string]string{}}
}

func (v *textView) session(backend string, s *acp.Session, _ bool) {
	if v.verbose {
		agent := s.Conn().Agent()
		v.tell("%s: %s %s", backend, agent.Name, agent.Version)
	}
}

// tell writes a line to stderr that does not run into the answer when both go to one terminal.
func (v *textView) tell(format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	line := ui.OneLine(fmt.Sprintf(format, args...), 0)
	if v.midLine && v.streams.OutTTY && v.streams.ErrTTY {
		line = "\n" + line
		v.midLine = false
	}
	if v.streams.ErrTTY {
		line = v.streams.Paint(ui.Dim, line)
	}
	fmt.Fprintln(v.streams.Err, line)
}

func (v *textView) update(n acp.SessionNotification) {
	if text, ok := answerText(n.Update); ok {
		v.answer(text)
		return
	}
	switch u := n.Update.(type) {
	case *acp.ToolCallStart:
		v.tool(&u.ToolCall)
	case *acp.ToolCallUpdate:
		v.tool(&u.ToolCall)
	case *acp.Plan:
		v.plan(&acp.PlanItems{Entries: u.Entries})
	case *acp.PlanUpdate:
		v.plan(u.Plan)
	case *acp.Notice:
		v.tell("[%s] %s %s", u.Severity, u.Title, u.Description)
	default:
		if v.verbose {
			v.tell("[%s]", u.UpdateKind())
		}
	}
}

func (v *textView) plan(plan acp.PlanContent) {
	switch p := plan.(type) {
	case *acp.PlanItems:
		for _, e := range p.Entries {
			v.tell("[plan] %s%s", e.Content, status(acp.ToolCallStatus(e.Status)))
		}
	case *acp.PlanFile:
		v.tell("[plan] %s", p.URI)
	case *acp.PlanMarkdown:
		v.tell("[plan] %s", p.Content)
	}
}

// tool tells of a tool call when it begins and ends. A patch may have nothing but the id and a status.
func (v *textView) tool(t *acp.ToolCall) {
	known, seen := v.titles[t.ID]
	if t.Title != nil && *t.Title != "" || !seen {
		known = toolTitle(t)
		v.titles[t.ID] = known
	}
	if !seen || t.Status.Final() || v.verbose {
		v.tell("[tool] %s%s", known, status(t.Status))
	}
}

func (v *textView) answer(text string) {
	if text == "" {
		return
	}
	if v.streams.OutTTY {
		text = ui.Plain(text)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, err := io.WriteString(v.streams.Out, text); err != nil && v.err == nil {
		v.err = fmt.Errorf("cannot write the answer: %w", err)
	}
	v.midLine = !strings.HasSuffix(text, "\n")
}

func status(s acp.ToolCallStatus) string {
	if s == "" {
		return ""
	}
	return " (" + string(s) + ")"
}

func toolTitle(t *acp.ToolCall) string {
	title := t.ID
	if t.Title != nil && *t.Title != "" {
		title = *t.Title
	}
	return ui.OneLine(title, 120)
}

func (v *textView) permission(req *acp.PermissionRequest, outcome acp.PermissionOutcome) {
	v.tell("[permission] %s: %s", toolTitle(&req.ToolCall), answerOf(req, outcome))
}

// answerOf names an outcome by the kind of its option.
func answerOf(req *acp.PermissionRequest, outcome acp.PermissionOutcome) string {
	if option, ok := req.Option(outcome.OptionID); ok {
		return string(option.Kind)
	}
	return "cancelled"
}

func (v *textView) violation(left *permission.Violation) { v.tell("[policy] %s", left) }

func (v *textView) diagnostic(d acp.Diagnostic) {
	// Standard error is in the log, which verbose shows.
	if v.verbose && d.Kind != acp.DiagnosticStderr || d.Kind == acp.DiagnosticHandler {
		v.tell("[%s] %s", d.Kind, d.Text)
	}
}

func (v *textView) outcome(r *runResult) error {
	v.mu.Lock()
	if v.midLine {
		fmt.Fprintln(v.streams.Out)
		v.midLine = false
	}
	err := v.err
	v.mu.Unlock()
	if problem := r.problem(); problem != "" {
		v.tell("acpctl: %s", problem)
		if r.err != nil && !v.verbose {
			tellStderr(v.streams, r.stderr)
		}
	}
	if doubt := r.doubt(); doubt != "" {
		v.tell("acpctl: %s", doubt)
	}
	if r.again != "" && (v.verbose || v.streams.ErrTTY) {
		v.tell("acpctl: continue with: %s", r.again)
	}
	return err
}
