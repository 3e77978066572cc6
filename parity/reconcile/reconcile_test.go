package reconcile_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/parity/bench"
	"github.com/acpharness/acpharness/parity/reconcile"
	"github.com/acpharness/acpharness/provider"
)

// builtin is the built-in agent with a profile, as a process of its own.
func builtin(t *testing.T, profile string) *reconcile.Subject {
	t.Helper()
	d, err := backends.Lookup("builtin")
	require.NoError(t, err)
	recipe, err := backends.LookupRecipe("loopback", "builtin")
	require.NoError(t, err)
	return &reconcile.Subject{
		Descriptor: d, Recipe: recipe, MCPServer: []string{os.Args[0], beMCPServer},
		Connect: provider.ConnectOptions{ClientInfo: acp.Implementation{Name: "test"}},
		Connector: func(b *bench.Bench) (provider.Connector, error) {
			script := filepath.Join(b.Home(), "script.json")
			mcp := map[string]string{"model": b.ModelURL(), "file": filepath.Join(b.Home(), ".acpharness-mock", "agent.json"), "profile": profile, "delay": "1s"}
			if profile != "slow" {
				delete(mcp, "delay")
			}
			text, err := json.Marshal(map[string]any{"mcp": mcp})
			if err != nil {
				return nil, err
			}
			return provider.NewBackend(d, &provider.BackendOptions{Self: []string{os.Args[0], beAgent, script}}), os.WriteFile(script, text, 0o600)
		},
	}
}

// cells runs cells of a profile side by side, since most of it is waiting.
func cells(t *testing.T, profile string, keys ...string) map[string]reconcile.Result {
	t.Helper()
	results := map[string]reconcile.Result{}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(10)
	for _, key := range keys {
		cell, err := reconcile.ParseCell(key)
		require.NoError(t, err)
		group.Go(func() error {
			report, err := reconcile.Run(ctx, builtin(t, profile), &reconcile.Options{Cells: []reconcile.Cell{cell}, Window: 2 * time.Second})
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			results[key] = report.Results[0]
			return nil
		})
	}
	require.NoError(t, group.Wait())
	return results
}

// TestProfiles: of every bad profile of the built-in agent the right verdict is drawn, the false positive named as such.
func TestProfiles(t *testing.T) {
	t.Parallel()
	const follows, no, false_ = backends.VerdictFollows, backends.VerdictNo, backends.VerdictFalsePositive
	for profile, want := range map[string]map[string]backends.Verdict{
		"broken":             {"add": no, "disable": no, "tool-filter": no, "change-transport": no},
		"slow":               {"add": follows, "remove": follows},
		"partial":            {"add": follows, "enable": follows, "disable": no, "remove": no},
		"false-positive":     {"add": false_, "disable": false_, "remove": false_, "change-transport": false_},
		"flips-on-injection": {"add": follows, "add/injected": no, "disable": follows, "disable/injected": no},
	} {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			var keys []string
			for key := range want {
				keys = append(keys, key)
			}
			for key, res := range cells(t, profile, keys...) {
				assert.Empty(t, res.Error, key)
				assert.Equal(t, want[key], res.Verdict, "%s: %s", key, res.Why)
				assert.NotNil(t, res.NewSession, key)
			}
		})
	}
}

