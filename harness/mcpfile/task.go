package mcpfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acpharness/acpharness/internal/rewrite"
)

// task is one edit of a configuration under its locks.
type task struct {
	view   *view
	before []*State
	kept   []kept // as they were
}

// each calls fn with every file that counts and has the server.
func (t *task) each(name string, fn func(*State) error) error {
	holders, elsewhere, err := t.view.holders(name)
	if err != nil {
		return err
	}
	if len(holders) == 0 {
		return &NotFoundError{name, elsewhere}
	}
	for _, s := range holders {
		if err := fn(s); err != nil {
			return err
		}
	}
	return nil
}

// keep takes an entry out of a file and keeps it.
func (t *task) keep(s *State, name string) error {
	k := kept{File: t.view.target(s), Path: s.file.path, Name: name}
	order := t.view.order(s)
	i := slices.Index(order, name)
	k.Prev, k.Next = slices.Clone(order[:max(i, 0)]), slices.Clone(order[i+1:])
	if r, ok := s.ed.doc.(restorer); ok {
		k.Text = r.member(s.ed.server(name))
	}
	spec, back, err := s.ed.take(name)
	if err != nil {
		return err
	}
	// An entry of the name may have been left over when an edit was interrupted. If it is another one, none of the two may get lost.
	for j := range slices.Backward(t.view.kept) {
		old := &t.view.kept[j]
		switch {
		case old.Name != name || !t.view.keptFrom(old, s):
		case old.equal(spec):
			t.view.kept = slices.Delete(t.view.kept, j, j+1)
		default:
			return t.view.keptTwice(s)
		}
	}
	k.Entry, k.After = jsontext.Value(spec.json()), hash(s.ed.text)
	for _, b := range back {
		k.Undo = append(k.Undo, undo{b.from, b.to, b.text})
	}
	t.view.kept = append(t.view.kept, k)
	return nil
}

func (t *task) texts() []string {
	texts := make([]string, len(t.view.states))
	for i, s := range t.view.states {
		if s.err == nil {
			texts[i] = s.ed.text
		}
	}
	return texts
}

// follow makes what is kept of each file fit its new text.
func (t *task) follow(texts []string) {
	for i, s := range t.view.states {
		if s.err == nil && s.ed.text != texts[i] {
			follow(t.view.kept, t.view.target(s), texts[i], s.ed.text)
		}
	}
}

// newTask remembers how everything is.
func newTask(v *view) *task {
	t := &task{view: v, kept: slices.Clone(v.kept)}
	for _, s := range v.states {
		before := *s
		if s.err == nil {
			ed := *s.ed
			before.ed = &ed
		}
		t.before = append(t.before, &before)
	}
	return t
}

// write brings to the disk what the task has made. What is taken out of a file is kept before it is gone there, and forgotten after it is
// there again. If a file cannot be written, those that were are put back.
func (c *Config) write(t *task) error {
	store := keptIn(c.state)
	safe := slices.Clone(t.view.kept)
	for _, k := range t.kept {
		if !slices.ContainsFunc(safe, func(s kept) bool { return s.File == k.File && s.Name == k.Name }) {
			safe = append(safe, k)
		}
	}
	if !slices.EqualFunc(safe, t.kept, sameKept) {
		if err := store.write(safe); err != nil {
			return err
		}
	}
	for i, s := range t.view.states {
		if s.err != nil || s.ed.text == t.before[i].ed.text {
			continue
		}
		if err := t.view.snapshots[i].Replace(s.ed.bytes()); err != nil {
			return errors.Join(err, t.undo(i), store.write(t.kept))
		}
	}
	if slices.EqualFunc(safe, t.view.kept, sameKept) {
		return nil
	}
	return store.write(t.view.kept)
}

// replaceable returns why a file that the task has changed could not be written.
func (t *task) replaceable() error {
	var faults []error
	for i, s := range t.view.states {
		if s.err == nil && s.ed.text != t.before[i].ed.text {
			faults = append(faults, t.view.snapshots[i].Replaceable())
		}
	}
	return errors.Join(faults...)
}

// undo puts back the files before the i-th.
func (t *task) undo(i int) error {
	var faults []error
	for j, s := range t.view.states[:i] {
		if s.err != nil || s.ed.text == t.before[j].ed.text {
			continue
		}
		snap, err := rewrite.Read(s.file.path, maxSize)
		switch {
		case err != nil:
		case string(snap.Text) != string(s.ed.bytes()): // somebody else's by now
		case t.before[j].missing:
			err = os.Remove(snap.Target)
		default:
			err = snap.Replace(t.before[j].ed.bytes())
		}
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

func sameKept(a, b kept) bool { return a.File == b.File && a.Name == b.Name && a.After == b.After }

// lock takes the locks of all files, in the order of their names, and that of what is kept.
func (c *Config) lock(ctx context.Context) (unlock func(), err error) {
	dir := filepath.Join(c.state, "locks")
	if err := rewrite.MakeDirs(dir); err != nil {
		return nil, err
	}
	locks := []string{"mcp-kept.lock"}
	for _, f := range c.files {
		target := f.path
		if snap, err := rewrite.Read(f.path, maxSize); err == nil {
			target = snap.Target
		}
		locks = append(locks, lockName(target))
	}
	slices.Sort(locks)
	var held []func()
	unlock = func() {
		for _, u := range held {
			u()
		}
	}
	for _, name := range slices.Compact(locks) {
		u, err := rewrite.Lock(ctx, filepath.Join(dir, name))
		if err != nil {
			unlock()
			return nil, err
		}
		held = append(held, u)
	}
	return unlock, nil
}

// named says which of several servers an error is about.
func named(name string, names []string, err error) error {
	if _, ok := errors.AsType[*NotFoundError](err); ok || len(names) == 1 {
		return err
	}
	return fmt.Errorf("%s: %w", quote(name), err)
}

func joinQuoted(names []string) string { return strings.Join(quoteAll(names), ", ") }
