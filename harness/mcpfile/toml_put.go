package mcpfile

import (
	"errors"
	"slices"
	"strings"
)

var errRisk = errors.New("it cannot be written without a risk for what is around it")

func (d *tomlDocument) put(path []string, v value, where order) ([]splice, error) {
	if len(path) == 0 {
		return nil, errRisk
	}
	old := d.find(path)
	if old != nil && old.to == 0 {
		return d.replaceSpread(path, v, where)
	}
	var splices []splice
	var err error
	var top []string // the path of what is new
	if old != nil {
		var s string
		s, err = renderTOML(v)
		splices = []splice{{old.from, old.to, s}}
	} else {
		var n *tomlNode
		var depth int
		if n, depth, err = d.holder(path); err != nil {
			return nil, err
		}
		top = path[:depth+1]
		splices, err = d.insert(n, path, depth, v, where)
	}
	if err != nil {
		return nil, err
	}
	after, err := d.check(splices, d.value.with(path, v), nil)
	if err != nil {
		return nil, err
	}
	if where == first && top != nil {
		// Who puts a member first wants to take it out again without a trace.
		back, err := after.remove(top)
		if err != nil || apply(after.text, back) != d.text {
			return nil, errRisk
		}
	}
	return splices, nil
}

// replaceSpread puts a value where a mapping or list is that does not stand in one place.
func (d *tomlDocument) replaceSpread(path []string, v value, where order) ([]splice, error) {
	gone, err := d.drop(path)
	if err != nil {
		return nil, err
	}
	rest, err := parseTOML(apply(d.text, gone))
	if err != nil {
		return nil, err
	}
	splices, err := rest.put(path, v, where)
	if err != nil {
		return nil, err
	}
	return difference(d.text, apply(rest.text, splices)), nil
}

// insert puts what is missing below a mapping.
func (d *tomlDocument) insert(n *tomlNode, path []string, depth int, v value, where order) ([]splice, error) {
	rest := path[depth:]
	large := v.kind == object || len(rest) > 1
	headers, keys := n.entriesOf(true), n.entriesOf(false)
	switch {
	case n.braced():
		line, err := renderPair(keyTOML(rest[0]), wrap(rest[1:], v))
		if err != nil {
			return nil, err
		}
		return d.insertItem(n, n.items(), where, line), nil
	case large && n.header != nil && depth > 1: // a part of a server belongs to its lines
		line, err := renderPair(keyTOML(rest[0]), wrap(rest[1:], v))
		if err != nil {
			return nil, err
		}
		return []splice{d.insertLine(n, line, where)}, nil
	case large && (n == d.top || len(headers) > 0):
		return d.insertTable(n, path, v)
	case n == d.top || n.header != nil:
		line, err := renderPair(keyTOML(rest[0]), v)
		if err != nil {
			return nil, err
		}
		return []splice{d.insertLine(n, line, where)}, nil
	case len(keys) > 0:
		return d.insertDotted(n, keys, path, depth, v, where)
	default:
		return d.insertImplicit(n, path, v, where)
	}
}

// wrap makes the mappings of a path around a value.
func wrap(path []string, v value) value {
	for _, name := range slices.Backward(path) {
		v = value{kind: object, members: []member{{name, v}}}
	}
	return v
}

// insertLine puts a line below the header of a mapping, or above all headers.
func (d *tomlDocument) insertLine(n *tomlNode, line string, where order) splice {
	switch {
	case n == d.top && len(n.keys) == 0:
		if d.text != "" {
			line += d.end
		}
		return splice{0, 0, line + d.end}
	case n == d.top && where == first:
		at := d.above(n.keys[0])
		return splice{at, at, d.indent(n.keys[0]) + line + d.end}
	case len(n.keys) == 0:
		return d.after(n.header.to, d.indent(n.header)+line)
	case where == first:
		return d.after(n.header.to, d.indent(n.keys[0])+line)
	default:
		end := n.keys[len(n.keys)-1]
		return d.after(end.to, d.indent(end)+line)
	}
}

