package backends

// droid is Factory's Droid.
func droid() Descriptor {
	return Descriptor{
		ID:              "droid",
		Name:            "Factory Droid",
		Aliases:         []string{"factory-droid", "factory"},
		AgentNames:      []string{"@factory/cli"},
		RegistryID:      "factory-droid",
		Launch:          Launch{Command: "droid", Args: []string{"exec", "--output-format", "acp"}},
		ProtocolVersion: "1",
		Env: Environment{Set: map[string]string{
			"DROID_DISABLE_AUTO_UPDATE":         "true",
			"FACTORY_DROID_AUTO_UPDATE_ENABLED": "false",
		}},
		Install: Install{Hint: "npm install -g droid", Packages: []string{"droid"}},
		Observed: Observation{
			Run: true, Version: "0.215.0", Date: "2026-11-30",
			Note: "Full turns against a fake model, with a dummy FACTORY_API_KEY and a custom model, Node 24, Linux x64.",
		},
		Notes: []string{
			"Newer registry entries launch it with --output-format acp-daemon; that form was not run.",
			"It echoes whatever protocol version it is offered, so its answer proves nothing.",
			"It runs commands through the client's terminal methods.",
		},
	}
}
