package provider_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/provider"
)

// The axes of the truth tables.
var (
	members = []struct {
		id     string
		member bool // of those that are granted hot reload
	}{{"kiro", true}, {"claude", false}, {"codex", false}, {"", false}}

	versions = []struct {
		version string
		enough  bool
		above   bool // of the highest version that was looked at
	}{
		{"2.20.99", false, false},
		{"2.10.0", false, false}, // in which the watcher first shipped
		{"2.21.0", true, false},
		{"2.21", true, false},
		{"kiro-cli 2.21.0", true, false},
		{"2.21.0+build.7", true, false},
		{"2.21.0 (commit 7c61e5bb)", true, false},
		{"2.21.1", true, true},
		{"3.0.0", true, true},
		{"2.21.0-rc.1", false, false},
		{"2.22.0-rc.1", true, true},
		{"v2.21.0", false, false},
		{"2", false, false},
		{"2.021.0", false, false},
		{"2.21.0.7", false, false},
		{"2.21.0garbage", false, false},
		{"٢.٢١.٠", false, false},
		{"unknown", false, false},
		{"", false, false},
	}
)

// agentNames are names under which a process introduces itself, the right one first.
func agentNames(d backends.Descriptor) []string {
	own := "Kiro CLI Agent"
	if len(d.AgentNames) > 0 {
		own = d.AgentNames[0]
	}
	return []string{own, "kiro cli agent", "somebody else", ""}
}

// state is where a process is in its life.
type state string

const (
	alive state = "alive"
	dead  state = "dead"
	zero  state = "zero value"
)

// eachRow calls fn with every row of the truth tables: membership × agent name × version × state.
func eachRow(t *testing.T, fn func(p provider.Provider, hotReloads, above bool, row string)) int {
	t.Helper()
	rows := 0
	for _, m := range members {
		d := backends.Descriptor{}
		if m.id != "" {
			var err error
			d, err = backends.Lookup(m.id)
			require.NoError(t, err)
		}
		for i, name := range agentNames(d) {
			for _, v := range versions {
				p := inState{provider.CapabilitiesOf(d, acp.Implementation{Name: name, Version: v.version})}
				for _, s := range []state{alive, dead, zero} {
					fn(p.in(s), m.member && i == 0 && v.enough && s == alive, v.above, fmt.Sprintf("%q named %q, version %q, %s", m.id, name, v.version, s))
					rows++
				}
			}
		}
	}
	return rows
}

// inState is a provider of capabilities; those of this package with a process are in TestDeclarationsEndWithTheProcess.
type inState struct{ declared provider.Capabilities }

func (p inState) in(s state) provider.Provider {
	switch s {
	case alive:
		return declares{caps: p.declared}
	default:
		return declares{} // what a provider answers once its process has ended, and before it was one
	}
}

type declares struct {
	provider.Unimplemented
	caps provider.Capabilities
}

func (p declares) Conn() *acp.Conn                     { return nil }
func (p declares) Close(context.Context) error         { return nil }
func (p declares) McpConfigHotReload() bool            { return p.caps.McpConfigHotReload() }
func (p declares) Capabilities() provider.Capabilities { return p.caps }

func TestTruthTableOfHotReload(t *testing.T) {
	t.Parallel()
	granted := 0
	rows := eachRow(t, func(p provider.Provider, want, _ bool, row string) {
		assert.Equal(t, want, p.McpConfigHotReload(), row)
		assert.Equal(t, want, p.Capabilities().McpConfigHotReload(), row)
		if want {
			granted++
		}
	})
	assert.Equal(t, len(members)*4*len(versions)*3, rows)
	assert.Equal(t, 8, granted, "rows that grant")
}

// TestTruthTableOfEdits looks at every row × edit × set of conditions that are met.
func TestTruthTableOfEdits(t *testing.T) {
	t.Parallel()
	// What was seen of kiro-cli 2.21.0 (kirodotdev/KiroCrew#8319).
	file := []backends.Condition{backends.ConditionNoInjection, backends.ConditionNotInjected}
	seen := map[backends.Edit]provider.EditAnswer{
		backends.EditAdd:             {Verdict: backends.VerdictFollows, Conditions: file},
		backends.EditDisable:         {Verdict: backends.VerdictFollows, Conditions: file},
		backends.EditEnable:          {Verdict: backends.VerdictFollows, Conditions: file, Inferred: true},
		backends.EditRemove:          {Verdict: backends.VerdictFollows, Conditions: file},
		backends.EditToolFilter:      {Verdict: backends.VerdictFollows, Conditions: file},
		backends.EditAddRef:          {Verdict: backends.VerdictNextTurn, Conditions: file},
		backends.EditRemoveRef:       {Verdict: backends.VerdictNo},
		backends.EditChangeTransport: {Verdict: backends.VerdictUnknown},
		backends.EditPermissionRule:  {Verdict: backends.VerdictUnknown},
	}
	reasons := map[string]bool{}
	eachRow(t, func(p provider.Provider, grants, above bool, row string) {
		for _, edit := range append(backends.Edits(), "no-such-edit") {
			got := p.Capabilities().MCPEdit(edit)
			assert.NotEmpty(t, got.Reason, "%s: %s", row, edit)
			reasons[got.Reason] = true
			want := provider.EditAnswer{Verdict: backends.VerdictUnknown}
			if known, ok := seen[edit]; ok && grants {
				want = known
				want.UnverifiedAbove = above && known.Verdict != backends.VerdictUnknown
			}
			if edit == backends.EditSpawnField {
				want.Verdict = backends.VerdictNo
			}
			want.Reason = got.Reason
			assert.Equal(t, want, got, "%s: %s", row, edit)
			for _, met := range subsets(backends.Conditions()) {
				followed := want.Verdict.Followed() && slices.Contains(met, backends.ConditionNoInjection) && slices.Contains(met, backends.ConditionNotInjected)
				assert.Equal(t, followed, got.Followed(met...), "%s: %s with %v", row, edit, met)
				for _, c := range got.Unmet(met...) {
					assert.NotContains(t, met, c)
				}
			}
		}
	})
	assert.GreaterOrEqual(t, len(reasons), 8, "doubts have reasons of their own")
}

