package mcpfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Alias returns the name under which a server is written in a file whose layout says Aliases: names with a slash lose what stands
// before the first colon, a leading @, and every character that a reference could not have; others stay. "npm:@playwright/mcp"
// becomes "playwright-mcp".
func Alias(name string) string {
	if !strings.Contains(name, "/") {
		return name
	}
	if _, after, ok := strings.Cut(name, ":"); ok {
		name = after
	}
	name = strings.TrimPrefix(name, "@")
	name = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("_.-", r):
			return r
		default:
			return '-'
		}
	}, name)
	if name = strings.Trim(name, "-"); name == "" {
		return "mcp-server"
	}
	return name
}

// ErrCollision says that a name stands for several servers, which would be mistaken for one another.
var ErrCollision = errors.New("several names come to the same one: rename all but one of them")

// alias is Alias where the layout asks for it.
func (e *editor) alias(name string) string {
	if e.layout.Aliases {
		return Alias(name)
	}
	return name
}

// keys returns the entries that a name means: its own and that of its alias, in the order of the file.
func (e *editor) keys(name string) ([]string, error) {
	alias := e.alias(name)
	var found, raw []string
	for _, key := range e.names() {
		if e.alias(key) != alias {
			continue
		}
		found = append(found, key)
		if key != alias {
			raw = append(raw, key)
		}
	}
	if len(raw) > 1 {
		return nil, fmt.Errorf("%w: %s are %s", ErrCollision, strings.Join(quoteAll(raw), " and "), quote(alias))
	}
	if len(raw) == 1 && name != alias && raw[0] != name {
		return nil, fmt.Errorf("%w: %s and %s are %s", ErrCollision, quote(raw[0]), quote(name), quote(alias))
	}
	return found, nil
}

// distinct refuses names of a batch that come to the same server without being the same.
func (e *editor) distinct(names []string) ([]string, error) {
	var unique []string
	for _, name := range names {
		if slices.Contains(unique, name) {
			continue
		}
		for _, other := range unique {
			if e.alias(other) == e.alias(name) && other != e.alias(name) && name != e.alias(name) {
				return nil, fmt.Errorf("%w: %s and %s are %s", ErrCollision, quote(other), quote(name), quote(e.alias(name)))
			}
		}
		unique = append(unique, name)
	}
	return unique, nil
}

func quote(s string) string { return fmt.Sprintf("%q", s) }

func quoteAll(list []string) []string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quote(s)
	}
	return quoted
}
