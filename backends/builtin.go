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
		Trust: Trust{
			HotReload:          pending("it is a mock without an MCP configuration."),
			SharesProcess:      yes("It keeps the sessions of a process apart by their ids."),
			IsolatesMCP:        no("Not observed: it starts none of the servers that it is given."),
			ReadsConfig:        ConfigReading{ReadAtStart, "It has no MCP configuration; once is the safe assumption."},
			TakesServers:       Transports{Reason: "It records the servers that it is given, and starts none."},
			AsksPermission:     Asking{Granted: true, Reason: "It does nothing by itself, and asks where the prompt or its script says so."},
			ParallelStarts:     yes("It answers session/new side by side with other requests."),
			FollowsListChanged: no("It has no tools of servers that could change."),
			StopsOnStdinClose:  yes("It ends with its input, unless its script says otherwise."),
		},
		Notes:   []string{"It is a mock: it follows a script and calls no model."},
		Builtin: true,
	}
}
