// Package proc supervises one child process together with everything it starts: spawn, pipes, stderr, exit
// observation, staged stop, and the clean-up of the process group and of those who have left it.
//
// Agents are usually started through launchers (npx, uvx, shims), so the process we start is rarely the one that
// does the work. Killing only the leader leaves the real agent and its own children running (openclaw/acpx#129,
// agentclientprotocol/rust-sdk#249); the unit of supervision is therefore the process group on unix and a job
// object on Windows, and it is swept even when the leader exits cleanly.
//
// A descendant that leaves the group (setsid, daemonising) is found on Linux by a nonce in its environment or because
// it was seen to descend from the leader, and is swept after the group (kirodotdev/Kiro#6050). On other unixes it is
// beyond reach: it can neither block our readers nor Stop, but it is not ended.
//
// On Linux a ledger on disk tells of the trees of a host that crashed, and Reap ends them.
package proc
