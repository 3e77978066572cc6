package backends

// qoder is the Qoder CLI.
func qoder() Descriptor {
	return Descriptor{
		ID:              "qoder",
		Name:            "Qoder CLI",
		Aliases:         []string{"qodercli"},
		AgentNames:      []string{"qoder-cli"},
		RegistryID:      "qoder",
		Launch:          Launch{Command: "qodercli", Args: []string{"--acp"}},
		ProtocolVersion: "1",
		Install:         Install{Hint: "npm install -g @qoder-ai/qodercli", Packages: []string{"@qoder-ai/qodercli"}},
		Trust: Trust{
			HotReload:          pending("it wants an account for a session."),
			SharesProcess:      no(wantsAccount),
			IsolatesMCP:        no(wantsAccount),
			ReadsConfig:        ConfigReading{ReadAtStart, wantsAccount},
			TakesServers:       Transports{Reason: wantsAccount},
			AsksPermission:     Asking{Reason: wantsAccount},
			ParallelStarts:     no(wantsAccount),
			FollowsListChanged: no(wantsAccount),
			StopsOnStdinClose:  no("It did not end within 8 s, idle."),
		},
		Observed: Observation{
			Run: true, Version: "1.1.52", Date: "2026-11-30",
			Note: "The handshake only, Node 24, Linux x64: a session needs an account.",
		},
		Notes: []string{
			"Without an account session/new fails with -32000.",
			"It does not exit when stdin is closed, nor at SIGTERM to its parent process alone.",
		},
	}
}
