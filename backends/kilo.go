package backends

// kilo is the Kilo Code CLI, a descendant of OpenCode.
func kilo() Descriptor {
	return Descriptor{
		ID:              "kilo",
		Name:            "Kilo Code",
		Aliases:         []string{"kilocode", "kilo-code"},
		AgentNames:      []string{"Kilo"},
		RegistryID:      "kilo",
		Launch:          Launch{Command: "kilo", Args: []string{"acp"}},
		ProtocolVersion: "1",
		Env: Environment{
			Set: map[string]string{"KILO_DISABLE_AUTOUPDATE": "1"},
			// It kept OpenCode's marker for its children.
			Scrub: []string{"OPENCODE", "KILO_PID"},
		},
		// Pinned: 7.8.1 did not install, its linux-x64 package is not published.
		Install: Install{Hint: "npm install -g @kilocode/cli@7.7.7", Packages: []string{"@kilocode/cli"}},
		Trust: Trust{
			HotReload:          unmoved("Evidence of 7.7.7: no edit of a server was followed; a tool that was switched off was gone with the next prompt."),
			SharesProcess:      yes(twoAtOnce),
			IsolatesMCP:        no("A server given to one session is offered to every session of the same folder, also after the session is closed."),
			ReadsConfig:        ConfigReading{ReadByCWD, "A new session had the old servers in the same folder, and the new ones in another."},
			TakesServers:       Transports{Stdio: true, HTTP: true, Reason: takesBoth},
			AsksPermission:     Asking{Reason: "It asks only where its own configuration says so, which this descriptor does not see to."},
			ParallelStarts:     no(sideBySideOnce),
			FollowsListChanged: yes(offeredTheNew),
			StopsOnStdinClose:  yes("It ended within 0.3 s, idle and in the middle of a turn."),
		},
		MCPFiles: []MCPFile{openCodeFile(
			"7.7.7 on 2026-11-30: started anew, it did not start the server, and did again without the marker.",
			"kilo/kilo.json", "kilo/kilo.jsonc",
		)},
		Observed: Observation{
			Run: true, Version: "7.7.7", Date: "2026-11-30",
			Note: "Full turns against a fake model, Node 24, Linux x64.",
		},
		Notes: []string{
			"Without configuration session/new succeeds; a prompt got no answer in 40 s offline.",
			"It asks for permission only where its own configuration says \"ask\".",
		},
	}
}
