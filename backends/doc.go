// Package backends holds data about coding agents that speak the Agent Client
// Protocol: how each one is launched, under which names it is known, what it
// calls itself, which protocol version literal it is sent, which environment
// it must and must not see, and what was actually run.
//
// There is one file per agent, each a [Descriptor] literal. The package is a
// leaf: it imports nothing of this module and starts nothing; it reads what a
// person has written of an agent of their own, see [LoadUser].
// What an agent advertises comes from initialize and is not repeated here.
//
// # Order
//
// [All] and [IDs] use one fixed order: the built-in agent first, then kiro,
// claude, codex, opencode, gemini, qwen, copilot, droid, kilo, goose, cursor,
// pi, nanocoder, cline, auggie and qoder.
//
// # Immutability
//
// Every call builds its descriptors anew, so a caller may change what it got
// without anyone else seeing it. All functions are safe for concurrent use.
//
// # Honesty
//
// [Observation] says whether a descriptor was ever run, and with which version.
// A descriptor nobody has run is marked as such; see [Descriptor.Verified].
// [Trust] says what an agent is trusted with and why; nothing is granted that
// was not seen.
package backends
