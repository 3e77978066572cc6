package main

import (
	"slices"
	"strings"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
)

// reloadState says whether edits of its MCP configuration reach the sessions of the agent that is installed.
type reloadState string

const (
	reloadYes        reloadState = "yes"
	reloadUnverified reloadState = "unverified_above" // yes, and its version is higher than any that was looked at
	reloadBelow      reloadState = "below_floor"
	reloadNotGranted reloadState = "not_granted"
	reloadUnknown    reloadState = "unknown" // it was not started, or what it is called is not known
)

// checkedReload has empty versions where there is no evidence.
type checkedReload struct {
	State       reloadState `json:"state"`
	Floor       string      `json:"floor"`
	HighestSeen string      `json:"highestSeen"`
}

func (r checkedReload) String() string {
	switch r.State {
	case reloadYes:
		return "yes from " + r.Floor
	case reloadUnverified:
		return "unverified above " + r.HighestSeen
	case reloadBelow:
		return "below the floor " + r.Floor
	case reloadNotGranted:
		return "not granted"
	case reloadUnknown:
	}
	return "unknown"
}

// reloadBefore is what is known of an agent that has not said what it is.
func reloadBefore(d *backends.Descriptor) checkedReload {
	r := checkedReload{State: reloadUnknown, Floor: known(d.ReloadFloor()), HighestSeen: known(d.HighestSeen())}
	if !d.Trust.HotReload.Granted {
		r.State = reloadNotGranted
	}
	return r
}

// introduced takes what the agent says that it is.
func (c *checkup) introduced(d *backends.Descriptor, agent acp.Implementation) {
	c.Answered = true
	c.Agent = checkedAgent{agent.Name, agent.Version}
	version := d.VersionOf(agent.Name, agent.Version)
	c.NameKnown = answered(slices.Contains(d.AgentNames, agent.Name))
	c.VersionKnown = answered(version.Known())
	if c.NameKnown == answerNo {
		if len(d.AgentNames) == 0 { // nobody has said what it is called: there is nothing to put right here
			c.NameKnown = answerUnknown
			return
		}
		c.issue(issueNameUnknown, "make sure that this is "+d.Name+", and upgrade it or acpctl",
			"it calls itself %q, which its descriptor does not know (%s): nothing that it is trusted with holds",
			agent.Name, strings.Join(d.AgentNames, ", "))
		return
	}
	if c.HotReload.State == reloadNotGranted {
		return
	}
	switch {
	case !version.Known():
		c.issue(issueVersionUnknown, upgrade(d),
			"what it reports as its version, %q, is none: its sessions are not left to follow edits of the MCP configuration", agent.Version)
	case !version.AtLeast(d.ReloadFloor()):
		c.HotReload.State = reloadBelow
		c.issue(issueBelowFloor, upgrade(d),
			"version %v is below %v, the lowest that was seen to follow edits of its MCP configuration: each takes a new process", version, d.ReloadFloor())
	case !d.HotReloads(agent.Name, agent.Version):
		c.HotReload.State = reloadNotGranted
	case d.UnverifiedAbove(version):
		c.HotReload.State = reloadUnverified
	default:
		c.HotReload.State = reloadYes
	}
}

func upgrade(d *backends.Descriptor) string {
	if d.Install.Hint == "" {
		return "upgrade it"
	}
	return "upgrade it, such as with: " + d.Install.Hint
}
