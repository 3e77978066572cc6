// Package proc supervises one child process together with everything it starts: spawn, pipes, stderr, exit
// observation, staged stop and the clean-up of the process group.
//
// Agents are usually started through launchers (npx, uvx, shims), so the process we start is rarely the one that
// does the work. Killing only the leader leaves the real agent and its own children running (openclaw/acpx#129,
// agentclientprotocol/rust-sdk#249); the unit of supervision is therefore the process group on unix and a job
// object on Windows, and it is swept even when the leader exits cleanly.
//
// A descendant that leaves the group on purpose (setsid, daemonising) is beyond reach on unix. It can neither block
// our readers nor Stop, but it is not killed.
package proc
