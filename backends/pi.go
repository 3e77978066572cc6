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
		Trust: Trust{
			HotReload:          pending("it has no MCP servers."),
			SharesProcess:      no("Its first session fell silent in its turn as soon as there was a second; short turns of both were answered."),
			IsolatesMCP:        no("It has no MCP servers, so that nothing was seen."),
			ReadsConfig:        ConfigReading{ReadAtStart, "It has no MCP configuration; once is the safe assumption."},
			TakesServers:       Transports{Reason: "It accepts servers at session/new, and uses none."},
			AsksPermission:     Asking{Reason: "It never asks: its tools just run."},
			ParallelStarts:     no("A second session silences the first."),
			FollowsListChanged: no("It has no tools of servers that could change."),
			StopsOnStdinClose:  yes("It ended within 0.1 s, idle and in the middle of a turn."),
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
