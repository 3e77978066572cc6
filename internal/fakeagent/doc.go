// Package fakeagent is the engine of a scriptable Agent Client Protocol (v1) agent that clients are tested against.
//
// With the zero Script it is a good agent: it negotiates version 1, opens sessions, plays a short deterministic turn
// and honours cancel. A Script turns on faults that real agents have shown: noise on standard output, odd envelopes,
// exits at bad moments, ignored cancels and so on. All knobs can be combined.
//
// With an agent file it is also an agent with MCP servers: it starts them, follows edits of the file while sessions are
// open, and can let a model play its turns. Script.MCP has it do so badly.
//
// The package is an implementation of its own: it shares no framing, envelope or protocol code with the client it
// tests, so that one mistake cannot hide on both sides. It imports nothing but the standard library and keeps raw
// control of every byte it writes.
package fakeagent
