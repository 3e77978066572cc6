package mcpfile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

var (
	errNull = errors.New("cannot write null in TOML")
	errBig  = errors.New("cannot write a number in TOML: it is too big")
	errUTF8 = errors.New("it is not UTF-8")
)

// renderTOML writes a value in one line.
func renderTOML(v value) (string, error) {
	var b strings.Builder
	err := writeTOML(&b, v)
	return b.String(), err
}

func writeTOML(b *strings.Builder, v value) error {
	switch v.kind {
	case object:
		if len(v.members) == 0 {
			b.WriteString("{}")
			return nil
		}
		for i, m := range v.members {
			if i > 0 {
				b.WriteString(", ")
			} else {
				b.WriteString("{ ")
			}
			line, err := renderPair(keyTOML(m.name), m.value)
			if err != nil {
				return err
			}
			b.WriteString(line)
		}
		b.WriteString(" }")
	case array:
		b.WriteString("[")
		for i, e := range v.elems {
			if i > 0 {
				b.WriteString(", ")
			}
			if err := writeTOML(b, e); err != nil {
				return err
			}
		}
		b.WriteString("]")
	case text:
		if !utf8.ValidString(v.text) {
			return errUTF8
		}
		b.WriteString(quoteTOML(v.text))
	default:
		if v.text == "null" {
			return errNull
		}
		if _, err := strconv.ParseInt(v.text, 10, 64); errors.Is(err, strconv.ErrRange) {
			return errBig
		}
		b.WriteString(v.text)
	}
	return nil
}

// renderPair writes a key, as it is to be written, and its value.
func renderPair(key string, v value) (string, error) {
	if !utf8.ValidString(key) {
		return "", errUTF8
	}
	s, err := renderTOML(v)
	return key + " = " + s, err
}

// renderTable writes a header and what is below it, without the last line end.
func (d *tomlDocument) renderTable(path []string, v value) (string, error) {
	lines := []string{"[" + dotted(path) + "]"}
	if !utf8.ValidString(lines[0]) {
		return "", errUTF8
	}
	for _, m := range v.members {
		line, err := renderPair(keyTOML(m.name), m.value)
		if err != nil {
			return "", err
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, d.end), nil
}

func dotted(path []string) string {
	keys := make([]string, len(path))
	for i, name := range path {
		keys[i] = keyTOML(name)
	}
	return strings.Join(keys, ".")
}

func keyTOML(name string) string {
	bare := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	if name != "" && strings.IndexFunc(name, func(r rune) bool { return !bare(r) }) < 0 {
		return name
	}
	return quoteTOML(name)
}

func quoteTOML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(rune(c)))
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
