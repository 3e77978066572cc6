package backends

// claude is Claude Code behind the adapter of the agentclientprotocol
// organisation. The older adapters of zed-industries report other names and
// behave differently; they are not this descriptor.
func claude() Descriptor {
	return Descriptor{
		ID:              "claude",
		Name:            "Claude Code",
		Aliases:         []string{"claude-code", "claude-acp", "claude-agent-acp"},
		AgentNames:      []string{"@agentclientprotocol/claude-agent-acp"},
		RegistryID:      "claude-acp",
		Launch:          Launch{Command: "claude-agent-acp"},
		ProtocolVersion: "1",
		Env: Environment{
			// An update under a live session makes the version reported at
			// initialize stale.
			Set: map[string]string{"DISABLE_AUTOUPDATER": "1"},
			// Inside another Claude Code these make the inner one refuse or
			// hang: agentclientprotocol/claude-agent-acp#413, #633,
			// anthropics/claude-code#26190. The port leads back to the outer
			// one's editor.
			Scrub: []string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"},
		},
		Install: Install{
			Hint:     "npm install -g @agentclientprotocol/claude-agent-acp",
			Packages: []string{"@agentclientprotocol/claude-agent-acp"},
		},
		Trust: Trust{
			HotReload:          unmoved("Evidence of 0.101.0: no edit of a server was followed by a live session; a new one of the process had it."),
			SharesProcess:      yes(twoAtOnce),
			IsolatesMCP:        no(isolationUnseen),
			ReadsConfig:        ConfigReading{ReadAtSession, "A new session of a running process had the servers of the edited file."},
			TakesServers:       Transports{Stdio: true, HTTP: true, Reason: takesBoth},
			AsksPermission:     Asking{Granted: true, Mode: "default", Reason: "It asked in mode default; its first mode, auto, never asks."},
			ParallelStarts:     yes(sideBySide),
			FollowsListChanged: yes(offeredTheNew),
			StopsOnStdinClose:  no("Closed in the middle of a turn it ends, and leaves its claude child behind."),
		},
		MCPFiles: []MCPFile{{
			Source: "user", Dir: "{home}", DirEnv: "CLAUDE_CONFIG_DIR", Paths: []string{".claude.json"}, Format: MCPJSON, ServersKey: "mcpServers",
			Entry: MCPEntry{
				TypeKey: "type", Stdio: "stdio", HTTP: "http", SSE: "sse", CommandKey: "command", ArgsKey: "args", EnvKey: "env",
				URLKey: "url", SSEURLKey: "url", HeadersKey: "headers",
			},
		}},
		Observed: Observation{
			Run: true, Version: "0.101.0", Date: "2026-11-30",
			Note: "Full turns against a fake model, Node 24, Linux x64.",
		},
		Notes: []string{
			"It needs Node 22 or later by its own statement; it also started on Node 20.20.",
			"Without credentials session/new succeeds and session/prompt fails with -32000.",
			"It starts in mode \"auto\", which never asks; set mode \"default\" to be asked.",
			"Closing stdin in the middle of a turn leaves its claude child behind.",
		},
	}
}
