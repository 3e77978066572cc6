package mcpfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/acpharness/acpharness/internal/rewrite"
)

// view is all files of a configuration, and what was taken out of them, at one moment.
type view struct {
	states    []*State
	snapshots []*rewrite.Snapshot // nil where a file could not be read
	kept      []kept
	store     keptStore
	included  bool // the files that count only then
}

// view reads everything. What cannot be read has its error with its state.
func (c *Config) view() (*view, error) {
	v := &view{included: true, store: keptIn(c.state)}
	for _, f := range c.files {
		s, snap := f.snapshot()
		if snap != nil && slices.ContainsFunc(v.snapshots, func(other *rewrite.Snapshot) bool { return other != nil && other.Target == snap.Target }) {
			continue // the same file by a link
		}
		v.states, v.snapshots = append(v.states, s), append(v.snapshots, snap)
		if f.layout.IncludeKey != "" {
			v.included = s.Includes()
			if s.missing {
				s.err = fmt.Errorf("%w: %s is not there", ErrNoAgent, f.path)
			}
		}
	}
	var err error
	v.kept, _, err = v.store.read()
	return v, err
}

// fault is what could not be read of the files, or of those that count.
func (v *view) fault(all bool) error {
	var faults []error
	for _, s := range v.states {
		if s.err != nil && (all || v.counts(s)) {
			faults = append(faults, s.err)
		}
	}
	return errors.Join(faults...)
}

// counts reports whether the agent reads a file.
func (v *view) counts(s *State) bool { return v.included || !s.file.layout.IfIncluded }

// target is the path of a file behind links.
func (v *view) target(s *State) string {
	for i := range v.states {
		if v.states[i] == s && v.snapshots[i] != nil {
			return v.snapshots[i].Target
		}
	}
	return s.file.path
}

// holders are the files that count and have entries of a name, and elsewhere is one that has and does not count.
func (v *view) holders(name string) (holders []*State, elsewhere string, err error) {
	var all []string
	alias := name
	for _, s := range v.states {
		if s.err != nil {
			continue // it does not count
		}
		keys, err := s.ed.keys(name)
		switch {
		case len(keys) == 0:
		case !v.counts(s):
			elsewhere = s.file.path
		case err != nil:
			return nil, "", err
		default:
			holders, all, alias = append(holders, s), append(all, keys...), s.ed.alias(name)
		}
	}
	return holders, elsewhere, collide(name, alias, all)
}

// counting are the files that the agent reads.
func (v *view) counting() []*State {
	return slices.DeleteFunc(slices.Clone(v.states), func(s *State) bool { return s.err != nil || !v.counts(s) })
}

// names are those of the servers in all files that count.
func (v *view) names() (names []string) {
	for _, s := range v.counting() {
		names = append(names, s.ed.names()...)
	}
	return names
}

// speakable refuses a name that references cannot have.
func (v *view) speakable(name string) error {
	for _, s := range v.counting() {
		if err := s.ed.speakable(name); err != nil {
			return err
		}
	}
	return nil
}

// keptOf finds what was taken out of a file that counts.
func (v *view) keptOf(name string) (int, *State) {
	for i := range v.kept {
		for _, s := range v.states {
			if s.err == nil && v.keptFrom(&v.kept[i], s) && v.kept[i].Name == name && v.counts(s) {
				return i, s
			}
		}
	}
	return -1, nil
}

// keptFrom reports whether an entry was taken out of a file, wherever its path leads to by now.
func (v *view) keptFrom(k *kept, s *State) bool {
	return k.File == v.target(s) || k.Path == s.file.path
}

// keptTwice says where the two entries of a name are.
func (v *view) keptTwice(s *State) error {
	return fmt.Errorf("%w: one is in %s and the other in %s; remove takes out the first, after that enable brings back the other, or remove drops it",
		ErrKeptTwice, s.file.path, v.store.path)
}

// lockName names the lock of a file.
func lockName(target string) string { return "mcp-" + hash(strings.ToLower(target))[:16] + ".lock" }
