package live

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/harness/mcpfile"
	"github.com/acpharness/acpharness/parity/bench"
)

// withMCPFiles are the agents whose files of MCP servers are known.
func withMCPFiles(t *testing.T) []pinned {
	t.Helper()
	return slices.DeleteFunc(agents(t), func(p pinned) bool {
		d, err := backends.Lookup(p.id)
		require.NoError(t, err)
		return len(d.MCPFiles) == 0
	})
}

// mcpConfig opens the agent's own configuration, where the lane leads the agent to.
func (l *lane) mcpConfig() *mcpfile.Config {
	l.t.Helper()
	config, err := mcpfile.Open(l.descriptor.MCPFiles, &mcpfile.Options{Home: l.bench.Home(), Env: append(l.bench.Env(), l.setEnv...)})
	require.NoError(l.t, err)
	return config
}

// configure writes servers into the agent's own configuration.
func (l *lane) configure(servers ...*bench.MCPServer) {
	l.t.Helper()
	var entries []mcpfile.Entry
	for _, s := range servers {
		entries = append(entries, mcpfile.Entry{Name: s.Name, Server: mcpfile.Server{Command: s.Command, Args: s.Args, URL: s.URL}})
	}
	_, err := l.mcpConfig().Add(l.t.Context(), entries...)
	require.NoError(l.t, err)
}
