package backends

// builtin is the scriptable agent that is part of this program. It needs no
// installation, no network and no model, so it is what one tries first.
func builtin() Descriptor {
	return Descriptor{
		ID:              "builtin",
		Name:            "Built-in agent",
		Aliases:         []string{"mock", "demo"},
		AgentNames:      []string{"acpharness-mock"},
		ProtocolVersion: "1",
		Trust: Trust{
			HotReload:          reloads("Evidence of 1.0.0: it follows every edit of its agent file, at the end of a turn if it is in one.", builtinTable()),
			SharesProcess:      yes("It keeps the sessions of a process apart by their ids."),
			IsolatesMCP:        yes("A server that is given to a session is that session's, and ends with it."),
			ReadsConfig:        ConfigReading{ReadAtSession, "It watches its file, and a new session has what is in it."},
			TakesServers:       Transports{Stdio: true, Reason: "It starts the stdio servers that it is given; of the others it makes nothing."},
			AsksPermission:     Asking{Granted: true, Reason: "It does nothing by itself, and asks where the prompt or its script says so."},
			ParallelStarts:     yes("It answers session/new side by side with other requests."),
			FollowsListChanged: yes("It lists the tools of a server again that says that they have changed."),
			StopsOnStdinClose:  yes("It ends with its input, unless its script says otherwise."),
		},
		MCPFiles: []MCPFile{{
			// It is shaped as those of Kiro are.
			Source: "agent", Dir: "{home}/.acpharness-mock", Paths: []string{"agent.json"}, Format: MCPJSON, ServersKey: "mcpServers",
			Entry:  MCPEntry{CommandKey: "command", ArgsKey: "args", EnvKey: "env"},
			Marker: MCPMarker{Key: "disabled", Value: true, Proof: "It is part of this program, whose tests start it with a server that is disabled."},
			Filter: MCPFilter{Exclude: "disabledTools"}, RuleKeys: []string{"autoApprove"}, RefsKey: "tools", AllowedKey: "allowedTools",
		}},
		Notes:   []string{"It is a mock: it follows a script and calls no model."},
		Builtin: true,
	}
}

// builtinTable is what the evidence of 1.0.0 says.
func builtinTable() map[Edit]EditDecision {
	follows, turn := decided(VerdictFollows, ConditionNotInjected), decided(VerdictNextTurn, Conditions()...)
	return map[Edit]EditDecision{
		EditAdd: follows, EditDisable: follows, EditEnable: follows, EditRemove: follows, EditChangeTransport: follows,
		EditToolFilter: decided(VerdictNextTurn, ConditionNotInjected),
		EditAddRef:     turn, EditRemoveRef: decided(VerdictNo), EditPermissionRule: turn,
	}
}
