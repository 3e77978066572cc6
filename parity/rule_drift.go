package parity

import (
	"maps"
	"slices"
)

// checkDrift compares overrides with what the agents advertised when they were last run. Whatever agrees needs no override any more.
func checkDrift(c *catalog, r *recorder) {
	for _, d := range c.selected {
		recorded := c.golden[d.ID].Advertised
		for _, o := range d.Overrides {
			advertised, ok := recorded[o.Capability]
			if !ok {
				r.require(d.ID, o.Capability, "recorded", false, "an override, and what the agent advertises is not in parity/golden/backends.json")
				continue
			}
			r.compare(d.ID, o.Capability, answer(!o.Works), answer(advertised), "the agent advertises what the override says, so that it is not needed")
		}
		for _, capability := range slices.Sorted(maps.Keys(recorded)) {
			overridden := false
			for _, o := range d.Overrides {
				overridden = overridden || o.Capability == capability
			}
			r.require(d.ID, capability+" overridden", "yes", overridden, "what an agent advertises was recorded for an override that is gone")
		}
	}
}
