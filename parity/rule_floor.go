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
		c.checkTable(r, d, floor)
	}
}

// checkTable compares the decided table with the evidence at the floor: nothing is decided beyond it.
func (c *catalog) checkTable(r *recorder, d backends.Descriptor, floor string) {
	for _, e := range c.evidence {
		if e.Backend != d.ID || e.Version != floor {
			continue
		}
		for _, edit := range backends.Edits() {
			found, decided := e.Edits[edit], d.Trust.HotReload.Of(edit)
			if edit == backends.EditSpawnField {
				continue
			}
			if found.Verdict == "" {
				found.Verdict = backends.VerdictUnknown
			}
			r.compare(d.ID, string(edit), findingText(found.Verdict, found.Inferred, found.Conditions), findingText(decided.Verdict, decided.Inferred, decided.Conditions),
				"what is decided is not what the evidence says")
		}
	}
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
