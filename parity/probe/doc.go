// Package probe observes one agent: whether it is found and starts, what it says of itself in the handshake, whether it
// opens a session, and how it stops. It never signs in and never sends a prompt.
package probe
