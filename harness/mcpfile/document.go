package mcpfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/acpharness/acpharness/backends"
)

// document is a text in one format, read. It says how the text is to be spliced for a change, and changes nothing itself.
type document interface {
	root() value
	// at finds the value at a path, if it has a place of its own in the text.
	at(path []string) (site, bool)
	// put makes a member, with the mappings on its way, or replaces its value. A new member, and each new mapping, is the last of
	// its mapping, or the first.
	put(path []string, v value, where order) ([]splice, error)
	// drop removes a member.
	drop(path []string) ([]splice, error)
	// push adds an element at the end of a list that is there.
	push(path []string, v value) ([]splice, error)
	// pull removes an element of a list.
	pull(path []string, i int) ([]splice, error)
}

// order says where a new member goes.
type order bool

const (
	last  order = false
	first order = true
)

// site is where a value is.
type site struct {
	from, to int
	first    bool // of its mapping
}

// splice replaces the bytes from from to to.
type splice struct {
	from, to int
	text     string
}

var errFormat = errors.New("the format is unknown")

// parse reads a text without its byte order mark.
func parse(format backends.MCPFormat, text string) (document, error) {
	switch format {
	case backends.MCPJSON, backends.MCPJSONC:
		return parseJSON(text, format == backends.MCPJSONC)
	case backends.MCPTOML:
		return parseTOML(text)
	default:
		return nil, fmt.Errorf("%w: %q", errFormat, format)
	}
}

// blank is the text of a new file.
func blank(format backends.MCPFormat) string {
	if format == backends.MCPTOML {
		return ""
	}
	return "{}\n"
}

// apply splices a text. The splices may come in any order and must not overlap.
func apply(text string, splices []splice) string {
	splices = slices.Clone(splices)
	slices.SortStableFunc(splices, func(a, b splice) int { return a.from - b.from })
	var b strings.Builder
	at := 0
	for _, s := range splices {
		b.WriteString(text[at:s.from] + s.text)
		at = s.to
	}
	b.WriteString(text[at:])
	return b.String()
}

// invert returns the splices that undo splices of a text, in the text that they make of it.
func invert(text string, splices []splice) []splice {
	splices = slices.Clone(splices)
	slices.SortStableFunc(splices, func(a, b splice) int { return a.from - b.from })
	back := make([]splice, 0, len(splices))
	moved := 0
	for _, s := range splices {
		back = append(back, splice{s.from + moved, s.from + moved + len(s.text), text[s.from:s.to]})
		moved += len(s.text) - (s.to - s.from)
	}
	return back
}

// lineEnd is how the lines of a text end.
func lineEnd(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// indentAt is the white space before a place, back to the beginning of its line; ok is false if there is anything else.
func indentAt(text string, at int) (indent string, ok bool) {
	from := strings.LastIndexByte(text[:at], '\n') + 1
	indent = text[from:at]
	return indent, strings.TrimLeft(indent, " \t") == ""
}

const space = " \t\r\n"
