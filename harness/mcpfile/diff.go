package mcpfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acpharness/acpharness/backends"
)

// Diff is what two states of a file differ in. The zero value says that they do not.
type Diff struct {
	// Unknown says why it is not known what they differ in; then there are no changes, and that says nothing.
	Unknown error
	// Changes are the edits that lead from one to the other, one for each server and kind: entries first, in the order of the file.
	Changes []Change
}

// Change is one edit.
type Change struct {
	Edit backends.Edit
	// Server is the name of the entry, empty if the edit is about none.
	Server string
	// Detail names what was edited: a reference, a rule, a member of the file. It is never a value of one.
	Detail string
}

func (c Change) String() string {
	return strings.TrimSpace(strings.TrimSpace(string(c.Edit)+" "+c.Server) + " " + c.Detail)
}

// Empty reports whether it is known that nothing differs.
func (d *Diff) Empty() bool { return d.Unknown == nil && len(d.Changes) == 0 }

// Reconcilable are the changes that a running agent may follow, if it is one that does.
func (d *Diff) Reconcilable() []Change {
	return slices.DeleteFunc(slices.Clone(d.Changes), func(c Change) bool { return c.Edit == backends.EditSpawnField })
}

// SpawnOnly are the changes that only a new process knows of.
func (d *Diff) SpawnOnly() []Change {
	return slices.DeleteFunc(slices.Clone(d.Changes), func(c Change) bool { return c.Edit != backends.EditSpawnField })
}

// Compare finds the edits that lead from one state of a file to a later one of the same file.
func Compare(before, after *State) Diff {
	switch {
	case before.err != nil:
		return Diff{Unknown: fmt.Errorf("cannot tell what has changed: the file could not be read before: %w", before.err)}
	case after.err != nil:
		return Diff{Unknown: fmt.Errorf("cannot tell what has changed: %w", after.err)}
	}
	c := &comparison{before: before.ed, after: after.ed, layout: after.ed.layout}
	c.entries()
	c.references()
	c.rules()
	c.switches()
	c.rest()
	return Diff{Changes: c.changes}
}

// comparison collects changes.
type comparison struct {
	before, after *editor
	layout        *backends.MCPFile
	changes       []Change
	comers, goers []string // the names that are added, and removed
}

func (c *comparison) note(edit backends.Edit, server, detail string) {
	change := Change{edit, server, detail}
	if !slices.Contains(c.changes, change) {
		c.changes = append(c.changes, change)
	}
}

func (c *comparison) entries() {
	had, have := c.before.names(), c.after.names()
	for _, key := range had {
		if !slices.Contains(have, key) {
			c.goers = append(c.goers, key)
			c.note(backends.EditRemove, key, "")
		}
	}
	for _, key := range have {
		if !slices.Contains(had, key) {
			c.comers = append(c.comers, key)
			c.note(backends.EditAdd, key, "")
			continue
		}
		c.entry(key)
	}
}

// entry compares what a server was with what it is.
func (c *comparison) entry(key string) {
	old, _ := c.before.model.get(c.before.server(key)...)
	now, _ := c.after.model.get(c.after.server(key)...)
	switch was, is := c.before.disabled(key), c.after.disabled(key); {
	case !was && is:
		c.note(backends.EditDisable, key, "")
	case was && !is:
		c.note(backends.EditEnable, key, "")
	}
	form := c.layout.Filter
	if !sameList(old, now, form.Include) || !sameSet(old, now, form.Exclude) {
		c.note(backends.EditToolFilter, key, "")
	}
	for _, rule := range c.layout.RuleKeys {
		if !sameMember(old, now, rule) {
			c.note(backends.EditPermissionRule, key, rule)
		}
	}
	if !c.core(old).equal(c.core(now)) {
		c.note(backends.EditChangeTransport, key, "")
	}
}

// core is an entry without what has edits of its own. A marker that is no boolean stays: who knows what it does.
func (c *comparison) core(entry value) value {
	if entry.kind != object {
		return entry
	}
	if v, ok := entry.get(c.layout.Marker.Key); ok && c.layout.Marker.Key != "" && (v.is(true) || v.is(false)) {
		entry = entry.without(c.layout.Marker.Key)
	}
	for _, key := range append([]string{c.layout.Filter.Include, c.layout.Filter.Exclude}, c.layout.RuleKeys...) {
		if key != "" {
			entry = entry.without(key)
		}
	}
	return entry
}

// sameMember compares a member of two entries.
func sameMember(a, b value, name string) bool {
	v, had := a.get(name)
	w, has := b.get(name)
	return name == "" || had == has && v.equal(w)
}

// sameList compares lists of which an empty one is not the same as none.
func sameList(a, b value, name string) bool {
	v, had := a.get(name)
	w, has := b.get(name)
	old, ok := v.texts()
	now, fine := w.texts()
	if name != "" && had && has && ok && fine {
		return sameNames(old, now) && (len(old) == 0) == (len(now) == 0)
	}
	return sameMember(a, b, name)
}

// sameSet compares lists of which an empty one is the same as none.
func sameSet(a, b value, name string) bool {
	v, had := a.get(name)
	w, has := b.get(name)
	old, ok := v.texts()
	now, fine := w.texts()
	if name != "" && (ok || !had) && (fine || !has) {
		return sameNames(old, now)
	}
	return sameMember(a, b, name)
}
