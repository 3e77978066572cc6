package backends

import (
	"fmt"
	"path/filepath"
	"strings"
)

// UserBackend is an agent that a person has described in a file of their own, see [ParseUser].
type UserBackend struct {
	// Descriptor grants nothing: a file cannot say what an agent is trusted with. The arguments in its Launch still have their
	// placeholders; [UserBackend.Launch] puts the folders in.
	Descriptor Descriptor
	// MCPPath is the file that holds the agent's own MCP configuration, which is where an edit of it would go to; empty if the file
	// does not say it. It still has its placeholders, see [UserBackend.MCPFile].
	MCPPath string
	// MCPFormat names the format of that file, see [UserBackend.MCPFiles], empty if the file does not say it.
	MCPFormat string
	// File is where the description was read from, empty if it was in no file.
	File string
}

// userReason is why a described agent is trusted with nothing.
const userReason = "Described by a user's file, which cannot grant trust."

// maxUserFile bounds a description.
const maxUserFile = 1 << 20

// ParseUser reads the description of an agent: one JSON object, which docs/user-backends.md describes. It is strict, since what is
// misspelt would otherwise silently not be so. An error is a [*UserError] with every fault there is; it never contains a value of the
// environment.
func ParseUser(text []byte) (UserBackend, error) {
	u, faults := parseUser(text)
	if len(faults) > 0 {
		return UserBackend{}, &UserError{ID: u.Descriptor.ID, Faults: faults}
	}
	return u, nil
}

// UserError says what is wrong with the description of an agent.
type UserError struct {
	// File is where the description is, empty if it was in no file.
	File string
	// ID is the id that the description has, empty if it could not be read.
	ID string
	// Faults are all that was found. Each begins with the member that it is about, if it is about one.
	Faults []error
}

// Error names every fault, on lines of their own if there are several.
func (e *UserError) Error() string {
	what := e.File
	if what == "" {
		what = "the description of an agent"
	}
	if len(e.Faults) == 1 {
		return fmt.Sprintf("cannot use %s: %v", what, e.Faults[0])
	}
	var b strings.Builder
	fmt.Fprintf(&b, "cannot use %s, which has %d faults:", what, len(e.Faults))
	for _, fault := range e.Faults {
		b.WriteString("\n  " + fault.Error())
	}
	return b.String()
}

// Unwrap returns the faults.
func (e *UserError) Unwrap() []error { return e.Faults }

// Launch is the command line for an agent that works in the folder cwd, for a user whose home is home.
func (u UserBackend) Launch(cwd, home string) Launch {
	launch := Launch{Command: u.Descriptor.Launch.Command}
	for _, arg := range u.Descriptor.Launch.Args {
		launch.Args = append(launch.Args, fill(arg, cwd, home))
	}
	return launch
}

// MCPFile is the path of the agent's own MCP configuration, empty if none was given. The folders are those of Launch.
func (u UserBackend) MCPFile(cwd, home string) string { return fill(u.MCPPath, cwd, home) }

// MCPServersFormat is the format of a file that can be edited: JSON, with comments or without, whose mcpServers have command, args, env,
// url and headers.
const MCPServersFormat = "mcp-servers"

// MCPFiles says how the agent's own MCP configuration is written, if the description says that it is in MCPServersFormat. It names no
// marker, since nobody has proved that the agent obeys one.
func (u UserBackend) MCPFiles(cwd, home string) []MCPFile {
	file := filepath.Clean(u.MCPFile(cwd, home))
	if u.MCPPath == "" || u.MCPFormat != MCPServersFormat || !filepath.IsAbs(file) {
		return nil
	}
	return []MCPFile{{
		Source: "user", Dir: filepath.Dir(file), Paths: []string{filepath.Base(file)}, Format: MCPJSONC, ServersKey: "mcpServers",
		Entry: MCPEntry{CommandKey: "command", ArgsKey: "args", EnvKey: "env", URLKey: "url", HeadersKey: "headers"},
	}}
}

// Placeholders reports whether the command line depends on the folders at all.
func (u UserBackend) Placeholders() bool {
	for _, arg := range u.Descriptor.Launch.Args {
		if strings.ContainsAny(arg, "{}") {
			return true
		}
	}
	return false
}

// noTrust decides everything, and grants nothing.
func noTrust(reason string) Trust {
	no := Decision{Reason: reason}
	return Trust{
		HotReload:          HotReload{Reason: reason},
		SharesProcess:      no,
		IsolatesMCP:        no,
		ReadsConfig:        ConfigReading{When: ReadAtStart, Reason: reason},
		TakesServers:       Transports{Reason: reason},
		AsksPermission:     Asking{Reason: reason},
		ParallelStarts:     no,
		FollowsListChanged: no,
		StopsOnStdinClose:  no,
	}
}
