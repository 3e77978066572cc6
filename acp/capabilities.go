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
}

// AuthMethod is a way to sign in (AuthMethod). Type is open; an empty one was not sent and means "agent".
type AuthMethod struct {
	ID          string
	Name        string
	Description string
	Type        string
	Raw         json.RawMessage
}

func (d *decoder) agentCapabilities(path string, raw []byte) AgentCapabilities {
	c := AgentCapabilities{Raw: raw}
	d.object(path, raw, func(key string, value []byte) {
		path := path + "." + key
		switch key {
		case "loadSession":
			d.boolean(path, value, &c.LoadSession)
		case "promptCapabilities":
			d.object(path, value, func(key string, value []byte) {
				switch key {
				case "image":
					d.boolean(path+".image", value, &c.Prompt.Image)
				case "audio":
					d.boolean(path+".audio", value, &c.Prompt.Audio)
				case "embeddedContext":
					d.boolean(path+".embeddedContext", value, &c.Prompt.EmbeddedContext)
				}
			})
		case "mcpCapabilities":
			d.object(path, value, func(key string, value []byte) {
				switch key {
				case "http":
					d.boolean(path+".http", value, &c.MCP.HTTP)
				case "sse":
					d.boolean(path+".sse", value, &c.MCP.SSE)
				}
			})
		case "sessionCapabilities":
			d.sessionCapabilities(path, value, &c.Session)
		case "auth":
			d.object(path, value, func(key string, value []byte) {
				if key == "logout" {
					d.marker(path+".logout", value, &c.Logout)
				}
			})
		}
	})
	return c
}

func (d *decoder) sessionCapabilities(path string, raw []byte, c *SessionCapabilities) {
	d.object(path, raw, func(key string, value []byte) {
		switch key {
		case "list":
			d.marker(path+"."+key, value, &c.List)
		case "delete":
			d.marker(path+"."+key, value, &c.Delete)
		case "resume":
			d.marker(path+"."+key, value, &c.Resume)
		case "close":
			d.marker(path+"."+key, value, &c.Close)
		case "fork":
			d.marker(path+"."+key, value, &c.Fork)
		case "additionalDirectories":
			d.marker(path+"."+key, value, &c.AdditionalDirectories)
		}
	})
}

func (d *decoder) authMethods(path string, raw []byte) []AuthMethod {
	var methods []AuthMethod
	d.list(path, raw, func(path string, value []byte) {
		m := AuthMethod{Raw: value}
		ok := d.item(path, value, func(key string, value []byte) {
			switch key {
			case "id":
				d.str(path+".id", value, &m.ID)
			case "name":
				d.str(path+".name", value, &m.Name)
			case "description":
				d.str(path+".description", value, &m.Description)
			case "type":
				d.str(path+".type", value, &m.Type)
			}
		})
		if ok {
			methods = append(methods, m)
		}
	})
	return methods
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
