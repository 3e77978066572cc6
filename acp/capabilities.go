package acp

import "encoding/json"

// Implementation names a piece of software. It mirrors Implementation of the protocol.
type Implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"` // a plain string, possibly empty, in no guaranteed form
}

// AgentCapabilities is what an agent says it can do (AgentCapabilities). What is absent is not supported.
type AgentCapabilities struct {
	LoadSession bool
	Prompt      PromptCapabilities
	MCP         MCPCapabilities
	Session     SessionCapabilities
	Logout      bool            // auth.logout
	AuthStatus  bool            // auth.status, of the protocol's drafts
	Providers   bool            // of the protocol's drafts
	Raw         json.RawMessage // as sent, with whatever this package does not know
}

// PromptCapabilities is what a prompt may hold beside text and resource links.
type PromptCapabilities struct {
	Image           bool
	Audio           bool
	EmbeddedContext bool
}

// MCPCapabilities is the set of transports over which an agent reaches MCP servers beside stdio.
type MCPCapabilities struct {
	HTTP bool
	SSE  bool
}

// SessionCapabilities is the set of session methods beyond session/new and session/prompt.
type SessionCapabilities struct {
	List                  bool
	Delete                bool
	Resume                bool
	Close                 bool
	Fork                  bool
	AdditionalDirectories bool
	SystemPrompt          bool // in mode append
	SystemPromptOverride  bool // in mode override too
	Archive               bool // of the protocol's drafts, like the two that follow
	Status                bool
	Title                 bool
}

func (d *decoder) agentCapabilities(name string, raw []byte) AgentCapabilities {
	c := AgentCapabilities{Raw: raw}
	d.object(name, raw, func(key, value []byte) {
		switch string(key) {
		case "loadSession":
			d.boolean("loadSession", value, &c.LoadSession)
		case "promptCapabilities":
			d.object("promptCapabilities", value, func(key, value []byte) {
				switch string(key) {
				case "image":
					d.boolean("image", value, &c.Prompt.Image)
				case "audio":
					d.boolean("audio", value, &c.Prompt.Audio)
				case "embeddedContext":
					d.boolean("embeddedContext", value, &c.Prompt.EmbeddedContext)
				}
			})
		case "mcpCapabilities":
			d.object("mcpCapabilities", value, func(key, value []byte) {
				switch string(key) {
				case "http":
					d.boolean("http", value, &c.MCP.HTTP)
				case "sse":
					d.boolean("sse", value, &c.MCP.SSE)
				}
			})
		case "sessionCapabilities":
			d.sessionCapabilities("sessionCapabilities", value, &c.Session)
		case "auth":
			d.object("auth", value, func(key, value []byte) {
				switch string(key) {
				case "logout":
					d.marker("logout", value, &c.Logout)
				case "status":
					d.marker("status", value, &c.AuthStatus)
				}
			})
		case "providers":
			d.marker("providers", value, &c.Providers)
		}
	})
	return c
}

func (d *decoder) sessionCapabilities(name string, raw []byte, c *SessionCapabilities) {
	d.object(name, raw, func(key, value []byte) {
		switch string(key) {
		case "list":
			d.marker("list", value, &c.List)
		case "delete":
			d.marker("delete", value, &c.Delete)
		case "resume":
			d.marker("resume", value, &c.Resume)
		case "close":
			d.marker("close", value, &c.Close)
		case "fork":
			d.marker("fork", value, &c.Fork)
		case "archive":
			d.marker("archive", value, &c.Archive)
		case "status":
			d.marker("status", value, &c.Status)
		case "title":
			d.marker("title", value, &c.Title)
		case "additionalDirectories":
			d.marker("additionalDirectories", value, &c.AdditionalDirectories)
		case "systemPrompt":
			d.marker("systemPrompt", value, &c.SystemPrompt)
			if value[0] == '{' {
				d.systemPromptModes("systemPrompt", value, c)
			}
		}
	})
}

// systemPromptModes reads {"mode":{"override":{}}}.
func (d *decoder) systemPromptModes(name string, raw []byte, c *SessionCapabilities) {
	d.object(name, raw, func(key, value []byte) {
		if string(key) != "mode" {
			return
		}
		d.object("mode", value, func(key, value []byte) {
			if string(key) == "override" {
				d.marker("override", value, &c.SystemPromptOverride)
			}
		})
	})
}

// implementation reads an agentInfo of any shape: what is missing or no string is empty (goose#9765).
func implementation(raw []byte) Implementation {
	var info Implementation
	eachMember(raw, func(key, value []byte) {
		text, err := decodeString(value)
		if err != nil {
			return
		}
		switch string(key) {
		case "name":
			info.Name = text
		case "title":
			info.Title = text
		case "version":
			info.Version = text
		}
	})
	return info
}
