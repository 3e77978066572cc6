package mcpfile

import (
	"errors"
	"strings"
)

// items are the places of what is in the brackets or braces of n.
func (n *tomlNode) items() []item {
	var items []item
	for _, e := range n.keys {
		items = append(items, item{e.from, e.to})
	}
	for _, e := range n.elems {
		items = append(items, item{e.from, e.to})
	}
	return items
}

// insertItem puts an item into brackets or braces, before the first of the items or behind the last.
func (d *tomlDocument) insertItem(n *tomlNode, items []item, where order, entry string) []splice {
	switch {
	case len(items) == 0:
		if n.kind == object && d.text[n.from:n.to] == "{}" {
			entry = " " + entry + " "
		}
		return []splice{{n.from + 1, n.from + 1, entry}}
	case where == first:
		at := items[0].from
		if indent, alone := indentAt(d.text, at); alone {
			return []splice{{at, at, entry + "," + d.end + indent}}
		}
		return []splice{{at, at, entry + ", "}}
	}
	end := items[len(items)-1]
	// What follows the last item, with its comma if it has one and with comments.
	rest := d.text[end.to : n.to-1]
	comma := commaInTOML(rest)
	var splices []splice
	at := end.to + len(strings.TrimRight(rest, space))
	if comma < 0 {
		splices = append(splices, splice{end.to, end.to, ","})
	}
	gap := " "
	indent, alone := indentAt(d.text, end.from)
	switch {
	case alone:
		gap = d.end + indent
	case strings.Contains(d.text[end.to:at], "#"):
		line := d.text[d.lineFrom(end.from):end.from]
		gap = d.end + line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	}
	if comma >= 0 {
		entry += ","
	}
	return append(splices, splice{at, at, gap + entry})
}

// commaInTOML returns the place of the comma in what is between two items, -1 if there is none; one in a comment is none.
func commaInTOML(between string) int {
	for i := 0; i < len(between); i++ {
		switch between[i] {
		case ',':
			return i
		case '#':
			end := strings.IndexByte(between[i:], '\n')
			if end < 0 {
				return -1
			}
			i += end
		}
	}
	return -1
}

// removeItem takes an item out with its comma and the white space that it leaves; comments beside it stay.
func (d *tomlDocument) removeItem(n *tomlNode, items []item, i int) []splice {
	it := items[i]
	if i+1 < len(items) {
		comma := it.to + commaInTOML(d.text[it.to:items[i+1].from])
		if strings.TrimSpace(d.text[it.to:comma]) != "" { // a comment before the comma
			return []splice{{it.from, it.to, ""}, {comma, comma + 1, ""}}
		}
		after := d.text[comma+1:]
		return []splice{{it.from, comma + 1 + len(after) - len(strings.TrimLeft(after, space)), ""}}
	}
	begin := n.from + 1
	if i > 0 {
		begin = items[i-1].to
	}
	before, after := d.text[begin:it.from], d.text[it.to:n.to-1]
	if i == 0 && n.kind == object && before == " " && after == " " {
		return []splice{{begin, n.to - 1, ""}}
	}
	gone := splice{it.from, it.to, ""}
	// The white space before it goes too, unless it ends the line of a comment.
	if strings.HasPrefix(strings.TrimLeft(after, " \t\r"), "\n") || !strings.Contains(before, "#") {
		gone.from = begin + len(strings.TrimRight(before, space))
	}
	if own := commaInTOML(after); own >= 0 { // a trailing comma; the one before it becomes that
		return []splice{gone, {it.to + own, it.to + own + 1, ""}}
	}
	if i > 0 {
		comma := begin + commaInTOML(before)
		return []splice{{comma, comma + 1, ""}, gone}
	}
	return []splice{gone}
}

// list returns a list that stands in one place.
func (d *tomlDocument) list(path []string) (*tomlNode, error) {
	n := d.find(path)
	if n == nil || n.kind != array {
		return nil, errNoList
	}
	if n.to == 0 {
		return nil, errors.New("it is a list of tables")
	}
	return n, nil
}

func (d *tomlDocument) push(path []string, v value) ([]splice, error) {
	n, err := d.list(path)
	if err != nil {
		return nil, err
	}
	entry, err := renderTOML(v)
	if err != nil {
		return nil, err
	}
	splices := d.insertItem(n, n.items(), last, entry)
	want := n.value()
	want.elems = append(want.elems, v)
	if _, err := d.check(splices, d.value.with(path, want), nil); err != nil {
		return nil, err
	}
	return splices, nil
}

func (d *tomlDocument) pull(path []string, i int) ([]splice, error) {
	n, err := d.list(path)
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= len(n.elems) {
		return nil, errors.New("there is no such element")
	}
	splices := d.removeItem(n, n.items(), i)
	want := n.value()
	want.elems = append(want.elems[:i:i], want.elems[i+1:]...)
	if _, err := d.check(splices, d.value.with(path, want), nil); err != nil {
		return nil, err
	}
	return splices, nil
}
