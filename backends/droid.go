package backends

// droid is Factory's Droid.
func droid() Descriptor {
	return Descriptor{
		ID:              "droid",
		Name:            "Factory Droid",
		Aliases:         []string{"factory-droid", "factory"},
		AgentNames:      []string{"@factory/cli"},
		RegistryID:      "factory-droid",
		Launch:          Launch{Command: "droid", Args: []string{"exec", "--output-format", "acp"}},
		ProtocolVersion: "1",
		Env: Environment{Set: map[string]string{
			"DROID_DISABLE_AUTO_UPDATE":         "true",
			"FACTORY_DROID_AUTO_UPDATE_ENABLED": "false",
		}},
		Install: Install{Hint: "npm install -g droid", Packages: []string{"droid"}},
		Overrides: []Override{{
			Capability: OverrideProtocolVersion,
			Evidence:   "0.215.0 on 2026-11-30 echoed whatever it was offered: asked for 99 it answered 99.",
		}},
		Trust: Trust{
			HotReload:          reloads("Evidence of 0.215.0: a live session followed every edit of a server within 0.4 s, but none once a session of the process was given a server.", droidTable()),
			SharesProcess:      no("Two sessions of one process worked at once, but with a second one calls of MCP tools from the first reached nothing."),
			IsolatesMCP:        no("A server given to one session stops the process from following its configuration, for the other sessions too."),
			ReadsConfig:        ConfigReading{ReadAtStart, "Not observed for new sessions; once is the safe assumption."},
			TakesServers:       Transports{Stdio: true, Reason: "A stdio server given at session/new was used, though it advertises no transport; the others were not tried."},
			AsksPermission:     Asking{Granted: true, Mode: "normal", Reason: "It asked in mode normal, its first one."},
			ParallelStarts:     no(sideBySideOnce),
			FollowsListChanged: yes(offeredTheNew),
			StopsOnStdinClose:  yes("It ended within 0.2 s, idle and in the middle of a turn."),
		},
		MCPFiles: []MCPFile{{
			Source: "user", Dir: "{home}", DirEnv: "FACTORY_HOME_OVERRIDE", Paths: []string{".factory/mcp.json"}, Format: MCPJSONC, ServersKey: "mcpServers",
			Entry: MCPEntry{
				TypeKey: "type", Stdio: "stdio", HTTP: "http", SSE: "sse", CommandKey: "command", ArgsKey: "args", EnvKey: "env",
				URLKey: "url", SSEURLKey: "url", HeadersKey: "headers",
			},
			Marker: MCPMarker{Key: "disabled", Value: true, Proof: "0.215.0 on 2026-11-30: started anew, it did not start the server, and did again without the marker."},
			Filter: MCPFilter{Exclude: "disabledTools"},
		}},
		Observed: Observation{
			Run: true, Version: "0.215.0", Date: "2026-11-30",
			Note: "Full turns against a fake model, with a dummy FACTORY_API_KEY and a custom model, Node 24, Linux x64.",
		},
		Notes: []string{
			"Newer registry entries launch it with --output-format acp-daemon; that form was not run.",
			"It echoes whatever protocol version it is offered, so its answer proves nothing.",
			"It runs commands through the client's terminal methods.",
		},
	}
}

// droidTable is what the evidence of 0.215.0 says.
func droidTable() map[Edit]EditDecision {
	follows := decided(VerdictFollows, ConditionNoInjection, ConditionNotInjected, ConditionAlone)
	return map[Edit]EditDecision{
		EditAdd: follows, EditDisable: follows, EditEnable: follows, EditRemove: follows, EditToolFilter: follows, EditChangeTransport: follows,
	}
}
