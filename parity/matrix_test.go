package parity

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
)

var update = flag.Bool("update", false, "write golden/backends.json anew")

func matrixOptions(t *testing.T) *MatrixOptions {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return &MatrixOptions{Agent: []string{self, "--"}, Env: []string{agentMode + "=1", "GORACE=atexit_sleep_ms=0"}}
}

// TestMatrix holds every backend to what is declared of it.
func TestMatrix(t *testing.T) {
	if *update {
		writeGolden(t)
	}
	report, err := Matrix(t.Context(), matrixOptions(t))
	require.NoError(t, err)
	for _, c := range report.Failures() {
		t.Errorf("%s: declared %q, observed %q: %s", c.Key(), c.Declared, c.Observed, c.Reason)
	}
	// What is not in the report was not compared.
	seen := map[string]int{}
	keys := map[string]bool{}
	for _, c := range report.Results {
		assert.False(t, keys[c.Key()], "%s is there twice", c.Key())
		keys[c.Key()] = true
		if c.Result.Compared() {
			seen[c.Backend+" "+c.Check]++
		} else {
			t.Logf("not compared: %s: %s", c.Key(), c.Reason)
		}
	}
	for d := range backends.All() {
		for _, rule := range Rules() {
			if rule.ID == "P9" && len(d.Overrides) == 0 {
				continue
			}
			assert.Positive(t, seen[d.ID+" "+rule.ID], "%s was not held to %s", d.ID, rule.ID)
		}
		for _, key := range backends.TrustKeys() {
			i := slices.IndexFunc(report.Results, func(c Cell) bool { return c.Backend == d.ID && c.Check == "P3" && c.Subject == string(key) })
			require.GreaterOrEqual(t, i, 0, "%s: %s", d.ID, key)
			assert.NotEmpty(t, report.Results[i].Reason, "%s: %s", d.ID, key)
		}
	}
	t.Logf("%d cells compared", report.Cells)
}

func writeGolden(t *testing.T) {
	t.Helper()
	before, err := readGolden()
	require.NoError(t, err)
	now := golden{}
	for d := range backends.All() {
		now[d.ID] = goldenOf(d, before[d.ID])
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	require.NoError(t, enc.Encode(now))
	require.NoError(t, os.WriteFile("golden/backends.json", text.Bytes(), 0o600))
	goldenText = text.Bytes()
}

// TestMatrixOfSome is about those that were asked for.
func TestMatrixOfSome(t *testing.T) {
	t.Parallel()
	report, err := Matrix(t.Context(), &MatrixOptions{Backends: []string{"kiro", "claude-code"}})
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, c := range report.Results {
		seen[c.Backend] = true
	}
	assert.Equal(t, map[string]bool{"kiro": true, "claude": true, "-": true}, seen)
	assert.Positive(t, report.Counts[Skipped], "nobody was there to play them")
	assert.Zero(t, report.Failed)

	_, err = Matrix(t.Context(), &MatrixOptions{Backends: []string{"kirro"}})
	var unknown *backends.UnknownError
	assert.ErrorAs(t, err, &unknown)
}

func TestMatrixEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Matrix(ctx, matrixOptions(t))
	assert.ErrorIs(t, err, context.Canceled)
}
