package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
)

// card is what show prints about a backend.
func card(t *testing.T, d backends.Descriptor, asJSON bool) string {
	t.Helper()
	var out bytes.Buffer
	a := &app{streams: &ui.Streams{Out: &out}}
	require.NoError(t, a.showBackend(d, asJSON))
	return out.String()
}

func TestCardNamesEveryDecisionWithItsReason(t *testing.T) {
	t.Parallel()
	for d := range backends.All() {
		text := card(t, d, false)
		var read cardJSON
		require.NoError(t, json.Unmarshal([]byte(card(t, d, true)), &read), d.ID)
		require.Len(t, read.Trust, len(backends.TrustKeys()), d.ID)
		for i, key := range backends.TrustKeys() {
			want := d.Trust.Of(key)
			require.NotEmpty(t, want.Reason, "%s: %s", d.ID, key)
			line := `(?m)^  ` + string(key) + ` +` + regexp.QuoteMeta(want.Value) + ` +` + regexp.QuoteMeta(ui.OneLine(want.Reason, 0)) + `$`
			assert.Regexp(t, line, text, d.ID)
			assert.Equal(t, trustJSON{key, want.Granted, want.Value, want.Reason}, read.Trust[i], d.ID)
		}
		assert.Equal(t, d.Trust.HotReload.Granted, read.HotReload.Granted, d.ID)
		assert.Equal(t, d.Trust.HotReload.Granted, len(read.HotReload.Edits) == len(backends.Edits()), d.ID)
		assert.Len(t, read.Evidence, len(d.Evidence()), d.ID)
		assert.Len(t, read.Overrides, len(d.Overrides), d.ID)
	}
}

func TestCardShowsOverrides(t *testing.T) {
	t.Parallel()
	d := backends.Descriptor{ID: "odd", Overrides: []backends.Override{
		{Capability: "sessionCapabilities.close", Evidence: "it answered\nnothing"},
		{Capability: "loadSession", Works: true, Evidence: "it loaded one"},
	}}
	text := card(t, d, false)
	assert.Regexp(t, `(?m)^  sessionCapabilities\.close +does not work +it answered nothing$`, text)
	assert.Regexp(t, `(?m)^  loadSession +works +it loaded one$`, text)
	assert.NotContains(t, text, "evidence\n  ", "there is none")
}
