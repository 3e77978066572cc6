package grants_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/harness/grants"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// call is a tool call with its input as JSON, and paths as its locations.
func call(kind acp.ToolKind, input string, paths ...string) *acp.ToolCall {
	c := &acp.ToolCall{ID: "1", Kind: kind}
	if input != "" {
		c.RawInput = json.RawMessage(input)
	}
	for _, p := range paths {
		c.Locations = append(c.Locations, acp.ToolCallLocation{Path: p})
	}
	return c
}

func named(c *acp.ToolCall, name string) *acp.ToolCall {
	c.Name = &name
	return c
}

func titled(c *acp.ToolCall, title string) *acp.ToolCall {
	c.Title = &title
	return c
}

// newStore returns a store in a folder that is not there yet.
func newStore(t *testing.T) (s *grants.Store, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "state", "grants.json")
	return grants.Open(file), file
}

func TestGrantIsForOneCall(t *testing.T) {
	t.Parallel()
	root, other := t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(root, link))
	here := grants.Scope{Backend: "claude", Root: root}
	status := func() *acp.ToolCall { return named(call("execute", `{"command":"git status"}`), "Bash") }
	for _, tc := range []struct {
		name    string
		granted *acp.ToolCall
		scope   grants.Scope
		asked   *acp.ToolCall
		want    bool
	}{
		{"the same", status(), here, status(), true},
		{"a description changes nothing", call("execute", `{"command":"make","description":"a","timeout":1}`), here, call("execute", `{"timeout":2,"command": "make","description":"b"}`), true},
		{"another command, yusheng-g/openagent-go#27", status(), here, named(call("execute", `{"command":"git status; rm -rf /"}`), "Bash"), false},
		{"more commands", call("execute", `{"commands":["a"]}`), here, call("execute", `{"commands":["a","b"]}`), false},
		{"another tool", status(), here, named(call("execute", `{"command":"git status"}`), "Shell"), false},
		{"no tool", status(), here, call("execute", `{"command":"git status"}`), false},
		{"another kind", status(), here, named(call("other", `{"command":"git status"}`), "Bash"), false},
		{"another backend, Open-ACP/OpenACP#226", status(), grants.Scope{Backend: "codex", Root: root}, status(), false},
		{"another folder, FerroxLabs/wayland#672", status(), grants.Scope{Backend: "claude", Root: other}, status(), false},
		{"the same folder by another name", status(), grants.Scope{Backend: "claude", Root: link + "/./"}, status(), true},
		{"a folder of its own", call("execute", `{"command":"make"}`), here, call("execute", `{"command":"make","cwd":"sub"}`), false},
		{"an environment", call("execute", `{"command":"make"}`), here, call("execute", `{"command":"make","env":{"CC":"evil"}}`), false},
		{"out of the sandbox", call("execute", `{"command":"make"}`), here, call("execute", `{"command":"make","sandbox_permissions":"require_escalated"}`), false},
		{"a file, whatever is written to it", call("edit", `{"path":"a.txt","content":"x"}`), here, call("edit", `{"path":"./a.txt","content":"y"}`), true},
		{"the file by its whole path", call("edit", `{"path":"a.txt"}`), here, call("edit", "", filepath.Join(root, "a.txt")), true},
		{"another file", call("edit", `{"path":"a.txt"}`), here, call("edit", `{"path":"b.txt"}`), false},
		{"one more file", call("edit", `{"path":"a.txt"}`), here, call("edit", `{"path":"a.txt"}`, "b.txt"), false},
		{"a file from another address", named(call("edit", `{"path":"a","url":"https://x.example/1"}`), "Get"), here, named(call("edit", `{"path":"a","url":"https://x.example/2"}`), "Get"), false},
		{"reading is not editing", call("read", `{"path":"a.txt"}`), here, call("edit", `{"path":"a.txt"}`), false},
		{"a tool of a server with the same input (droid)", titled(call("other", `{"x":"1"}`), "cfg9___alpha"), here, titled(call("other", `{"x": "1"}`), "cfg9___alpha"), true},
		{"another server", titled(call("other", `{"x":"1"}`), "cfg9___alpha"), here, titled(call("other", `{"x":"1"}`), "cfg1___alpha"), false},
		{"another input", titled(call("other", `{"x":"1"}`), "alpha"), here, titled(call("other", `{"x":"2"}`), "alpha"), false},
		{"a number that is nearly the same", titled(call("other", `{"x":9007199254740993}`), "a"), here, titled(call("other", `{"x":9007199254740992}`), "a"), false},
		{"a command with another title (copilot)", titled(call("execute", `{"command":"a","commands":["a"]}`), "do it"), here, titled(call("execute", `{"command":"a","commands":["a"]}`), "do it now"), true},
	} {
		store, file := newStore(t)
		granted, err := store.Remember(t.Context(), here, tc.granted)
		require.NoError(t, err, tc.name)
		for _, s := range []*grants.Store{store, grants.Open(file)} { // and after a restart
			found, ok, err := s.Find(tc.scope, tc.asked)
			require.NoError(t, err, tc.name)
			assert.Equal(t, tc.want, ok, tc.name)
			if ok {
				assert.Equal(t, granted, found, tc.name)
			}
		}
	}
}

