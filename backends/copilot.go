package backends

// copilot is GitHub Copilot CLI. The Copilot language server is another
// program with another registry id ("github-copilot"); people who type that id
// mean the agent.
func copilot() Descriptor {
	return Descriptor{
		ID:              "copilot",
		Name:            "GitHub Copilot CLI",
		Aliases:         []string{"github-copilot", "copilot-cli", "github-copilot-cli"},
		AgentNames:      []string{"Copilot"},
		RegistryID:      "github-copilot-cli",
		Launch:          Launch{Command: "copilot", Args: []string{"--acp"}},
		ProtocolVersion: "1",
		Env: Environment{
			Set: map[string]string{"COPILOT_AUTO_UPDATE": "false"},
			// It sets these for its children; session and pid are the outer one's.
			Scrub: []string{"COPILOT_CLI", "COPILOT_AGENT_SESSION_ID", "COPILOT_LOADER_PID"},
		},
		CumulativeUsage: true,
		Install:         Install{Hint: "npm install -g @github/copilot", Packages: []string{"@github/copilot"}},
		Observed: Observation{
			Run: true, Version: "1.0.102", Date: "2026-11-30",
			Note: "Full turns against a fake model set up as its own provider, Node 24, Linux x64; also started on Node 20.20.",
		},
		Notes: []string{
			"Without credentials session/new fails with -32000.",
			"It rejects stdio MCP servers given at session/new, and only its log file says so; http works.",
			"SIGTERM to the parent alone orphans the native binary: stop the whole process group.",
		},
	}
}
