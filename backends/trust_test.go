package backends_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
)

// What is granted, by backend: a grant that is not meant shows here.
func TestGrants(t *testing.T) {
	want := map[backends.TrustKey]string{
		backends.TrustHotReload:          "builtin kiro copilot droid",
		backends.TrustSharesProcess:      "builtin claude codex opencode gemini qwen copilot kilo nanocoder cline",
		backends.TrustIsolatesMCP:        "builtin",
		backends.TrustReadsConfig:        "builtin claude codex qwen cline",
		backends.TrustTakesServers:       "builtin claude codex opencode qwen copilot droid kilo",
		backends.TrustAsksPermission:     "builtin claude codex gemini qwen copilot droid nanocoder cline",
		backends.TrustParallelStarts:     "builtin claude codex opencode gemini qwen copilot",
		backends.TrustFollowsListChanged: "builtin claude opencode gemini copilot droid kilo",
		backends.TrustStopsOnStdinClose:  "builtin codex opencode qwen copilot droid kilo pi nanocoder",
	}
	for _, key := range backends.TrustKeys() {
		var granted []string
		for d := range backends.All() {
			if d.Trust.Of(key).Granted {
				granted = append(granted, d.ID)
			}
		}
		assert.Equal(t, want[key], strings.Join(granted, " "), key)
	}
}

func TestReasons(t *testing.T) {
	for d := range backends.All() {
		for _, key := range backends.TrustKeys() {
			r := d.Trust.Of(key)
			assert.Regexp(t, `^[A-Z0-9].*[^.]\.$`, r.Reason, "%s of %s is a sentence", key, d.ID)
			assert.NotContains(t, r.Reason, "`")
			assert.False(t, r.Granted && strings.HasPrefix(r.Reason, "Not observed"), "%s of %s", key, d.ID)
		}
		if h := d.Trust.HotReload; !h.Granted {
			prefix := "Evidence pending: "
			if len(d.Evidence()) > 0 {
				prefix = "Evidence of " + d.HighestSeen().String() + ": "
			}
			assert.True(t, strings.HasPrefix(h.Reason, prefix), d.ID)
			assert.Empty(t, h.Table, d.ID)
		}
		if !d.Observed.Run && !d.Builtin {
			for _, key := range backends.TrustKeys()[1:] {
				assert.False(t, d.Trust.Of(key).Granted, "nobody has run %s, and %s is granted", d.ID, key)
			}
		}
	}
}

// The modes in which agents are trusted to ask are those that their recipes set.
func TestAskingIsInTheModeOfTheRecipe(t *testing.T) {
	for _, id := range backends.RecipeBackends("loopback") {
		r, err := backends.LookupRecipe("loopback", id)
		require.NoError(t, err)
		if r.Mode != "" {
			assert.Equal(t, r.Mode, lookup(t, id).Trust.AsksPermission.Mode, id)
		}
	}
}

// A table has no source but the evidence.
func TestTablesAreTheEvidence(t *testing.T) {
	for d := range backends.All() {
		h := d.Trust.HotReload
		if !h.Granted {
			continue
		}
		assert.Empty(t, backends.Prove(h, d.Evidence()), d.ID)
		floor := d.ReloadFloor()
		i := slices.IndexFunc(d.Evidence(), func(e backends.Evidence) bool {
			v, _ := backends.ParseVersion(e.Version)
			return v.Compare(floor) == 0
		})
		require.GreaterOrEqual(t, i, 0, d.ID)
		assert.Contains(t, h.Reason, floor.String(), d.ID)
		for edit := range h.Table {
			assert.Contains(t, d.Evidence()[i].Edits, edit, d.ID)
		}
	}

	kiro := lookup(t, "kiro")
	want := map[backends.Edit]backends.EditDecision{}
	for edit, f := range kiro.Evidence()[0].Edits {
		want[edit] = backends.EditDecision{Verdict: f.Verdict, Conditions: f.Conditions, Inferred: f.Inferred}
	}
	assert.Equal(t, want, kiro.Trust.HotReload.Table)
	assert.True(t, kiro.Trust.HotReload.Of(backends.EditEnable).Inferred)
	assert.Equal(t, backends.EditDecision{Verdict: backends.VerdictNo}, kiro.Trust.HotReload.Of(backends.EditSpawnField))
	assert.Equal(t, backends.EditDecision{Verdict: backends.VerdictUnknown}, kiro.Trust.HotReload.Of(backends.EditPermissionRule))
}

func TestOverrides(t *testing.T) {
	got := map[string]string{}
	for d := range backends.All() {
		for _, o := range d.Overrides {
			assert.False(t, o.Works, "%s of %s", o.Capability, d.ID)
			assert.Contains(t, o.Evidence, d.Observed.Version+" on "+d.Observed.Date, d.ID)
			got[d.ID] = o.Capability
		}
	}
	assert.Equal(t, map[string]string{"nanocoder": "sessionCapabilities.close", "gemini": "loadSession", "droid": "protocolVersion"}, got)
}

// The order of versions has one home: that nobody else imports the library is a rule for the whole module.
func TestOneFileKnowsTheLibraryOfVersions(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var importers []string
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range file.Imports {
			if strings.Contains(spec.Path.Value, "Masterminds/semver") {
				importers = append(importers, name)
			}
		}
	}
	assert.Equal(t, []string{"version.go"}, importers)
}
