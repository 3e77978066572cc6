package grants_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/harness/grants"
)

// whole is a file with one grant, for "make" in /proj.
const whole = `{"version": 1, "grants": [{"id": "x", "created": "2026-01-02T03:04:05Z", "backend": "a", "root": "/proj", "kind": "execute", "commands": ["make"], "input": "sha256:x"}]}`

// TestFilesThatCannotBeUsed has the answer of every doubt: ask, say why, and leave the file alone.
func TestFilesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		want       error
		says       string
	}{
		{"empty", ``, grants.ErrDamaged, "move it away"},
		{"cut off", whole[:len(whole)-10], grants.ErrDamaged, "mend it"},
		{"two files in one", whole + whole, grants.ErrDamaged, ""},
		{"no JSON", `grants`, grants.ErrDamaged, ""},
		{"a list", `[]`, grants.ErrDamaged, ""},
		{"null", `null`, grants.ErrDamaged, "no version"},
		{"no version", `{"grants": []}`, grants.ErrDamaged, "no version"},
		{"a later version", `{"version": 2, "rules": {}}`, grants.ErrVersion, "version 2, this program knows 1"},
		{"a version that is no number", `{"version": "1"}`, grants.ErrDamaged, ""},
		{"an unknown member", `{"version": 1, "grants": [], "more": 1}`, grants.ErrDamaged, "more"},
		{"an unknown member of a grant", `{"version": 1, "grants": [{"id": "x", "any": true}]}`, grants.ErrDamaged, "any"},
		{"a grant for every command", `{"version": 1, "grants": [{"id": "x", "created": "2026-01-02T03:04:05Z", "backend": "a", "root": "/proj", "kind": "execute"}]}`, grants.ErrDamaged, "grant 0 is incomplete"},
		{"a grant for every folder", `{"version": 1, "grants": [{"id": "x", "created": "2026-01-02T03:04:05Z", "backend": "a", "root": "", "kind": "execute", "commands": ["make"], "input": "x"}]}`, grants.ErrDamaged, "incomplete"},
	} {
		store, file := newStore(t)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(tc.text), 0o600))
		refused(t, store, tc.want, tc.says, tc.name)
		left, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, tc.text, string(left), tc.name)
	}
	store, file := newStore(t)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(whole), 0o600))
	require.NoError(t, os.Truncate(file, 17<<20))
	refused(t, store, grants.ErrDamaged, "longer than 16 MiB", "something else")
	store, file = newStore(t)
	require.NoError(t, os.MkdirAll(file, 0o700))
	refused(t, store, grants.ErrDamaged, "it is no file", "a folder")
}

// refused checks that nothing can be done with a store, and that a person is asked.
func refused(t *testing.T, store *grants.Store, want error, says, name string) {
	t.Helper()
	scope := grants.Scope{Backend: "a", Root: t.TempDir()}
	_, err := store.List(nil)
	require.ErrorIs(t, err, want, name)
	require.ErrorContains(t, err, "cannot use the grants in", name)
	require.ErrorContains(t, err, says, name)
	_, err = store.Revoke(t.Context(), nil)
	require.ErrorIs(t, err, want, name)
	_, err = store.Remember(t.Context(), scope, call("execute", `{"command":"make"}`))
	require.ErrorIs(t, err, want, name)
	_, ok, err := store.Find(scope, call("execute", `{"command":"make"}`))
	require.ErrorIs(t, err, want, name)
	require.False(t, ok, name)

	var events []grants.Event
	handler, err := store.Handler(scope, person("n"), &grants.Options{Log: func(e grants.Event) { events = append(events, e) }})
	require.NoError(t, err)
	outcome, err := handler.RequestPermission(t.Context(), &acp.PermissionRequest{ToolCall: *call("execute", `{"command":"make"}`), Options: usual})
	require.NoError(t, err, name)
	assert.Equal(t, "n", outcome.OptionID, name)
	require.Len(t, events, 1, name)
	assert.Equal(t, grants.EventFailed, events[0].Kind)
	require.ErrorIs(t, events[0].Err, want, name)
}
