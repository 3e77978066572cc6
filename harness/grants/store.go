// Package grants remembers the permissions that people gave "always", so that they need not give them again: in one file,
// for one backend in one folder, and for exactly what was asked. What agents themselves make of such an answer differs from
// one to the next and rarely outlives them (stacklok/mecatl#3, anomalyco/opencode#10753); here it can be listed and
// taken back.
//
// In doubt a store asks: a file that is damaged, of another version or open to others grants nothing, and is never
// overwritten.
package grants

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/internal/rewrite"
)

// Store is the grants in one file. It reads the file each time, so that what another process remembers or revokes holds at
// once. Any number of goroutines and processes may use one.
type Store struct {
	file string
}

// Open returns the store in a file, which need not exist. Nothing is read yet.
func Open(file string) *Store { return &Store{file} }

// DefaultFile is where programs of one user keep their grants: acpharness/grants.json in $XDG_STATE_HOME, or in
// ~/.local/state.
func DefaultFile() (string, error) {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the specification wants relative paths to be ignored
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("cannot find the state directory: %w", err)
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "acpharness", "grants.json"), nil
}

// List returns the grants that the filter chooses, nil for all, the oldest first. Of a file that cannot be used the error
// wraps ErrDamaged, ErrVersion or ErrExposed.
func (s *Store) List(f *Filter) ([]Grant, error) {
	list, err := s.read()
	if err != nil {
		return nil, err
	}
	matches := f.matcher()
	return slices.DeleteFunc(list, func(g Grant) bool { return !matches(&g) }), nil
}

// Find returns the grant for a call. It reports false if there is none.
func (s *Store) Find(scope Scope, call *acp.ToolCall) (Grant, bool, error) {
	scope, err := scope.resolve()
	if err != nil {
		return Grant{}, false, err
	}
	key, err := keyOf(scope, call)
	if err != nil {
		return Grant{}, false, nil //nolint:nilerr // what is too vague to be remembered has no grant
	}
	list, err := s.read()
	if err != nil {
		return Grant{}, false, err
	}
	for i := range list {
		if list[i].same(key) {
			return list[i], true, nil
		}
	}
	return Grant{}, false, nil
}

// Remember adds the grant for a call, and returns it or the one that was there. The error wraps ErrVague if the call is
// not one to remember, and what List says of a file that cannot be used.
func (s *Store) Remember(ctx context.Context, scope Scope, call *acp.ToolCall) (Grant, error) {
	scope, err := scope.resolve()
	if err != nil {
		return Grant{}, err
	}
	key, err := keyOf(scope, call)
	if err != nil {
		return Grant{}, fmt.Errorf("cannot remember the permission: %w", err)
	}
	grant, err := newGrant(key)
	if err != nil {
		return Grant{}, fmt.Errorf("cannot remember the permission: %w", err)
	}
	err = s.change(ctx, func(list []Grant) ([]Grant, bool) {
		for i := range list {
			if list[i].same(key) {
				grant = list[i]
				return nil, false
			}
		}
		return append(list, grant), true
	})
	if err != nil {
		return Grant{}, fmt.Errorf("cannot remember the permission: %w", err)
	}
	return grant, nil
}

// Revoke removes the grants that the filter chooses, nil for all, and returns them.
func (s *Store) Revoke(ctx context.Context, f *Filter) ([]Grant, error) {
	matches := f.matcher()
	var revoked []Grant
	err := s.change(ctx, func(list []Grant) ([]Grant, bool) {
		kept := []Grant{}
		for _, g := range list {
			if matches(&g) {
				revoked = append(revoked, g)
			} else {
				kept = append(kept, g)
			}
		}
		return kept, len(revoked) > 0
	})
	if err != nil {
		return nil, fmt.Errorf("cannot revoke grants: %w", err)
	}
	return revoked, nil
}

// change rewrites the file while no other process does. fn reports false if there is nothing to write.
func (s *Store) change(ctx context.Context, fn func([]Grant) ([]Grant, bool)) error {
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return err
	}
	unlock, err := rewrite.Lock(ctx, s.file+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	list, err := s.read()
	if err != nil {
		return err
	}
	list, changed := fn(list)
	if !changed {
		return nil
	}
	return s.write(list)
}
