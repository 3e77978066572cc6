package backends

// Descriptor is everything known about one agent before it is started.
type Descriptor struct {
	// ID is the one canonical, lower-case id, such as "claude".
	ID string
	// Name is the name for people, such as "Claude Code".
	Name string
	// Aliases are other ids people type for the same agent.
	Aliases []string
	// AgentNames are the exact agentInfo.name values the agent reports at
	// initialize. A version is meaningful only under one of these names.
	AgentNames []string
	// RegistryID is the id in the public ACP registry, "" if it has none.
	RegistryID string
	// Launch is how the process is started.
	Launch Launch
	// ProtocolVersion is the JSON literal sent as protocolVersion: the number
	// 1 for everyone but those that demand something else.
	ProtocolVersion string
	// Env is what the agent's environment must have and must not have.
	Env Environment
	// SignIn are the ways to sign in that need nobody, in the order to try them. They are used only when the agent asks.
	SignIn []SignInMethod
	// Daemons are substrings of command lines of processes that the agent shares between its runs on purpose. They are
	// reported when an agent is stopped, and left alone.
	Daemons []string
	// ReadsBeforeCreating says that the agent makes a new file by the client only if reading it before is answered with an
	// empty text, and not with an error.
	ReadsBeforeCreating bool
	// CumulativeUsage says that the usage that a turn reports is that of the session so far.
	CumulativeUsage bool
	// Install is how a person gets the agent.
	Install Install
	// Overrides are where the agent does something else than it advertises.
	Overrides []Override
	// Trust is what the agent is trusted with.
	Trust Trust
	// MCPFiles are the agent's own files of MCP servers, the strongest first; of the Paths of each the last is. It is empty if nobody has
	// looked.
	MCPFiles []MCPFile
	// Observed says what was actually run.
	Observed Observation
	// Notes are facts a person starting this agent should know, one sentence
	// or two each.
	Notes []string
	// Builtin marks the agent that is part of this program: it has no command
	// of its own, the program starts itself.
	Builtin bool
}

// Launch is the command line that makes an agent speak ACP on its stdio.
type Launch struct {
	// Command is a name to look up in PATH, never a shell line. It is empty
	// for the built-in agent only.
	Command string
	// Args are passed as they stand.
	Args []string
}

// Argv returns the command and its arguments as one new slice, nil if there
// is no command.
func (l Launch) Argv() []string {
	if l.Command == "" {
		return nil
	}
	return append([]string{l.Command}, l.Args...)
}

// SignInMethod is a way to sign in that needs nobody.
type SignInMethod struct {
	// Method is the id of the method that the agent advertises.
	Method string
	// Env are the names of the variables that the agent takes its credentials from. The method is of use if all are set.
	Env []string
}

// Install is how a person gets an agent.
type Install struct {
	// Hint is the command a person runs. Nothing here ever runs it.
	Hint string
	// Packages are the npm packages, without versions.
	Packages []string
}

// Verified reports whether the descriptor was ever run as it stands, and says
// so in a sentence for people.
func (d Descriptor) Verified() (bool, string) {
	switch {
	case d.Builtin:
		return true, "part of this program"
	case d.Observed.Run:
		return true, "run on " + d.Observed.Date + " with version " + d.Observed.Version
	default:
		return false, "nobody has run this descriptor"
	}
}

// Observation is what was seen when the agent was run from its descriptor.
type Observation struct {
	// Run is false if nobody has run this descriptor.
	Run bool
	// Version is the agentInfo.version that answered, "" if not run.
	Version string
	// Date is the day of the run, as 2006-01-02, "" if not run.
	Date string
	// Note says what the run covered or, if not run, why not.
	Note string
}
