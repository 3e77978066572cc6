package mcpfile

import (
	"slices"
	"strings"

	"github.com/acpharness/acpharness/backends"
)

// references compares what the agent's file refers to. Anything else in that list is a matter of the start.
func (c *comparison) references() {
	name := c.layout.RefsKey
	old, now, ok := c.lists(name)
	if !ok {
		if name != "" && !sameMember(c.before.model, c.after.model, name) {
			c.note(backends.EditSpawnField, "", name)
		}
		return
	}
	c.each(old, now, func(elem string, added bool) {
		server, isRef := c.referred(elem)
		switch {
		case !isRef:
			c.note(backends.EditSpawnField, "", name)
		case c.comes(server), c.goes(server): // it belongs to that
		case added:
			c.note(backends.EditAddRef, server, elem)
		default:
			c.note(backends.EditRemoveRef, server, elem)
		}
	})
}

// rules compares what may be called without asking.
func (c *comparison) rules() {
	name := c.layout.AllowedKey
	old, now, ok := c.lists(name)
	if !ok {
		if name != "" && !sameMember(c.before.model, c.after.model, name) {
			c.note(backends.EditPermissionRule, "", name)
		}
		return
	}
	c.each(old, now, func(elem string, _ bool) {
		server, isRef := c.referred(elem)
		if isRef && (c.comes(server) || c.goes(server)) {
			return
		}
		if !isRef {
			server = ""
		}
		c.note(backends.EditPermissionRule, server, elem)
	})
}

// lists reads a list of texts from both sides, where a missing one is empty. It reports false if one is anything else.
func (c *comparison) lists(name string) (old, now []string, ok bool) {
	if name == "" {
		return nil, nil, false
	}
	v, had := c.before.model.get(name)
	w, has := c.after.model.get(name)
	old, fine := v.texts()
	now, ok = w.texts()
	return old, now, (fine || !had) && (ok || !has)
}

// each calls fn with what is on one side only.
func (c *comparison) each(old, now []string, fn func(elem string, added bool)) {
	for _, elem := range old {
		if !slices.Contains(now, elem) {
			fn(elem, false)
		}
	}
	for _, elem := range now {
		if !slices.Contains(old, elem) {
			fn(elem, true)
		}
	}
}

// referred finds the server that a reference is to; it reports false for what is no reference to a server.
func (c *comparison) referred(ref string) (string, bool) {
	rest, ok := strings.CutPrefix(ref, "@")
	rest, _, _ = strings.Cut(rest, "/")
	if !ok || rest == "" || reserved(rest) {
		return "", false
	}
	for _, e := range []*editor{c.after, c.before} {
		for _, key := range e.names() {
			if refersTo(ref, e.alias(key)) {
				return key, true
			}
		}
	}
	return rest, true
}

// comes reports whether a server, or another entry of its alias, is added; goes whether one is removed.
func (c *comparison) comes(server string) bool { return c.among(c.comers, server) }
func (c *comparison) goes(server string) bool  { return c.among(c.goers, server) }

func (c *comparison) among(names []string, server string) bool {
	return slices.ContainsFunc(names, func(key string) bool { return key == server || c.after.alias(key) == c.after.alias(server) })
}

// switches compares what the file says of single tools by the names that the model knows them by.
func (c *comparison) switches() {
	name := c.layout.Filter.Switches
	if name == "" {
		return
	}
	old, had := c.before.model.get(name)
	now, has := c.after.model.get(name)
	if (had && old.kind != object || has && now.kind != object) && !sameMember(c.before.model, c.after.model, name) {
		c.note(backends.EditSpawnField, "", name)
	}
	for _, key := range both(old, now) {
		if sameMember(old, now, key) {
			continue
		}
		server, ok := c.after.switched(key)
		if !ok {
			server, ok = c.before.switched(key)
		}
		switch {
		case !ok:
			c.note(backends.EditSpawnField, "", name)
		case c.comes(server), c.goes(server):
		default:
			c.note(backends.EditToolFilter, server, "")
		}
	}
}

// rest compares everything else.
func (c *comparison) rest() {
	for _, name := range both(c.before.model, c.after.model) {
		switch name {
		case c.layout.ServersKey:
			old, had := c.before.model.get(name)
			now, has := c.after.model.get(name)
			if (had && old.kind != object || has && now.kind != object) && !sameMember(c.before.model, c.after.model, name) {
				c.note(backends.EditSpawnField, "", name)
			}
			continue
		case c.layout.RefsKey, c.layout.AllowedKey, c.layout.Filter.Switches:
			continue
		}
		old, now := c.before.model, c.after.model
		if list := c.layout.Marker.List; len(list) > 0 && list[0] == name {
			old, now = c.unmarked(old, list), c.unmarked(now, list)
		}
		if !slices.EqualFunc(old.all(name), now.all(name), value.equal) {
			c.note(backends.EditSpawnField, "", name)
		}
	}
}

// unmarked is a file without the markers of the servers of either side. What the list has beside them is compared like anything else.
func (c *comparison) unmarked(file value, path []string) value {
	list, ok := file.get(path...)
	if !ok || list.kind != array {
		return file
	}
	kept := value{kind: array}
	for _, v := range list.elems {
		if v.kind != text || !slices.Contains(c.before.names(), v.text) && !slices.Contains(c.after.names(), v.text) {
			kept.elems = append(kept.elems, v)
		}
	}
	file = file.with(path, kept)
	for i := len(path); i > 0; i-- { // an empty list says nothing
		if v, _ := file.get(path[:i]...); len(v.members)+len(v.elems) > 0 {
			break
		}
		file = file.without(path[:i]...)
	}
	return file
}

// both are the names of the members of two objects.
func both(a, b value) []string {
	var names []string
	for _, m := range append(slices.Clone(a.members), b.members...) {
		if !slices.Contains(names, m.name) {
			names = append(names, m.name)
		}
	}
	return names
}
