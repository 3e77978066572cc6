package permission_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/permission"
)

// The steps of a session that a trip-wire sees.
type (
	asks     string               // a permission request about the call with this id
	replayed struct{ acp.Update } // history
	opened   acp.SessionModes     // the modes of a session at its start
	settings []acp.ConfigOption   // its settings at its start
)

func start(id string, kind acp.ToolKind, status acp.ToolCallStatus) acp.Update {
	return &acp.ToolCallStart{ToolCall: acp.ToolCall{ID: id, Kind: kind, Status: status}}
}

func patch(id string, kind acp.ToolKind, status acp.ToolCallStatus) acp.Update {
	return &acp.ToolCallUpdate{ToolCall: acp.ToolCall{ID: id, Kind: kind, Status: status}}
}

func mode(id string) acp.Update { return &acp.CurrentModeUpdate{ModeID: id} }

func option(id, category, value string) acp.ConfigOption {
	return acp.ConfigOption{ID: id, Category: acp.ConfigCategory(category), Type: "select", Value: value}
}

func options(list ...acp.ConfigOption) acp.Update { return &acp.ConfigOptionUpdate{Options: list} }

func TestTripWire(t *testing.T) {
	t.Parallel()
	tools := permission.TripWireOptions{AsksFor: []acp.ToolKind{"execute", "edit"}}
	late := tools
	late.AsksLate = true
	only := permission.TripWireOptions{Allowed: []string{"default", "plan"}}
	never := permission.TripWireOptions{Forbidden: []string{"auto"}}
	for _, tc := range []struct {
		name  string
		opts  permission.TripWireOptions
		steps []any
		want  []string // the violations, with the step that raised each
	}{
		{"asked, then done", tools, []any{start("1", "execute", "pending"), asks("1"), patch("1", "", "in_progress"), patch("1", "", "completed")}, nil},
		{"done without being asked, github/copilot-cli#4537", tools, []any{start("1", "execute", "pending"), patch("1", "", "completed")}, []string{"1 unasked 1 execute completed"}},
		{"in progress", tools, []any{start("1", "execute", "pending"), patch("1", "", "in_progress"), patch("1", "", "completed")}, []string{"1 unasked 1 execute in_progress"}},
		{"in progress from the start", tools, []any{start("1", "edit", "in_progress")}, []string{"0 unasked 1 edit in_progress"}},
		{"a patch is the first that is heard, google-gemini/gemini-cli#21951", tools, []any{patch("1", "execute", "completed")}, []string{"0 unasked 1 execute completed"}},
		{"asked before anything else, google-gemini/gemini-cli#21951", tools, []any{asks("1"), patch("1", "execute", "completed")}, nil},
		{"announced last of all (cline)", tools, []any{patch("1", "execute", "pending"), asks("1"), patch("1", "", "in_progress"), start("1", "execute", "pending"), patch("1", "", "completed")}, nil},
		{"announced again when it is over (nanocoder)", tools, []any{start("1", "execute", "pending"), asks("1"), patch("1", "", "completed"), start("1", "execute", "completed")}, nil},
		{"in progress before it is asked (codex)", late, []any{start("1", "execute", "in_progress"), asks("1"), patch("1", "", "completed")}, nil},
		{"in progress, and never asked", late, []any{start("1", "execute", "in_progress"), patch("1", "", "completed")}, []string{"1 unasked 1 execute completed"}},
		{"the kind comes late", tools, []any{start("1", "", "pending"), patch("1", "", "completed"), patch("1", "execute", "")}, []string{"2 unasked 1 execute completed"}},
		{"another kind", tools, []any{start("1", "read", "completed"), start("2", "", "completed"), patch("3", "switch_mode", "completed")}, nil},
		{"it failed: nothing is known to have run", tools, []any{start("1", "execute", "pending"), patch("1", "", "failed")}, nil},
		{"another call was asked about", tools, []any{asks("2"), start("1", "execute", "completed"), start("2", "execute", "completed")}, []string{"1 unasked 1 execute completed"}},
		{
			"an id is used again, mgaitan/telegram-acp-bot#41", tools,
			[]any{start("1", "execute", "pending"), asks("1"), patch("1", "", "completed"), start("1", "execute", "pending"), patch("1", "", "completed")},
			[]string{"4 unasked 1 execute completed"},
		},
		{
			"an id is used again, and asked about", tools,
			[]any{start("1", "execute", "pending"), asks("1"), patch("1", "", "completed"), asks("1"), start("1", "execute", "pending"), patch("1", "", "completed")},
			nil,
		},
		{"no id, getkimchi/kimchi#964", tools, []any{start("", "execute", "completed")}, []string{"0 unasked  execute completed"}},
		{"no id, and asked", tools, []any{asks(""), start("", "execute", "completed")}, nil},
		{"history", tools, []any{replayed{start("1", "execute", "completed")}, replayed{mode("auto")}}, nil},
		{"other updates", tools, []any{&acp.AgentMessageChunk{}, &acp.Plan{}, &acp.Unknown{}, &acp.Gap{}}, nil},

		{"a forbidden mode, KiroCrew#10939", never, []any{mode("default"), mode("auto"), mode("default")}, []string{"1 mode auto"}},
		{"a mode that is not allowed", only, []any{mode("default"), mode("auto"), mode("plan")}, []string{"1 mode auto"}},
		{"each time it comes back", never, []any{mode("auto"), mode("auto"), mode("default"), mode("auto")}, []string{"0 mode auto", "3 mode auto"}},
		{"a mode that is told on every prompt (droid)", never, []any{mode("auto"), options(option("m", "mode", "auto")), mode("auto"), options(option("m", "mode", "auto"))}, []string{"0 mode auto"}},
		{"as a setting", never, []any{options(option("x", "model", "auto"), option("m", "mode", "auto"))}, []string{"0 mode auto"}},
		{"a setting without a value", only, []any{options(option("m", "mode", ""))}, nil},
		{"a mode without an id", only, []any{mode("")}, []string{"0 mode "}},
		{"nothing is allowed", permission.TripWireOptions{Allowed: []string{}}, []any{mode("x")}, []string{"0 mode x"}},
		{"nothing is asked for", permission.TripWireOptions{}, []any{mode("auto"), start("1", "execute", "completed")}, nil},
		{"from the start", never, []any{opened{Current: "auto"}, mode("auto")}, []string{"0 mode auto"}},
		{"from the start, as a setting", never, []any{settings{option("m", "mode", "auto")}, mode("auto")}, []string{"0 mode auto"}},
		{"from the start, allowed", only, []any{opened{Current: "plan"}, settings{option("m", "mode", "plan")}}, nil},
	} {
		wire := permission.NewTripWire(&tc.opts)
		handler := wire.Handler(nil)
		var got []string
		for i, step := range tc.steps {
			n := acp.SessionNotification{SessionID: "s", Seq: uint64(i)}
			var v *permission.Violation
			switch s := step.(type) {
			case asks:
				outcome, err := handler.RequestPermission(t.Context(), &acp.PermissionRequest{SessionID: "s", ToolCall: acp.ToolCall{ID: string(s)}, Options: usual})
				require.NoError(t, err)
				assert.Equal(t, "n", outcome.OptionID, "without a next handler it is rejected")
			case opened:
				v = wire.Opened("s", (*acp.SessionModes)(&s), nil)
			case settings:
				v = wire.Opened("s", nil, s)
			case replayed:
				n.Update, n.Replayed = s.Update, true
				v = wire.Note(n)
			case acp.Update:
				n.Update = s
				v = wire.Note(n)
			}
			if v == nil {
				continue
			}
			assert.Equal(t, acp.SessionID("s"), v.SessionID)
			if v.Kind == permission.ViolationMode {
				got = append(got, fmt.Sprintf("%d mode %s", i, v.Mode))
				assert.Contains(t, v.String(), fmt.Sprintf("mode %q", v.Mode))
			} else {
				assert.Equal(t, uint64(i), v.Seq)
				got = append(got, fmt.Sprintf("%d unasked %s %s %s", i, v.ToolCallID, v.ToolKind, v.Status))
				assert.Contains(t, v.String(), "has not asked")
			}
		}
		assert.Equal(t, tc.want, got, tc.name)
	}
}

