package parity

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// checkAdditive compares each launch with the committed one, and the captured one with both.
func checkAdditive(c *catalog, r *recorder) {
	for _, d := range c.selected {
		before, ok := c.golden[d.ID]
		if !ok {
			r.require(d.ID, "golden launch", "committed", false, "it is not in parity/golden/backends.json: go test ./parity -update writes it")
			continue
		}
		now := goldenOf(d, before)
		const changed = "it is not as committed in parity/golden/backends.json"
		r.compare(d.ID, "command", fmt.Sprintf("%q", before.Command), fmt.Sprintf("%q", now.Command), changed)
		r.compare(d.ID, "protocol", before.Protocol, now.Protocol, changed)
		r.compare(d.ID, "sets", strings.Join(before.Sets, " "), strings.Join(now.Sets, " "), changed)
		r.compare(d.ID, "removes", strings.Join(before.Removes, " "), strings.Join(now.Removes, " "), changed)
		seen, ok := c.launches[d.ID]
		if !ok {
			r.skip(d.ID, "launch", c.unlaunch)
			continue
		}
		if !d.Builtin { // whose arguments are those of the program that it is part of
			r.compare(d.ID, "arguments", fmt.Sprintf("%q", d.Launch.Args), fmt.Sprintf("%q", seen.args), "the launch had other arguments")
		}
		for _, name := range before.Sets {
			r.require(d.ID, "has "+name, "set", seen.env[name], "the launch did not have the variable")
		}
		for _, name := range before.Removes {
			r.require(d.ID, "has "+name, "removed", !seen.env[name], "the launch had a variable that it must not see")
		}
	}
	// Whoever is gone would take what depends on it along.
	for _, id := range slices.Sorted(maps.Keys(c.golden)) {
		if !c.knows(id) {
			r.require(id, "golden launch", "known", false, "a backend has gone")
		}
	}
}
