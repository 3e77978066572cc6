package reconcile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acpharness/acpharness/backends"
)

// expected is what a session is to make of the tools of the edited server, and what its process is started with.
type expected struct {
	alpha, beta bool
	mark        string // among the arguments, empty for any
	asks        bool   // whether the agent asks for permission; it is looked at for rules only
	rule        bool
}

// expectation says what is to be before an edit and after it.
func expectation(edit backends.Edit, after bool) expected {
	switch edit {
	case backends.EditAdd, backends.EditEnable, backends.EditAddRef:
		return expected{alpha: after, beta: after}
	case backends.EditDisable, backends.EditRemove, backends.EditRemoveRef:
		return expected{alpha: !after, beta: !after}
	case backends.EditToolFilter:
		return expected{alpha: true, beta: !after}
	case backends.EditChangeTransport:
		if after {
			return expected{alpha: true, beta: true, mark: secondMark}
		}
		return expected{alpha: true, beta: true, mark: firstMark}
	default:
		return expected{alpha: true, beta: true, rule: true, asks: !after}
	}
}

// matches reports whether all that could be seen is as expected. What the agent lets the model search for is judged by the calls alone.
func (s *Sight) matches(want expected) bool {
	if s == nil {
		return false
	}
	for tool, is := range map[string]bool{"alpha": want.alpha, "beta": want.beta} {
		if (s.Called[tool] == Yes) != is || s.Offered[tool] != Unclear && (s.Offered[tool] == Yes) != is {
			return false
		}
	}
	if want.rule && (s.Asked > 0) != want.asks {
		return false
	}
	return want.mark == "" || slices.Contains(s.Args, want.mark)
}

// offers reports whether what is on offer is as expected, whatever calls come to.
func (s *Sight) offers(want expected) bool {
	for tool, is := range map[string]bool{"alpha": want.alpha, "beta": want.beta} {
		if s.Offered[tool] == Unclear || (s.Offered[tool] == Yes) != is {
			return false
		}
	}
	return true
}

// mixed reports whether the witnesses of one tool contradict each other.
func (s *Sight) mixed() bool {
	for tool, called := range s.Called {
		if offered := s.Offered[tool]; offered != Unclear && offered != called {
			return true
		}
	}
	return false
}

// judge draws the verdict from what was seen.
func (res *Result) judge() {
	set := func(v backends.Verdict, format string, args ...any) {
		res.Verdict, res.Why = v, fmt.Sprintf(format, args...)
	}
	after := expectation(res.Edit, true)
	happened := res.Latency > 0
	switch {
	case res.Skipped != "":
		set(backends.VerdictUnknown, "not tried: %s", res.Skipped)
	case res.Error != "" || res.Next == nil:
		set(backends.VerdictUnknown, "not finished: %s", res.Error)
	case res.Control == nil || res.Control.Called["alpha"] != Yes:
		set(backends.VerdictUnknown, "the server that nobody edited cannot be called any more either: %s", res.Control)
	case res.SameName:
		res.judgeSameName()
	case res.Second && res.Next.matches(after) != res.SecondSight.matches(after):
		set(backends.VerdictUnknown, "one session followed and the other did not")
	case res.Next.matches(after) && happened:
		set(backends.VerdictFollows, "%s, and the next prompt had it", res.did())
	case res.Next.matches(after):
		set(backends.VerdictNextTurn, "nothing happened to the server before the next prompt, which had it")
	case res.Later.matches(after):
		set(backends.VerdictNo, "only the prompt after the next one had it")
	case happened && res.Next.offers(expectation(res.Edit, false)) && (!res.Next.offers(after) || res.Edit == backends.EditChangeTransport):
		set(backends.VerdictFalsePositive, "%s, and the session is offered what it had: %s", res.did(), res.Next)
	case res.Next.mixed():
		set(backends.VerdictUnknown, "the witnesses contradict each other: %s", res.Next)
	case happened && !res.Next.matches(expectation(res.Edit, false)):
		set(backends.VerdictUnknown, "%s, and the session was neither as before nor as edited: %s", res.did(), res.Next)
	case happened:
		set(backends.VerdictFalsePositive, "%s, and the session kept what it had: %s", res.did(), res.Next)
	default:
		set(backends.VerdictNo, "nothing happened, and the session kept what it had: %s", res.Next)
	}
}

// judgeSameName: the file's entry is edited, and the session has a server of that name that it was given.
func (res *Result) judgeSameName() {
	res.Verdict = backends.VerdictNo
	res.Why = "the server that was given stayed, whatever the file said of its name: " + res.Next.String()
	if res.Next.Called["alpha"] == No && res.Next.Called["beta"] == No {
		res.Verdict = backends.VerdictFollows
		res.Why = "the server that was given went with the entry of its name"
	}
}

// did says what happened to the server.
func (res *Result) did() string {
	events := res.Events
	if len(events) > 4 {
		events = append(slices.Clone(events[:4]), "…")
	}
	return strings.Join(events, ", ")
}

// observations are the sentences of a cell for the evidence.
func (res *Result) observations() []string {
	where := strings.TrimPrefix(res.Key, string(res.Edit))
	where = strings.TrimPrefix(where, "/")
	if where == "" {
		where = "idle, nothing injected, file replaced"
	}
	list := []string{where + ": " + res.Why}
	if res.MidTurn && res.Error == "" && res.Skipped == "" {
		if res.Held {
			list = append(list, where+": nothing happened before the turn had ended")
		} else {
			list = append(list, where+": it happened during the turn")
		}
	}
	if len(res.Notices) > 0 {
		list = append(list, where+": announced "+strings.Join(res.Notices, ", "))
	}
	if res.NewSession != nil {
		word := "has not what the file says"
		switch after := expectation(res.Edit, true); {
		case res.NewSession.matches(after):
			word = "has what the file says"
		case res.LaterSession.matches(after):
			word += ", one that is opened later has"
		}
		list = append(list, where+": a new session of the process "+word)
	}
	return list
}
