package backends_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
)

func lookup(t *testing.T, id string) backends.Descriptor {
	t.Helper()
	d, err := backends.Lookup(id)
	require.NoError(t, err)
	return d
}

func TestValidateRefusesTrust(t *testing.T) {
	type D = backends.Descriptor
	edit := func(e backends.Edit, change func(*backends.EditDecision)) func(*D) {
		return func(d *D) {
			decided := d.Trust.HotReload.Table[e]
			change(&decided)
			d.Trust.HotReload.Table[e] = decided
		}
	}
	tests := []struct {
		name  string
		spoil func(*D)
		text  string
	}{
		{"no reason about hot reload", func(d *D) { d.Trust.HotReload.Reason = "" }, "nothing is decided about mcp-config-hot-reload"},
		{"nothing about sharing", func(d *D) { d.Trust.SharesProcess = backends.Decision{} }, "nothing is decided about shares-process"},
		{"a grant without a reason", func(d *D) { d.Trust.SharesProcess = backends.Decision{Granted: true} }, "nothing is decided about shares-process"},
		{"nothing about isolation", func(d *D) { d.Trust.IsolatesMCP.Reason = " " }, "nothing is decided about isolates-mcp"},
		{"nothing about reading", func(d *D) { d.Trust.ReadsConfig.Reason = "" }, "nothing is decided about reads-config"},
		{"nothing about servers", func(d *D) { d.Trust.TakesServers.Reason = "" }, "nothing is decided about takes-servers"},
		{"nothing about asking", func(d *D) { d.Trust.AsksPermission.Reason = "" }, "nothing is decided about asks-permission"},
		{"nothing about starts", func(d *D) { d.Trust.ParallelStarts.Reason = "" }, "nothing is decided about parallel-starts"},
		{"nothing about changed tools", func(d *D) { d.Trust.FollowsListChanged.Reason = "" }, "nothing is decided about follows-list-changed"},
		{"nothing about the end", func(d *D) { d.Trust.StopsOnStdinClose.Reason = "" }, "nothing is decided about stops-on-stdin-close"},
		{"no time of reading", func(d *D) { d.Trust.ReadsConfig.When = "" }, `"" is no time to read a configuration`},
		{"unknown time of reading", func(d *D) { d.Trust.ReadsConfig.When = "never" }, `"never" is no time`},
		{"a mode of one that does not ask", func(d *D) { d.Trust.AsksPermission.Mode = "normal" }, `a mode to ask in, "normal"`},

		{"unknown edit", func(d *D) {
			d.Trust.HotReload.Table["rename"] = backends.EditDecision{Verdict: backends.VerdictNo}
		}, `edit "rename" in the table is none`},
		{"spawn field", func(d *D) {
			d.Trust.HotReload.Table[backends.EditSpawnField] = backends.EditDecision{Verdict: backends.VerdictNo}
		}, "spawn-field is in the table"},
		{"unknown verdict", edit(backends.EditAdd, func(e *backends.EditDecision) { e.Verdict = "maybe" }), `verdict "maybe" of add`},
		{"no verdict", edit(backends.EditAdd, func(e *backends.EditDecision) { e.Verdict = "" }), `verdict "" of add`},
		{"unknown condition", edit(backends.EditAdd, func(e *backends.EditDecision) {
			e.Conditions = append(e.Conditions, "full-moon")
		}), `condition "full-moon" of add`},
		{"table without a grant", func(d *D) { d.Trust.HotReload.Granted = false }, "a table of edits is given and hot reload is not granted"},
		{"grant without evidence", func(d *D) { d.ID = "other" }, "hot reload is granted, and there is no evidence"},
		{"another verdict than the evidence", edit(backends.EditRemoveRef, func(e *backends.EditDecision) {
			e.Verdict = backends.VerdictFollows
		}), `the table says "follows" of remove-ref, and the evidence of 2.21.0 says "no"`},
		{"beyond the evidence", func(d *D) {
			d.Trust.HotReload.Table[backends.EditPermissionRule] = backends.EditDecision{Verdict: backends.VerdictFollows}
		}, "the table speaks of permission-rule, and the evidence of 2.21.0 does not"},
		{"a condition less", edit(backends.EditAdd, func(e *backends.EditDecision) {
			e.Conditions = e.Conditions[:1]
		}), "the table leaves out the condition changed-server-not-injected of add"},
		{"seen, and not inferred", edit(backends.EditEnable, func(e *backends.EditDecision) { e.Inferred = false }), "do not agree whether enable is inferred"},
		{"inferred, and not seen", edit(backends.EditAdd, func(e *backends.EditDecision) { e.Inferred = true }), "do not agree whether add is inferred"},

		{"override of nothing", func(d *D) { d.Overrides = []backends.Override{{Evidence: "Seen."}} }, `the override of "" names no capability`},
		{"override of no path", func(d *D) {
			d.Overrides = []backends.Override{{Capability: "a..b", Evidence: "Seen."}}
		}, `the override of "a..b" names no capability`},
		{"override without evidence", func(d *D) {
			d.Overrides = []backends.Override{{Capability: "loadSession", Evidence: " "}}
		}, `the override of "loadSession" has no evidence`},
		{"overridden twice", func(d *D) {
			o := backends.Override{Capability: "loadSession", Evidence: "Seen."}
			d.Overrides = []backends.Override{o, {Capability: "a.b", Evidence: "Seen."}, o}
		}, `capability "loadSession" is overridden twice`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := lookup(t, "kiro")
			require.NoError(t, d.Validate())
			tt.spoil(&d)
			require.ErrorContains(t, d.Validate(), tt.text)
		})
	}
}

