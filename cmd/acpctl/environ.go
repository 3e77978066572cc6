package main

import (
	"os"

	"github.com/acpharness/acpharness/parity/probe"
	"github.com/acpharness/acpharness/provider"
)

// environOf is the environment that the agent is started with, which is what runs for the agent gets, too: none of the user's keys
// with a recipe, and none of the markers that the agent must not see.
func environOf(s probe.Subject, connect *provider.ConnectOptions) []string {
	if c, ok := s.Connector.(*provider.BackendConnector); ok {
		return c.Environ(connect)
	}
	return os.Environ()
}
