package backends

// kiro is Kiro CLI, Amazon's agent. Everything here is cited, nothing observed.
func kiro() Descriptor {
	return Descriptor{
		ID:      "kiro",
		Name:    "Kiro CLI",
		Aliases: []string{"kiro-cli"},
		// As 2.21.0 was reported to answer; kirodotdev/KiroCrew#8319.
		AgentNames: []string{"Kiro CLI Agent"},
		Launch:     Launch{Command: "kiro-cli", Args: []string{"acp"}},
		// It expects the date form of the version, not the integer.
		ProtocolVersion: `"2025-08-22"`,
		Install:         Install{Hint: "curl -fsSL https://cli.kiro.dev/install | bash"},
		Observed:        Observation{Note: "kiro-cli could not be obtained; the facts are cited from public reports."},
		Notes: []string{
			// kirodotdev/Kiro#6050, #6945
			"kiro-cli starts kiro-cli-chat and forwards no signal to it: stop the whole process group.",
			"Launch it in place: it is a multi-call binary, and a copied or linked path changes what it does.",
			"session/new is effectively serial: each one waits for the start of its MCP servers, up to 30 s.",
			"2.14.1 ignored stdio MCP servers given over ACP.",
		},
	}
}
