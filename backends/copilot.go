package backends

// copilot is GitHub Copilot CLI. The Copilot language server is another
// program with another registry id ("github-copilot"); people who type that id
// mean the agent.
func copilot() Descriptor {
	return Descriptor{
		ID:              "copilot",
		Name:            "GitHub Copilot CLI",
		Aliases:         []string{"github-copilot", "copilot-cli", "github-copilot-cli"},
		AgentNames:      []string{"Copilot"},
		RegistryID:      "github-copilot-cli",
		Launch:          Launch{Command: "copilot", Args: []string{"--acp"}},
		ProtocolVersion: "1",
		Env: Environment{
			Set: map[string]string{"COPILOT_AUTO_UPDATE": "false"},
			// It sets these for its children; session and pid are the outer one's.
			Scrub: []string{"COPILOT_CLI", "COPILOT_AGENT_SESSION_ID", "COPILOT_LOADER_PID"},
		},
		CumulativeUsage: true,
		Install:         Install{Hint: "npm install -g @github/copilot", Packages: []string{"@github/copilot"}},
		Trust: Trust{
			HotReload:          reloads("Evidence of 1.0.102: a live session followed every edit of a server within 0.4 s, at the end of a turn if it was in one; 1.0.92 followed none.", copilotTable()),
			SharesProcess:      yes(twoAtOnce),
			IsolatesMCP:        no(isolationUnseen),
			ReadsConfig:        ConfigReading{ReadAtStart, "A server that was there at the start and is removed since comes back in a new session of the process."},
			TakesServers:       Transports{HTTP: true, Reason: "An http server given at session/new was used; stdio servers are left out, and only its log file says so."},
			AsksPermission:     Asking{Granted: true, Mode: "https://agentclientprotocol.com/protocol/session-modes#agent", Reason: "It asked in mode agent, its first one."},
			ParallelStarts:     yes(sideBySide),
			FollowsListChanged: yes("A server said that its tools had changed: at the next prompt the model could call the new one."),
			StopsOnStdinClose:  yes("It ended after 0.1 s idle, and after 2.1 s in the middle of a turn."),
		},
		MCPFiles: []MCPFile{{
			Source: "user", Dir: "{home}/.copilot", DirEnv: "COPILOT_HOME", Paths: []string{"mcp-config.json"}, Format: MCPJSONC, ServersKey: "mcpServers",
			Entry: MCPEntry{
				TypeKey: "type", Stdio: "local", HTTP: "http", SSE: "sse", CommandKey: "command", ArgsKey: "args", EnvKey: "env", CwdKey: "cwd",
				URLKey: "url", SSEURLKey: "url", HeadersKey: "headers", Always: `{"tools": ["*"]}`,
			},
			Marker: MCPMarker{Key: "disabled", Value: true, Proof: "1.0.102 on 2026-11-30: started anew, it did not start the server, and did again without the marker."},
			Filter: MCPFilter{Include: "tools", All: "*"},
		}},
		Observed: Observation{
			Run: true, Version: "1.0.102", Date: "2026-11-30",
			Note: "Full turns against a fake model set up as its own provider, Node 24, Linux x64; also started on Node 20.20.",
		},
		Notes: []string{
			"Without credentials session/new fails with -32000.",
			"It rejects stdio MCP servers given at session/new, and only its log file says so; http works.",
			"SIGTERM to the parent alone orphans the native binary: stop the whole process group.",
		},
	}
}

// copilotTable is what the evidence of 1.0.102 says.
func copilotTable() map[Edit]EditDecision {
	follows := decided(VerdictFollows, ConditionNotInjected)
	return map[Edit]EditDecision{
		EditAdd: follows, EditDisable: follows, EditEnable: follows, EditRemove: follows, EditToolFilter: follows, EditChangeTransport: follows,
	}
}
