package grants_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/permission"
	"github.com/acpharness/acpharness/harness/grants"
)

// usual are options that leave no doubt.
var usual = []acp.PermissionOption{
	{ID: "y", Kind: acp.AllowOnce}, {ID: "ever", Kind: acp.AllowAlways}, {ID: "n", Kind: acp.RejectOnce}, {ID: "never", Kind: acp.RejectAlways},
}

// person always chooses one option.
func person(id string) acp.PermissionHandler {
	return acp.PermissionFunc(func(context.Context, *acp.PermissionRequest) (acp.PermissionOutcome, error) {
		return acp.PermissionOutcome{OptionID: id}, nil
	})
}

func TestHandlerRemembersAlways(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name       string
		person     acp.PermissionHandler
		options    []acp.PermissionOption
		want       string
		remembered bool
	}{
		{"always, stacklok/mecatl#3", person("ever"), usual, "ever", true},
		{"once", person("y"), usual, "y", false},
		{"no", person("n"), usual, "n", false},
		{"never is not remembered", person("never"), usual, "never", false},
		{"cancelled", person(""), usual, "", false},
		{"an option that was not offered", person("x"), usual, "x", false},
		{"one of several (droid)", person("tools"), append([]acp.PermissionOption{{ID: "tools", Kind: acp.AllowAlways}}, usual...), "tools", true},
		{"an id that also says no", person("ever"), append([]acp.PermissionOption{{ID: "ever", Kind: acp.RejectOnce}}, usual...), "ever", false},
		{"nobody", nil, usual, "n", false},
		{"a policy", permission.Allow, usual, "y", false},
	} {
		store, file := newStore(t)
		scope := grants.Scope{Backend: "a", Root: t.TempDir()}
		request := func(s *grants.Store, p acp.PermissionHandler, options []acp.PermissionOption) (string, []grants.EventKind) {
			var events []grants.EventKind
			handler, err := s.Handler(scope, p, &grants.Options{Log: func(e grants.Event) { events = append(events, e.Kind) }})
			require.NoError(t, err)
			outcome, err := handler.RequestPermission(t.Context(), &acp.PermissionRequest{ToolCall: *call("execute", `{"command":"make"}`), Options: options})
			require.NoError(t, err)
			return outcome.OptionID, events
		}
		got, events := request(store, tc.person, tc.options)
		assert.Equal(t, tc.want, got, tc.name)

		// After a restart, and with a person who would say no.
		again, used := request(grants.Open(file), person("n"), usual)
		if !tc.remembered {
			assert.Empty(t, events, tc.name)
			assert.Equal(t, "n", again, tc.name)
			continue
		}
		assert.Equal(t, []grants.EventKind{grants.EventRemembered}, events, tc.name)
		assert.Equal(t, "y", again, "%s: it is used for yes once", tc.name)
		assert.Equal(t, []grants.EventKind{grants.EventUsed}, used, tc.name)

		// A grant makes no choice that the options leave open.
		for name, options := range map[string][]acp.PermissionOption{
			"always only": {{ID: "ever", Kind: acp.AllowAlways}, {ID: "n", Kind: acp.RejectOnce}},
			"a question":  {{ID: "a", Kind: acp.AllowOnce}, {ID: "b", Kind: acp.AllowOnce}, {ID: "n", Kind: acp.RejectOnce}},
		} {
			asked, used := request(store, person("n"), options)
			assert.Equal(t, "n", asked, name)
			assert.Empty(t, used, name)
		}

		_, err := store.Revoke(t.Context(), nil)
		require.NoError(t, err)
		revoked, _ := request(store, person("n"), usual)
		assert.Equal(t, "n", revoked, "%s: a grant that is taken back is gone at once", tc.name)
	}
}

