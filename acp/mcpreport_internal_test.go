package acp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What an agent has told of its MCP servers is in the error of a session that did not come to be (KiroCrew#4242).
func TestFailedSessionTellsOfItsServers_R34_KiroCrew4242(t *testing.T) {
	conn, p := puppeteer(t, nil)
	p.say(t, `{"method":"_kiro.dev/mcp/server_initialized","params":{"serverName":"before"}}`)
	failed := make(chan error, 1)
	go func() {
		_, err := conn.NewSession(context.Background(), "/", &SessionOptions{MCPServers: []MCPServer{
			&MCPServerStdio{Name: "quiet", Command: "x", Env: []EnvVariable{{"T", "s3cret"}}}, &MCPServerStdio{Name: "up", Command: "x"},
		}})
		failed <- err
	}()
	id := p.hear(t).ID
	for _, report := range []string{
		`server_initialized","params":{"serverName":"up"}`,
		`server_init_failure","params":{"name":"down","error":"token s3cret"}`,
		`oauth_request","params":{"serverName":"web","url":"https://s3cret"}`,
		`server_started","params":{"serverName":"other"}`,
		`server_initialized","params":{"serverName":7}`,
		`server_initialized","params":{"serverName":"` + strings.Repeat("é", 200) + `"}`,
	} {
		p.say(t, `{"method":"_kiro.dev/mcp/`+report+`}`)
	}
	p.say(t, fmt.Sprintf(`{"id":%s,"error":{"code":-32603,"message":"took too long"}}`, id))
	err := <-failed
	servers, ok := errors.AsType[*MCPServersError](err)
	require.True(t, ok, "%v", err)
	long := strings.Repeat("é", 50) + "…"
	assert.Equal(t, map[string]MCPServerState{
		"up": MCPServerReady, "down": MCPServerFailed, "web": MCPServerSignIn, "quiet": MCPServerSilent, long: MCPServerReady,
	}, servers.Servers)
	require.ErrorContains(t, err, "took too long (MCP servers: down failed, quiet silent, up ready, web waits for a sign-in, ")
	assert.NotContains(t, err.Error(), "s3cret")
	rpc, ok := errors.AsType[*Error](err)
	require.True(t, ok)
	assert.Equal(t, CodeInternalError, rpc.Code)

	go func() {
		_, err := conn.NewSession(context.Background(), "/", nil)
		failed <- err
	}()
	p.say(t, fmt.Sprintf(`{"id":%s,"error":{"code":-32000,"message":"sign in"}}`, p.hear(t).ID))
	err = <-failed
	assert.True(t, IsAuthRequired(err))
	assert.NotContains(t, err.Error(), "MCP servers", "what was told of another session is forgotten")
}