// TestBuiltinEvidence records the evidence of the built-in agent anew, under all circumstances, and compares it with what is committed: in
// verdicts and conditions, since times are never the same twice.
func TestBuiltinEvidence(t *testing.T) {
	t.Parallel()
	s := builtin(t, "good")
	var keys []string
	for _, cell := range reconcile.Cells(s.Descriptor.MCPFiles, s.Descriptor.Trust.TakesServers, true) {
		keys = append(keys, cell.Key())
	}
	results := cells(t, "good", keys...)
	report := reconcile.Report{Backend: "builtin", Agent: "acpharness-mock", Version: "1.0.0", Date: "2026-11-30"}
	for _, key := range keys {
		res := results[key]
		assert.Empty(t, res.Error, key)
		assert.Empty(t, res.Skipped, key)
		report.Results = append(report.Results, res)
	}
	all, err := backends.AllEvidence()
	require.NoError(t, err)
	i := slices.IndexFunc(all, func(e backends.Evidence) bool { return e.Backend == "builtin" && e.Version == "1.0.0" })
	require.GreaterOrEqual(t, i, 0, "acpctl probe --reconcile builtin --full --evidence backends/evidence")
	found := report.Findings()
	assert.Len(t, found, len(all[i].Edits))
	for edit, want := range all[i].Edits {
		assert.Equal(t, want.Verdict, found[edit].Verdict, "%s: %v", edit, found[edit].Observations)
		assert.Equal(t, want.Conditions, found[edit].Conditions, "%s: %v", edit, found[edit].Observations)
	}
	assert.True(t, results["add/mid-turn"].Held, "it was made in the middle of a turn")
	assert.NotEmpty(t, results["add/in-place"].Notices)
	assert.Equal(t, "stdio", results["disable/injected/same-name"].Given)
}

func TestExtras(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string]map[string]bool{
		"good":   {"cold-start": true, "list-changed": true, "broken-file": true, "deleted-file": true},
		"broken": {"cold-start": true, "broken-file": true, "deleted-file": false},
	} {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			var names []string
			for name := range want {
				names = append(names, name)
			}
			report, err := reconcile.Run(t.Context(), builtin(t, profile), &reconcile.Options{Cells: []reconcile.Cell{}, Extras: names, Window: 2 * time.Second})
			require.NoError(t, err)
			require.Len(t, report.Extras, len(want))
			for _, e := range report.Extras {
				assert.Empty(t, e.Error, e.Name)
				assert.Equal(t, want[e.Name], e.Holds, "%s: %s", e.Name, e.Why)
			}
		})
	}
}

// TestResume takes over what was found of the same version, and nothing of another.
func TestResume(t *testing.T) {
	t.Parallel()
	var told []string
	opts := &reconcile.Options{
		Cells: []reconcile.Cell{{Edit: backends.EditAdd}}, Repeat: 2, Window: 2 * time.Second, Progress: func(what string) { told = append(told, what) },
	}
	first, err := reconcile.Run(t.Context(), builtin(t, "good"), opts)
	require.NoError(t, err)
	assert.Equal(t, []string{"add", "latencies 1 of 2", "latencies 2 of 2"}, told)
	for _, edit := range []backends.Edit{backends.EditAdd, backends.EditDisable, backends.EditEnable, backends.EditRemove} {
		assert.Len(t, first.Latencies[edit], 2, edit)
	}
	text, err := json.Marshal(first)
	require.NoError(t, err)
	opts.Earlier, err = reconcile.ReadReport(bytes.NewReader(text))
	require.NoError(t, err)
	told = nil
	again, err := reconcile.Run(t.Context(), builtin(t, "good"), opts)
	require.NoError(t, err)
	assert.Empty(t, told)
	assert.Equal(t, first, again)
	opts.Earlier.Version = "0.9.0"
	_, err = reconcile.Run(t.Context(), builtin(t, "good"), opts)
	require.NoError(t, err)
	assert.Contains(t, told, "add")
	_, err = reconcile.ReadReport(strings.NewReader(`{"schema": "other/1"}`))
	require.Error(t, err)
}

// TestWalk finds the first version that follows.
func TestWalk(t *testing.T) {
	t.Parallel()
	report, err := reconcile.Walk(t.Context(), []*reconcile.Subject{builtin(t, "broken"), builtin(t, "partial"), builtin(t, "good"), builtin(t, "broken")}, &reconcile.Options{Window: 2 * time.Second})
	require.NoError(t, err)
	require.Len(t, report.Versions, 3, "it ends with the first that follows")
	assert.Equal(t, "1.0.0", report.Floor)
	assert.Equal(t, map[backends.Edit]backends.Verdict{"add": backends.VerdictFollows, "disable": backends.VerdictNo}, report.Versions[1].Edits)
}

