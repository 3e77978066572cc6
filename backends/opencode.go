package backends

// opencode is OpenCode.
func opencode() Descriptor {
	return Descriptor{
		ID:              "opencode",
		Name:            "OpenCode",
		Aliases:         []string{"opencode-ai"},
		AgentNames:      []string{"OpenCode"},
		RegistryID:      "opencode",
		Launch:          Launch{Command: "opencode", Args: []string{"acp"}},
		ProtocolVersion: "1",
		Env: Environment{
			Set: map[string]string{"OPENCODE_DISABLE_AUTOUPDATE": "1"},
			// It sets both for its children; the pid is the outer one's.
			Scrub: []string{"OPENCODE", "OPENCODE_PID"},
		},
		Install: Install{Hint: "npm install -g opencode-ai", Packages: []string{"opencode-ai"}},
		Trust: Trust{
			HotReload:          unmoved("Evidence of 1.18.33: no edit was followed, and new sessions of the process did not have it either."),
			SharesProcess:      yes(twoAtOnce),
			IsolatesMCP:        no("A server given to one session is offered to every session of the same folder, also after the session is closed."),
			ReadsConfig:        ConfigReading{ReadAtStart, "A new session of a running process had the old servers, in the same folder and in another."},
			TakesServers:       Transports{Stdio: true, HTTP: true, Reason: takesBoth},
			AsksPermission:     Asking{Reason: "It asks only where its own configuration says so, which this descriptor does not see to."},
			ParallelStarts:     yes(sideBySide),
			FollowsListChanged: yes(offeredTheNew),
			StopsOnStdinClose:  yes("It ended within 0.3 s, idle and in the middle of a turn."),
		},
		MCPFiles: []MCPFile{openCodeFile(
			"1.18.33 on 2026-11-30: started anew, it did not start the server, and did again without the marker.",
			"opencode/opencode.json", "opencode/opencode.jsonc",
		)},
		Observed: Observation{
			Run: true, Version: "1.18.33", Date: "2026-11-30",
			Note: "Full turns against a fake model, Node 24, Linux x64.",
		},
		Notes: []string{
			"Without configuration session/new succeeds; a prompt got no answer in 40 s offline.",
			"It asks for permission only where its own configuration says \"ask\".",
		},
	}
}

// openCodeFile is what OpenCode and its descendants have.
func openCodeFile(proof string, paths ...string) MCPFile {
	return MCPFile{
		Source: "user", Dir: "{home}/.config", DirEnv: "XDG_CONFIG_HOME", Paths: paths, Format: MCPJSONC, ServersKey: "mcp",
		Entry: MCPEntry{
			TypeKey: "type", Stdio: "local", HTTP: "remote", CommandKey: "command", EnvKey: "environment",
			URLKey: "url", HeadersKey: "headers", Always: `{"enabled": true}`,
		},
		Marker: MCPMarker{Key: "enabled", Value: false, Proof: proof},
		Filter: MCPFilter{Switches: "tools", Name: "{server}_{tool}", Plain: true},
	}
}
