package mcpfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The verbs on one text. Each says of a server what is to be; what is so already is no fault and changes nothing.

var errName = errors.New("a server needs a name, of characters that can be seen")

// add writes an entry that is not there, and then the reference to it.
func (e *editor) add(name string, spec value) error {
	if strings.TrimSpace(name) == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return errName
	}
	keys, err := e.keys(name)
	if err != nil {
		return err
	}
	if len(keys) > 0 {
		return fmt.Errorf("%w: %s", ErrExists, quote(keys[0]))
	}
	key := e.alias(name)
	if err := e.put(e.server(key), spec, last); err != nil {
		return err
	}
	if len(e.layout.Marker.List) > 0 {
		if err := e.liftMarker(key); err != nil {
			return err
		}
	}
	return e.refer(key)
}

// refer adds the reference to a server, unless there is one.
func (e *editor) refer(key string) error {
	name := e.layout.RefsKey
	if name == "" {
		return nil
	}
	ref := "@" + key
	refs, ok := e.model.get(name)
	switch {
	case !ok:
		return e.put([]string{name}, textList([]string{ref}), last)
	case refs.kind != array:
		return fmt.Errorf("%s is no list", quote(name))
	}
	list, _ := refs.texts()
	if slices.Contains(list, ref) || slices.Contains(list, "*") {
		return nil
	}
	return e.push([]string{name}, textValue(ref))
}

// remove takes out all entries of a name.
func (e *editor) remove(name string) error {
	keys, err := e.keys(name)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return &NotFoundError{Name: name}
	}
	for _, key := range keys {
		if len(e.layout.Marker.List) > 0 {
			if err := e.liftMarker(key); err != nil {
				return err
			}
		}
		if err := e.drop(e.server(key)...); err != nil {
			return err
		}
	}
	return nil
}

// forget takes out all that is said of a server elsewhere in the file. The names are those of all servers while it was there.
func (e *editor) forget(name string, names []string) error {
	for _, list := range []string{e.layout.RefsKey, e.layout.AllowedKey} {
		if err := e.unrefer(list, name); err != nil {
			return err
		}
	}
	form := e.layout.Filter
	if form.Switches == "" {
		return nil
	}
	all, _ := e.model.get(form.Switches)
	for _, m := range all.members {
		if server, ok := e.owner(m.name, names); ok && e.alias(server) == e.alias(name) {
			if err := e.drop(form.Switches, m.name); err != nil {
				return err
			}
		}
	}
	return nil
}

// unrefer takes the references to a server out of a list.
func (e *editor) unrefer(list, name string) error {
	if list == "" {
		return nil
	}
	v, _ := e.model.get(list)
	for i, elem := range slices.Backward(v.elems) {
		if elem.kind != text || !refersTo(elem.text, e.alias(name)) {
			continue
		}
		if err := e.pull([]string{list}, i); err != nil {
			return err
		}
	}
	return nil
}

// refersTo reports whether a reference is to a server or to one of its tools.
func refersTo(ref, key string) bool {
	rest, ok := strings.CutPrefix(ref, "@"+key)
	return ok && (rest == "" || rest[0] == '/')
}

// markAll writes the marker into all entries of a name, or lifts it, and touches nothing else.
func (e *editor) markAll(name string, disable bool) error {
	keys, err := e.keys(name)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return &NotFoundError{Name: name}
	}
	mappings := 0
	for _, key := range keys {
		entry, _ := e.model.get(e.server(key)...)
		if entry.kind != object {
			continue // left alone
		}
		mappings++
		if err := e.sound(key); err != nil {
			return err
		}
		change := e.liftMarker
		if disable {
			change = e.setMarker
		}
		if err := change(key); err != nil {
			return err
		}
	}
	if mappings == 0 {
		return fmt.Errorf("%w: %s", ErrMalformed, quote(name))
	}
	return nil
}

// take removes an entry so that it can be put back. It returns the entry, and what undoes the removal in the text that it leaves.
func (e *editor) take(key string) (spec value, undo []splice, err error) {
	spec, ok := e.model.get(e.server(key)...)
	switch {
	case !ok:
		return value{}, nil, &NotFoundError{Name: key}
	case spec.kind != object, !spec.whole():
		return value{}, nil, fmt.Errorf("%w: %s", ErrMalformed, quote(key))
	}
	splices, err := e.doc.drop(e.server(key))
	before := e.text
	if err := e.step(splices, err, e.model.without(e.server(key)...), e.model.prune(e.server(key)...)); err != nil {
		return value{}, nil, err
	}
	return spec, invert(before, splices), nil
}