func TestEverythingMustBeDecided(t *testing.T) {
	d := lookup(t, "claude")
	d.Trust = backends.Trust{}
	err := d.Validate()
	for _, key := range backends.TrustKeys() {
		assert.ErrorContains(t, err, "nothing is decided about "+string(key))
	}
}

// A table is measured by each piece of evidence that is not below the floor.
func TestProve(t *testing.T) {
	granted := lookup(t, "kiro").Trust.HotReload
	seen := func(version string, change func(map[backends.Edit]backends.Finding)) backends.Evidence {
		e := lookup(t, "kiro").Evidence()[0]
		e.Version, e.Edits = version, maps.Clone(e.Edits)
		change(e.Edits)
		return e
	}
	same := func(map[backends.Edit]backends.Finding) {}
	noAdd := func(edits map[backends.Edit]backends.Finding) {
		edits[backends.EditAdd] = backends.Finding{Verdict: backends.VerdictNo}
	}
	tests := []struct {
		name string
		own  []backends.Evidence
		want []string
	}{
		{"none", nil, []string{"hot reload is granted, and there is no evidence of a version that follows all that it needs"}},
		{"none that follows", []backends.Evidence{seen("2.0.0", noAdd)}, []string{
			"hot reload is granted, and there is no evidence of a version that follows all that it needs",
		}},
		{"the floor", []backends.Evidence{seen("2.21.0", same)}, nil},
		{"another below it", []backends.Evidence{seen("2.0.0", noAdd), seen("2.21.0", same)}, nil},
		{"the same above it", []backends.Evidence{seen("2.21.0", same), seen("3.0.0", same)}, nil},
		{"a contradiction above it", []backends.Evidence{seen("2.21.0", same), seen("3.0.0", noAdd)}, []string{
			`the table says "follows" of add, and the evidence of 3.0.0 says "no"`,
		}},
		{"less above it", []backends.Evidence{seen("2.21.0", same), seen("3.0.0", func(edits map[backends.Edit]backends.Finding) {
			delete(edits, backends.EditAddRef)
		})}, nil},
		{"less at the floor", []backends.Evidence{seen("2.21.0", func(edits map[backends.Edit]backends.Finding) {
			delete(edits, backends.EditAddRef)
		})}, []string{"the table speaks of add-ref, and the evidence of 2.21.0 does not"}},
		{"a condition more above it", []backends.Evidence{seen("2.21.0", same), seen("3.0.0", func(edits map[backends.Edit]backends.Finding) {
			f := edits[backends.EditRemove]
			f.Conditions = append(slices.Clone(f.Conditions), backends.ConditionIdle)
			edits[backends.EditRemove] = f
		})}, []string{"the table leaves out the condition no-open-turn of remove, which the evidence of 3.0.0 has"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, backends.Prove(granted, tt.own)) })
	}

	// More conditions than the evidence has are no fault: less is granted.
	strict := granted
	strict.Table = maps.Clone(granted.Table)
	strict.Table[backends.EditRemoveRef] = backends.EditDecision{
		Verdict: backends.VerdictNo, Conditions: []backends.Condition{backends.ConditionIdle},
	}
	assert.Empty(t, backends.Prove(strict, []backends.Evidence{seen("2.21.0", same)}))
}
