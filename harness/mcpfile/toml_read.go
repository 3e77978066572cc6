package mcpfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

var errPlaces = errors.New("the places of its values are unclear")

// read makes the tree of nodes.
func (d *tomlDocument) read() error {
	var p unstable.Parser
	p.Reset([]byte(d.text))
	section := d.top
	for p.NextExpression() {
		n := p.Expression()
		e := readKey(n)
		e.index = len(d.entries)
		d.entries = append(d.entries, e)
		var err error
		if n.Kind == unstable.KeyValue {
			err = d.add(section, e, n.Value())
		} else {
			section, err = d.open(e, n.Kind == unstable.ArrayTable)
		}
		if err != nil {
			return err
		}
	}
	return p.Error()
}

func readKey(n *unstable.Node) *tomlEntry {
	e := &tomlEntry{from: int(n.Raw.Offset), to: int(n.Raw.Offset + n.Raw.Length)}
	for it := n.Key(); it.Next(); {
		k := it.Node()
		e.names = append(e.names, string(k.Data))
		e.parts = append(e.parts, item{int(k.Raw.Offset), int(k.Raw.Offset + k.Raw.Length)})
	}
	return e
}

// child returns a member, which it makes if it is missing, and notes that e leads to it.
func (n *tomlNode) child(name string, e *tomlEntry) *tomlNode {
	m := n.member(name)
	if m == nil {
		m = &tomlNode{}
		n.names, n.members = append(n.names, name), append(n.members, m)
	}
	m.entries = append(m.entries, e)
	return m
}

// open reads a header and returns the mapping that it begins.
func (d *tomlDocument) open(e *tomlEntry, list bool) (*tomlNode, error) {
	e.header, e.home = true, d.top
	e.from = strings.LastIndexByte(d.text[:e.parts[0].from], '[')
	e.to = e.parts[len(e.parts)-1].to
	e.to += strings.IndexByte(d.text[e.to:], ']') + 1
	if list {
		e.from--
		e.to++
	}
	n := d.top
	for i, name := range e.names {
		n = n.child(name, e)
		if n.kind == 0 && list && i == len(e.names)-1 {
			n.kind = array
		} else if n.kind == 0 {
			n.kind = object
		}
		if n.to > 0 {
			return nil, errPlaces
		}
		if n.kind == array {
			if list && i == len(e.names)-1 {
				n.elems = append(n.elems, &tomlNode{kind: object})
			}
			n = n.elems[len(n.elems)-1]
		}
	}
	n.header = e
	return n, nil
}

// add reads a key and its value.
func (d *tomlDocument) add(home *tomlNode, e *tomlEntry, v *unstable.Node) error {
	e.home = home
	home.keys = append(home.keys, e)
	n := home
	for i, name := range e.names {
		n = n.child(name, e)
		if i == len(e.names)-1 {
			break
		}
		if n.kind == 0 {
			n.kind = object
		}
		if n.kind != object || n.to > 0 {
			return errPlaces
		}
	}
	if n.kind != 0 {
		return errPlaces
	}
	at := e.parts[len(e.parts)-1].to
	at += strings.IndexByte(d.text[at:], '=') + 1
	at += len(d.text[at:]) - len(strings.TrimLeft(d.text[at:], " \t"))
	if err := d.fill(n, v, at); err != nil {
		return err
	}
	if n.to != e.to {
		return fmt.Errorf("%w: %s", errPlaces, strings.Join(e.names, "."))
	}
	return nil
}

// fill reads a value that begins at a place.
func (d *tomlDocument) fill(n *tomlNode, v *unstable.Node, from int) error {
	n.from = from
	n.to = from + int(v.Raw.Length)
	switch v.Kind {
	case unstable.Array:
		n.kind = array
		at := from + 1
		for it := v.Children(); it.Next(); {
			e := &tomlNode{}
			if err := d.fill(e, it.Node(), skipTOML(d.text, at)); err != nil {
				return err
			}
			n.elems = append(n.elems, e)
			at = e.to
		}
		n.to = skipTOML(d.text, at) + 1
	case unstable.InlineTable:
		n.kind = object
		at := from + 1
		for it := v.Children(); it.Next(); {
			e := readKey(it.Node())
			if err := d.add(n, e, it.Node().Value()); err != nil {
				return err
			}
			at = e.to
		}
		n.to = skipTOML(d.text, at) + 1
	case unstable.String:
		n.kind, n.text = text, string(v.Data)
	case unstable.Integer, unstable.Float:
		n.kind, n.text = literal, strings.TrimPrefix(strings.ReplaceAll(string(v.Data), "_", ""), "+")
	default:
		n.kind, n.text = literal, string(v.Data)
	}
	return nil
}

// skipTOML skips what may be between two values of a list or mapping.
func skipTOML(text string, at int) int {
	for at < len(text) {
		switch {
		case strings.IndexByte(space+",", text[at]) >= 0:
			at++
		case text[at] == '#':
			end := strings.IndexByte(text[at:], '\n')
			if end < 0 {
				return len(text)
			}
			at += end
		default:
			return at
		}
	}
	return at
}