func TestHandlerPassesOnWhatItCannotRemember(t *testing.T) {
	t.Parallel()
	store, file := newStore(t)
	var events []grants.Event
	opts := &grants.Options{Log: func(e grants.Event) { events = append(events, e) }}
	scope := grants.Scope{Backend: "a", Root: t.TempDir()}

	handler, err := store.Handler(scope, person("ever"), opts)
	require.NoError(t, err)
	outcome, err := handler.RequestPermission(t.Context(), &acp.PermissionRequest{ToolCall: *titled(call("execute", ""), "make"), Options: usual})
	require.NoError(t, err)
	assert.Equal(t, "ever", outcome.OptionID)
	require.Len(t, events, 1)
	require.ErrorIs(t, events[0].Err, grants.ErrVague)

	broken := errors.New("broken")
	ctx, cancel := context.WithCancel(t.Context())
	for _, next := range []acp.PermissionFunc{
		func(context.Context, *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			return acp.PermissionOutcome{OptionID: "ever"}, broken
		},
		func(context.Context, *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			cancel() // the turn was cancelled while the person was asked
			return acp.PermissionOutcome{OptionID: "ever"}, nil
		},
	} {
		handler, err := store.Handler(scope, next, nil)
		require.NoError(t, err)
		_, err = handler.RequestPermission(ctx, &acp.PermissionRequest{ToolCall: *call("execute", `{"command":"make"}`), Options: usual})
		if err != nil {
			require.ErrorIs(t, err, broken)
		}
		assert.NoFileExists(t, file)
	}
}

// TestHandlerBehindRules is the whole chain: rules first, then what was granted, then a person.
func TestHandlerBehindRules(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	scope := grants.Scope{Backend: "a", Root: t.TempDir()}
	_, err := store.Remember(t.Context(), scope, call("execute", `{"command":"rm -rf build"}`))
	require.NoError(t, err)
	_, err = store.Remember(t.Context(), scope, call("execute", `{"command":"make"}`))
	require.NoError(t, err)
	granted, err := store.Handler(scope, nil, nil)
	require.NoError(t, err)
	rules := &permission.Rules{Rules: []permission.Rule{{Action: permission.ActionReject, Commands: []string{"rm"}}}, Default: permission.ActionAsk}
	handler, err := rules.Handler(&permission.Options{Next: granted})
	require.NoError(t, err)
	for input, want := range map[string]string{`{"command":"make"}`: "y", `{"command":"rm -rf build"}`: "n", `{"command":"make clean"}`: "n"} {
		outcome, err := handler.RequestPermission(t.Context(), &acp.PermissionRequest{ToolCall: *call("execute", input), Options: usual})
		require.NoError(t, err)
		assert.Equal(t, want, outcome.OptionID, input)
	}
}

func TestEventShowsNoSecrets(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-t0ken"
	req := &acp.PermissionRequest{SessionID: "s-1", ToolCall: *titled(call("execute", `{"command":"`+secret+`"}`), secret)}
	grant := grants.Grant{ID: "0123", Key: grants.Key{Backend: "a", Root: "/" + secret, Kind: "execute", Commands: []string{secret}}}
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).Info("grant", "event", grants.Event{Kind: grants.EventUsed, Request: req, Grant: grant})
		slog.New(h).Info("grant", "event", grants.Event{Kind: grants.EventFailed, Request: req, Err: grants.ErrVague})
	}
	assert.NotContains(t, log.String(), secret)
	assert.Contains(t, log.String(), "0123")
	assert.Contains(t, log.String(), "precisely")
}

func TestTargets(t *testing.T) {
	t.Parallel()
	for want, key := range map[string]grants.Key{
		"a; b":           {Commands: []string{"a", "b"}, Paths: []string{"/x"}},
		"/x, /y":         {Paths: []string{filepath.FromSlash("/x"), filepath.FromSlash("/y")}},
		"the same input": {Input: "sha256:x"},
	} {
		assert.Equal(t, want, filepath.ToSlash(key.Target()))
	}
}
