package backends

// goose is goose of the Agentic AI Foundation, which was Block's. Everything here is cited, nothing observed.
func goose() Descriptor {
	return Descriptor{
		ID:      "goose",
		Name:    "goose",
		Aliases: []string{"goose-cli", "block-goose"},
		// aaif-goose/goose#9765
		AgentNames:      []string{"goose"},
		RegistryID:      "goose",
		Launch:          Launch{Command: "goose", Args: []string{"acp"}},
		ProtocolVersion: "1",
		Install:         Install{Hint: "curl -fsSL https://github.com/aaif-goose/goose/releases/download/stable/download_cli.sh | bash"},
		Trust: Trust{
			HotReload:          pending("nobody has run it; public reports say that edits reach new sessions only."),
			SharesProcess:      no(neverRun),
			IsolatesMCP:        no(neverRun),
			ReadsConfig:        ConfigReading{ReadAtStart, "Not observed; public reports say with every new session, but once is the safe assumption."},
			TakesServers:       Transports{Reason: neverRun},
			AsksPermission:     Asking{Reason: "Not observed; public reports say that it asks in mode approve."},
			ParallelStarts:     no(neverRun),
			FollowsListChanged: no(neverRun),
			StopsOnStdinClose:  no(neverRun),
		},
		Observed: Observation{Note: "goose could not be obtained; the facts are cited from public reports."},
		Notes: []string{
			"Releases before June 2026 do not say their name and version at initialize.",
			"Its source echoes the protocol version that it is offered.",
			// aaif-goose/goose#11392, #11339
			"Public reports disagree whether servers given at session/new replace its configured extensions or join them.",
		},
	}
}
