// Package mcpfile reads and changes the MCP servers in the configuration files of agents. It knows formats, not agents: where the files
// are and how a server is written in them is data, [backends.MCPFile].
//
//	config, err := mcpfile.Open(descriptor.MCPFiles, nil)
//	rows, err := config.List()
//	_, err = config.Disable(ctx, "github", "jira")
//
// Nothing moves but what an edit is about: order, comments, indentation, line ends and everything that is not known here stay as they
// are, byte for byte. Each edit is made under a lock, read back before it is written, and written in one step; a file that cannot be
// read, is not writable, or has changed meanwhile is left untouched, with an error that says so.
//
// A server is disabled by the marker that its agent obeys, in place; where there is none, its entry is taken out and kept in a file of
// our own, readable by its owner only, until it is enabled. Values of environments and headers are in Spec.JSON, State.Text and the fields
// of a Server; what is printed, logged or marshalled has their names only.
//
// [Compare] tells two states of a file apart in the words in which agents are judged, [backends.Edit], and [Watch] tells of changes
// that anybody makes.
package mcpfile
