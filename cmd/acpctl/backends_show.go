package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/backends"
)

func (a *app) showCommand(asJSON *bool) *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show all that is known of one agent before it is started",
		Long: "show prints the descriptor of one agent, what it is trusted with and why, which edits of its MCP configuration it follows\n" +
			"without a restart and from which version, the evidence for that, and where it does something else than it advertises.",
		Args:              usageArgs(cobra.ExactArgs(1)),
		ValidArgsFunction: completeBackends,
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := backendSubject(args[0], nil)
			if err != nil {
				return err
			}
			return a.showBackend(*s.Descriptor, *asJSON)
		},
	}
}

// cardJSON is the documented form of all that is known of a backend.
type cardJSON struct {
	backendJSON
	Trust     []trustJSON    `json:"trust"`
	HotReload reloadJSON     `json:"hotReload"`
	Evidence  []evidenceJSON `json:"evidence"`
	Overrides []overrideJSON `json:"overrides"`
}

type trustJSON struct {
	Key     backends.TrustKey `json:"key"`
	Granted bool              `json:"granted"`
	Value   string            `json:"value"`
	Reason  string            `json:"reason"`
}

// reloadJSON has empty versions where there is no evidence, and edits only where hot reload is granted.
type reloadJSON struct {
	Granted     bool       `json:"granted"`
	Floor       string     `json:"floor"`
	HighestSeen string     `json:"highestSeen"`
	Edits       []editJSON `json:"edits"`
}

type editJSON struct {
	Edit       backends.Edit        `json:"edit"`
	Verdict    backends.Verdict     `json:"verdict"`
	Inferred   bool                 `json:"inferred"`
	Conditions []backends.Condition `json:"conditions"`
}

type evidenceJSON struct {
	Version string                `json:"version"`
	Date    string                `json:"date"` // empty if the source does not say it
	Kind    backends.EvidenceKind `json:"kind"`
	Source  string                `json:"source"`
	Method  string                `json:"method"`
}

type overrideJSON struct {
	Capability string `json:"capability"`
	Works      bool   `json:"works"`
	Evidence   string `json:"evidence"`
}

func toCard(d backends.Descriptor) cardJSON {
	c := cardJSON{backendJSON: toJSON(d), Trust: []trustJSON{}, Evidence: []evidenceJSON{}, Overrides: []overrideJSON{}}
	for _, key := range backends.TrustKeys() {
		r := d.Trust.Of(key)
		c.Trust = append(c.Trust, trustJSON{key, r.Granted, r.Value, r.Reason})
	}
	c.HotReload = reloadJSON{
		Granted: d.Trust.HotReload.Granted, Floor: known(d.ReloadFloor()), HighestSeen: known(d.HighestSeen()), Edits: []editJSON{},
	}
	if c.HotReload.Granted {
		for _, edit := range backends.Edits() {
			e := d.Trust.HotReload.Of(edit)
			c.HotReload.Edits = append(c.HotReload.Edits, editJSON{edit, e.Verdict, e.Inferred, append([]backends.Condition{}, e.Conditions...)})
		}
	}
	for _, e := range d.Evidence() {
		c.Evidence = append(c.Evidence, evidenceJSON{e.Version, e.Date, e.Kind, e.Source, e.Method})
	}
	for _, o := range d.Overrides {
		c.Overrides = append(c.Overrides, overrideJSON(o))
	}
	return c
}

// known is a version, empty if it is unknown.
func known(v backends.Version) string {
	if !v.Known() {
		return ""
	}
	return v.String()
}

func (a *app) showBackend(d backends.Descriptor, asJSON bool) error {
	c := toCard(d)
	if asJSON {
		return a.writeJSON(c)
	}
	command := strings.Join(c.Command, " ")
	if d.Builtin {
		command = "acpctl mock agent"
	}
	fields := [][]string{
		{"id", c.ID},
		{"name", c.Name},
		{"also", strings.Join(c.Aliases, ", ")},
		{"command", command},
		{"agent names", strings.Join(c.AgentNames, ", ")},
		{"registry id", c.RegistryID},
		{"protocol version", c.ProtocolVersion},
		{"sets", strings.Join(c.EnvSet, ", ")},
		{"removes", strings.Join(c.EnvScrub, ", ")},
		{"install", c.Install},
		{"descriptor", c.VerifiedNote},
	}
	fields = slices.DeleteFunc(fields, func(f []string) bool { return f[1] == "" })
	for _, note := range c.Notes {
		fields = append(fields, []string{"note", note})
	}
	var b strings.Builder
	columns(&b, "", fields)
	c.sections(&b)
	_, err := fmt.Fprint(a.streams.Out, b.String())
	return err
}
