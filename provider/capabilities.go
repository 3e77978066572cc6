package provider

import (
	"fmt"
	"maps"
	"slices"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
)

// Capabilities is what the process of an agent may be trusted with: the decisions of its backend, for the name and the version that the
// process itself has reported. It never changes. The zero value grants nothing.
type Capabilities struct {
	descriptor *backends.Descriptor // nil for the zero value
	agent      acp.Implementation
	version    backends.Version
}

// CapabilitiesOf returns the capabilities of a process of a backend that has introduced itself as agent at initialize. Providers of
// embedders that start a known backend in a way of their own answer with it, as long as the process lives.
func CapabilitiesOf(d backends.Descriptor, agent acp.Implementation) Capabilities {
	d.AgentNames = slices.Clone(d.AgentNames)
	d.Trust.HotReload.Table = maps.Clone(d.Trust.HotReload.Table)
	for edit, decided := range d.Trust.HotReload.Table {
		decided.Conditions = slices.Clone(decided.Conditions)
		d.Trust.HotReload.Table[edit] = decided
	}
	return Capabilities{descriptor: &d, agent: agent, version: d.VersionOf(agent.Name, agent.Version)}
}

// Backend returns the id of the backend, empty for the zero value.
func (c Capabilities) Backend() string {
	if c.descriptor == nil {
		return ""
	}
	return c.descriptor.ID
}

// Version returns the version that the process has reported. It is unknown under a name that the backend does not know.
func (c Capabilities) Version() backends.Version { return c.version }

// Trust returns a decision of the backend. It holds for every version; what holds for some only is MCPEdit.
func (c Capabilities) Trust(key backends.TrustKey) backends.Ruling {
	switch {
	case c.descriptor == nil:
		return backends.Ruling{Reason: "nothing is declared"}
	case !slices.Contains(c.descriptor.AgentNames, c.agent.Name):
		return backends.Ruling{Reason: fmt.Sprintf("%s does not know an agent of the name %.60q", c.descriptor.ID, c.agent.Name)}
	case key == backends.TrustHotReload:
		why := c.doubt()
		if why == "" {
			why = c.descriptor.Trust.HotReload.Reason
		}
		trust := c.descriptor.Trust
		trust.HotReload.Granted, trust.HotReload.Reason = c.McpConfigHotReload(), why
		return trust.Of(key)
	default:
		return c.descriptor.Trust.Of(key)
	}
}

// McpConfigHotReload reports whether adding, disabling, enabling and removing a server in the agent's MCP configuration reaches the
// sessions of the running process. MCPEdit says it for each edit, and under which conditions.
func (c Capabilities) McpConfigHotReload() bool {
	return c.descriptor != nil && c.descriptor.HotReloads(c.agent.Name, c.agent.Version)
}

// doubt says why edits of the configuration are not left to the process, empty if nothing speaks against it.
func (c Capabilities) doubt() string {
	switch d := c.descriptor; {
	case d == nil:
		return "nothing is declared"
	case !d.Trust.HotReload.Granted:
		return d.Trust.HotReload.Reason
	case !slices.Contains(d.AgentNames, c.agent.Name):
		return fmt.Sprintf("%s does not know an agent of the name %.60q", d.ID, c.agent.Name)
	case c.agent.Version == "":
		return "the process has not reported a version"
	case !c.version.Known():
		return fmt.Sprintf("what the process has reported, %.60q, is no version", c.agent.Version)
	case !c.version.AtLeast(d.ReloadFloor()):
		return fmt.Sprintf("version %v is below %v, the lowest that was seen to follow", c.version, d.ReloadFloor())
	default:
		return ""
	}
}

// EditAnswer says what the sessions of a process do with an edit of the agent's MCP configuration.
type EditAnswer struct {
	// Verdict is unknown where anything is in doubt.
	Verdict backends.Verdict
	// Conditions must all be met for the verdict to hold.
	Conditions []backends.Condition
	// Inferred says that nobody has seen this edit followed: it was concluded. Such an edit needs a confirmation.
	Inferred bool
	// UnverifiedAbove says that the process is of a higher version than any that was looked at. Such an edit needs one, too.
	UnverifiedAbove bool
	// Reason says where the verdict comes from, a sentence.
	Reason string
}

// MCPEdit answers for one kind of edit.
func (c Capabilities) MCPEdit(e backends.Edit) EditAnswer {
	if e == backends.EditSpawnField {
		return EditAnswer{Verdict: backends.VerdictNo, Reason: "only a new process can know it"}
	}
	if why := c.doubt(); why != "" {
		return EditAnswer{Verdict: backends.VerdictUnknown, Reason: why}
	}
	d := c.descriptor.Trust.HotReload.Of(e)
	a := EditAnswer{Verdict: d.Verdict, Conditions: d.Conditions, Inferred: d.Inferred, Reason: c.descriptor.Trust.HotReload.Reason}
	switch {
	case a.Verdict == backends.VerdictUnknown:
		a.Reason = fmt.Sprintf("nothing is known of %s", e)
	case c.descriptor.UnverifiedAbove(c.version):
		a.UnverifiedAbove = true
		a.Reason = fmt.Sprintf("unverified above %v, the highest version that was looked at", c.descriptor.HighestSeen())
	}
	return a
}

// Unmet returns the conditions that are not among those that are met.
func (a EditAnswer) Unmet(met ...backends.Condition) []backends.Condition {
	var unmet []backends.Condition
	for _, c := range a.Conditions {
		if !slices.Contains(met, c) {
			unmet = append(unmet, c)
		}
	}
	return unmet
}

// Followed reports whether the sessions of the process come to what the edit says by themselves, given which conditions are met. What
// is inferred, or unverified, counts: whether a confirmation is needed is for the caller to decide by the members.
func (a EditAnswer) Followed(met ...backends.Condition) bool {
	return a.Verdict.Followed() && len(a.Unmet(met...)) == 0
}
