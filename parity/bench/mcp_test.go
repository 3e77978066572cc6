package bench_test

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/parity/bench"
)

// newBench starts a bench whose MCP servers are this test binary.
func newBench(t *testing.T) *bench.Bench {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	b, err := bench.Start(t.Context(), backends.Recipe{}, &bench.Options{MCPServer: []string{self, beMCPServer}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, b.Close()) })
	return b
}

// methods lists what was received, in order.
func methods(entries []bench.MCPEntry) []string {
	var list []string
	for _, e := range entries {
		if e.Event == "received" && e.Method != "" {
			list = append(list, e.Method)
		}
	}
	return list
}

// toolNames are the tools that a client is shown.
func toolNames(t *testing.T, session *mcp.ClientSession) []string {
	t.Helper()
	result, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	var names []string
	for _, tool := range result.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func TestMCPServers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name      string
		server    func(b *bench.Bench) (*bench.MCPServer, error)
		transport func(s *bench.MCPServer) mcp.Transport
	}{
		{
			"stdio",
			func(b *bench.Bench) (*bench.MCPServer, error) { return b.MCPServer("one", "--v2") },
			func(s *bench.MCPServer) mcp.Transport {
				return &mcp.CommandTransport{Command: exec.CommandContext(context.Background(), s.Command, s.Args...)}
			},
		},
		{
			"http",
			func(b *bench.Bench) (*bench.MCPServer, error) { return b.ServeMCP("one") },
			func(s *bench.MCPServer) mcp.Transport { return &mcp.StreamableClientTransport{Endpoint: s.URL} },
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			b := newBench(t)
			server, err := tc.server(b)
			require.NoError(t, err)
			if tc.name == "stdio" {
				entries, err := server.Journal()
				require.NoError(t, err)
				assert.Empty(t, entries, "nobody has started it")
			}
			changed := make(chan struct{}, 8)
			client := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, &mcp.ClientOptions{
				ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
			})
			session, err := client.Connect(ctx, tc.transport(server), nil)
			require.NoError(t, err)
			assert.Equal(t, []string{"alpha", "beta"}, toolNames(t, session))
			if tc.name == "http" { // only from then on a client hears of changes
				_, err = server.Await(ctx, func(entries []bench.MCPEntry) bool {
					return slices.ContainsFunc(entries, func(e bench.MCPEntry) bool { return e.Event == "stream" })
				})
				require.NoError(t, err)
			}
			require.NoError(t, server.SetTools(bench.MCPTools{Tools: []bench.MCPTool{{Name: "gamma"}}}))
			select {
			case <-changed:
			case <-ctx.Done():
				require.Fail(t, "no notification")
			}
			assert.Equal(t, []string{"gamma"}, toolNames(t, session))
			_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "gamma", Arguments: map[string]any{"x": "1"}})
			require.NoError(t, err)
			require.NoError(t, session.Close())
			entries, err := server.Await(ctx, func(entries []bench.MCPEntry) bool { return entries[len(entries)-1].Event != "received" })
			require.NoError(t, err)
			assert.Contains(t, methods(entries), "initialize")
			assert.Contains(t, methods(entries), "tools/call")
			assert.Equal(t, "one", entries[0].Label)
			if tc.name == "stdio" {
				assert.Equal(t, []string{"--v2"}, entries[0].Args)
			}
		})
	}
}

func TestMCPServersThatCannotBeMade(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, err := b.MCPServer("one")
	require.NoError(t, err)
	for _, tc := range []struct{ name, fault string }{
		{"one", "there is one of that name"},
		{"../one", "a name has letters"},
		{"", "a name has letters"},
	} {
		_, err := b.MCPServer(tc.name)
		require.ErrorContains(t, err, tc.fault)
		_, err = b.ServeMCP(tc.name)
		require.ErrorContains(t, err, tc.fault)
	}
	bare, err := bench.Start(t.Context(), backends.Recipe{}, nil)
	require.NoError(t, err)
	_, err = bare.MCPServer("one")
	require.ErrorContains(t, err, "no program was given that serves it")
	require.NoError(t, bare.Close())
}
