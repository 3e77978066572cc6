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
		Overrides: []Override{{
			Capability: "sessionCapabilities.close",
			Evidence:   "1.30.0 on 2026-11-30 advertised it, and answered session/close with -32601.",
		}},
		Trust: Trust{
			HotReload:          pending("no edit was followed by 1.30.0, and new sessions of the process did not have it either."),
			SharesProcess:      yes(twoAtOnce),
			IsolatesMCP:        no("Not observed: it starts no server that a session is given."),
			ReadsConfig:        ConfigReading{ReadAtStart, "A new session of a running process had the old servers."},
			TakesServers:       Transports{Reason: "A stdio server given at session/new was not started; the other transports were not tried."},
			AsksPermission:     Asking{Granted: true, Mode: "normal", Reason: "It asked in mode normal; it starts in mode auto-accept."},
			ParallelStarts:     no(sideBySideOnce),
			FollowsListChanged: no(nothingAnnounced),
			StopsOnStdinClose:  yes("It ended within 0.5 s, idle and in the middle of a turn."),
		},
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
