package backends

// kiro is Kiro CLI, Amazon's agent. Everything here is cited, nothing observed.
func kiro() Descriptor {
	return Descriptor{
		ID:      "kiro",
		Name:    "Kiro CLI",
		Aliases: []string{"kiro-cli"},
		// As 2.21.0 was reported to answer; kirodotdev/KiroCrew#8319.
		AgentNames: []string{"Kiro CLI Agent"},
		Launch:     Launch{Command: "kiro-cli", Args: []string{"acp"}},
		// It expects the date form of the version, not the integer.
		ProtocolVersion: `"2025-08-22"`,
		Install:         Install{Hint: "curl -fsSL https://cli.kiro.dev/install | bash"},
		Trust: Trust{
			HotReload: HotReload{
				Granted: true,
				Reason:  "Cited evidence of version 2.21.0, a public report: a live session followed edits of its agent file without a restart.",
				Table:   kiroTable(),
			},
			SharesProcess:      no(neverRun),
			IsolatesMCP:        no(neverRun),
			ReadsConfig:        ConfigReading{ReadAtStart, neverRun},
			TakesServers:       Transports{Reason: "Not observed: nobody has run it, and 2.14.1 is reported to have ignored stdio servers."},
			AsksPermission:     Asking{Reason: neverRun},
			ParallelStarts:     no("Not observed; it is reported to open sessions one after the other, each after the start of its servers."),
			FollowsListChanged: no(neverRun),
			StopsOnStdinClose:  no("Not observed; it is reported to forward no signals, which leaves its child behind."),
		},
		MCPFiles: []MCPFile{
			{
				Source: "agent", Dir: "{home}/.kiro", Paths: []string{"agents/{agent}.json"}, Format: MCPJSON, ServersKey: "mcpServers",
				Entry: kiroEntry(), Marker: kiroMarker(), Filter: MCPFilter{Exclude: "disabledTools"}, RuleKeys: []string{"autoApprove"},
				RefsKey: "tools", AllowedKey: "allowedTools", IncludeKey: "includeMcpJson", Aliases: true,
			},
			{
				Source: "global", Dir: "{home}/.kiro", Paths: []string{"settings/mcp.json"}, Format: MCPJSON, ServersKey: "mcpServers",
				Entry: kiroEntry(), Marker: kiroMarker(), Filter: MCPFilter{Exclude: "disabledTools"}, RuleKeys: []string{"autoApprove"},
				IfIncluded: true, Aliases: true,
			},
		},
		Observed: Observation{Note: "kiro-cli could not be obtained; the facts are cited from public reports."},
		Notes: []string{
			// kirodotdev/Kiro#6050, #6945
			"kiro-cli starts kiro-cli-chat and forwards no signal to it: stop the whole process group.",
			"Launch it in place: it is a multi-call binary, and a copied or linked path changes what it does.",
			"session/new is effectively serial: each one waits for the start of its MCP servers, up to 30 s.",
			"2.14.1 ignored stdio MCP servers given over ACP.",
		},
	}
}

// kiroTable is what the evidence of 2.21.0 says, and nothing beyond it.
func kiroTable() map[Edit]EditDecision {
	follows := func(v Verdict) EditDecision {
		return EditDecision{Verdict: v, Conditions: []Condition{ConditionNoInjection, ConditionNotInjected}}
	}
	enable := follows(VerdictFollows)
	enable.Inferred = true
	return map[Edit]EditDecision{
		EditAdd:        follows(VerdictFollows),
		EditDisable:    follows(VerdictFollows),
		EditEnable:     enable,
		EditRemove:     follows(VerdictFollows),
		EditToolFilter: follows(VerdictFollows),
		EditAddRef:     follows(VerdictNextTurn),
		EditRemoveRef:  {Verdict: VerdictNo},
	}
}

// kiroEntry is how a server is written in both of its files.
func kiroEntry() MCPEntry {
	return MCPEntry{CommandKey: "command", ArgsKey: "args", EnvKey: "env", URLKey: "url", HeadersKey: "headers"}
}

func kiroMarker() MCPMarker {
	return MCPMarker{Key: "disabled", Value: true, Proof: "Cited: 2.21.0 stopped a running server by it; a cold start was not seen, since it could not be obtained."}
}
