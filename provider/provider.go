package provider

import (
	"context"

	"github.com/acpharness/acpharness/acp"
)

// Connector starts agents of one kind.
type Connector interface {
	// ID returns the id of the backend, or a name for a command without one.
	ID() string
	// Connect starts an agent and returns after the handshake. ctx bounds the call only. An error is an
	// *acp.StartError; when the executable was not found it wraps a *NotFoundError.
	Connect(ctx context.Context, opts *ConnectOptions) (Provider, error)
}

// Provider is one agent that was started. Those that are not this package's embed [Unimplemented].
type Provider interface {
	// Conn returns the connection to the agent.
	Conn() *acp.Conn
	// McpConfigHotReload reports whether the sessions of the running process follow edits of the agent's MCP configuration by
	// themselves: adding, disabling, enabling and removing a server. A process that has ended follows nothing.
	McpConfigHotReload() bool
	// Capabilities returns what the running process may be trusted with, the zero value once it has ended.
	Capabilities() Capabilities
	// Close ends the connection and the agent's processes; see acp.Conn.Close.
	Close(ctx context.Context) error
}

// ConnectOptions configure one Connect. The zero value works.
type ConnectOptions struct {
	// ClientInfo is how the client introduces itself; empty members get acp's defaults.
	ClientInfo acp.Implementation
	// Client configures the protocol client. An empty ProtocolVersion becomes what the backend wants.
	Client acp.ClientOptions
	// Env is the environment to start from as KEY=VALUE; nil means the caller's. The backend's own settings are added
	// to it, unless it has them.
	Env []string
	// EnvMode says how much of Env the agent gets to see; the zero value removes the markers that it must not see.
	EnvMode EnvMode
	// SetEnv is what the agent's environment has in every mode, as KEY=VALUE. It wins over Env and over what the backend
	// sets or removes; of two with the same name the last one counts.
	SetEnv []string
	// Dir is the agent's working directory; empty means the caller's.
	Dir string
	// StateDir is the folder of the ledger of process trees, see acp.CommandTransport; empty keeps none.
	StateDir string
	// KillDaemons ends the daemons that the backend is known to leave behind, too.
	KillDaemons bool
	// Stop says how long the steps of a staged stop wait.
	Stop acp.StopGrace
	// Started is called with the command once it was found, before it is started. May be nil.
	Started func(command []string)
}

// connected is a Provider over a connection. The zero value declares nothing.
type connected struct {
	conn     *acp.Conn
	declared Capabilities
}

func (p connected) Conn() *acp.Conn                 { return p.conn }
func (p connected) Close(ctx context.Context) error { return p.conn.Close(ctx) }
func (p connected) McpConfigHotReload() bool        { return p.Capabilities().McpConfigHotReload() }

func (p connected) Capabilities() Capabilities {
	if p.conn == nil {
		return Capabilities{}
	}
	select {
	case <-p.conn.Done():
		return Capabilities{}
	default:
		return p.declared
	}
}
