package backends

// nanocoder is Nanocoder of the Nano Collective.
func nanocoder() Descriptor {
	return Descriptor{
		ID:              "nanocoder",
		Name:            "Nanocoder",
		AgentNames:      []string{"nanocoder"},
		Launch:          Launch{Command: "nanocoder", Args: []string{"--acp"}},
		ProtocolVersion: "1",
		Install:         Install{Hint: "npm install -g @nanocollective/nanocoder", Packages: []string{"@nanocollective/nanocoder"}},
		Observed: Observation{
			Run: true, Version: "1.30.0", Date: "2026-11-30",
			Note: "Full turns against a fake model, Node 24, Linux x64.",
		},
		Notes: []string{
			"On Node 20 it dies at its start.",
			"Without a configured provider it exits before it answers initialize.",
			"It starts in mode \"auto-accept\"; set mode \"normal\" to be asked.",
			"After a permission request that was answered \"cancelled\" every later prompt of that session fails.",
		},
	}
}
