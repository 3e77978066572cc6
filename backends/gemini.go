package backends

// gemini is Gemini CLI.
func gemini() Descriptor {
	return Descriptor{
		ID:              "gemini",
		Name:            "Gemini CLI",
		Aliases:         []string{"gemini-cli"},
		AgentNames:      []string{"gemini-cli"},
		RegistryID:      "gemini",
		Launch:          Launch{Command: "gemini", Args: []string{"--acp"}},
		ProtocolVersion: "1",
		// It sets the marker for the commands it runs.
		Env:                 Environment{Scrub: []string{"GEMINI_CLI"}},
		ReadsBeforeCreating: true,
		Install:             Install{Hint: "npm install -g @google/gemini-cli", Packages: []string{"@google/gemini-cli"}},
		Observed: Observation{
			Run: true, Version: "0.61.0", Date: "2026-11-30",
			Note: "Full turns against a fake model, Node 24, Linux x64; also started on Node 20.20.",
		},
		Notes: []string{
			"Without credentials session/new fails with -32000.",
			"Releases older than the one run here called the flag --experimental-acp.",
			"In a folder it does not trust it starts no MCP servers, and says nothing.",
			"It does not forward SIGTERM to its child: stop the whole process group.",
		},
	}
}
