package parity

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/provider"
)

// plant returns what this module has, with one descriptor changed.
func plant(id string, change func(*backends.Descriptor)) func(*catalog) {
	return func(c *catalog) {
		for i := range c.all {
			if c.all[i].ID == id {
				change(&c.all[i])
			}
		}
	}
}

func evidence(change func(e *backends.Evidence)) func(*catalog) {
	return func(c *catalog) {
		for i := range c.evidence {
			c.evidence[i].Edits = maps.Clone(c.evidence[i].Edits)
			change(&c.evidence[i])
		}
	}
}

// TestPlantedViolations plants one violation after the other. A rule that finds none of them compares nothing.
func TestPlantedViolations(t *testing.T) {
	t.Parallel()
	captured, err := newCatalog(t.Context(), matrixOptions(t))
	require.NoError(t, err)
	require.Zero(t, captured.check(Rules()...).Failed, "before anything is planted")
	for _, tc := range []struct {
		name  string
		plant func(*catalog)
		cells []string // that fail, among others
	}{
		{"an unknown id falls through to the first backend", func(c *catalog) {
			c.lookup = func(id string) (backends.Descriptor, error) {
				if d, err := backends.Lookup(id); err == nil {
					return d, nil
				}
				return c.all[0], nil
			}
		}, []string{`kiro/P1/look up "kirox"`, `-/P1/look up ""`, `-/P1/look up "default"`}},
		{"an unknown id is another error", func(c *catalog) {
			c.lookup = func(id string) (backends.Descriptor, error) {
				d, err := backends.Lookup(id)
				if err != nil {
					err = errors.New("not found")
				}
				return d, err
			}
		}, []string{`kiro/P1/look up "kirox"`}},
		{"an alias leads elsewhere", func(c *catalog) {
			c.lookup = func(id string) (backends.Descriptor, error) {
				if id == "kiro-cli" {
					id = "claude"
				}
				return backends.Lookup(id)
			}
		}, []string{"kiro/P1/look up kiro-cli"}},
		{"membership is negated", func(c *catalog) {
			kiro, _ := backends.Lookup("kiro")
			c.declare = func(d backends.Descriptor, agent acp.Implementation) provider.Capabilities {
				if d.ID == "claude" || d.ID == "codex" { // everybody but those
					return provider.CapabilitiesOf(d, agent)
				}
				return provider.CapabilitiesOf(kiro, acp.Implementation{Name: kiro.AgentNames[0], Version: hopefulVersion})
			}
		}, []string{`gemini/P2/hot reload as "gemini-cli"`, "-/P1/unknown backend: mcp-config-hot-reload", "gemini/P8/granted without evidence", `kiro/P8/declared at "2.20.0"`}},
		{"a name is compared loosely", func(c *catalog) {
			c.declare = func(d backends.Descriptor, agent acp.Implementation) provider.Capabilities {
				if d.ID == "kiro" {
					agent.Name = d.AgentNames[0]
				}
				return provider.CapabilitiesOf(d, agent)
			}
		}, []string{`kiro/P2/hot reload as ""`, `kiro/P2/hot reload as "KIRO CLI AGENT"`, `kiro/P2/hot reload as "OpenCode"`}},
		{
			"a decision is deleted", plant("codex", func(d *backends.Descriptor) { d.Trust.SharesProcess = backends.Decision{} }),
			[]string{"codex/P3/shares-process", "codex/P3/shares-process as committed", "codex/P3/descriptor"},
		},
		{
			"a reason is deleted", plant("codex", func(d *backends.Descriptor) { d.Trust.ParallelStarts.Reason = " " }),
			[]string{"codex/P3/parallel-starts", "codex/P3/descriptor"},
		},
		{
			"a decision is turned", plant("codex", func(d *backends.Descriptor) { d.Trust.ParallelStarts.Granted = !d.Trust.ParallelStarts.Granted }),
			[]string{"codex/P3/parallel-starts as committed"},
		},
		{"a descriptor is copied under a new id", func(c *catalog) {
			d := c.all[slices.IndexFunc(c.all, func(d backends.Descriptor) bool { return d.ID == "kiro" })]
			d.ID, d.Trust = "kiro2", backends.Trust{}
			c.all = append(c.all, d)
		}, append(cellsOf("kiro2/P3/"), "kiro2/P3/descriptor", "kiro2/P5/id kiro-cli", "kiro2/P5/agent name Kiro CLI Agent", "kiro2/P5/name Kiro CLI", "kiro2/P6/golden launch")},
		{"an id is added", func(c *catalog) {
			c.all = append(c.all, backends.Descriptor{ID: "new", Name: "New", AgentNames: []string{"new"}, ProtocolVersion: "1"})
		}, append(cellsOf("new/P3/"), "new/P6/golden launch", "new/P1/look up new")},
		{
			"a backend is gone", func(c *catalog) {
				c.all = slices.DeleteFunc(c.all, func(d backends.Descriptor) bool { return d.ID == "pi" })
			},
			[]string{"pi/P6/golden launch", "pi/P3/golden"},
		},
		{"evidence of nobody", evidence(func(e *backends.Evidence) { e.Backend = "kirro" }), []string{"kirro/P3/evidence of 2.21.0"}},
		{"another protocol literal", plant("kiro", func(d *backends.Descriptor) { d.ProtocolVersion = "1" }), []string{"kiro/P4/literal sent", "kiro/P6/protocol"}},
		{"a literal is missing", plant("kiro", func(d *backends.Descriptor) { d.ProtocolVersion = "" }), []string{"kiro/P4/literal"}},
		{"two backends share a label", plant("kilo", func(d *backends.Descriptor) { d.Name = "OpenCode" }), []string{"kilo/P5/name OpenCode"}},
		{"a label is missing", plant("kilo", func(d *backends.Descriptor) { d.Name = "" }), []string{"kilo/P5/label"}},
		{
			"a launch changes", plant("gemini", func(d *backends.Descriptor) { d.Launch.Args = []string{"--experimental-acp"} }),
			[]string{"gemini/P6/command", "gemini/P6/arguments"},
		},
		{"a marker is not scrubbed any more", plant("claude", func(d *backends.Descriptor) { d.Env.Scrub = d.Env.Scrub[1:] }), []string{"claude/P6/removes"}},
		{"a launch keeps a marker", func(c *catalog) { c.launches["claude"].env["CLAUDECODE"] = true }, []string{"claude/P6/has CLAUDECODE"}},
		{"a launch lacks a variable", func(c *catalog) { delete(c.launches["claude"].env, "DISABLE_AUTOUPDATER") }, []string{"claude/P6/has DISABLE_AUTOUPDATER"}},
		{"an override is hidden by the embedded default", func(c *catalog) {
			seen := c.launches["kiro"]
			p := hiding{declares: declares{true}}
			seen.hotReload = p.McpConfigHotReload()
			seen.inherited, seen.hidden = inherits(p)
			c.launches["kiro"] = seen
		}, []string{"kiro/P7/McpConfigHotReload of the process", "kiro/P7/hidden by the default", "kiro/P7/left to the default"}},
		{"the two answers differ", func(c *catalog) {
			seen := c.launches["kiro"]
			seen.same = false
			c.launches["kiro"] = seen
		}, []string{"kiro/P7/Capabilities of the process"}},
		{"a dead process declares", func(c *catalog) {
			seen := c.launches["kiro"]
			seen.after = true
			c.launches["kiro"] = seen
		}, []string{"kiro/P7/McpConfigHotReload when it has ended"}},
		{"evidence of a grant is deleted", func(c *catalog) { c.evidence = nil }, []string{"kiro/P8/evidence of the grant", "kiro/P8/floor", "kiro/P8/floor as committed"}},
		{"the floor is lowered", evidence(func(e *backends.Evidence) { e.Version = "2.10.0" }), []string{"kiro/P8/floor", "kiro/P8/floor as committed"}},
		{"evidence says something else", evidence(func(e *backends.Evidence) {
			e.Edits[backends.EditToolFilter] = backends.Finding{Verdict: backends.VerdictNo}
		}), []string{"kiro/P8/tool-filter"}},
		{"evidence that is newer says that it does not follow", func(c *catalog) {
			newer := c.evidence[slices.IndexFunc(c.evidence, func(e backends.Evidence) bool { return e.Backend == "kiro" })]
			newer.Version, newer.Edits = "9.0.0", maps.Clone(newer.Edits)
			newer.Edits[backends.EditDisable] = backends.Finding{Verdict: backends.VerdictFalsePositive}
			c.evidence = append(c.evidence, newer)
		}, []string{"kiro/P8/granted by the evidence of 9.0.0", "kiro/P8/disable"}},
		{"evidence says that it follows, and it is not granted", plant("kiro", func(d *backends.Descriptor) {
			d.Trust.HotReload = backends.HotReload{Reason: "withheld"}
		}), []string{"kiro/P8/granted by the evidence of 2.21.0", "kiro/P8/add"}},
		{"a condition is dropped", plant("kiro", func(d *backends.Descriptor) {
			d.Trust.HotReload.Table = maps.Clone(d.Trust.HotReload.Table)
			d.Trust.HotReload.Table[backends.EditAdd] = backends.EditDecision{Verdict: backends.VerdictFollows}
		}), []string{"kiro/P8/add"}},
		{"an inferred verdict is taken for a seen one", plant("kiro", func(d *backends.Descriptor) {
			d.Trust.HotReload.Table = maps.Clone(d.Trust.HotReload.Table)
			enable := d.Trust.HotReload.Table[backends.EditEnable]
			enable.Inferred = false
			d.Trust.HotReload.Table[backends.EditEnable] = enable
		}), []string{"kiro/P8/enable"}},
		{"a grant without evidence", plant("pi", func(d *backends.Descriptor) {
			kiro, _ := backends.Lookup("kiro")
			d.Trust.HotReload = kiro.Trust.HotReload
		}), []string{"pi/P8/evidence of the grant", "pi/P3/mcp-config-hot-reload as committed"}},
		{"an override is not needed any more", func(c *catalog) { c.golden["gemini"].Advertised["loadSession"] = false }, []string{"gemini/P9/loadSession"}},
		{"an override nobody looked at", plant("pi", func(d *backends.Descriptor) {
			d.Overrides = []backends.Override{{Capability: "sessionCapabilities.list", Evidence: "seen"}}
		}), []string{"pi/P9/sessionCapabilities.list"}},
		{"an override is deleted", plant("nanocoder", func(d *backends.Descriptor) { d.Overrides = nil }), []string{"nanocoder/P9/sessionCapabilities.close overridden"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, err := newCatalog(t.Context(), nil)
			require.NoError(t, err)
			c.launches = map[string]launch{}
			for id, seen := range captured.launches {
				seen.env = maps.Clone(seen.env)
				c.launches[id] = seen
			}
			tc.plant(c)
			c.selected = c.all
			failed := map[string]bool{}
			for _, cell := range c.check(Rules()...).Failures() {
				failed[cell.Key()] = true
				assert.NotEmpty(t, cell.Reason, cell.Key())
			}
			for _, key := range tc.cells {
				assert.True(t, failed[key], "%s does not fail; those that do: %v", key, slices.Sorted(maps.Keys(failed)))
			}
		})
	}
}

