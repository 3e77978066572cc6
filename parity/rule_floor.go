package parity

import (
	"fmt"
	"strings"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
)

func version(text string) backends.Version {
	v, _ := backends.ParseVersion(text)
	return v
}

// checkFloor computes floors from the evidence, and looks what is granted at and below each.
func checkFloor(c *catalog, r *recorder) {
	for _, d := range c.selected {
		floor := c.floor(d.ID)
		want := floor
		if want == "" {
			want = "unknown"
		}
		r.compare(d.ID, "floor", want, d.ReloadFloor().String(), "the floor is not the lowest version in evidence that follows")
		r.compare(d.ID, "floor as committed", c.golden[d.ID].Floor, want, "the floor is not the one in parity/golden/backends.json")
		c.checkDecision(r, d)
		if !d.Trust.HotReload.Granted {
			r.compare(d.ID, "granted without evidence", "no", answer(c.declare(d, c.as(d, hopefulVersion)).McpConfigHotReload()), "it is not granted and declared")
			continue
		}
		r.require(d.ID, "evidence of the grant", "given", floor != "", "hot reload is granted, and there is no evidence of a version that follows")
		if floor == "" {
			continue
		}
		r.compare(d.ID, "declared at "+floor, "yes", answer(c.declare(d, c.as(d, floor)).McpConfigHotReload()), "the floor itself is not granted")
		for _, below := range []string{floor + "-rc.1", "0.1.0", lower(floor), "", "unknown"} {
			r.compare(d.ID, fmt.Sprintf("declared at %q", below), "no", answer(c.declare(d, c.as(d, below)).McpConfigHotReload()), "a version below the floor is granted")
		}
	}
}

// checkDecision compares what was decided with what follows from the newest evidence, either way.
func (c *catalog) checkDecision(r *recorder, d backends.Descriptor) {
	newest := c.newest(d.ID)
	if newest == nil {
		return // then nothing may be granted, which is looked at elsewhere
	}
	want, decided := newest.Decision(), d.Trust.HotReload
	r.compare(d.ID, "granted by the evidence of "+newest.Version, answer(want.Granted), answer(decided.Granted), "what is granted is not what the newest evidence says")
	for _, edit := range backends.Edits() {
		if edit != backends.EditSpawnField {
			w, h := want.Of(edit), decided.Of(edit)
			r.compare(d.ID, string(edit), findingText(w.Verdict, w.Inferred, w.Conditions), findingText(h.Verdict, h.Inferred, h.Conditions),
				"what is decided is not what the newest evidence says")
		}
	}
}

// newest is the evidence of the highest version of a backend, nil if there is none.
func (c *catalog) newest(id string) *backends.Evidence {
	var found *backends.Evidence
	for i := range c.evidence {
		e := &c.evidence[i]
		if e.Backend == id && (found == nil || version(e.Version).Compare(version(found.Version)) >= 0) {
			found = e
		}
	}
	return found
}

func findingText(v backends.Verdict, inferred bool, conditions []backends.Condition) string {
	parts := []string{string(v)}
	if inferred {
		parts = append(parts, "inferred")
	}
	for _, c := range conditions {
		parts = append(parts, "if "+string(c))
	}
	return strings.Join(parts, ", ")
}

func (c *catalog) as(d backends.Descriptor, version string) acp.Implementation {
	if len(d.AgentNames) == 0 {
		return acp.Implementation{Version: version}
	}
	return acp.Implementation{Name: d.AgentNames[0], Version: version}
}

// lower is a version just below another: the last number that is not zero, less one.
func lower(text string) string {
	digits := []byte(text)
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i] > '0' && digits[i] <= '9' {
			digits[i]--
			break
		}
	}
	return string(digits)
}
