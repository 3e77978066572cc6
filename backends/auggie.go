package backends

// auggie is the Augment CLI.
func auggie() Descriptor {
	return Descriptor{
		ID:              "auggie",
		Name:            "Auggie",
		Aliases:         []string{"augment"},
		AgentNames:      []string{"auggie"},
		RegistryID:      "auggie",
		Launch:          Launch{Command: "auggie", Args: []string{"--acp"}},
		ProtocolVersion: "1",
		Env:             Environment{Set: map[string]string{"AUGMENT_DISABLE_AUTO_UPDATE": "1"}},
		Install:         Install{Hint: "npm install -g @augmentcode/auggie", Packages: []string{"@augmentcode/auggie"}},
		Trust: Trust{
			HotReload:          pending("it wants an account for a session."),
			SharesProcess:      no(wantsAccount),
			IsolatesMCP:        no(wantsAccount),
			ReadsConfig:        ConfigReading{ReadAtStart, wantsAccount},
			TakesServers:       Transports{Reason: wantsAccount},
			AsksPermission:     Asking{Reason: wantsAccount},
			ParallelStarts:     no(wantsAccount),
			FollowsListChanged: no(wantsAccount),
			StopsOnStdinClose:  no("Not observed: nobody closed its input and waited."),
		},
		Observed: Observation{
			Run: true, Version: "0.36.0 (commit 7c61e5bb)", Date: "2026-11-30",
			Note: "The handshake only, Node 24, Linux x64: a session needs an account.",
		},
		Notes: []string{
			"Without an account session/new fails with -32000, and initialize names no way to sign in: run `auggie login`.",
		},
	}
}
