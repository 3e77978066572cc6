package parity

import (
	"slices"
	"strings"

	"github.com/acpharness/acpharness/backends"
)

// checkLabels looks for whom a name could be taken.
func checkLabels(c *catalog, r *recorder) {
	owners := map[string]string{}
	take := func(backend, kind, label string) {
		key := kind + " " + strings.ToLower(label)
		owner, taken := owners[key]
		if !taken {
			owners[key] = backend
		}
		if c.selects(backend) {
			r.require(backend, kind+" "+label, "its own", !taken, "it is that of "+owner+" too")
		}
	}
	for _, d := range c.all {
		for _, id := range append([]string{d.ID}, d.Aliases...) {
			take(d.ID, "id", id)
		}
		for _, name := range d.AgentNames {
			take(d.ID, "agent name", name)
		}
		take(d.ID, "name", d.Name)
		if c.selects(d.ID) {
			r.require(d.ID, "label", "given", strings.TrimSpace(d.Name) != "", "it has no name for people")
		}
	}
}

func (c *catalog) selects(id string) bool {
	return slices.ContainsFunc(c.selected, func(d backends.Descriptor) bool { return d.ID == id })
}
