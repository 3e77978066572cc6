package mcpfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/acpharness/acpharness/internal/rewrite"
)

// view is all files of a configuration, and what was taken out of them, at one moment.
type view struct {
	states    []*State
	snapshots []*rewrite.Snapshot // nil where a file could not be read
	kept      []kept
	included  bool // the files that count only then
}

// view reads everything. What cannot be read has its error with its state.
func (c *Config) view() (*view, error) {
	v := &view{included: true}
	for _, f := range c.files {
		s, snap := f.snapshot()
		v.states, v.snapshots = append(v.states, s), append(v.snapshots, snap)
		if f.layout.IncludeKey != "" {
			v.included = s.Includes()
			if s.missing {
				s.err = fmt.Errorf("%w: %s is not there", ErrNoAgent, f.path)
			}
		}
	}
	var err error
	v.kept, _, err = keptIn(c.state).read()
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
	for _, s := range v.states {
		if s.err != nil {
			continue // it does not count
		}
		keys, err := s.ed.keys(name)
		switch {
		case err != nil:
			return nil, "", err
		case len(keys) == 0:
		case v.counts(s):
			holders = append(holders, s)
		default:
			elsewhere = s.file.path
		}
	}
	return holders, elsewhere, nil
}

// keptOf finds what was taken out of a file that counts.
func (v *view) keptOf(name string) (int, *State) {
	for i := range v.kept {
		for _, s := range v.states {
			if s.err == nil && v.kept[i].File == v.target(s) && v.kept[i].Name == name && v.counts(s) {
				return i, s
			}
		}
	}
	return -1, nil
}

// lockName names the lock of a file.
func lockName(target string) string { return "mcp-" + hash(strings.ToLower(target))[:16] + ".lock" }
