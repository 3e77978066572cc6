// Package terminal runs commands for agents: the client's side of terminal/create and what belongs to it.
//
//	client := acp.NewClient(info, &acp.ClientOptions{Terminal: terminal.New(nil)})
//
// A command runs in a process group of its own (Windows: a job object), with nothing on its stdin, and what it prints is
// kept up to a limit. A terminal is no sandbox: a command can do whatever this program's user can.
package terminal
