package backends

// kilo is the Kilo Code CLI, a descendant of OpenCode.
func kilo() Descriptor {
	return Descriptor{
		ID:              "kilo",
		Name:            "Kilo Code",
		Aliases:         []string{"kilocode", "kilo-code"},
		AgentNames:      []string{"Kilo"},
		RegistryID:      "kilo",
		Launch:          Launch{Command: "kilo", Args: []string{"acp"}},
		ProtocolVersion: "1",
		Env: Environment{
			Set: map[string]string{"KILO_DISABLE_AUTOUPDATE": "1"},
			// It kept OpenCode's marker for its children.
			Scrub: []string{"OPENCODE", "KILO_PID"},
		},
		// Pinned: 7.8.1 did not install, its linux-x64 package is not published.
		Install: Install{Hint: "npm install -g @kilocode/cli@7.7.7", Packages: []string{"@kilocode/cli"}},
		Observed: Observation{
			Run: true, Version: "7.7.7", Date: "2026-11-30",
			Note: "Full turns against a fake model, Node 24, Linux x64.",
		},
		Notes: []string{
			"Without configuration session/new succeeds; a prompt got no answer in 40 s offline.",
			"It asks for permission only where its own configuration says \"ask\".",
		},
	}
}
