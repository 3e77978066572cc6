package backends_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
)

const goodEvidence = `{
  "schema": "acpharness.evidence/1",
  "backend": "kiro",
  "agent": "Kiro CLI Agent",
  "version": "2.30.0",
  "date": "2026-11-30",
  "kind": "observed",
  "source": "somebody",
  "method": "a session was live",
  "edits": {
    "add": {
      "verdict": "follows",
      "inferred": true,
      "conditions": [
        "no-open-turn"
      ],
      "observations": [
        "the tools were there"
      ]
    }
  }
}
`

func TestAllEvidence(t *testing.T) {
	all, err := backends.AllEvidence()
	require.NoError(t, err)
	files, err := filepath.Glob("evidence/*.json")
	require.NoError(t, err)
	require.Len(t, all, len(files))
	for _, e := range all {
		d, err := backends.Lookup(e.Backend)
		require.NoError(t, err)
		assert.Equal(t, d.ID, e.Backend)
		assert.Contains(t, d.AgentNames, e.Agent)
		file, err := os.ReadFile(filepath.Join("evidence", e.FileName()))
		require.NoError(t, err)
		text, err := e.Marshal()
		require.NoError(t, err)
		assert.Equal(t, string(file), string(text), "the file is as it is rendered")
	}
}

func TestParseEvidence(t *testing.T) {
	e, err := backends.ParseEvidence([]byte(goodEvidence))
	require.NoError(t, err)
	assert.Equal(t, "kiro-2.30.0.json", e.FileName())
	assert.Equal(t, backends.EvidenceObserved, e.Kind)
	assert.Equal(t, backends.Finding{
		Verdict: backends.VerdictFollows, Inferred: true,
		Conditions:   []backends.Condition{backends.ConditionIdle},
		Observations: []string{"the tools were there"},
	}, e.Edits[backends.EditAdd])
	assert.False(t, e.Reloads(), "one edit is not all that is needed")
	text, err := e.Marshal()
	require.NoError(t, err)
	assert.True(t, bytes.Equal([]byte(goodEvidence), text), "%s", text)
}

func TestParseEvidenceRefuses(t *testing.T) {
	tests := []struct{ name, old, planted, text string }{
		{"no JSON", `{`, `[`, "cannot read evidence"},
		{"unknown member", `"backend"`, `"extra": 1, "backend"`, `unknown field "extra"`},
		{"unknown member of a finding", `"verdict"`, `"extra": 1, "verdict"`, `unknown field "extra"`},
		{"trailing data", "\n}\n", "\n}\n{}", "more data after the object"},
		{"trailing garbage", "\n}\n", "\n}\nx", "more data after the object"},
		{"other schema", "evidence/1", "evidence/2", `schema "acpharness.evidence/2"`},
		{"no schema", `"schema": "acpharness.evidence/1",`, "", `schema ""`},
		{"no backend", `"kiro"`, `""`, "names no backend"},
		{"backend that is no id", `"kiro"`, `"../kiro"`, "names no backend"},
		{"no agent", `"Kiro CLI Agent"`, `""`, "no agent"},
		{"no version", `"version": "2.30.0",`, "", `version "" is none`},
		{"version that is none", "2.30.0", "v2.30.0", `version "v2.30.0" is none`},
		{"date that is none", "2026-11-30", "2026-11-31", `date "2026-11-31" is none`},
		{"observed without a date", `"date": "2026-11-30",`, "", `date "" is none`},
		{"cited with a date that is none", `"date": "2026-11-30",
  "kind": "observed"`, `"date": "autumn", "kind": "cited"`, `date "autumn" is none`},
		{"unknown kind", `"observed"`, `"dreamt"`, `kind "dreamt"`},
		{"no source", `"somebody"`, `" "`, "who has seen it"},
		{"no method", `"a session was live"`, `""`, "and how"},
		{"no edits", `"edits": {`, `"edits": {}, "edit": {`, "unknown field"},
		{"unknown edit", `"add"`, `"rename"`, `edit "rename" is none`},
		{"unknown verdict", `"follows"`, `"maybe"`, `verdict "maybe" of add is none`},
		{"no verdict", `"verdict": "follows",`, "", `verdict "" of add is none`},
		{"unknown condition", `"no-open-turn"`, `"full-moon"`, `condition "full-moon" of add is none`},
		{"blank observation", `"the tools were there"`, `" "`, "add has no observations"},
		{"no observations", `"the tools were there"`, "", "add has no observations"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Contains(t, goodEvidence, tt.old)
			_, err := backends.ParseEvidence([]byte(strings.Replace(goodEvidence, tt.old, tt.planted, 1)))
			require.ErrorContains(t, err, tt.text)
		})
	}
	e, err := backends.ParseEvidence([]byte(goodEvidence))
	require.NoError(t, err)
	e.Edits = nil
	_, err = e.Marshal()
	require.ErrorContains(t, err, "it has no edits", "what could not be read is not written")
}

func FuzzParseEvidence(f *testing.F) {
	f.Add([]byte(goodEvidence))
	f.Add([]byte(`{"schema":"acpharness.evidence/1"}`))
	f.Add([]byte(strings.Replace(goodEvidence, `"no-open-turn"`, "", 1)))
	if kiro, err := os.ReadFile("evidence/kiro-2.21.0.json"); err == nil {
		f.Add(kiro)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := backends.ParseEvidence(text)
		if err != nil {
			return
		}
		first, err := e.Marshal()
		require.NoError(t, err)
		again, err := backends.ParseEvidence(first)
		require.NoError(t, err)
		second, err := again.Marshal()
		require.NoError(t, err)
		assert.Equal(t, string(first), string(second))
		assert.Equal(t, e.FileName(), again.FileName())
	})
}

func TestEvidenceIsTheCallersOwn(t *testing.T) {
	t.Parallel()
	before, err := backends.AllEvidence()
	require.NoError(t, err)
	changed, err := backends.AllEvidence()
	require.NoError(t, err)
	require.NotEmpty(t, changed)
	changed[0].Edits[backends.EditAdd].Conditions[0] = "nothing"
	changed[0].Edits[backends.EditAdd].Observations[0] = "nothing"
	delete(changed[0].Edits, backends.EditRemove)
	changed[0].Version = "0.0.1"
	after, err := backends.AllEvidence()
	require.NoError(t, err)
	assert.Equal(t, before, after)
}
