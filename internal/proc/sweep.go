package proc

import (
	"slices"
	"strings"
	"time"
)

// vagueWait bounds the wait for processes in the middle of an exec.
const vagueWait = 200 * time.Millisecond

// Swept is a process outside the group.
type Swept struct {
	PID  int    `json:"pid"`
	Name string `json:"name"` // the system's short name of its program
}

// sweeper ends the processes of a tree one by one: SIGTERM, and when the grace that all of them share has passed,
// SIGKILL until none is found. Every signal goes to a process whose start time was checked. It belongs to one
// goroutine.
type sweeper struct {
	tree    *lineage
	all     bool     // members of the group too
	daemons []string // substrings of the command lines of those to leave alone
	grace   time.Duration
	hurry   <-chan struct{} // kill now

	deadline time.Time // end of the grace; zero before the first SIGTERM
	sent     []sent    // whom we have signalled

	// Of the last look:
	vague  bool     // there was somebody of whom nothing can be told yet
	left   []member // could not be ended
	spared []Swept  // daemons
}

// sent is a process that was signalled.
type sent struct {
	Identity
	name   string
	denied bool // we may not signal it
}

// run ends all that it finds, within the grace and killWait. It reports whether there was anything.
func (s *sweeper) run() bool {
	var limit time.Time
	quiet, vagueUntil := 0, time.Now().Add(vagueWait)
	for wait := minGroupPoll; ; wait = min(2*wait, maxGroupPoll) {
		targets := s.look()
		if len(targets) == 0 && s.vague && time.Now().Before(vagueUntil) {
			s.pause(wait, true)
			continue
		}
		if len(targets) == 0 {
			// A list is not taken at once: whoever was forked behind our back is in the next one.
			if quiet++; quiet > 1 || len(s.sent) == 0 {
				return len(s.sent) > 0
			}
			continue
		}
		quiet = 0
		kill := s.late()
		if kill && limit.IsZero() {
			limit = time.Now().Add(killWait)
			wait = minGroupPoll
		}
		if kill && time.Now().After(limit) {
			s.left = append(s.left, targets...)
			return true
		}
		s.signal(targets, kill)
		s.pause(wait, kill)
	}
}

// terminate asks those outside the group to end, at the time when the group is asked. It starts the grace.
func (s *sweeper) terminate() {
	s.deadline = time.Now().Add(s.grace)
	s.signal(s.look(), false)
}

// look lists whom to end. Those whom we must not or cannot touch go to left, daemons to spared.
func (s *sweeper) look() []member {
	t, err := readTable()
	if err != nil {
		return nil
	}
	var targets []member
	s.left, s.spared = nil, nil
	members := s.tree.members(t, true)
	s.vague = t.vague
	guard := newGuard(t)
	for _, m := range members {
		switch {
		case m.inGroup && !s.all:
		case s.isDaemon(members, m):
			s.spared = append(s.spared, Swept{PID: m.PID, Name: m.name})
		case guard.forbids(m.info) || s.isDenied(m.Identity):
			s.left = append(s.left, m)
		default:
			targets = append(targets, m)
		}
	}
	return targets
}

// isDaemon reports whether a process is a known daemon or was started by one.
func (s *sweeper) isDaemon(members []member, m member) bool {
	if len(s.daemons) == 0 {
		return false
	}
	for range members { // bounds the climb should pids have passed on in the middle of the list
		if m.inGroup {
			return false
		}
		line := readCommandLine(m.PID)
		if slices.ContainsFunc(s.daemons, func(d string) bool { return d != "" && strings.Contains(line, d) }) {
			return true
		}
		i := slices.IndexFunc(members, func(p member) bool { return p.PID == m.ppid })
		if i < 0 {
			return false
		}
		m = members[i]
	}
	return false
}

func (s *sweeper) find(id Identity) int {
	return slices.IndexFunc(s.sent, func(x sent) bool { return x.Identity == id })
}

func (s *sweeper) isDenied(id Identity) bool {
	i := s.find(id)
	return i >= 0 && s.sent[i].denied
}

// late reports whether it is time for SIGKILL.
func (s *sweeper) late() bool {
	return isClosed(s.hurry) || (!s.deadline.IsZero() && !time.Now().Before(s.deadline))
}

// signal sends SIGTERM to those who have not got it yet, or SIGKILL to all.
func (s *sweeper) signal(targets []member, kill bool) {
	if s.deadline.IsZero() {
		s.deadline = time.Now().Add(s.grace)
	}
	for _, m := range targets {
		i := s.find(m.Identity)
		if i < 0 {
			i = len(s.sent)
			s.sent = append(s.sent, sent{Identity: m.Identity, name: m.name})
		} else if !kill {
			continue
		}
		if signalExact(m.Identity, kill) != nil {
			s.sent[i].denied = true
		}
	}
}

// pause waits, until the end of the grace at most.
func (s *sweeper) pause(wait time.Duration, kill bool) {
	hurry := s.hurry
	if kill {
		hurry = nil
	} else {
		wait = min(wait, time.Until(s.deadline))
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
	case <-hurry:
	}
}

// ended returns those who were signalled and are gone.
func (s *sweeper) ended() []Swept {
	var list []Swept
	for _, x := range s.sent {
		if !slices.ContainsFunc(s.left, func(m member) bool { return m.Identity == x.Identity }) {
			list = append(list, Swept{PID: x.PID, Name: x.name})
		}
	}
	return list
}

// leftover returns the pids of those who live on, daemons not counted.
func (s *sweeper) leftover() []int {
	var pids []int
	for _, m := range s.left {
		pids = append(pids, m.PID)
	}
	return pids
}
