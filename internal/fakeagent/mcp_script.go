package fakeagent

import (
	"errors"
	"fmt"
	"net/url"
	"time"
)

// MCPScript says how the agent treats the configuration of its MCP servers. There has to be a file for it, by File or by
// Options.AgentFile; else nothing of this exists.
type MCPScript struct {
	// File is the agent file. Default: Options.AgentFile.
	File string `json:"file,omitempty"`
	// Model is the base URL of a model server that plays the prompts, by chat completions.
	Model string `json:"model,omitempty"`
	// Profile says how edits of the file are followed. Default: MCPGood.
	Profile MCPProfile `json:"profile,omitempty"`
	// Notice says how the client is told of servers. Default: MCPNoticeServerName.
	Notice MCPNotice `json:"notice,omitempty"`
	// Delay is how much later MCPSlow follows. Default: 3 s.
	Delay Duration `json:"delay,omitempty"`
}

// MCPProfile is a way to follow edits of the agent file.
type MCPProfile string

// The profiles.
const (
	MCPGood     MCPProfile = "good"               // every edit, at the next turn boundary
	MCPBroken   MCPProfile = "broken"             // the file is read once, when the process starts
	MCPSlow     MCPProfile = "slow"               // as good, MCPScript.Delay later
	MCPPartial  MCPProfile = "partial"            // servers are never stopped because they were disabled or removed
	MCPFalse    MCPProfile = "false-positive"     // servers are followed, and open sessions do not get to know it
	MCPFlipping MCPProfile = "flips-on-injection" // as good, until a session/new brings a server
)

// MCPNotice is the member that has a server's name in the notifications about it.
type MCPNotice string

// The notices.
const (
	MCPNoticeServerName MCPNotice = "serverName"
	MCPNoticeName       MCPNotice = "name"
	MCPNoticeNone       MCPNotice = "none" // there are no notifications
)

const defaultMCPDelay = 3 * time.Second

// validateMCP refuses an MCP script that says nothing, or two things at once.
func (s *Script) validateMCP() error {
	m := s.MCP
	if m == nil {
		return nil
	}
	err := errors.Join(
		oneOf("mcp.profile", m.Profile, MCPGood, MCPBroken, MCPSlow, MCPPartial, MCPFalse, MCPFlipping),
		oneOf("mcp.notice", m.Notice, MCPNoticeServerName, MCPNoticeName, MCPNoticeNone),
		// What they ask for is part of turns that no model plays.
		excludes(m.Model != "", "mcp.model", members{
			{"empty", s.Empty},
			{"updates", s.Updates != 0},
			{"tool", s.Tool != nil},
			{"callClient", s.CallClient != nil},
			{"unknownRequest", s.UnknownRequest},
			{"permissionOn", s.PermissionOn != ""},
			{"permissionParallel", s.PermissionParallel != 0},
		}),
	)
	if m.Delay < 0 {
		err = errors.Join(err, errors.New("mcp.delay: must not be negative"))
	}
	if m.Delay != 0 && m.Profile != MCPSlow {
		err = errors.Join(err, fmt.Errorf("mcp.delay: only profile %q has one", MCPSlow))
	}
	if m.Model != "" {
		base, bad := url.Parse(m.Model)
		if bad != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
			err = errors.Join(err, errors.New("mcp.model: want a URL of http or https"))
		}
	}
	return err
}