func subsets(all []backends.Condition) [][]backends.Condition {
	sets := [][]backends.Condition{nil}
	for _, c := range all {
		for _, s := range sets {
			sets = append(sets, append(slices.Clone(s), c))
		}
	}
	return sets
}

func TestTheAnswerIsTheCallersOwn(t *testing.T) {
	t.Parallel()
	d, err := backends.Lookup("kiro")
	require.NoError(t, err)
	c := provider.CapabilitiesOf(d, acp.Implementation{Name: d.AgentNames[0], Version: "2.21.0"})
	before := c.MCPEdit(backends.EditAdd)
	changed := c.MCPEdit(backends.EditAdd)
	changed.Conditions[0] = "nothing"
	d.Trust.HotReload.Table[backends.EditAdd].Conditions[0] = "nothing"
	d.Trust.HotReload.Table[backends.EditAdd] = backends.EditDecision{}
	d.Trust.HotReload.Granted = false
	d.AgentNames[0] = "changed"
	assert.Equal(t, before, c.MCPEdit(backends.EditAdd))
}

// TestDeclarationsEndWithTheProcess has a process that introduces itself as kiro-cli, is asked, and ends.
func TestDeclarationsEndWithTheProcess(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, script string
		want         bool
	}{
		{"what is known", `{"agentInfo":{"name":"Kiro CLI Agent","version":"2.21.0"}}`, true},
		{"too old", `{"agentInfo":{"name":"Kiro CLI Agent","version":"2.20.0"}}`, false},
		{"a version of another type", `{"agentInfo":{"name":"Kiro CLI Agent","version":2.21}}`, false},
		{"another agent", `{"agentInfo":{"name":"kiro","version":"2.21.0"}}`, false},
		{"no introduction", `{"agentInfo":null}`, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d, err := backends.Lookup("kiro")
			require.NoError(t, err)
			c := provider.NewBackend(d, &provider.BackendOptions{Command: []string{self(t)}})
			p, err := c.Connect(t.Context(), &provider.ConnectOptions{
				Env: agentEnv(filepath.Join(t.TempDir(), "seen"), scriptText+"="+tc.script), Stop: acp.StopGrace{StdinClose: time.Minute},
				Client: acp.ClientOptions{ProtocolVersion: "1"},
			})
			require.NoError(t, err)
			assert.Equal(t, tc.want, p.McpConfigHotReload())
			assert.Equal(t, tc.want, p.Capabilities().MCPEdit(backends.EditAdd).Verdict.Followed())
			if tc.want { // it goes by itself
				process, err := os.FindProcess(p.Conn().PID())
				require.NoError(t, err)
				require.NoError(t, process.Kill())
				<-p.Conn().Done()
				assert.False(t, p.McpConfigHotReload())
				assert.Equal(t, provider.Capabilities{}, p.Capabilities())
			}
			require.NoError(t, p.Close(t.Context()))
			assert.False(t, p.McpConfigHotReload())
			assert.Equal(t, provider.Capabilities{}, p.Capabilities())
		})
	}
}

// TestOverridesReachTheClient: nanocoder advertises session/close and answers it with -32601.
func TestOverridesReachTheClient(t *testing.T) {
	t.Parallel()
	d := backends.Descriptor{ID: "overridden", Overrides: []backends.Override{
		{Capability: "sessionCapabilities.close", Evidence: "it answers -32601"},
		{Capability: "protocolVersion", Evidence: "it echoes any"},
	}}
	p, err := provider.NewBackend(d, &provider.BackendOptions{Command: []string{self(t)}}).Connect(t.Context(), &provider.ConnectOptions{
		Env:  agentEnv(filepath.Join(t.TempDir(), "seen"), scriptText+`={"capabilities":{"sessionCapabilities":{"close":{}}}}`),
		Stop: acp.StopGrace{StdinClose: time.Minute},
	})
	require.NoError(t, err)
	err = p.Conn().CloseSession(t.Context(), "s")
	var unsupported *acp.UnsupportedError
	require.ErrorAs(t, err, &unsupported)
	assert.Equal(t, "it answers -32601", unsupported.Reason)
	require.NoError(t, p.Close(t.Context()))
}

func ExampleCapabilities_MCPEdit() {
	kiro, _ := backends.Lookup("kiro")
	for _, version := range []string{"2.20.0", "2.21.0", "2.22.0"} {
		c := provider.CapabilitiesOf(kiro, acp.Implementation{Name: "Kiro CLI Agent", Version: version})
		a := c.MCPEdit(backends.EditAdd)
		fmt.Println(version, a.Verdict, a.Followed(backends.ConditionNoInjection, backends.ConditionNotInjected), a.UnverifiedAbove)
	}
	// Output:
	// 2.20.0 unknown false false
	// 2.21.0 follows true false
	// 2.22.0 follows true true
}
