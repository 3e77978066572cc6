package backends

// cursor is Cursor's own command line agent. The adapter @blowmage/cursor-agent-acp drives the same program without its ACP, reports
// "cursor-agent-acp", counts versions differently and is not this descriptor.
func cursor() Descriptor {
	return Descriptor{
		ID:      "cursor",
		Name:    "Cursor CLI",
		Aliases: []string{"cursor-agent", "cursor-cli"},
		// Nobody has said publicly what it reports, so that its version is never known.
		AgentNames:      nil,
		RegistryID:      "cursor",
		Launch:          Launch{Command: "cursor-agent", Args: []string{"acp"}},
		ProtocolVersion: "1",
		Install:         Install{Hint: "curl https://cursor.com/install -fsS | bash"},
		Trust: Trust{
			HotReload:          pending("nobody has run it."),
			SharesProcess:      no(neverRun),
			IsolatesMCP:        no(neverRun),
			ReadsConfig:        ConfigReading{ReadAtStart, neverRun},
			TakesServers:       Transports{Reason: neverRun},
			AsksPermission:     Asking{Reason: neverRun},
			ParallelStarts:     no(neverRun),
			FollowsListChanged: no(neverRun),
			StopsOnStdinClose:  no(neverRun),
		},
		Observed: Observation{Note: "cursor-agent could not be obtained; the facts are cited from public reports."},
		Notes: []string{
			"Newer installations call the command agent, too.",
			"It wants an account: run cursor-agent login.",
		},
	}
}