func TestTripWireKeepsSessionsApart(t *testing.T) {
	t.Parallel()
	wire := permission.NewTripWire(&permission.TripWireOptions{AsksFor: []acp.ToolKind{"execute"}, Forbidden: []string{"auto"}})
	_, err := wire.Handler(chooses("y", nil)).RequestPermission(t.Context(), &acp.PermissionRequest{SessionID: "a", ToolCall: acp.ToolCall{ID: "1"}})
	require.NoError(t, err)
	note := func(session acp.SessionID, u acp.Update) *permission.Violation {
		return wire.Note(acp.SessionNotification{SessionID: session, Update: u})
	}
	assert.Nil(t, note("a", start("1", "execute", "completed")))
	assert.NotNil(t, note("b", start("1", "execute", "completed")))
	assert.NotNil(t, note("a", mode("auto")))
	assert.NotNil(t, note("b", mode("auto")))
	assert.Nil(t, note("b", mode("auto")))
	wire.Forget("b")
	assert.NotNil(t, note("b", mode("auto")))
	for i := range 1500 { // what is remembered is bounded, and the latest is in it
		id := fmt.Sprint("call-", i)
		_, err := wire.Handler(nil).RequestPermission(t.Context(), &acp.PermissionRequest{SessionID: "c", ToolCall: acp.ToolCall{ID: id}})
		require.NoError(t, err)
		assert.Nil(t, note("c", start(id, "execute", "completed")))
	}
	assert.NotNil(t, note("c", patch("call-0", "execute", "completed")), "what is forgotten was not asked about")
	assert.Nil(t, permission.NewTripWire(nil).Note(acp.SessionNotification{Update: mode("auto")}))
}
