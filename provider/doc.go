// Package provider starts coding agents the way their descriptors say.
//
// A [Connector] knows how one kind of agent is found and launched; [Connector.Connect] starts a process and returns a
// [Provider] after the handshake. What was asked of a process is asked of the process that is really running.
package provider
