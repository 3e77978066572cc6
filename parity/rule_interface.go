package parity

import (
	"strings"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/provider"
)

// checkInterface asks what declares nothing, and then the providers of the launches.
func checkInterface(c *catalog, r *recorder) {
	var zero provider.Capabilities
	var safe provider.Unimplemented
	r.compare(AllBackends, "default of McpConfigHotReload", "no", answer(safe.McpConfigHotReload()), "the default grants")
	r.compare(AllBackends, "zero value of McpConfigHotReload", "no", answer(zero.McpConfigHotReload()), "the zero value grants")
	for _, key := range backends.TrustKeys() {
		r.compare(AllBackends, "default of "+string(key), "no", answer(safe.Capabilities().Trust(key).Granted), "the default grants")
		r.compare(AllBackends, "zero value of "+string(key), "no", answer(zero.Trust(key).Granted), "the zero value grants")
	}
	for _, edit := range backends.Edits() {
		r.compare(AllBackends, "zero value of "+string(edit), "no", answer(zero.MCPEdit(edit).Followed(backends.Conditions()...)), "the zero value grants")
	}
	for _, d := range c.selected {
		seen, ok := c.launches[d.ID]
		if !ok {
			r.skip(d.ID, "launch", c.unlaunch)
			continue
		}
		want := c.declare(d, seen.agent).McpConfigHotReload()
		r.compare(d.ID, "McpConfigHotReload of the process", answer(want), answer(seen.hotReload), "the provider answers something else than what is decided")
		r.require(d.ID, "Capabilities of the process", "the same", seen.same, "the two answers of the provider differ")
		r.compare(d.ID, "McpConfigHotReload when it has ended", "no", answer(seen.after), "a process that has ended grants")
		r.compare(d.ID, "hidden by the default", "", strings.Join(seen.hidden, " "), "an answer of its own is hidden by the embedded default")
		r.compare(d.ID, "left to the default", "", strings.Join(seen.inherited, " "), "our own providers answer everything themselves")
	}
}
