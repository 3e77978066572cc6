package parity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acpharness/acpharness/acp"
)

// checkIdentity lets every backend introduce itself under its own names, under those of all others, and under names that are nearly its
// own. Only a name of its own may be granted anything, and only what its own decisions grant.
func checkIdentity(c *catalog, r *recorder) {
	var names []string
	for _, d := range c.all {
		names = append(names, d.AgentNames...)
	}
	for _, d := range c.selected {
		version := hopefulVersion
		if floor := c.floor(d.ID); floor != "" {
			version = floor
		}
		tried := slices.Clone(names)
		for _, own := range d.AgentNames {
			tried = append(tried, strings.ToUpper(own), own+" ", own+"-fork")
		}
		for _, name := range append(tried, "") {
			want := d.Trust.HotReload.Granted && slices.Contains(d.AgentNames, name)
			got := c.declare(d, acp.Implementation{Name: name, Version: version}).McpConfigHotReload()
			r.compare(d.ID, fmt.Sprintf("hot reload as %q", name), answer(want), answer(got),
				"what is granted does not follow from the decision and the name alone")
		}
	}
}

// floor is the lowest version in evidence that follows all that hot reload needs, computed here from the evidence; empty if there is none.
func (c *catalog) floor(backend string) string {
	lowest := ""
	for _, e := range c.evidence {
		if e.Backend == backend && e.Reloads() && (lowest == "" || version(e.Version).Compare(version(lowest)) < 0) {
			lowest = e.Version
		}
	}
	return lowest
}
