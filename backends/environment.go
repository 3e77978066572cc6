package backends

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Environment is what an agent's environment must have and must not have,
// relative to the environment the caller starts from. What a caller sets
// explicitly for one agent is stronger than both fields.
type Environment struct {
	// Set is added after Scrub was applied.
	Set map[string]string
	// Scrub are names removed from an inherited environment. They mark "you
	// run inside agent X"; settings and keys of the user are not scrubbed.
	Scrub []string
}

// String lists names only: a value may be a secret.
func (e Environment) String() string {
	set := slices.Sorted(maps.Keys(e.Set))
	return fmt.Sprintf("set [%s] scrub [%s]", strings.Join(set, " "), strings.Join(e.Scrub, " "))
}

// GoString is String, so that %#v shows no value either.
func (e Environment) GoString() string { return e.String() }
