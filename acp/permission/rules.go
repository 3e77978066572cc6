package permission

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/acpharness/acpharness/acp"
)

// Action is what a rule says to a request that it matches.
type Action string

// The actions.
const (
	ActionAllow  Action = "allow"  // yes, once; if the options leave a doubt, ask
	ActionReject Action = "reject" // no
	ActionAsk    Action = "ask"    // ask the next handler, such as a person; reject if there is none
)

// Rules are a policy: the first rule that matches a request decides. [Load] reads them from a file, and [Rules.Handler]
// puts them to work.
type Rules struct {
	Rules []Rule `json:"rules,omitempty"`
	// Default is for requests that no rule matches, as the action of a rule without conditions; ActionReject if empty.
	// What ActionAllow does not cover here is asked.
	Default Action `json:"default,omitempty"`
}

// Rule matches a request that meets all the conditions it has. A condition is a list of which one entry is enough; nil is
// no condition.
//
// A rule that allows must be sure: all paths and all command lines of the call have to match, and there must be one. Rules
// that reject or ask match if any of them does. Without Kinds a rule that allows is for kind execute if it has Commands,
// for read, search, edit, delete and move if it has Paths, else for every kind of the protocol but switch_mode and fetch.
// A call that has a web address in its input, such as a sign-in, is covered only by a rule that names fetch.
type Rule struct {
	Name   string `json:"name,omitempty"` // for people and the log
	Action Action `json:"action"`
	// Kinds are the tool kinds that the rule is for. A call without a kind counts as "other".
	Kinds []acp.ToolKind `json:"kinds,omitempty"`
	// Tools are patterns for the tool's name: * stands for any text, ? for one character. Most agents send no name.
	Tools []string `json:"tools,omitempty"`
	// Paths are patterns with slashes, under the root if they are not absolute and under the home directory with ~/ in
	// front: * and ? stand for text within a name, ** as a name for any number of folders, and none.
	Paths []string `json:"paths,omitempty"`
	// Commands are patterns of words: * and ? stand for text within a word, ** as the last word for whatever follows. A
	// rule that allows has to match the whole line, which must be free of shell operators, expansions, redirections and
	// escapes, quoted or not. One that rejects or asks looks for the words anywhere in the line.
	Commands []string `json:"commands,omitempty"`
	// Operators lets a rule that allows match lines that join several commands by ; & | && || or line breaks, if each
	// of them matches. It needs Commands.
	Operators bool `json:"operators,omitempty"`
}

// memberError is a mistake in one member of a policy.
type memberError struct {
	pointer string // a JSON pointer
	err     error
}

func (e *memberError) Error() string { return e.pointer + ": " + e.err.Error() }
func (e *memberError) Unwrap() error { return e.err }

// check returns the first mistake, as a *memberError.
func (r *Rules) check() error {
	for i := range r.Rules {
		if member, err := r.Rules[i].check(); err != nil {
			return &memberError{fmt.Sprintf("/rules/%d%s", i, member), err}
		}
	}
	if r.Default != "" {
		if err := r.Default.check(); err != nil {
			return &memberError{"/default", err}
		}
	}
	return nil
}

func (a Action) check() error {
	switch a {
	case ActionAllow, ActionReject, ActionAsk:
		return nil
	case "":
		return errors.New("is missing: want allow, reject or ask")
	}
	return fmt.Errorf("unknown action %q: want allow, reject or ask", string(a))
}

func (r *Rule) check() (member string, err error) {
	if err := r.Action.check(); err != nil {
		return "/action", err
	}
	for i, kind := range r.Kinds {
		if !kind.Known() { // a rule with a misspelt kind would never match
			return fmt.Sprintf("/kinds/%d", i), fmt.Errorf("unknown tool kind %q", string(kind))
		}
	}
	if r.Kinds != nil && len(r.Kinds) == 0 {
		return "/kinds", errEmpty
	}
	for _, list := range []struct {
		member   string
		patterns []string
		check    func(string) error
	}{
		{"/tools", r.Tools, checkWord}, {"/paths", r.Paths, checkPathPattern}, {"/commands", r.Commands, checkCommandPattern},
	} {
		if list.patterns != nil && len(list.patterns) == 0 {
			return list.member, errEmpty
		}
		for i, pattern := range list.patterns {
			if err := list.check(pattern); err != nil {
				return fmt.Sprintf("%s/%d", list.member, i), fmt.Errorf("bad pattern %q: %w", pattern, err)
			}
		}
	}
	if r.Operators && (r.Action != ActionAllow || len(r.Commands) == 0) {
		return "/operators", errors.New("is for rules that allow commands")
	}
	return "", nil
}

// errEmpty keeps a condition that was emptied by mistake from being none.
var errEmpty = errors.New("is an empty list: leave it out, or put something in")

func checkWord(pattern string) error {
	switch {
	case pattern == "":
		return errors.New("it is empty")
	case strings.ContainsFunc(pattern, isControl):
		return errors.New("it has control characters")
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// fileKinds are what a rule with paths and without kinds allows.
func fileKinds() []acp.ToolKind {
	return []acp.ToolKind{acp.ToolRead, acp.ToolSearch, acp.ToolEdit, acp.ToolDelete, acp.ToolMove}
}

// allowedKinds are the kinds that a rule covers if it allows.
func (r *Rule) allowedKinds() []acp.ToolKind {
	switch {
	case r.Kinds != nil:
		return r.Kinds
	case r.Commands != nil:
		return []acp.ToolKind{acp.ToolExecute}
	case r.Paths != nil:
		return fileKinds()
	}
	// Leaving a planning mode and signing in somewhere were waved through for their kind (agent-of-empires/agent-of-empires#3741,
	// felinics/Memoh#972).
	return append(fileKinds(), acp.ToolExecute, acp.ToolThink, acp.ToolOther)
}

// covers reports whether the rule may allow a call of this kind.
func (r *Rule) covers(s *Subject) bool {
	kinds := r.allowedKinds()
	return slices.Contains(kinds, s.Kind) && (!s.Address || slices.Contains(kinds, acp.ToolFetch))
}
