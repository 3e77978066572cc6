package grants

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/acpharness/acpharness/acp"
)

// Scope is where a grant holds: one backend, in one folder.
type Scope struct {
	Backend string // its id, or what else the program calls the agent
	Root    string // the session's cwd, absolute
}

// resolve returns the scope with the one path that all names of the folder lead to.
func (s Scope) resolve() (Scope, error) {
	switch {
	case s.Backend == "":
		return s, errors.New("cannot keep grants without the name of a backend")
	case !filepath.IsAbs(s.Root):
		return s, fmt.Errorf("cannot keep grants of a folder that is not absolute: %q", s.Root)
	}
	s.Root = realPath(s.Root)
	return s, nil
}

// realPath follows links as far as the folder exists.
func realPath(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return filepath.Clean(path)
}

// Grant is one remembered answer: calls that are the same in all of Key need no person any more.
type Grant struct {
	ID      string    `json:"id"` // follows from Key: the same grant has the same id
	Created time.Time `json:"created"`
	Key
}

// Key is what a grant is about. A call must be the same in all of it.
type Key struct {
	Backend string       `json:"backend"`
	Root    string       `json:"root"` // absolute, with links resolved
	Kind    acp.ToolKind `json:"kind"`
	// Tool is the tool's name. If only its input tells what a call does, the title stands in for a name that was not sent.
	Tool     string   `json:"tool,omitempty"`
	Commands []string `json:"commands,omitempty"` // command lines
	Paths    []string `json:"paths,omitempty"`    // absolute, with links resolved, sorted
	// Input is a hash of the whole input without what merely describes it, empty if the paths say enough.
	Input string `json:"input,omitempty"`
}

// Target says what the grant allows, for people: command lines, else paths, else that it is one certain input.
func (k Key) Target() string {
	switch {
	case len(k.Commands) > 0:
		return strings.Join(k.Commands, "; ")
	case len(k.Paths) > 0:
		return strings.Join(k.Paths, ", ")
	}
	return "the same input"
}

// String names the grant without its target, which may hold secrets.
func (g Grant) String() string {
	return fmt.Sprintf("grant %s of %s: %s %s", g.ID, g.Backend, g.Kind, g.Tool)
}

// GoString is String, so that %#v shows no more.
func (g Grant) GoString() string { return g.String() }

// same reports whether both are about the same calls.
func (k Key) same(other Key) bool {
	return k.Backend == other.Backend && k.Root == other.Root && k.Kind == other.Kind && k.Tool == other.Tool &&
		slices.Equal(k.Commands, other.Commands) && slices.Equal(k.Paths, other.Paths) && k.Input == other.Input
}

// valid reports whether a grant from a file is complete. One without a target would be for everything.
func (g Grant) valid() bool {
	return g.ID != "" && g.Backend != "" && filepath.IsAbs(g.Root) && g.Kind != "" &&
		(len(g.Commands) > 0 && g.Input != "" || len(g.Paths) > 0 || g.Tool != "" && g.Input != "")
}

// newGrant returns the grant for a key.
func newGrant(k Key) (Grant, error) {
	text, err := json.Marshal(k, json.Deterministic(true))
	if err != nil {
		return Grant{}, err
	}
	return Grant{ID: digest(text)[:16], Created: time.Now().UTC().Truncate(time.Second), Key: k}, nil
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Filter chooses grants; what is empty chooses all.
type Filter struct {
	IDs     []string
	Backend string
	Root    string // absolute
}

// matcher returns the filter as a function.
func (f *Filter) matcher() func(*Grant) bool {
	if f == nil {
		return func(*Grant) bool { return true }
	}
	root := f.Root
	if root != "" {
		root = realPath(root)
	}
	return func(g *Grant) bool {
		return (len(f.IDs) == 0 || slices.Contains(f.IDs, g.ID)) && (f.Backend == "" || f.Backend == g.Backend) &&
			(root == "" || root == g.Root)
	}
}