// TestInterrupted: what was found until then is there, and no process and no folder is left.
func TestInterrupted(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	report, err := reconcile.Run(ctx, builtin(t, "good"), &reconcile.Options{
		Cells: []reconcile.Cell{{Edit: backends.EditAdd}, {Edit: backends.EditRemove}}, Window: 2 * time.Second,
		Finished: func(*reconcile.Report) { stop() },
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, report.Results, 1)
	entries, err := os.ReadDir(os.Getenv("TMPDIR"))
	require.NoError(t, err)
	assert.Empty(t, entries)
}

func TestNoFiles(t *testing.T) {
	t.Parallel()
	s := builtin(t, "good")
	s.Descriptor.MCPFiles = nil
	_, err := reconcile.Run(t.Context(), s, nil)
	require.ErrorIs(t, err, reconcile.ErrNoFiles)
}

func TestParseCell(t *testing.T) {
	t.Parallel()
	d, err := backends.Lookup("builtin")
	require.NoError(t, err)
	all := reconcile.Cells(d.MCPFiles, d.Trust.TakesServers, true)
	assert.Greater(t, len(all), len(reconcile.Cells(d.MCPFiles, d.Trust.TakesServers, false)))
	for _, cell := range all {
		back, err := reconcile.ParseCell(cell.Key())
		require.NoError(t, err)
		assert.Equal(t, cell, back)
	}
	assert.True(t, slices.Contains(all, reconcile.Cell{Edit: backends.EditAddRef}))
	for _, key := range []string{"", "spawn-field", "add/", "add/x", "add/same-name", "add/in-place/injected"} {
		_, err := reconcile.ParseCell(key)
		require.Error(t, err, key)
	}
}

// TestFindings: a circumstance that was not tried, or in which the edit was not followed, is a condition.
func TestFindings(t *testing.T) {
	t.Parallel()
	result := func(key string, v backends.Verdict) reconcile.Result {
		cell, err := reconcile.ParseCell(key)
		require.NoError(t, err)
		return reconcile.Result{Cell: cell, Key: key, Verdict: v, Why: "seen"}
	}
	follows, no := backends.VerdictFollows, backends.VerdictNo
	report := reconcile.Report{Backend: "builtin", Agent: "a", Version: "1.0.0", Date: "2026-11-30", Results: []reconcile.Result{
		result("add", follows), result("add/injected", follows), result("add/in-place", follows), result("add/mid-turn", no),
		result("disable", follows), result("remove", no), result("remove/injected", follows),
		result("enable", follows), result("enable/second-session", no),
	}}
	f := report.Findings()
	assert.Equal(t, []backends.Condition{backends.ConditionNotInjected, backends.ConditionIdle, backends.ConditionAlone}, f[backends.EditAdd].Conditions)
	assert.Equal(t, backends.Conditions(), sorted(f[backends.EditDisable].Conditions))
	assert.Equal(t, no, f[backends.EditRemove].Verdict)
	assert.Empty(t, f[backends.EditRemove].Conditions)
	assert.Contains(t, f[backends.EditEnable].Conditions, backends.ConditionAlone, "one of two sessions followed")
	assert.False(t, report.Follows())
	e, err := report.Evidence("test")
	require.NoError(t, err)
	text, err := e.Marshal()
	require.NoError(t, err)
	back, err := backends.ParseEvidence(text)
	require.NoError(t, err)
	assert.Equal(t, e, back)
	report.Results[0].Error = "broke"
	_, err = report.Evidence("test")
	require.ErrorContains(t, err, "add was not finished")
	assert.Equal(t, []string{"add"}, report.Failed())
}

// sorted are conditions in the order of the list of all.
func sorted(list []backends.Condition) []backends.Condition {
	all := backends.Conditions()
	slices.SortFunc(list, func(a, b backends.Condition) int { return slices.Index(all, a) - slices.Index(all, b) })
	return list
}

func ExampleSpread() {
	fmt.Println(reconcile.Spread([]float64{0.3, 0.17, 0.18}))
	// Output: 0.17 s to 0.30 s, median 0.18 s
}
