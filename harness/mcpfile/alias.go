package mcpfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Alias returns the name under which a server is written in a file whose layout says Aliases: names with a slash lose what stands
// before the first colon and a leading @, every character that a reference could not have becomes "-", and there is none at either end;
// other names stay. "npm:@playwright/mcp" becomes "playwright-mcp".
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

// reserved reports whether a reference to a name is to something else than a server: to the agent's own tools, or to several.
func reserved(name string) bool { return name == "builtin" || strings.Contains(name, "*") }

// speakable refuses names by which references would mean something else.
func (e *editor) speakable(name string) error {
	if e.layout.RefsKey != "" && (reserved(name) || reserved(e.alias(name))) {
		return fmt.Errorf("%w: %s", errReserved, quote(name))
	}
	return nil
}

var errReserved = errors.New("the agent takes references to that name for something else than a server: use another one")

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
	var found []string
	for _, key := range e.names() {
		if e.alias(key) == alias {
			found = append(found, key)
		}
	}
	return found, collide(name, alias, found)
}

// collide refuses the entries of an alias if they are those of several servers, or of another one than the name.
func collide(name, alias string, found []string) error {
	var raw []string
	for _, key := range found {
		if key != alias && !slices.Contains(raw, key) {
			raw = append(raw, key)
		}
	}
	if len(raw) == 1 && name != alias && raw[0] != name {
		raw = append(raw, name)
	}
	if len(raw) > 1 {
		return fmt.Errorf("%w: %s are %s", ErrCollision, strings.Join(quoteAll(raw), " and "), quote(alias))
	}
	return nil
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
