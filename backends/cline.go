package backends

// cline is the Cline CLI.
func cline() Descriptor {
	return Descriptor{
		ID:              "cline",
		Name:            "Cline",
		AgentNames:      []string{"cline"},
		RegistryID:      "cline",
		Launch:          Launch{Command: "cline", Args: []string{"--acp"}},
		ProtocolVersion: "1",
		// It serves the editors and terminals of one user from one process on a fixed port.
		Daemons: []string{"--cline-hub-daemon"},
		Install: Install{Hint: "npm install -g cline", Packages: []string{"cline"}},
		Trust: Trust{
			HotReload:          pending("no edit was followed by 3.0.65."),
			SharesProcess:      yes(twoAtOnce),
			IsolatesMCP:        no("Not observed: it starts no server that a session is given."),
			ReadsConfig:        ConfigReading{ReadAtSession, "A new session of a running process had the servers of the edited file."},
			TakesServers:       Transports{Reason: "A stdio server given at session/new was not started; the other transports were not tried."},
			AsksPermission:     Asking{Granted: true, Mode: "act", Reason: "It asked in mode act, its first one, with its option for automatic approval off, as it was."},
			ParallelStarts:     no(sideBySideOnce),
			FollowsListChanged: no(nothingAnnounced),
			StopsOnStdinClose:  no("It ends within a second, and leaves its hub daemon behind."),
		},
		Observed: Observation{
			Run: true, Version: "3.0.65", Date: "2026-11-30",
			Note: "Full turns against a fake model, Node 24, Linux x64.",
		},
		Notes: []string{
			"Without credentials session/new fails with -32000.",
			"It leaves a hub daemon on port 25463 of the loopback interface behind.",
			"A cancelled prompt is not answered before an open permission request is.",
		},
	}
}