// insertTable puts a header with its lines behind all that belongs to a mapping.
func (d *tomlDocument) insertTable(n *tomlNode, path []string, v value) ([]splice, error) {
	if v.kind != object {
		path, v = path[:len(path)-1], wrap(path[len(path)-1:], v)
	}
	lines, err := d.renderTable(path, v)
	if err != nil {
		return nil, err
	}
	switch {
	case d.text == "":
		return []splice{{0, 0, lines + d.end}}, nil
	case n == d.top:
		return []splice{d.after(len(d.text), d.end+lines)}, nil
	default:
		return []splice{d.after(d.lastOf(n.entries[len(n.entries)-1]).to, d.end+lines)}, nil
	}
}

// insertDotted puts a key beside those that make a mapping.
func (d *tomlDocument) insertDotted(n *tomlNode, keys []*tomlEntry, path []string, depth int, v value, where order) ([]splice, error) {
	e := keys[0]
	if where == last {
		e = keys[len(keys)-1]
	}
	// How many parts of the key lead to the mapping: the last of them is the last name of its path.
	part := -1
	for i, m := 0, e.home; i < len(e.names) && m != n; i++ {
		m = m.member(e.names[i])
		part = i
	}
	if part < 0 {
		return nil, errRisk
	}
	prefix := d.text[e.from:e.parts[part].to]
	line, err := renderPair(prefix+"."+dotted(path[depth:]), v)
	if err != nil {
		return nil, err
	}
	if e.home.braced() {
		items := e.home.items()
		i := slices.Index(e.home.keys, e)
		if where == first {
			return d.insertItem(e.home, items[i:], first, line), nil
		}
		if i+1 < len(items) {
			return d.insertItem(e.home, items[i+1:], first, line), nil
		}
		return d.insertItem(e.home, items, last, line), nil
	}
	line = d.indent(e) + line
	if where == first {
		at := d.above(e)
		return []splice{{at, at, line + d.end}}, nil
	}
	return []splice{d.after(e.to, line)}, nil
}

// insertImplicit puts a member into a mapping that is there only because of headers below it.
func (d *tomlDocument) insertImplicit(n *tomlNode, path []string, v value, where order) ([]splice, error) {
	e := n.entries[0]
	if where == last {
		lines, err := d.renderTable(path[:len(path)-1], wrap(path[len(path)-1:], v))
		if err != nil {
			return nil, err
		}
		at := d.above(e)
		return []splice{{at, at, lines + d.end + d.end}}, nil
	}
	// A header would stay when the member goes again. A dotted key does not, but it must come before the headers.
	above, depth := d.top, 0
	for i := 1; i < len(path)-1; i++ {
		if m := d.find(path[:i]); m.header != nil {
			above, depth = m, i
		}
	}
	if above.header != nil && above.header.index > e.index {
		return nil, errRisk
	}
	line, err := renderPair(dotted(path[depth:]), v)
	if err != nil {
		return nil, err
	}
	return []splice{d.insertLine(above, line, first)}, nil
}

// difference is the one splice that makes one text of another.
func difference(from, to string) []splice {
	head := 0
	for head < len(from) && head < len(to) && from[head] == to[head] {
		head++
	}
	tail := 0
	for tail < len(from)-head && tail < len(to)-head && from[len(from)-1-tail] == to[len(to)-1-tail] {
		tail++
	}
	return []splice{{head, len(from) - tail, to[head : len(to)-tail]}}
}

// check makes sure that the splices make what they are to make. The mappings on the way to the path gone may be gone with it.
func (d *tomlDocument) check(splices []splice, want value, gone []string) (*tomlDocument, error) {
	after, err := parseTOML(apply(d.text, splices))
	if err != nil {
		return nil, errors.Join(errRisk, errors.New(strings.ReplaceAll(err.Error(), "\n", " ")))
	}
	for len(gone) > 1 && !after.value.equal(want) {
		gone = gone[:len(gone)-1]
		if parent, ok := want.get(gone...); ok && parent.kind == object && len(parent.members) == 0 {
			want = want.without(gone...)
		}
	}
	if !after.value.equal(want) {
		return nil, errRisk
	}
	return after, nil
}
