package backends

// gemini is Gemini CLI.
func gemini() Descriptor {
	return Descriptor{
		ID:              "gemini",
		Name:            "Gemini CLI",
		Aliases:         []string{"gemini-cli"},
		AgentNames:      []string{"gemini-cli"},
		RegistryID:      "gemini",
		Launch:          Launch{Command: "gemini", Args: []string{"--acp"}},
		ProtocolVersion: "1",
		// It sets the marker for the commands it runs.
		Env:                 Environment{Scrub: []string{"GEMINI_CLI"}},
		ReadsBeforeCreating: true,
		Install:             Install{Hint: "npm install -g @google/gemini-cli", Packages: []string{"@google/gemini-cli"}},
		Overrides: []Override{{
			Capability: "loadSession",
			Evidence:   "0.61.0 on 2026-11-30 advertised it, and found no session that was to be loaded, in the same process or another.",
		}},
		Trust: Trust{
			HotReload:          unmoved("Evidence of 0.61.0: no edit of a server was followed by a live session; a new one of the process had a server that was added."),
			SharesProcess:      yes(twoAtOnce),
			IsolatesMCP:        no(isolationUnseen),
			ReadsConfig:        ConfigReading{ReadAtStart, "A new session of a running process has the edited file only if it is opened ten seconds or so after the last one that was read."},
			TakesServers:       Transports{Reason: "It used a stdio server only in a folder that it trusts, and elsewhere left it out without a word."},
			AsksPermission:     Asking{Granted: true, Mode: "default", Reason: "It asked in mode default, its first one."},
			ParallelStarts:     yes(sideBySide),
			FollowsListChanged: yes(offeredTheNew),
			StopsOnStdinClose:  no("It did not end within 8 s in the middle of a turn, nor within 14 s idle with a live server that a session was given."),
		},
		MCPFiles: []MCPFile{geminiFile(
			"{home}", "GEMINI_CLI_HOME", ".gemini/settings.json",
			"0.61.0 on 2026-11-30: started anew, it did not start the server, and did again without the marker.",
		)},
		Observed: Observation{
			Run: true, Version: "0.61.0", Date: "2026-11-30",
			Note: "Full turns against a fake model, Node 24, Linux x64; also started on Node 20.20.",
		},
		Notes: []string{
			"Without credentials session/new fails with -32000.",
			"Releases older than the one run here called the flag --experimental-acp.",
			"In a folder it does not trust it starts no MCP servers, and says nothing.",
			"It does not forward SIGTERM to its child: stop the whole process group.",
		},
	}
}

// geminiFile is what Gemini CLI and its descendants have.
func geminiFile(dir, dirEnv, path, proof string) MCPFile {
	return MCPFile{
		Source: "user", Dir: dir, DirEnv: dirEnv, Paths: []string{path}, Format: MCPJSONC, ServersKey: "mcpServers",
		Entry: MCPEntry{
			CommandKey: "command", ArgsKey: "args", EnvKey: "env", CwdKey: "cwd", URLKey: "httpUrl", SSEURLKey: "url", HeadersKey: "headers",
		},
		Marker:   MCPMarker{List: []string{"mcp", "excluded"}, Proof: proof},
		Filter:   MCPFilter{Include: "includeTools", Exclude: "excludeTools"},
		RuleKeys: []string{"trust"},
	}
}
