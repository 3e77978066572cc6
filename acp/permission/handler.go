package permission

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acpharness/acpharness/acp"
)

// Options are what rules need besides themselves.
type Options struct {
	// Root is the directory that relative paths are under: the session's cwd. It must be absolute, and given if a rule
	// has Paths. Sessions in different folders want handlers of their own (acp.SessionOptions.Permission).
	Root string
	// Next is asked what the rules leave open. Nil means that nobody is there: it is rejected.
	Next acp.PermissionHandler
	// Log is told every decision, from the goroutine of its request.
	Log func(Decision)
}

// Handler answers permission requests by rules. It is an acp.PermissionHandler for any number of requests at a time, and
// holds no lock while the next handler is asked.
type Handler struct {
	rules []matcher // the last one is the default
	opts  Options
}

// matcher is a rule that is ready for use.
type matcher struct {
	Rule
	index    int // -1 for the default
	paths    []pathPattern
	commands [][]string
	root     string // where it leads
}

// Handler returns the rules at work. Later changes of r do not matter. The error names the member that is wrong.
func (r *Rules) Handler(opts *Options) (*Handler, error) {
	h := &Handler{}
	if opts != nil {
		h.opts = *opts
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("cannot use the permission policy: %w", err)
	}
	usesPaths := slices.ContainsFunc(r.Rules, func(rule Rule) bool { return rule.Paths != nil })
	if (usesPaths || h.opts.Root != "") && !filepath.IsAbs(h.opts.Root) {
		return nil, fmt.Errorf("cannot use the permission policy: it needs a root that is absolute, have %q", h.opts.Root)
	}
	for i := range r.Rules {
		m := matcher{Rule: r.Rules[i].clone(), index: i, root: h.opts.Root}
		if physical, err := resolve(h.opts.Root); err == nil && h.opts.Root != "" {
			m.root = physical
		}
		for _, pattern := range m.Paths {
			p, err := compilePath(pattern, h.opts.Root)
			if err != nil {
				return nil, fmt.Errorf("cannot use path %q of rule %d: %w", pattern, i, err)
			}
			m.paths = append(m.paths, p)
		}
		for _, pattern := range m.Commands {
			m.commands = append(m.commands, splitBlanks(pattern))
		}
		h.rules = append(h.rules, m)
	}
	last := r.Default
	if last == "" {
		last = ActionReject
	}
	h.rules = append(h.rules, matcher{Rule: Rule{Action: last}, index: -1})
	return h, nil
}

func (r *Rule) clone() Rule {
	c := *r
	c.Kinds, c.Tools = slices.Clone(r.Kinds), slices.Clone(r.Tools)
	c.Paths, c.Commands = slices.Clone(r.Paths), slices.Clone(r.Commands)
	return c
}

// RequestPermission implements acp.PermissionHandler.
func (h *Handler) RequestPermission(ctx context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
	d := h.judge(req)
	if d.By == "" {
		h.ask(ctx, &d)
	}
	if h.opts.Log != nil {
		h.opts.Log(d)
	}
	return d.Outcome, d.Err
}

// judge finds the rule that decides. By stays empty if somebody has to be asked.
func (h *Handler) judge(req *acp.PermissionRequest) Decision {
	subject := Inspect(&req.ToolCall, h.opts.Root)
	title := ""
	if req.ToolCall.Title != nil {
		title = *req.ToolCall.Title
	}
	d := Decision{Request: req, Rule: -1, Action: ActionAsk}
	for i := range h.rules {
		m := &h.rules[i]
		if !m.matches(&subject, title) {
			continue
		}
		d.Rule, d.Name, d.Action = m.index, m.Name, m.Action
		break
	}
	switch d.Action {
	case ActionAllow:
		if outcome, ok := req.Allow(); ok {
			d.By, d.Outcome = ByRule, outcome
		}
	case ActionReject:
		d.By, d.Outcome = ByRule, req.Reject()
	case ActionAsk:
	}
	return d
}

func (h *Handler) ask(ctx context.Context, d *Decision) {
	if h.opts.Next == nil {
		d.By, d.Outcome = ByNobody, d.Request.Reject()
		return
	}
	d.By = ByNext
	d.Outcome, d.Err = h.opts.Next.RequestPermission(ctx, d.Request)
}

// matches reports whether the rule decides about a call.
func (m *matcher) matches(s *Subject, title string) bool {
	if m.Action == ActionAllow {
		return m.covers(s) && m.namesTool(s) &&
			(m.Paths == nil || m.allPaths(s)) && (m.Commands == nil || m.allCommands(s))
	}
	return (m.Kinds == nil || slices.Contains(m.Kinds, s.Kind)) && m.namesTool(s) &&
		(m.Paths == nil || m.anyPath(s)) && (m.Commands == nil || m.anyCommand(s, title))
}

func (m *matcher) namesTool(s *Subject) bool {
	return m.Tools == nil ||
		s.Tool != "" && slices.ContainsFunc(m.Tools, func(pattern string) bool { return wild(pattern, s.Tool) })
}

func (m *matcher) allPaths(s *Subject) bool {
	if s.Unclear || len(s.paths) == 0 {
		return false
	}
	for _, l := range s.paths {
		if !slices.ContainsFunc(m.paths, func(p pathPattern) bool { return p.allows(l) }) {
			return false
		}
	}
	return true
}

func (m *matcher) anyPath(s *Subject) bool {
	return slices.ContainsFunc(s.paths, func(l location) bool {
		return slices.ContainsFunc(m.paths, func(p pathPattern) bool { return p.touches(l) })
	})
}

func (m *matcher) allCommands(s *Subject) bool {
	if s.Unclear || len(s.Commands) == 0 {
		return false
	}
	return !slices.ContainsFunc(s.Commands, func(line string) bool {
		return !allowsLine(m.commands, line, m.Operators) || m.elsewhere(s, line)
	})
}

// elsewhere reports whether a line runs a program by a relative path in a folder that is not the root: ./build.sh is another one
// there.
func (m *matcher) elsewhere(s *Subject, line string) bool {
	if len(s.Dirs) == 0 || slices.Equal(s.Dirs, []string{m.root}) {
		return false
	}
	commands := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(separators, r) })
	return slices.ContainsFunc(commands, func(command string) bool {
		words := splitBlanks(command)
		return len(words) > 0 && strings.ContainsAny(words[0], `/\`) && !filepath.IsAbs(words[0])
	})
}

// anyCommand looks into the title, too: some agents put the command line there and nowhere else (gemini).
func (m *matcher) anyCommand(s *Subject, title string) bool {
	lines := s.Commands
	if s.Kind == acp.ToolExecute {
		lines = append(slices.Clone(lines), title)
	}
	return slices.ContainsFunc(lines, func(line string) bool { return touchesLine(m.commands, line) })
}
