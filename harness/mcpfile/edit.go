package mcpfile

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Result is what an edit has changed, or would.
type Result struct {
	// Files are the files that are not as they were.
	Files []FileChange
	// Unchanged are the names of servers that were already what they were to be.
	Unchanged []string
}

// FileChange is a file before and after an edit.
type FileChange struct {
	Path          string
	Before, After *State
	Diff          Diff
}

// Entry is a server to be added.
type Entry struct {
	Name string
	// Server says what it is. Spec says it in the agent's own terms, and is used instead if it is not zero.
	Server Server
	Spec   Spec
}

// Add writes servers that are not there, each with the reference that its agent needs. Nothing ever becomes allowed by it: rules for the
// name that are left over are taken out, and none is ever added. The error wraps ErrExists, ErrCollision, or is an *UnsupportedError. Of
// several servers all are added or none is; so it is with all edits.
func (c *Config) Add(ctx context.Context, entries ...Entry) (*Result, error) {
	names := make([]string, len(entries))
	for i := range entries {
		names[i] = entries[i].Name
		if slices.Contains(names[:i], names[i]) {
			return nil, fmt.Errorf("cannot add %s: %w", quote(names[i]), ErrExists)
		}
	}
	return c.edit(ctx, "add", names, func(t *task, name string) error {
		if err := t.view.speakable(name); err != nil {
			return err
		}
		s := t.view.primary()
		holders, _, err := t.view.holders(name)
		switch i, _ := t.view.keptOf(name); {
		case err != nil:
			return err
		case len(holders) > 0, i >= 0:
			return ErrExists
		}
		entry := &entries[slices.Index(names, name)]
		spec := entry.Spec.value
		if entry.Spec.Zero() {
			if spec, err = entry.Server.entry(&s.file.layout.Entry); err != nil {
				return err
			}
		}
		if err := s.ed.add(name, spec); err != nil {
			return err
		}
		// Rules that somebody has left would allow what nobody has looked at yet.
		for _, s := range t.view.counting() {
			if err := s.ed.unrefer(s.file.layout.AllowedKey, name); err != nil {
				return err
			}
		}
		return nil
	})
}

// Disable makes the agent leave servers alone: each entry of a name gets the marker that the agent obeys, and nothing else changes. If it
// obeys none, the entry is taken out and kept in the state directory. The error wraps ErrNotFound, ErrCollision, ErrMalformed or
// ErrKeptTwice.
func (c *Config) Disable(ctx context.Context, names ...string) (*Result, error) {
	return c.edit(ctx, "disable", names, func(t *task, name string) error {
		err := t.each(name, func(s *State) error {
			if !s.file.layout.Marker.None() {
				return s.ed.markAll(name, true)
			}
			return t.keep(s, name)
		})
		if i, _ := t.view.keptOf(name); i >= 0 && errors.Is(err, ErrNotFound) {
			return nil
		}
		return err
	})
}

// Enable takes back what Disable did, byte for byte if nothing else has happened to the entry. The error wraps ErrNotFound, ErrCollision,
// ErrMalformed or ErrKeptTwice.
func (c *Config) Enable(ctx context.Context, names ...string) (*Result, error) {
	return c.edit(ctx, "enable", names, func(t *task, name string) error {
		if i, s := t.view.keptOf(name); i >= 0 {
			if err := s.ed.putBack(&t.view.kept[i]); errors.Is(err, ErrKeptTwice) {
				return t.view.keptTwice(s)
			} else if err != nil {
				return err
			}
			t.view.kept = slices.Delete(t.view.kept, i, i+1)
			return nil
		}
		return t.each(name, func(s *State) error { return s.ed.markAll(name, false) })
	})
}

// Remove takes servers out, with all entries of a name, and in all files that count the references to it, what was allowed of it, and the
// switches of its tools. If an entry of the name is kept and the file has another one, only that one goes.
func (c *Config) Remove(ctx context.Context, names ...string) (*Result, error) {
	var done []string
	return c.edit(ctx, "remove", names, func(t *task, name string) error {
		if err := t.view.speakable(name); err != nil {
			return err
		}
		alias := t.view.primary().ed.alias(name)
		if slices.Contains(done, alias) {
			return nil // another name of the same server
		}
		gone, all := false, t.view.names()
		if i, s := t.view.keptOf(name); i >= 0 {
			// Another entry than the one in the file stays, and is the one that is listed then.
			if there, ok := s.ed.model.get(s.ed.server(name)...); !ok || t.view.kept[i].equal(there) {
				t.view.kept = slices.Delete(t.view.kept, i, i+1)
				gone = true
			}
		}
		err := t.each(name, func(s *State) error { return s.ed.remove(name) })
		if gone && errors.Is(err, ErrNotFound) {
			err = nil
		}
		if err != nil {
			return err
		}
		for _, s := range t.view.counting() {
			if err := s.ed.forget(name, all); err != nil {
				return err
			}
		}
		done = append(done, alias)
		return nil
	})
}

// SetFilter says which of a server's tools are offered, in place of what the file says of it now.
func (c *Config) SetFilter(ctx context.Context, name string, f Filter) (*Result, error) {
	return c.edit(ctx, "filter the tools of", []string{name}, func(t *task, name string) error {
		err := t.each(name, func(s *State) error { return s.ed.filter(name, f) })
		if i, _ := t.view.keptOf(name); i >= 0 && errors.Is(err, ErrNotFound) {
			return fmt.Errorf("%w: it is disabled, and its entry is kept elsewhere: enable it first", ErrNotFound)
		}
		return err
	})
}

// edit runs a verb over names, and writes what it has made if it worked for all of them.
func (c *Config) edit(ctx context.Context, verb string, names []string, fn func(*task, string) error) (*Result, error) {
	fail := func(err error) (*Result, error) {
		return nil, fmt.Errorf("cannot %s %s: %w", verb, joinQuoted(names), err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("cannot %s a server: no name was given", verb)
	}
	if !c.dryRun {
		unlock, err := c.lock(ctx)
		if err != nil {
			return fail(err)
		}
		defer unlock()
	}
	v, err := c.view()
	if err == nil {
		err = v.fault(false)
	}
	if err != nil {
		return fail(err)
	}
	if names, err = v.primary().ed.distinct(names); err != nil {
		return fail(err)
	}
	// What was taken out last goes back first: only then is everything where it was.
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b string) int {
		i, _ := v.keptOf(a)
		j, _ := v.keptOf(b)
		return j - i
	})
	t := newTask(v)
	result := &Result{}
	var faults []error
	for _, name := range names {
		texts, keeps := t.texts(), len(v.kept)
		if err := fn(t, name); err != nil {
			faults = append(faults, named(name, names, err))
			continue
		}
		t.follow(texts)
		if slices.Equal(texts, t.texts()) && len(v.kept) == keeps {
			result.Unchanged = append(result.Unchanged, name)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return fail(err)
	}
	for i, s := range v.states {
		if s.err == nil && s.ed.text != t.before[i].ed.text {
			s.missing = false
			result.Files = append(result.Files, FileChange{s.file.path, t.before[i], s, Compare(t.before[i], s)})
		}
	}
	if c.dryRun {
		if err := t.replaceable(); err != nil {
			return fail(err)
		}
		return result, nil
	}
	if err := c.write(t); err != nil {
		return fail(err)
	}
	return result, nil
}
