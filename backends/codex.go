package backends

// codex is OpenAI Codex behind the adapter of the agentclientprotocol
// organisation. The zed-industries adapter has the same command name but
// reports "codex-acp", counts versions differently and is not this descriptor.
func codex() Descriptor {
	return Descriptor{
		ID:              "codex",
		Name:            "Codex",
		Aliases:         []string{"codex-acp"},
		AgentNames:      []string{"@agentclientprotocol/codex-acp"},
		RegistryID:      "codex-acp",
		Launch:          Launch{Command: "codex-acp"},
		ProtocolVersion: "1",
		// Names the outer thread. CODEX_SANDBOX* stay: inside that sandbox
		// they are true.
		Env: Environment{Scrub: []string{"CODEX_THREAD_ID"}},
		// It takes either key, and only once it is asked to sign in.
		SignIn: []SignInMethod{{Method: "api-key", Env: []string{"CODEX_API_KEY"}}, {Method: "api-key", Env: []string{"OPENAI_API_KEY"}}},
		Install: Install{
			Hint:     "npm install -g @agentclientprotocol/codex-acp",
			Packages: []string{"@agentclientprotocol/codex-acp"},
		},
		Trust: Trust{
			HotReload:          unmoved("Evidence of 2.6.0: no edit of a server was followed by a live session; a new one of the process had it."),
			SharesProcess:      yes(twoAtOnce),
			IsolatesMCP:        no(isolationUnseen),
			ReadsConfig:        ConfigReading{ReadAtSession, "A new session of a running process had the servers of the edited file."},
			TakesServers:       Transports{Stdio: true, HTTP: true, Reason: takesBoth},
			AsksPermission:     Asking{Granted: true, Mode: "workspace-write", Reason: "It asked in mode workspace-write; in its first mode, agent, a model decides."},
			ParallelStarts:     yes(sideBySide),
			FollowsListChanged: no("A server said that its tools had changed: the agent asked for them, and the session kept the old ones."),
			StopsOnStdinClose:  yes("It ended after 2 s, idle and in the middle of a turn; after 7 s in two runs."),
		},
		MCPFiles: []MCPFile{{
			Source: "user", Dir: "{home}/.codex", DirEnv: "CODEX_HOME", Paths: []string{"config.toml"}, Format: MCPTOML, ServersKey: "mcp_servers",
			Entry: MCPEntry{
				CommandKey: "command", ArgsKey: "args", EnvKey: "env", CwdKey: "cwd", URLKey: "url", HeadersKey: "http_headers",
			},
			Marker: MCPMarker{Key: "enabled", Value: false, Proof: "2.6.0 on 2026-11-30: started anew, it did not start the server, and did again without the marker."},
			Filter: MCPFilter{Include: "enabled_tools", Exclude: "disabled_tools"},
		}},
		Observed: Observation{
			Run: true, Version: "2.6.0", Date: "2026-11-30",
			Note: "Full turns against a fake model, Node 24, Linux x64.",
		},
		Notes: []string{
			"Without credentials session/new fails with -32000, with a key in the environment too: then the method api-key signs in.",
			"It starts in mode \"agent\", where a reviewer model decides and the client is never asked; set mode \"workspace-write\" to be asked.",
			"approval_policy = \"untrusted\" in its config.toml makes initialize fail.",
			"It needs 2 s, sometimes 7 s, to exit after stdin is closed.",
		},
	}
}
