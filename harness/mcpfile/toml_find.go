package mcpfile

import (
	"fmt"
	"strings"
)

// find returns what is at a path, nil if there is nothing; it does not look into lists.
func (d *tomlDocument) find(path []string) *tomlNode {
	n := d.top
	for _, name := range path {
		if n.kind != object {
			return nil
		}
		if n = n.member(name); n == nil {
			return nil
		}
	}
	return n
}

func (d *tomlDocument) at(path []string) (site, bool) {
	n := d.find(path)
	if n == nil || n.to == 0 || len(path) == 0 {
		return site{}, false
	}
	e, parent := n.entries[0], d.find(path[:len(path)-1])
	begin := parent.entries
	if parent == e.home {
		begin = parent.keys
	}
	return site{n.from, n.to, begin[0] == e}, true
}

// holder returns the deepest mapping on the way to a path that is there, and how deep that is.
func (d *tomlDocument) holder(path []string) (n *tomlNode, depth int, err error) {
	n = d.top
	for depth < len(path)-1 {
		next := n.member(path[depth])
		if next == nil {
			break
		}
		n = next
		depth++
		if n.kind != object {
			return nil, 0, fmt.Errorf("%s is no object", strings.Join(path[:depth], "."))
		}
	}
	return n, depth, nil
}

// entriesOf are the headers that lead to n, or the keys.
func (n *tomlNode) entriesOf(header bool) (list []*tomlEntry) {
	for _, e := range n.entries {
		if e.header == header {
			list = append(list, e)
		}
	}
	return list
}

// lineFrom is where the line of a place begins.
func (d *tomlDocument) lineFrom(at int) int { return strings.LastIndexByte(d.text[:at], '\n') + 1 }

// lineTo is where the line of a place ends, with its line end.
func (d *tomlDocument) lineTo(at int) int {
	if i := strings.IndexByte(d.text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(d.text)
}

// above is where the lines of an entry begin, with the comment right above it.
func (d *tomlDocument) above(e *tomlEntry) int {
	limit := 0
	if e.index > 0 {
		limit = d.lineTo(d.entries[e.index-1].to)
	}
	at := d.lineFrom(e.from)
	for at > limit {
		line := d.lineFrom(at - 1)
		if !strings.HasPrefix(strings.TrimLeft(d.text[line:at], " \t"), "#") {
			break
		}
		at = line
	}
	return at
}

// indent is the white space before an entry.
func (d *tomlDocument) indent(e *tomlEntry) string { return d.text[d.lineFrom(e.from):e.from] }

// lastOf is the last entry under the header that an entry is, or is below of.
func (d *tomlDocument) lastOf(e *tomlEntry) *tomlEntry {
	for e.index+1 < len(d.entries) && !d.entries[e.index+1].header {
		e = d.entries[e.index+1]
	}
	return e
}

// after puts lines behind the line of a place. A text without a line end at its end stays so.
func (d *tomlDocument) after(at int, lines string) splice {
	at = d.lineTo(at)
	if at > 0 && d.text[at-1] != '\n' {
		return splice{at, at, d.end + lines}
	}
	return splice{at, at, lines + d.end}
}
