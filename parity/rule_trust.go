package parity

import (
	"maps"
	"slices"
	"strings"

	"github.com/acpharness/acpharness/backends"
)

// checkTrust looks for a reason of every decision, and for ids in the sets that are nobody's.
func checkTrust(c *catalog, r *recorder) {
	for _, d := range c.selected {
		for _, key := range backends.TrustKeys() {
			ruling := d.Trust.Of(key)
			decided := strings.TrimSpace(ruling.Reason) != ""
			r.require(d.ID, string(key), ruling.Value, decided, "nothing is decided, or no reason is given")
			if decided {
				r.cells[len(r.cells)-1].Reason = ruling.Reason
			}
			before, ok := c.golden[d.ID].Trust[key]
			if !ok {
				before = "nothing"
			}
			r.compare(d.ID, string(key)+" as committed", before, ruling.Value, "the decision is not the one in parity/golden/backends.json")
		}
		if err := d.Validate(); err != nil {
			r.require(d.ID, "descriptor", "valid", false, err.Error())
		} else {
			r.require(d.ID, "descriptor", "valid", true, "")
		}
	}
	for _, e := range c.evidence {
		if c.knows(e.Backend) && !c.selects(e.Backend) {
			continue
		}
		r.require(e.Backend, "evidence of "+e.Version, "a known id", c.knows(e.Backend), "nobody has the id that evidence speaks of")
	}
	for _, id := range slices.Sorted(maps.Keys(c.golden)) {
		if c.knows(id) && !c.selects(id) {
			continue
		}
		r.require(id, "golden", "a known id", c.knows(id), "parity/golden/backends.json has an id that is nobody's")
	}
}
