package backends

// MCPFormat is the syntax of a configuration file.
type MCPFormat string

// The formats.
const (
	MCPJSON  MCPFormat = "json"  // without comments: the agent refuses them
	MCPJSONC MCPFormat = "jsonc" // with comments; not every agent reads trailing commas, so that none is written where none was
	MCPTOML  MCPFormat = "toml"
)

// MCPFile says where an agent has its MCP servers and how they are written there. It is what an editor has to know of the agent.
type MCPFile struct {
	// Source names these files among those of the agent: "user", or "agent" for a file of one custom agent and "global" for what such
	// agents share.
	Source string
	// Dir is the folder of the files, which begins with {home}, and DirEnv the variable that the agent takes another one from.
	Dir, DirEnv string
	// Paths are the files below Dir, with slashes; {agent} stands for the name of a custom agent. The agent reads all that there
	// are, the later ones are stronger. Where there is none, a new one is the first.
	Paths []string
	// Format is the syntax of all of them.
	Format MCPFormat
	// ServersKey is the member of the file that has the servers by their names.
	ServersKey string
	// Entry says how a server is written.
	Entry MCPEntry
	// Marker disables a server in place. The zero value says that the agent obeys none.
	Marker MCPMarker
	// Filter says which of a server's tools are offered.
	Filter MCPFilter
	// RuleKeys are the members of an entry that say what may be called without asking.
	RuleKeys []string
	// RefsKey is the member of the file with references to servers, "@name" or "@name/tool", empty if a server needs none.
	RefsKey string
	// AllowedKey is the member of the file with what may be called without asking, written as references are.
	AllowedKey string
	// IncludeKey is the member of the file whose literal true makes the files with IfIncluded count as well.
	IncludeKey string
	// IfIncluded says that these files count only beside one that includes them, or by themselves where no custom agent is named.
	IfIncluded bool
	// Aliases says that a name with a slash is written under another one, since a reference splits at the slash.
	Aliases bool
}

// MCPEntry says how a server is written. An empty key says that the agent has no such member.
type MCPEntry struct {
	// TypeKey is the member that names the transport, in the words of Stdio, HTTP and SSE.
	TypeKey          string
	Stdio, HTTP, SSE string
	// CommandKey is the member with the command; without ArgsKey it is a list that begins with it.
	CommandKey, ArgsKey, EnvKey, CwdKey string
	// URLKey is the member with the address of a server over streamable HTTP, SSEURLKey over server-sent events.
	URLKey, SSEURLKey, HeadersKey string
	// Always are further members of every new entry, a JSON object; empty for none.
	Always string
}

// MCPMarker is what disables a server and keeps its entry: the member Key of the entry with this value, or the server's name in a
// list of the file, whose path is List.
type MCPMarker struct {
	Key   string
	Value bool
	List  []string
	// Proof says how it is known that the agent obeys it.
	Proof string
}

// None reports whether there is no marker.
func (m MCPMarker) None() bool { return m.Key == "" && len(m.List) == 0 }

// MCPFilter says which of a server's tools are offered: members of the entry with lists of tools, or a member of the file with
// booleans by the names that the model knows the tools by.
type MCPFilter struct {
	// Include is the member with the only tools that are offered, Exclude with those that are not.
	Include, Exclude string
	// All is the element of Include that stands for all tools; empty if only its absence does.
	All string
	// Switches is the member of the file, and Name how it names a tool there, with {server} and {tool}.
	Switches, Name string
	// Plain says that every character but letters and digits of ASCII, _ and - is written as _ there.
	Plain bool
}
