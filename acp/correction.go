package acp

import "fmt"

// Correction says that an agent does something else than it advertises.
type Correction struct {
	// Capability is a path in AgentCapabilities as the protocol spells it, such as "loadSession" or "sessionCapabilities.close".
	Capability string
	// Works is what is the case.
	Works bool
	// Reason says what was seen, a sentence. It is part of the error of what is not asked for.
	Reason string
}

// UnsupportedError is returned without asking an agent for what it does not advertise, or is known not to do. It wraps
// ErrUnsupported.
type UnsupportedError struct {
	// Capability is its path in AgentCapabilities, or the method where the protocol has no capability for it.
	Capability string
	// Reason says why an agent that advertises it is not asked; empty if it does not advertise it.
	Reason string
}

func (e *UnsupportedError) Error() string {
	if e.Reason != "" {
		return fmt.Sprintf("%v: %s is advertised, but %s", ErrUnsupported, e.Capability, e.Reason)
	}
	return fmt.Sprintf("%v: %s", ErrUnsupported, e.Capability)
}

// Unwrap returns ErrUnsupported.
func (e *UnsupportedError) Unwrap() error { return ErrUnsupported }

// place returns where a capability is kept, nil for one that is not known.
func (c *AgentCapabilities) place(capability string) *bool {
	switch capability {
	case "loadSession":
		return &c.LoadSession
	case "promptCapabilities.image":
		return &c.Prompt.Image
	case "promptCapabilities.audio":
		return &c.Prompt.Audio
	case "promptCapabilities.embeddedContext":
		return &c.Prompt.EmbeddedContext
	case "mcpCapabilities.http":
		return &c.MCP.HTTP
	case "mcpCapabilities.sse":
		return &c.MCP.SSE
	case "auth.logout":
		return &c.Logout
	case "auth.status":
		return &c.AuthStatus
	case "providers":
		return &c.Providers
	default:
		return c.Session.place(capability)
	}
}

func (c *SessionCapabilities) place(capability string) *bool {
	switch capability {
	case "sessionCapabilities.list":
		return &c.List
	case "sessionCapabilities.delete":
		return &c.Delete
	case "sessionCapabilities.resume":
		return &c.Resume
	case "sessionCapabilities.close":
		return &c.Close
	case "sessionCapabilities.fork":
		return &c.Fork
	case "sessionCapabilities.additionalDirectories":
		return &c.AdditionalDirectories
	case "sessionCapabilities.archive":
		return &c.Archive
	case "sessionCapabilities.status":
		return &c.Status
	case "sessionCapabilities.title":
		return &c.Title
	default:
		return nil
	}
}

// correct applies what is known of an agent to what it has advertised. Raw stays as it was sent.
func (c *AgentCapabilities) correct(corrections []Correction) {
	for _, each := range corrections {
		if place := c.place(each.Capability); place != nil {
			*place = each.Works
		}
	}
}

func checkCorrections(corrections []Correction) error {
	for _, each := range corrections {
		if (&AgentCapabilities{}).place(each.Capability) == nil {
			return fmt.Errorf("cannot correct capability %q: it is not known", each.Capability)
		}
	}
	return nil
}

// Advertised returns what the agent has advertised, without the corrections of ClientOptions.
func (c *Conn) Advertised(capability string) bool {
	if len(c.capabilities.Raw) == 0 {
		return false
	}
	var d decoder // what is wrong with it was reported at the handshake
	was := d.agentCapabilities("agentCapabilities", c.capabilities.Raw)
	place := was.place(capability)
	return place != nil && *place
}

// unsupported is the error for what is not asked for.
func (c *Conn) unsupported(capability string) error {
	err := &UnsupportedError{Capability: capability}
	for _, each := range c.client.opts.Corrections {
		if each.Capability == capability && !each.Works && c.Advertised(capability) {
			err.Reason = each.Reason
		}
	}
	return err
}
