package backends

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// userMembers are the members that a description may have.
func userMembers() []string {
	return []string{"id", "name", "command", "args", "env", "scrub", "protocolVersion", "agentNames", "mcpFile"}
}

// trustWords are members that somebody may hope to be trusted by.
func trustWords() []string {
	return []string{"trust", "hotReload", "mcpConfigHotReload", "overrides", "evidence", "observed", "verified"}
}

// reservedIDs are what a description cannot be called, beside what built-in agents are: words that mean something where an id stands.
func reservedIDs() []string {
	return []string{"all", "any", "default", "mock", "none", "unknown", "user"}
}

// userReader reads a description, and collects what is wrong with it.
type userReader struct{ faults []error }

func (r *userReader) fault(where, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if where != "" {
		text = where + ": " + text
	}
	r.faults = append(r.faults, errors.New(text))
}

func parseUser(text []byte) (UserBackend, []error) {
	u := UserBackend{Descriptor: Descriptor{
		ProtocolVersion: "1",
		Install:         Install{Hint: "the instructions of its maker"},
		Trust:           noTrust(userReason),
		Observed:        Observation{Note: userReason},
	}}
	root, err := readTree(text)
	if err != nil {
		return u, []error{err}
	}
	r := &userReader{}
	if root.kind != jsontext.KindBeginObject {
		r.fault("", "want an object, have %v", root)
		return u, r.faults
	}
	d := &u.Descriptor
	members := r.members("", root, userMembers())
	r.readID(d, members)
	d.Name = d.ID
	if n, ok := members["name"]; ok {
		if d.Name = r.text("name", n); n.kind == jsontext.KindString && strings.TrimSpace(d.Name) == "" {
			r.fault("name", "it is blank")
		}
	}
	r.readCommand(d, members)
	r.readEnv(d, members)
	r.readNames(d, members)
	r.readProtocol(d, members)
	r.readMCPFile(&u, members)
	return u, r.faults
}

// members returns the members of an object by name, the first of each. A nil known allows all names.
func (r *userReader) members(where string, n node, known []string) map[string]node {
	found := map[string]node{}
	for _, m := range n.members {
		path := shown(m.name)
		if where != "" {
			path = where + "." + path
		}
		if _, twice := found[m.name]; twice {
			r.fault(path, "it is there twice")
			continue
		}
		found[m.name] = m.value
		switch {
		case known == nil || slices.Contains(known, m.name):
		case slices.ContainsFunc(trustWords(), func(word string) bool { return strings.EqualFold(word, m.name) }):
			r.fault(path, "there is no such member: a file cannot grant trust")
		default:
			r.fault(path, "there is no such member%s", meant(m.name, known))
		}
	}
	return found
}

// meant suggests the member that was meant.
func meant(name string, known []string) string {
	if len(name) > longestTypo {
		return ""
	}
	for _, k := range known {
		if strings.EqualFold(k, name) || distance(name, k) <= 2 && len(name) > 3 {
			return fmt.Sprintf(": did you mean %q?", k)
		}
	}
	return ": there are " + strings.Join(known, ", ")
}

// text returns a string.
func (r *userReader) text(where string, n node) string {
	if n.kind != jsontext.KindString {
		r.fault(where, "want a string, have %v", n)
		return ""
	}
	if strings.ContainsRune(n.text, 0) {
		r.fault(where, "it contains a NUL")
	}
	return n.text
}

// list returns a list of strings. Elements that are none are left out.
func (r *userReader) list(where string, n node) (texts []string) {
	if n.kind != jsontext.KindBeginArray {
		r.fault(where, "want a list of strings, have %v", n)
		return nil
	}
	for i, elem := range n.elems {
		text := r.text(at(where, i), elem)
		if elem.kind == jsontext.KindString {
			texts = append(texts, text)
		}
	}
	return texts
}

func (r *userReader) readID(d *Descriptor, members map[string]node) {
	n, ok := members["id"]
	if !ok {
		r.fault("id", "it is missing")
		return
	}
	id := r.text("id", n)
	switch {
	case n.kind != jsontext.KindString:
	case !isID(id):
		r.fault("id", "%q is not lower-case letters, digits and dashes, a letter first", clip(id))
	case len(id) > longestTypo:
		r.fault("id", "it is longer than %d letters", longestTypo)
	default:
		d.ID = id
		taken := slices.Contains(reservedIDs(), id)
		for known := range All() {
			taken = taken || known.ID == id || slices.Contains(known.Aliases, id)
		}
		if taken {
			r.fault("id", "%q is reserved", id)
		}
	}
}

// at is the name of an element.
func at(where string, i int) string { return fmt.Sprintf("%s[%d]", where, i) }

// shown is a name that anybody may have written, in a form that stays on its line.
func shown(name string) string {
	name = clip(bareName(name))
	if quoted := strconv.Quote(name); name == "" || strings.ContainsFunc(name, unicode.IsSpace) || quoted[1:len(quoted)-1] != name {
		return quoted
	}
	return name
}

// clip bounds what is shown of a text that may be anything.
func clip(text string) string {
	if runes := []rune(text); len(runes) > longestTypo {
		return string(runes[:longestTypo]) + "…"
	}
	return text
}
