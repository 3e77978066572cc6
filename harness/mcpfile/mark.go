package mcpfile

import (
	"fmt"
	"slices"
)

// A marker is written so that lifting it gives back every byte. One that was not there becomes the first member of its entry, where
// people rarely write it, and is taken out again; one that was there changes its value, and has the pad before it if it is first. The
// same goes for the list of a marker that is a list, and for what that list is in.

// disabled reports whether an entry has the marker.
func (e *editor) disabled(key string) bool {
	m := e.layout.Marker
	if len(m.List) > 0 {
		list, _ := e.model.get(m.List...)
		return slices.ContainsFunc(list.elems, func(v value) bool { return v.kind == text && v.text == key })
	}
	v, ok := e.model.get(e.server(key, m.Key)...)
	return ok && m.Key != "" && v.is(m.Value)
}

// sound refuses an entry whose marker is no boolean: who knows what that does, and it would be lost.
func (e *editor) sound(key string) error {
	m := e.layout.Marker
	v, ok := e.model.get(e.server(key, m.Key)...)
	if m.Key != "" && ok && !v.is(true) && !v.is(false) {
		return fmt.Errorf("%w: %s", ErrMalformed, quote(key))
	}
	return nil
}

// setMarker writes the marker of an entry.
func (e *editor) setMarker(key string) error {
	m := e.layout.Marker
	switch {
	case e.disabled(key):
		return nil
	case len(m.List) > 0:
		return e.list(m.List, key)
	}
	path := e.server(key, m.Key)
	at, there := e.doc.at(path)
	if there && at.first {
		if err := e.addPad(at); err != nil {
			return err
		}
	}
	return e.put(path, boolValue(m.Value), first)
}

// liftMarker takes the marker of an entry away.
func (e *editor) liftMarker(key string) error {
	m := e.layout.Marker
	switch {
	case !e.disabled(key):
		return nil
	case len(m.List) > 0:
		return e.unlist(m.List, key)
	}
	path := e.server(key, m.Key)
	at, ok := e.doc.at(path)
	if ok && at.first && !e.padded(at) {
		return e.drop(path...)
	}
	if err := e.put(path, boolValue(!m.Value), first); err != nil || !at.first {
		return err
	}
	return e.cutPad(at)
}

// list puts a name into a list of names.
func (e *editor) list(path []string, name string) error {
	for i := range path {
		v, ok := e.model.get(path[:i+1]...)
		at, _ := e.doc.at(path[:i+1])
		if !ok || len(v.members)+len(v.elems) > 0 || !at.first {
			continue
		}
		if err := e.addPad(at); err != nil {
			return err
		}
	}
	if _, ok := e.model.get(path...); ok {
		return e.push(path, textValue(name))
	}
	return e.put(path, textList([]string{name}), first)
}

// unlist takes a name out of a list, and the list out of the file if it was made for that.
func (e *editor) unlist(path []string, name string) error {
	list, _ := e.model.get(path...)
	for i, v := range slices.Backward(list.elems) {
		if v.kind == text && v.text == name {
			if err := e.pull(path, i); err != nil {
				return err
			}
		}
	}
	for i := len(path); i > 0; i-- {
		part := path[:i]
		v, _ := e.model.get(part...)
		at, ok := e.doc.at(part)
		switch {
		case !ok || len(v.members)+len(v.elems) > 0 || !at.first:
			return nil
		case e.padded(at):
			return e.cutPad(at)
		}
		if err := e.drop(part...); err != nil {
			return err
		}
	}
	return nil
}
