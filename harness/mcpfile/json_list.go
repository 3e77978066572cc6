package mcpfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// item is a member or element: from its first byte to behind its last.
type item struct{ from, to int }

// insertLast puts an item behind the last one of an object or list.
func (d *jsonDocument) insertLast(holder *hujson.Value, items []item, render func(indent string) string) []splice {
	closing := holder.EndOffset - 1
	if len(items) == 0 {
		return d.insertOnly(holder, render)
	}
	end := items[len(items)-1]
	// What follows the last item, with its comma if it has one and with comments.
	rest := d.text[end.to:closing]
	comma := commaIn(rest)
	var splices []splice
	at := end.to + len(strings.TrimRight(rest, space))
	if comma < 0 {
		splices = append(splices, splice{end.to, end.to, ","})
	}
	indent, alone := indentAt(d.text, end.from)
	gap := " "
	switch {
	case alone:
		gap = d.end + indent
	case strings.Contains(d.text[end.to:at], "//"): // a comment to the end of the line
		indent = d.lineIndent(end.from)
		gap = d.end + indent
	case len(items) > 1 && strings.TrimLeft(d.text[items[len(items)-2].to:end.from], ",") == "", len(items) == 1 && d.tight():
		gap = ""
	}
	if !alone {
		indent = d.lineIndent(end.from)
	}
	entry := gap + render(indent)
	if comma >= 0 {
		entry += ","
	}
	return append(splices, splice{at, at, entry})
}

// tight reports whether the text is written without white space.
func (d *jsonDocument) tight() bool {
	o, ok := d.tree.Value.(*hujson.Object)
	return ok && d.indent == "" && d.compact(o)
}

// insertOnly puts the first item into an empty object or list.
func (d *jsonDocument) insertOnly(holder *hujson.Value, render func(indent string) string) []splice {
	closing := holder.EndOffset - 1
	inside := d.text[holder.StartOffset+1 : closing]
	at := holder.StartOffset + 1 + len(strings.TrimRight(inside, space))
	outer := d.lineIndent(holder.StartOffset)
	_, list := holder.Value.(*hujson.Array)
	if d.indent == "" || list && !strings.Contains(inside, "\n") {
		if strings.TrimSpace(inside) == "" && !list { // of a list it would be taken out with its only element
			at = closing
		}
		return []splice{{at, at, render(outer)}}
	}
	entry := d.end + outer + d.indent + render(outer+d.indent)
	if !strings.Contains(d.text[at:closing], "\n") {
		entry += d.end + outer
	}
	return []splice{{at, at, entry}}
}

// commaIn returns the place of the comma in what is between two items, -1 if there is none; one in a comment is none.
func commaIn(between string) int {
	for i := 0; i < len(between); i++ {
		switch {
		case between[i] == ',':
			return i
		case strings.HasPrefix(between[i:], "//"):
			end := strings.IndexByte(between[i:], '\n')
			if end < 0 {
				return -1
			}
			i += end
		case strings.HasPrefix(between[i:], "/*"):
			i += strings.Index(between[i+2:], "*/") + 3
		}
	}
	return -1
}

// removeItem takes an item out with its comma and the white space that it leaves; comments beside it stay.
func (d *jsonDocument) removeItem(holder *hujson.Value, items []item, i int) []splice {
	it := items[i]
	if i+1 < len(items) {
		comma := it.to + commaIn(d.text[it.to:items[i+1].from])
		if strings.TrimSpace(d.text[it.to:comma]) != "" { // a comment before the comma
			return []splice{{it.from, it.to, ""}, {comma, comma + 1, ""}}
		}
		after := d.text[comma+1:]
		return []splice{{it.from, comma + 1 + len(after) - len(strings.TrimLeft(after, space)), ""}}
	}
	begin := holder.StartOffset + 1
	if i > 0 {
		begin = items[i-1].to
	}
	before, after := d.text[begin:it.from], d.text[it.to:holder.EndOffset-1]
	gone := splice{it.from, it.to, ""}
	// The white space before it goes too, unless it ends the line of a comment.
	if strings.HasPrefix(strings.TrimLeft(after, " \t\r"), "\n") || !strings.Contains(before, "//") {
		gone.from = begin + len(strings.TrimRight(before, space))
	}
	if own := commaIn(after); own >= 0 { // a trailing comma; the one before it becomes that
		return []splice{gone, {it.to + own, it.to + own + 1, ""}}
	}
	if i > 0 {
		comma := begin + commaIn(before)
		return []splice{{comma, comma + 1, ""}, gone}
	}
	return []splice{gone}
}

func (d *jsonDocument) drop(path []string) ([]splice, error) {
	o, i, ok := d.find(path)
	if !ok {
		return nil, fmt.Errorf("there is no %s", strings.Join(path, "."))
	}
	holder, _ := d.lookup(path[:len(path)-1])
	return d.removeItem(holder, d.members(o), i), nil
}

var errNoList = errors.New("it is no list")

func (d *jsonDocument) list(path []string) (*hujson.Value, []item, error) {
	holder, ok := d.lookup(path)
	if !ok {
		return nil, nil, errNoList
	}
	a, ok := holder.Value.(*hujson.Array)
	if !ok {
		return nil, nil, errNoList
	}
	items := make([]item, len(a.Elements))
	for j := range a.Elements {
		items[j] = item{a.Elements[j].StartOffset, a.Elements[j].EndOffset}
	}
	return holder, items, nil
}

func (d *jsonDocument) push(path []string, v value) ([]splice, error) {
	holder, items, err := d.list(path)
	if err != nil {
		return nil, err
	}
	return d.insertLast(holder, items, func(indent string) string { return d.render(v, indent) }), nil
}

func (d *jsonDocument) pull(path []string, i int) ([]splice, error) {
	holder, items, err := d.list(path)
	if err != nil {
		return nil, err
	}
	return d.removeItem(holder, items, i), nil
}

// render writes a value as the text around it is written: in lines that begin with indent, or in one line.
func (d *jsonDocument) render(v value, indent string) string {
	if d.indent == "" || v.kind != object || len(v.members) == 0 {
		return d.inline(v)
	}
	var b strings.Builder
	b.WriteString("{")
	for i, m := range v.members {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(d.end + indent + d.indent + quoteJSON(m.name) + ": " + d.render(m.value, indent+d.indent))
	}
	b.WriteString(d.end + indent + "}")
	return b.String()
}

// inline writes a value in one line.
func (d *jsonDocument) inline(v value) string {
	var b strings.Builder
	switch v.kind {
	case object:
		b.WriteString("{")
		for i, m := range v.members {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(quoteJSON(m.name) + ": " + d.inline(m.value))
		}
		b.WriteString("}")
	case array:
		b.WriteString("[")
		for i, e := range v.elems {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(d.inline(e))
		}
		b.WriteString("]")
	default:
		return v.json()
	}
	return b.String()
}
