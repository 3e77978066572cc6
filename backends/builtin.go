package backends

// builtin is the scriptable agent that is part of this program. It needs no
// installation, no network and no model, so it is what one tries first.
func builtin() Descriptor {
	return Descriptor{
		ID:              "builtin",
		Name:            "Built-in agent",
		Aliases:         []string{"mock", "demo"},
		AgentNames:      []string{"acpharness-mock"},
		ProtocolVersion: "1",
		Notes:           []string{"It is a mock: it follows a script and calls no model."},
		Builtin:         true,
	}
}
