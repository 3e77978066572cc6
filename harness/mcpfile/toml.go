package mcpfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// tomlDocument is a TOML text.
type tomlDocument struct {
	text    string
	end     string // of a line
	top     *tomlNode
	entries []*tomlEntry // the headers and the keys that are outside of any braces
	value   value
}

// tomlNode is a value with its places in the text.
type tomlNode struct {
	kind     kind
	text     string // of a text what it says, of a literal how it is written
	from, to int    // of a value that stands in one place; to is 0 for a mapping or list that is spread over headers or dotted keys
	names    []string
	members  []*tomlNode
	elems    []*tomlNode
	entries  []*tomlEntry // what leads to it or through it
	header   *tomlEntry   // its own
	keys     []*tomlEntry // within its braces or below its header
}

// tomlEntry is a header, or a key with its value.
type tomlEntry struct {
	from, to int
	names    []string // the parts of the key
	parts    []item   // where they are
	header   bool
	home     *tomlNode // what a key counts from: the mapping of the header above it or of the braces around it
	index    int       // among the entries of the document
}

func parseTOML(text string) (*tomlDocument, error) {
	if tooDeepTOML(text) {
		return nil, errDepth
	}
	// The parser that knows the places does not mind keys that are there twice.
	var all map[string]any
	if err := toml.Unmarshal([]byte(text), &all); err != nil {
		if at, ok := errors.AsType[*toml.DecodeError](err); ok {
			row, column := at.Position()
			return nil, fmt.Errorf("line %d, column %d: %s", row, column, tomlFault(at))
		}
		return nil, errors.New(tomlFault(err))
	}
	d := &tomlDocument{text: text, end: lineEnd(text), top: &tomlNode{kind: object}}
	if err := d.read(); err != nil {
		return nil, err
	}
	d.value = d.top.value()
	return d, nil
}

// tomlFault is what is wrong without what was read, which may be a secret.
func tomlFault(err error) string {
	fault, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "toml: "), "parsing")
	return strings.TrimRight(fault, ": ")
}

func (d *tomlDocument) root() value { return d.value }

func (n *tomlNode) value() value {
	v := value{kind: n.kind, text: n.text}
	for i, m := range n.members {
		v.members = append(v.members, member{n.names[i], m.value()})
	}
	for _, e := range n.elems {
		v.elems = append(v.elems, e.value())
	}
	return v
}

func (n *tomlNode) member(name string) *tomlNode {
	for i := range n.names {
		if n.names[i] == name {
			return n.members[i]
		}
	}
	return nil
}

// braced reports whether n is an inline table.
func (n *tomlNode) braced() bool { return n.kind == object && n.to > 0 }
