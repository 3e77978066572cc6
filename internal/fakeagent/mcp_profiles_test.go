package fakeagent_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/acpharness/acpharness/internal/fakeagent"
)

// followed is what comes of an edit of the server s.
type followed struct {
	offered string // to the model at the next prompt of a session that was open before
	called  string // what the model is told when it calls a tool of s in it
	fresh   string // offered in a session that is opened after the edit
	notices string // since the edit, without that about the server mark
}

const (
	keep   = "keep_alpha keep_beta"
	both   = keep + " s_alpha s_beta"
	one    = keep + " s_alpha"
	works  = `s/alpha: {"x":"1"}`
	noTool = "no such tool: s_alpha"
	gone   = "error: the server is gone"
)

// edits are those of one server, with what an agent without faults makes of them. In all of them the server mark comes
// as well, which is not offered: it shows when an edit has been followed.
var edits = []struct {
	name         string
	servers      func(b *bench) (before, after settings) // nil is none
	refs, toRefs []string
	before       string // offered before the edit
	good         followed
}{
	{
		name: "add", before: keep, good: followed{both, works, both, "s"},
		servers: func(b *bench) (settings, settings) { return nil, b.server("s") },
	},
	{
		name: "disable", before: both, good: followed{keep, noTool, keep, ""},
		servers: func(b *bench) (settings, settings) { return b.server("s"), b.server("s", "disabled", true) },
	},
	{
		name: "enable", before: keep, good: followed{both, works, both, "s"},
		servers: func(b *bench) (settings, settings) { return b.server("s", "disabled", true), b.server("s") },
	},
	{
		name: "remove", before: both, good: followed{keep, noTool, keep, ""},
		servers: func(b *bench) (settings, settings) { return b.server("s"), nil },
	},
	{
		name: "disabledTools", before: both, good: followed{one, works, one, ""},
		servers: func(b *bench) (settings, settings) {
			return b.server("s"), b.server("s", "disabledTools", []string{"beta"})
		},
	},
	{
		name: "changed args", before: both, good: followed{both, works, both, "s"},
		servers: func(b *bench) (settings, settings) {
			return b.server("s"), b.server("s", "args", []string{"changed"})
		},
	},
	{
		name: "add reference", before: keep, good: followed{both, works, both, ""},
		servers: func(b *bench) (settings, settings) { return b.server("s"), b.server("s") },
		refs:    []string{"@keep"}, toRefs: []string{"@keep", "@s"},
	},
	{
		name: "remove reference", before: both, good: followed{both, works, keep, ""},
		servers: func(b *bench) (settings, settings) { return b.server("s"), b.server("s") },
		refs:    []string{"@keep", "@s"}, toRefs: []string{"@keep"},
	},
}

// differences are what profiles make of edits else.
var differences = map[fakeagent.MCPProfile]map[string]followed{
	fakeagent.MCPPartial: {
		"disable": {both, works, both, ""},
		"remove":  {both, works, both, ""},
	},
	fakeagent.MCPFalse: {
		"add":              {keep, noTool, both, "s"},
		"enable":           {keep, noTool, both, "s"},
		"disable":          {both, gone, keep, ""},
		"remove":           {both, gone, keep, ""},
		"disabledTools":    {both, works, one, ""},
		"changed args":     {both, gone, both, "s"},
		"add reference":    {keep, noTool, both, ""},
		"remove reference": {both, works, keep, ""},
	},
	fakeagent.MCPBroken: {
		"add":              {keep, noTool, keep, ""},
		"enable":           {keep, noTool, keep, ""},
		"disable":          {both, works, both, ""},
		"remove":           {both, works, both, ""},
		"disabledTools":    {both, works, both, ""},
		"changed args":     {both, works, both, ""},
		"add reference":    {keep, noTool, keep, ""},
		"remove reference": {both, works, both, ""},
	},
}

func TestMCPProfiles(t *testing.T) {
	t.Parallel()
	for _, profile := range []fakeagent.MCPProfile{
		"", fakeagent.MCPBroken, fakeagent.MCPSlow, fakeagent.MCPPartial, fakeagent.MCPFalse, fakeagent.MCPFlipping,
	} {
		for _, e := range edits {
			t.Run(string(profile)+"/"+e.name, func(t *testing.T) {
				t.Parallel()
				want, other := differences[profile][e.name]
				if !other {
					want = e.good
				}
				script := fakeagent.MCPScript{Profile: profile}
				if profile == fakeagent.MCPSlow {
					script.Delay = fakeagent.Duration(100 * time.Millisecond)
				}
				refs, toRefs := e.refs, e.toRefs
				if refs == nil {
					refs, toRefs = []string{"@keep", "@s"}, []string{"@keep", "@s"}
				}
				b := newBench(t)
				before, after := e.servers(b)
				start, end := entries{"keep": b.server("keep")}, entries{"keep": b.server("keep"), "mark": b.server("mark")}
				if before != nil {
					start["s"] = before
				}
				if after != nil {
					end["s"] = after
				}
				b.write(agentFile(start, refs...))
				b.start(script)
				open := b.begin()
				assert.Equal(t, e.before, b.offered(open))
				b.notices = nil
				b.write(agentFile(end, toRefs...))
				if profile == fakeagent.MCPBroken {
					elapse(t)
				} else {
					b.hears("mark")
				}
				got := followed{offered: b.offered(open), called: b.use(open, "s_alpha")}
				got.fresh = b.offered(b.begin())
				got.notices = strings.Join(slices.DeleteFunc(b.notices, func(name string) bool { return name == "mark" }), " ")
				assert.Equal(t, want, got)
			})
		}
	}
}
