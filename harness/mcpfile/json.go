package mcpfile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

// jsonDocument is a JSON text, with comments or without.
type jsonDocument struct {
	text   string
	tree   hujson.Value
	value  value
	indent string // one step of it, empty if the text is in one line
	end    string // of a line
}

var errGone = errors.New("the place of the entry is gone")

var errComments = errors.New("there are comments or trailing commas, which the agent does not read")

func parseJSON(text string, comments bool) (*jsonDocument, error) {
	if tooDeep(text) {
		return nil, errDepth
	}
	tree, err := hujson.Parse([]byte(text + "\n")) // it wants an end of a comment's line, which agents do not
	if err != nil {
		fault, _, _ := strings.Cut(err.Error(), "literal: ") // it goes on with the literal, which may be a secret
		return nil, errors.New(strings.TrimPrefix(fault, "hujson: "))
	}
	if !comments && !tree.IsStandard() {
		return nil, errComments
	}
	d := &jsonDocument{text: text, tree: tree, end: lineEnd(text)}
	d.value = jsonValue(&tree)
	if d.value.kind != object {
		return nil, errors.New("it is no object")
	}
	d.indent = d.step()
	return d, nil
}

func (d *jsonDocument) root() value { return d.value }

func jsonValue(v *hujson.Value) value {
	switch t := v.Value.(type) {
	case *hujson.Object:
		o := value{kind: object}
		for i := range t.Members {
			m := &t.Members[i]
			o.members = append(o.members, member{jsonName(m), jsonValue(&m.Value)})
		}
		return o
	case *hujson.Array:
		a := value{kind: array}
		for i := range t.Elements {
			a.elems = append(a.elems, jsonValue(&t.Elements[i]))
		}
		return a
	case hujson.Literal:
		if t.Kind() == '"' && !halved(t) {
			return textValue(t.String())
		}
		return value{kind: literal, text: string(t)}
	default:
		return value{}
	}
}

// jsonName is the name of a member, as it is written if nothing else can stand for it.
func jsonName(m *hujson.ObjectMember) string {
	name := m.Name.Value.(hujson.Literal)
	if halved(name) {
		return string(name)
	}
	return name.String()
}

// halved reports whether a text has half of a surrogate pair, as "\ud800". All of them would be read as the same character.
func halved(l hujson.Literal) bool {
	return bytes.Contains(l, []byte(`\u`)) && !jsontext.Value(l).IsValid()
}

// step finds how deep the first nested line is indented.
func (d *jsonDocument) step() string {
	if !strings.Contains(strings.TrimRight(d.text, space), "\n") {
		if len(d.value.members) > 0 {
			return ""
		}
		return "  "
	}
	if o, ok := d.tree.Value.(*hujson.Object); ok && len(o.Members) > 0 {
		if indent, ok := indentAt(d.text, o.Members[0].Name.StartOffset); ok && indent != "" {
			return indent
		}
	}
	return "  "
}

// find returns the member at a path with its object.
func (d *jsonDocument) find(path []string) (o *hujson.Object, i int, ok bool) {
	v := &d.tree
	for depth, name := range path {
		if o, ok = v.Value.(*hujson.Object); !ok {
			return nil, 0, false
		}
		i = -1
		for j := range o.Members {
			if jsonName(&o.Members[j]) == name {
				i = j
			}
		}
		if i < 0 {
			return nil, 0, false
		}
		if depth < len(path)-1 {
			v = &o.Members[i].Value
		}
	}
	return o, i, o != nil
}

func (d *jsonDocument) at(path []string) (site, bool) {
	o, i, ok := d.find(path)
	if !ok {
		return site{}, false
	}
	v := &o.Members[i].Value
	return site{v.StartOffset, v.EndOffset, i == 0}, true
}

// lookup returns the value at a path, the whole if it is empty.
func (d *jsonDocument) lookup(path []string) (*hujson.Value, bool) {
	if len(path) == 0 {
		return &d.tree, true
	}
	o, i, ok := d.find(path)
	if !ok {
		return nil, false
	}
	return &o.Members[i].Value, true
}

func (d *jsonDocument) put(path []string, v value, where order) ([]splice, error) {
	if at, ok := d.at(path); ok {
		indent := d.lineIndent(at.from)
		return []splice{{at.from, at.to, d.render(v, indent)}}, nil
	}
	parent := path[:len(path)-1]
	holder, ok := d.lookup(parent)
	for !ok {
		v = value{kind: object, members: []member{{path[len(path)-1], v}}}
		path, parent = parent, parent[:len(parent)-1]
		holder, ok = d.lookup(parent)
	}
	o, ok := holder.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%s is no object", strings.Join(parent, "."))
	}
	name := path[len(path)-1]
	if where == first {
		return d.insertFirst(holder, o, name, v), nil
	}
	return d.insertLast(holder, d.members(o), func(indent string) string {
		return quoteJSON(name) + d.colon(o) + d.render(v, indent)
	}), nil
}

// insertFirst puts a member where the first one begins, so that taking it out again leaves every byte as it was.
func (d *jsonDocument) insertFirst(holder *hujson.Value, o *hujson.Object, name string, v value) []splice {
	entry := quoteJSON(name) + d.colon(o) + d.inline(v)
	if len(o.Members) == 0 {
		return []splice{{holder.StartOffset + 1, holder.StartOffset + 1, entry}}
	}
	return []splice{d.before(holder, o, 0, entry)}
}

// before puts a member before another one.
func (d *jsonDocument) before(holder *hujson.Value, o *hujson.Object, i int, entry string) splice {
	at := o.Members[i].Name.StartOffset
	gap := " "
	indent, alone := indentAt(d.text, at)
	switch {
	case alone && strings.Contains(d.text[holder.StartOffset:at], "\n"):
		gap = d.end + indent
	case d.compact(o):
		gap = ""
	}
	return splice{at, at, entry + "," + gap}
}

func (d *jsonDocument) member(path []string) string {
	o, i, ok := d.find(path)
	if !ok {
		return ""
	}
	return d.text[o.Members[i].Name.StartOffset:o.Members[i].Value.EndOffset]
}

func (d *jsonDocument) restore(parent []string, text string, prev, next []string) ([]splice, error) {
	holder, ok := d.lookup(parent)
	if !ok {
		return nil, errGone
	}
	o, ok := holder.Value.(*hujson.Object)
	if !ok {
		return nil, errGone
	}
	names := make([]string, len(o.Members))
	for i := range o.Members {
		names[i] = jsonName(&o.Members[i])
	}
	if i := between(names, prev, next); i < len(names) {
		return []splice{d.before(holder, o, i, text)}, nil
	}
	return d.insertLast(holder, d.members(o), func(string) string { return text }), nil
}

func (d *jsonDocument) members(o *hujson.Object) []item {
	items := make([]item, len(o.Members))
	for i := range o.Members {
		items[i] = item{o.Members[i].Name.StartOffset, o.Members[i].Value.EndOffset}
	}
	return items
}

// compact reports whether the members of an object are written without white space.
func (d *jsonDocument) compact(o *hujson.Object) bool {
	return len(o.Members) > 0 && len(o.Members[0].Value.BeforeExtra) == 0
}

func (d *jsonDocument) colon(o *hujson.Object) string {
	if d.compact(o) {
		return ":"
	}
	return ": "
}

// lineIndent is the indentation of the line of a place.
func (d *jsonDocument) lineIndent(at int) string {
	line := d.text[strings.LastIndexByte(d.text[:at], '\n')+1 : at]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}
