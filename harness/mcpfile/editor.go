package mcpfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/acpharness/acpharness/backends"
)

const byteOrderMark = "\uFEFF"

// editor changes a text step by step. After each it reads what it has made and compares that with what was to be, so that a text
// that says anything else never leaves it.
type editor struct {
	layout *backends.MCPFile
	bom    string // the byte order mark, if there is one
	text   string
	doc    document
	model  value
}

var errGarbled = errors.New("the file is written in a way that this edit cannot follow: edit it by hand")

// newEditor reads a text. Names that are there twice in what is edited are refused, since which of them counts depends on the reader.
func newEditor(layout *backends.MCPFile, text string) (*editor, error) {
	e := &editor{layout: layout}
	if rest, ok := strings.CutPrefix(text, byteOrderMark); ok {
		e.bom, text = byteOrderMark, rest
	}
	if !utf8.ValidString(text) {
		return nil, errors.New("it is not UTF-8")
	}
	doc, err := parse(layout.Format, text)
	if err != nil {
		return nil, err
	}
	e.text, e.doc, e.model = text, doc, doc.root()
	var own value
	for _, m := range e.model.members {
		if e.own(m.name) {
			own.members = append(own.members, m)
		}
	}
	if name, ok := own.twice(); ok {
		return nil, fmt.Errorf("%s is there twice", quote(name))
	}
	return e, nil
}

// own reports whether a member of the file is one that is read or edited here.
func (e *editor) own(name string) bool {
	l := e.layout
	return name == l.ServersKey || name != "" && (name == l.RefsKey || name == l.AllowedKey || name == l.IncludeKey || name == l.Filter.Switches) ||
		len(l.Marker.List) > 0 && name == l.Marker.List[0]
}

// bytes is the text with its byte order mark.
func (e *editor) bytes() []byte { return []byte(e.bom + e.text) }

// step takes a step, if it leads to one of the places where it may lead.
func (e *editor) step(splices []splice, err error, models ...value) error {
	if err != nil {
		return err
	}
	text := apply(e.text, splices)
	doc, err := parse(e.layout.Format, text)
	if err != nil || !slices.ContainsFunc(models, doc.root().equal) {
		return errGarbled
	}
	e.text, e.doc, e.model = text, doc, doc.root()
	return nil
}

func (e *editor) put(path []string, v value, where order) error {
	splices, err := e.doc.put(path, v, where)
	return e.step(splices, err, e.model.with(path, v))
}

func (e *editor) drop(path ...string) error {
	splices, err := e.doc.drop(path)
	return e.step(splices, err, e.model.without(path...), e.model.prune(path...))
}

func (e *editor) push(path []string, v value) error {
	list, _ := e.model.get(path...)
	list.elems = append(slices.Clip(list.elems), v)
	splices, err := e.doc.push(path, v)
	return e.step(splices, err, e.model.with(path, list))
}

func (e *editor) pull(path []string, i int) error {
	list, _ := e.model.get(path...)
	list.elems = append(list.elems[:i:i], list.elems[i+1:]...)
	splices, err := e.doc.pull(path, i)
	return e.step(splices, err, e.model.with(path, list))
}

// pad is put before a value that stands where one of ours could stand, so that the two are told apart when ours is taken out.
const pad = "  "

// padded reports whether the value at a path has the pad before it.
func (e *editor) padded(at site) bool { return strings.HasSuffix(e.text[:at.from], pad) }

// addPad puts the pad before a value.
func (e *editor) addPad(at site) error {
	return e.step([]splice{{at.from, at.from, pad}}, nil, e.model)
}

// cutPad takes it away.
func (e *editor) cutPad(at site) error {
	return e.step([]splice{{at.from - len(pad), at.from, ""}}, nil, e.model)
}

// server is the path of an entry, or of a member of it.
func (e *editor) server(path ...string) []string {
	return append([]string{e.layout.ServersKey}, path...)
}

// names are the names of all entries.
func (e *editor) names() []string {
	servers, _ := e.model.get(e.layout.ServersKey)
	var names []string
	for _, m := range servers.members {
		names = append(names, m.name)
	}
	return names
}
