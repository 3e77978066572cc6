// Package fakemcp is an MCP server that writes down everything that happens to
// it: when it was started and with which arguments, what it was asked, how it
// was ended. Coding agents start MCP servers from their configuration files, so
// the journal of this one tells what an agent did, whatever the agent says.
//
// # Serving
//
// [Serve] speaks to one client over a pair of streams, [Listen] to any number
// over streamable HTTP on a loopback address. Both write the journal that
// [Options] names, which any number of processes may share; [ReadJournal]
// reads it and [Await] waits for something to be in it. An [Entry] for a
// message is in the journal before the message is answered.
//
// The server speaks the versions of the protocol that begin with initialize.
// Whatever it does not know, server/discover included, is answered with "method
// not found", before initialize too. Malformed messages are journaled as errors
// and end nothing; those with an id are answered. A line whose end does not come
// and a stream that breaks are errors that end Serve.
//
// # Tools
//
// The tools are in a JSON file, see [ToolsFile], which may be edited at any
// time: clients are told that the list has changed, if they can see a difference
// in it. Without a file they are alpha and beta. A call is answered with the
// label, the tool and the arguments in one line of text, unless the file says
// what to answer.
package fakemcp
