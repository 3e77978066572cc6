// Package parity holds agents to what is declared of them.
//
// [Matrix] compares all declarations of this module with each other, with the evidence and with launches that it captures; nothing has to
// be installed for that. [Check] starts one agent, real or not, and compares what is declared and what it advertises with what it does.
// Both answer with a [Report] of cells; docs/parity.md has the rules.
package parity
