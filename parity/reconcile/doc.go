// Package reconcile finds out what an agent really does when its MCP configuration is edited while a session is live.
//
// A [Subject] is run at a bench of its own for every [Cell]: an edit under certain circumstances. In each, the agent's own file is
// edited on disk, and four witnesses are heard: the journal of the MCP server (was a process started or ended), the wire (did the agent
// announce anything), the model (which tools was it offered, and what did a call of one really reach) at the next prompt, and a new session of the same
// process. They disagree for some agents, which is why all of them are heard: a process that starts proves nothing about what a
// session can call.
//
// [Report.Findings] draws the verdicts and their conditions, [Report.Evidence] makes the file that a grant stands on.
package reconcile
