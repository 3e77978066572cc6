package mcpfile

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// kind is what a value is.
type kind byte

const (
	object kind = iota + 1
	array
	text
	literal // a number, true, false, null, what TOML has beside, such as a date, or a text with half of a surrogate pair, in its quotes
)

// value is a value of a file in any format. It is never changed: what changes it returns another.
type value struct {
	kind    kind
	members []member // of an object, in the order of the file
	elems   []value  // of an array
	text    string   // of a text what it says, of a literal how it is written
}

type member struct {
	name  string
	value value
}

func textValue(s string) value { return value{kind: text, text: s} }

func boolValue(b bool) value {
	if b {
		return value{kind: literal, text: "true"}
	}
	return value{kind: literal, text: "false"}
}

func textList(list []string) value {
	v := value{kind: array}
	for _, s := range list {
		v.elems = append(v.elems, textValue(s))
	}
	return v
}

// is reports whether v is this boolean, and nothing like it.
func (v value) is(b bool) bool { return v.kind == literal && v.text == boolValue(b).text }

// index returns the place of a member, -1 if there is none.
func (v value) index(name string) int {
	return slices.IndexFunc(v.members, func(m member) bool { return m.name == name })
}

// get returns what is at a path.
func (v value) get(path ...string) (value, bool) {
	for _, name := range path {
		i := v.index(name)
		if v.kind != object || i < 0 {
			return value{}, false
		}
		v = v.members[i].value
	}
	return v, true
}

// all are the values of all members of a name. There may be several in what is not edited here.
func (v value) all(name string) (list []value) {
	for _, m := range v.members {
		if m.name == name {
			list = append(list, m.value)
		}
	}
	return list
}

// texts returns the texts in a list; ok is false if there is anything else in it or v is no list.
func (v value) texts() (list []string, ok bool) {
	list = []string{}
	ok = v.kind == array
	for _, e := range v.elems {
		if e.kind != text {
			ok = false
			continue
		}
		list = append(list, e.text)
	}
	return list, ok
}

// with returns v with a value at a path, whose mappings are made if they are missing.
func (v value) with(path []string, w value) value {
	if len(path) == 0 {
		return w
	}
	members := slices.Clone(v.members)
	if i := v.index(path[0]); i >= 0 {
		members[i].value = members[i].value.with(path[1:], w)
	} else {
		members = append(members, member{path[0], value{kind: object}.with(path[1:], w)})
	}
	v.kind, v.members = object, members
	return v
}

// without returns v without what is at a path.
func (v value) without(path ...string) value {
	i := v.index(path[0])
	if i < 0 {
		return v
	}
	members := slices.Clone(v.members)
	if len(path) == 1 {
		members = slices.Delete(members, i, i+1)
	} else {
		members[i].value = members[i].value.without(path[1:]...)
	}
	v.members = members
	return v
}

// prune is without, for a format where a mapping is there only as long as there is something in it.
func (v value) prune(path ...string) value {
	v = v.without(path...)
	for i := len(path) - 1; i > 0; i-- {
		if o, ok := v.get(path[:i]...); ok && len(o.members) == 0 {
			v = v.without(path[:i]...)
		}
	}
	return v
}

// equal reports whether two values say the same. The order of members says nothing, that of elements does.
func (v value) equal(w value) bool { return v.canonical() == w.canonical() }

// canonical is the same text for values that say the same: JSON but for literals that JSON has not.
func (v value) canonical() string {
	var b strings.Builder
	v.write(&b, true)
	return b.String()
}

// json is v as JSON, in the order of the file.
func (v value) json() string {
	var b strings.Builder
	v.write(&b, false)
	return b.String()
}

func (v value) write(b *strings.Builder, sorted bool) {
	switch v.kind {
	case object:
		members := v.members
		if sorted {
			members = slices.Clone(members)
			slices.SortStableFunc(members, func(a, c member) int { return strings.Compare(a.name, c.name) })
		}
		b.WriteByte('{')
		for i, m := range members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quoteJSON(m.name) + ":")
			m.value.write(b, sorted)
		}
		b.WriteByte('}')
	case array:
		b.WriteByte('[')
		for i, e := range v.elems {
			if i > 0 {
				b.WriteByte(',')
			}
			e.write(b, sorted)
		}
		b.WriteByte(']')
	case text:
		b.WriteString(quoteJSON(v.text))
	default:
		if !sorted && !strings.HasPrefix(v.text, `"`) && !jsontext.Value(v.text).IsValid() { // JSON has no such literal
			b.WriteString(quoteJSON(v.text))
			return
		}
		b.WriteString(v.text)
	}
}

// whole reports whether JSON can say what v says: no text of it has half of a surrogate pair.
func (v value) whole() bool {
	return (v.kind != literal || !strings.HasPrefix(v.text, `"`)) &&
		!slices.ContainsFunc(v.elems, func(e value) bool { return !e.whole() }) &&
		!slices.ContainsFunc(v.members, func(m member) bool { return strings.HasPrefix(m.name, `"`) || !m.value.whole() })
}

func quoteJSON(s string) string {
	quoted, err := jsontext.AppendQuote(nil, s)
	if err != nil { // not UTF-8: it is quoted with what can be said of it
		quoted, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	}
	return string(quoted)
}

// twice returns a name that an object of v has more than once, if it has one. Parsers differ in which one counts.
func (v value) twice() (string, bool) {
	seen := map[string]bool{}
	for _, m := range v.members {
		if seen[m.name] {
			return m.name, true
		}
		seen[m.name] = true
		if name, ok := m.value.twice(); ok {
			return m.name + "." + name, true
		}
	}
	for _, e := range v.elems {
		if name, ok := e.twice(); ok {
			return name, true
		}
	}
	return "", false
}
