package backends

// pi is the pi coding agent behind the pi-acp adapter, which starts `pi` from PATH.
func pi() Descriptor {
	return Descriptor{
		ID:              "pi",
		Name:            "pi",
		Aliases:         []string{"pi-acp"},
		AgentNames:      []string{"pi-acp"},
		RegistryID:      "pi-acp",
		Launch:          Launch{Command: "pi-acp"},
		ProtocolVersion: "1",
		Env:             Environment{Set: map[string]string{"PI_SKIP_VERSION_CHECK": "1"}},
		Install: Install{
			Hint:     "npm install -g pi-acp @earendil-works/pi-coding-agent",
			Packages: []string{"pi-acp", "@earendil-works/pi-coding-agent"},
		},
		Observed: Observation{
			Run: true, Version: "0.0.34", Date: "2026-11-30",
			Note: "Full turns against a fake model, with pi 1.6.0, Node 24, Linux x64.",
		},
		Notes: []string{
			"The version is the adapter's, not that of pi.",
			"It never asks for permission: tools just run.",
			"With a pi older than 1.0 (the package of another scope) session/new hangs for ever.",
			"Its modes are levels of thinking.",
		},
	}
}
