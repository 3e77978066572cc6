package backends

import "slices"

// Trust is what an agent is trusted with. Every descriptor decides everything explicitly, granted or not, with a reason; "not observed"
// is a good one. Nothing is granted by saying nothing: the zero value of everything is the safe one.
type Trust struct {
	// HotReload is what a running agent does with edits of its MCP configuration.
	HotReload HotReload
	// SharesProcess: several sessions may live in one process.
	SharesProcess Decision
	// IsolatesMCP: the MCP servers that one session of a process was given stay out of its others.
	IsolatesMCP Decision
	// ReadsConfig is when an agent reads its MCP configuration.
	ReadsConfig ConfigReading
	// TakesServers are the transports of servers that the agent takes at session/new, and uses.
	TakesServers Transports
	// AsksPermission: the agent asks its client before it acts, in a mode.
	AsksPermission Asking
	// ParallelStarts: sessions may be opened side by side. Where it is not granted they are opened one after the other.
	ParallelStarts Decision
	// FollowsListChanged: when an MCP server tells that its tools have changed, the session has the new ones.
	FollowsListChanged Decision
	// StopsOnStdinClose: the process ends by itself when its input is closed.
	StopsOnStdinClose Decision
}

// Decision is one decision. The zero value is not decided, and grants nothing.
type Decision struct {
	Granted bool
	Reason  string // a sentence; never empty where something was decided
}

// ConfigReading says when an agent reads its MCP configuration.
type ConfigReading struct {
	When   ReadingTime
	Reason string
}

// ReadingTime is a point in an agent's life.
type ReadingTime string

// The times. The zero value is not decided, and counts as ReadAtStart.
const (
	ReadAtSession ReadingTime = "new-session"   // with every new session
	ReadAtStart   ReadingTime = "process-start" // once
	ReadByCWD     ReadingTime = "by-cwd"        // with the first session in a folder
)

// Transports are ways to reach an MCP server.
type Transports struct {
	Stdio, HTTP, SSE bool
	Reason           string
}

// Asking says whether an agent asks before it acts.
type Asking struct {
	Granted bool
	Mode    string // in which it does, empty for any
	Reason  string
}

// HotReload is the decision about edits of the MCP configuration. Granted says that a reset may be left out where the table says that
// an edit is followed and its conditions hold.
type HotReload struct {
	Granted bool
	Reason  string
	Table   map[Edit]EditDecision
}

// EditDecision is what is decided for one edit.
type EditDecision struct {
	Verdict    Verdict
	Conditions []Condition
	Inferred   bool // concluded and not seen: the edit is never left to the agent unconfirmed
}

// Of returns what is decided for an edit: unknown if nothing is, and no for what only a new process can know.
func (h HotReload) Of(e Edit) EditDecision {
	if e == EditSpawnField {
		return EditDecision{Verdict: VerdictNo}
	}
	d, ok := h.Table[e]
	if !ok || !h.Granted || d.Verdict == "" {
		return EditDecision{Verdict: VerdictUnknown}
	}
	d.Conditions = slices.Clone(d.Conditions)
	return d
}

// Reloads reports whether every edit that hot reload needs is granted and followed.
func (h HotReload) Reloads() bool {
	return !slices.ContainsFunc(neededEdits(), func(e Edit) bool { return !h.Of(e).Verdict.Followed() })
}

// Override is what an agent advertises and does not do, or the other way round.
type Override struct {
	Capability string // a path of agentCapabilities, such as "sessionCapabilities.close", or OverrideProtocolVersion
	Works      bool   // what is the case, whatever is advertised
	Evidence   string // what was seen
}

// OverrideProtocolVersion is what an override is called that is not about a capability: the version that the agent answers proves nothing.
const OverrideProtocolVersion = "protocolVersion"