func TestVagueCallsAreNotRemembered(t *testing.T) {
	t.Parallel()
	store, file := newStore(t)
	scope := grants.Scope{Backend: "gemini", Root: t.TempDir()}
	for name, c := range map[string]*acp.ToolCall{
		"a command that is in the title only (gemini)": titled(call("execute", "null"), "touch made.txt"),
		"no command":                    titled(named(call("execute", `{"x":1}`), "Bash"), "x"),
		"a command that cannot be read": call("execute", `{"command":{"line":"x"}}`),
		"a member twice":                call("execute", `{"command":"a","command":"b"}`),
		"a change of mode":              named(call("switch_mode", `{"plan":"x"}`), "ExitPlanMode"),
		"a path that may be another":    call("edit", `{"path":"~/x"}`),
		"nothing but a kind":            call("other", ""),
		"nothing but a title":           titled(call("other", ""), "alpha"),
		"an input without a name":       call("other", `{"x":1}`),
		"an edit of nobody knows what":  call("edit", ""),
		"an input that is no object":    named(call("other", `["x"]`), "a"),
	} {
		_, err := store.Remember(t.Context(), scope, c)
		require.ErrorIs(t, err, grants.ErrVague, name)
		_, ok, err := store.Find(scope, c)
		require.NoError(t, err, name)
		assert.False(t, ok, name)
	}
	assert.NoFileExists(t, file)
}

func TestScopeMustBeWhole(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	for _, scope := range []grants.Scope{{}, {Backend: "a"}, {Root: "/"}, {Backend: "a", Root: "x"}} {
		_, err := store.Remember(t.Context(), scope, call("execute", `{"command":"a"}`))
		require.Error(t, err)
		_, _, err = store.Find(scope, call("execute", `{"command":"a"}`))
		require.Error(t, err)
		_, err = store.Handler(scope, nil, nil)
		require.Error(t, err)
	}
}

func TestListAndRevoke(t *testing.T) {
	t.Parallel()
	store, file := newStore(t)
	list, err := store.List(nil)
	require.NoError(t, err)
	assert.Empty(t, list, "no file, no grants")
	revoked, err := store.Revoke(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, revoked)
	assert.NoFileExists(t, file)

	one, two := t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(two, link))
	var ids []string
	for _, scope := range []grants.Scope{{"a", one}, {"a", two}, {"b", one}, {"b", two}, {"b", two}} {
		g, err := store.Remember(t.Context(), scope, call("execute", `{"command":"make test"}`))
		require.NoError(t, err)
		ids = append(ids, g.ID)
	}
	assert.Equal(t, ids[3], ids[4], "twice the same is once")
	listed := func(f *grants.Filter) (got []string) {
		list, err := grants.Open(file).List(f)
		require.NoError(t, err)
		for _, g := range list {
			got = append(got, g.ID)
			assert.Equal(t, "make test", g.Target())
			assert.NotContains(t, fmt.Sprintf("%v %#v", g, g), "make")
		}
		return got
	}
	assert.Equal(t, ids[:4], listed(nil))
	assert.Equal(t, ids[:4], listed(&grants.Filter{}))
	assert.Equal(t, ids[:2], listed(&grants.Filter{Backend: "a"}))
	assert.Equal(t, []string{ids[1], ids[3]}, listed(&grants.Filter{Root: link}))
	assert.Equal(t, []string{ids[3]}, listed(&grants.Filter{IDs: []string{"none", ids[3]}}))

	for _, tc := range []struct {
		filter *grants.Filter
		gone   int
		left   int
	}{
		{&grants.Filter{IDs: []string{"none"}}, 0, 4},
		{&grants.Filter{IDs: []string{ids[0]}}, 1, 3},
		{&grants.Filter{IDs: []string{ids[0]}}, 0, 3},
		{&grants.Filter{Backend: "b", Root: one}, 1, 2},
		{nil, 2, 0},
	} {
		revoked, err := store.Revoke(t.Context(), tc.filter)
		require.NoError(t, err)
		assert.Len(t, revoked, tc.gone)
		assert.Len(t, listed(nil), tc.left)
	}
	entries, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	for _, e := range entries {
		assert.Contains(t, []string{"grants.json", "grants.json.lock"}, e.Name(), "nothing else is left")
	}
}

// TestWritersSideBySide has many stores of one file write at the same time, as processes do.
func TestWritersSideBySide(t *testing.T) {
	t.Parallel()
	_, file := newStore(t)
	scope := grants.Scope{Backend: "a", Root: t.TempDir()}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			store := grants.Open(file)
			c := call("execute", fmt.Sprintf(`{"command":"make %d"}`, i))
			_, err := store.Remember(context.Background(), scope, c)
			assert.NoError(t, err)
			_, ok, err := store.Find(scope, c)
			assert.NoError(t, err)
			assert.True(t, ok)
			if i%2 == 0 {
				_, err = store.Revoke(context.Background(), &grants.Filter{Backend: "a", IDs: []string{"none"}})
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	list, err := grants.Open(file).List(nil)
	require.NoError(t, err)
	assert.Len(t, list, 20)
}

func TestDefaultFile(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", filepath.FromSlash("/state"))
	if filepath.IsAbs(filepath.FromSlash("/state")) {
		file, err := grants.DefaultFile()
		require.NoError(t, err)
		assert.Equal(t, filepath.FromSlash("/state/acpharness/grants.json"), file)
	}
	t.Setenv("XDG_STATE_HOME", "relative")
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	file, err := grants.DefaultFile()
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(home, ".local", "state", "acpharness", "grants.json"), file)
}
