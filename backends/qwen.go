package backends

// qwen is Qwen Code.
func qwen() Descriptor {
	return Descriptor{
		ID:              "qwen",
		Name:            "Qwen Code",
		Aliases:         []string{"qwen-code"},
		AgentNames:      []string{"qwen-code"},
		RegistryID:      "qwen-code",
		Launch:          Launch{Command: "qwen", Args: []string{"--acp"}},
		ProtocolVersion: "1",
		// It sets the marker for the commands it runs.
		Env:     Environment{Scrub: []string{"QWEN_CODE"}},
		Install: Install{Hint: "npm install -g @qwen-code/qwen-code", Packages: []string{"@qwen-code/qwen-code"}},
		Trust: Trust{
			HotReload:          unmoved("Evidence of 0.24.4: a false positive: servers start and stop within 0.5 s of an edit, and the session keeps its old set."),
			SharesProcess:      yes(twoAtOnce),
			IsolatesMCP:        no(isolationUnseen),
			ReadsConfig:        ConfigReading{ReadAtSession, "A new session of a running process had the servers of the edited file."},
			TakesServers:       Transports{Stdio: true, HTTP: true, Reason: takesBoth},
			AsksPermission:     Asking{Granted: true, Mode: "default", Reason: "It asked in mode default; it starts in mode auto."},
			ParallelStarts:     yes(sideBySide),
			FollowsListChanged: no(nothingAnnounced),
			StopsOnStdinClose:  yes("It ended within 0.2 s, idle and in the middle of a turn."),
		},
		MCPFiles: []MCPFile{geminiFile(
			"{home}/.qwen", "QWEN_HOME", "settings.json",
			"0.24.4 on 2026-11-30: started anew, it did not start the server, and did again without the marker.",
		)},
		Observed: Observation{
			Run: true, Version: "0.24.4", Date: "2026-11-30",
			Note: "Full turns against a fake model, Node 24, Linux x64.",
		},
		Notes: []string{
			"It needs Node 22 or later by its own statement; it also started on Node 20.20.",
			"Without credentials session/new fails with -32000.",
			"It starts in mode \"auto\"; set mode \"default\" to be asked.",
			"SIGTERM to the parent alone orphans two children: stop the whole process group.",
			"Its stock list of commands is one line of more than 500 kB.",
		},
	}
}