func cellsOf(prefix string) []string {
	var keys []string
	for _, key := range backends.TrustKeys() {
		keys = append(keys, prefix+string(key))
	}
	return keys
}

// declares has answers of its own.
type declares struct{ hotReload bool }

func (p declares) Conn() *acp.Conn                     { return nil }
func (p declares) Close(context.Context) error         { return nil }
func (p declares) McpConfigHotReload() bool            { return p.hotReload }
func (p declares) Capabilities() provider.Capabilities { return provider.Capabilities{} }

type (
	// hiding has the answers of declares one level below those of the default.
	hiding struct {
		provider.Unimplemented
		rest
		declares declares
	}
	rest struct{}
	// deeper hides an embedded one.
	deeper struct {
		provider.Unimplemented
		rest
		between
	}
	between struct{ declares }
	// wrapping keeps another provider, and forwards nothing of what it declares.
	wrapping struct {
		provider.Unimplemented
		rest
		inner provider.Provider
	}
	// plain declares nothing.
	plain struct {
		provider.Unimplemented
		rest
	}
	// forwarding embeds the other provider alone.
	forwarding struct{ provider.Provider }
	// overriding has one answer of its own, by a pointer.
	overriding struct {
		provider.Unimplemented
		rest
	}
)

func (rest) Conn() *acp.Conn             { return nil }
func (rest) Close(context.Context) error { return nil }

func (*overriding) McpConfigHotReload() bool { return true }

func TestWhoInheritsTheDefault(t *testing.T) {
	t.Parallel()
	both := []string{"McpConfigHotReload", "Capabilities"}
	for _, tc := range []struct {
		p                 provider.Provider
		inherited, hidden []string
	}{
		{declares{}, nil, nil},
		{&declares{}, nil, nil},
		{plain{}, both, nil},
		{&plain{}, both, nil},
		{hiding{}, both, both},
		{deeper{between: between{declares{true}}}, both, both},
		{wrapping{inner: declares{true}}, both, both},
		{forwarding{declares{}}, nil, nil},
		{&overriding{}, []string{"Capabilities"}, nil},
		{nil, nil, nil},
	} {
		t.Run(fmt.Sprintf("%T", tc.p), func(t *testing.T) {
			t.Parallel()
			inherited, hidden := inherits(tc.p)
			assert.Equal(t, tc.inherited, inherited)
			assert.Equal(t, tc.hidden, hidden)
		})
	}
}
