package acp

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// SessionOptions configure a session. The zero value works.
type SessionOptions struct {
	// Permission decides this session's permission requests instead of the client's handler.
	Permission PermissionHandler
	// ReadTextFile, WriteTextFile, Terminal, Form and URL serve this session instead of the client's handlers. What the
	// client has no handler for was not advertised, so that a handler here is refused: ErrNotAdvertised.
	ReadTextFile  FileReader
	WriteTextFile FileWriter
	Terminal      TerminalHandler
	Form          FormHandler
	URL           URLHandler
	// NoUpdates says that nobody will read Session.Updates, so that nothing is kept for it.
	NoUpdates bool
	// MCPServers are the servers that the agent is to connect to for this session, beside those of its own configuration.
	// Names are unique. A transport that the agent does not advertise is refused with ErrUnsupported.
	MCPServers []MCPServer
	// AdditionalDirectories are further roots of the session, absolute. An agent that does not advertise them is not asked:
	// ErrUnsupported.
	AdditionalDirectories []string
	// SystemPrompt are instructions for the agent; nil leaves it its own. An agent that does not advertise them is not
	// asked: ErrUnsupported.
	SystemPrompt *SystemPrompt
	// Settings are set, in this order, when the session has been opened; one that cannot be had fails the opening and closes the
	// session, unless it is optional. Agents forget what was set when a session is loaded (claude-agent-acp#845).
	Settings []Setting
	// Replay says what becomes of the history that LoadSession brings.
	Replay ReplayPolicy
	// ReplayGrace is how long after the answer to session/load history may still come: LoadSession returns when there was
	// none for so long, after 50 graces at the latest. 0 means 100 ms, negative waits for none. Agents that send it late are many (hermes-agent#26957).
	ReplayGrace time.Duration
}

// ReplayPolicy says what becomes of a history that is replayed.
type ReplayPolicy int

const (
	// ReplayDeliver has it in Session.Updates, flagged as replayed. The zero value.
	ReplayDeliver ReplayPolicy = iota
	// ReplayDrop only counts it, see Session.Replayed.
	ReplayDrop
)

// SystemPrompt is instructions for an agent (SystemPrompt).
type SystemPrompt struct {
	Mode    SystemPromptMode // empty means append
	Content []ContentBlock   // such as Text("Answer in verse.")
}

// SystemPromptMode says how a system prompt goes together with the agent's own (SystemPromptMode).
type SystemPromptMode string

// The modes of the protocol. An agent that advertises no more takes SystemPromptAppend.
const (
	SystemPromptAppend   SystemPromptMode = "append"
	SystemPromptOverride SystemPromptMode = "override"
)

// setupParams are the params of session/new and, with an id, of session/load, resume and fork.
type setupParams struct {
	id   SessionID
	cwd  string
	opts *SessionOptions
}

func (p setupParams) appendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	if p.id != "" {
		dst = append(dst, `"sessionId":`...)
		dst = append(appendString(dst, string(p.id)), ',')
	}
	dst = append(dst, `"cwd":`...)
	dst = appendString(dst, p.cwd)
	dst = append(dst, `,"mcpServers":[`...)
	for i, s := range p.opts.MCPServers {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = s.appendJSON(dst)
	}
	dst = append(dst, ']')
	if len(p.opts.AdditionalDirectories) > 0 {
		dst = append(dst, `,"additionalDirectories":`...)
		dst = appendStrings(dst, p.opts.AdditionalDirectories)
	}
	if prompt := p.opts.SystemPrompt; prompt != nil {
		dst = append(dst, `,"systemPrompt":{"mode":`...)
		dst = appendString(dst, string(prompt.mode()))
		dst = append(dst, `,"content":[`...)
		dst = append(appendBlocks(dst, prompt.Content), `]}`...)
	}
	return append(dst, '}')
}

func (p *SystemPrompt) mode() SystemPromptMode {
	if p.Mode == "" {
		return SystemPromptAppend
	}
	return p.Mode
}

// check refuses locally what the agent would refuse or misunderstand.
func (p setupParams) check(conn *Conn) error {
	c := &conn.capabilities
	if err := conn.offers.covers(p.opts); err != nil {
		return err
	}
	if !filepath.IsAbs(p.cwd) {
		return fmt.Errorf("the path %q is not absolute", p.cwd)
	}
	if err := checkMCPServers(p.opts.MCPServers, c.MCP); err != nil {
		return err
	}
	if len(p.opts.AdditionalDirectories) > 0 && !c.Session.AdditionalDirectories {
		return conn.unsupported("sessionCapabilities.additionalDirectories")
	}
	for _, dir := range p.opts.AdditionalDirectories {
		if !filepath.IsAbs(dir) {
			return fmt.Errorf("the additional directory %q is not absolute", dir)
		}
	}
	prompt := p.opts.SystemPrompt
	switch {
	case prompt == nil:
		return nil
	case len(prompt.Content) == 0:
		return errors.New("the system prompt is empty")
	case prompt.mode() == SystemPromptAppend && c.Session.SystemPrompt:
		return nil
	case prompt.mode() == SystemPromptOverride && c.Session.SystemPromptOverride:
		return nil
	default:
		return fmt.Errorf("%w: a system prompt in mode %q", ErrUnsupported, prompt.mode())
	}
}
