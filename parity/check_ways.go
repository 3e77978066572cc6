package parity

import (
	"context"
	"os"

	"github.com/acpharness/acpharness/acp"
)

// way is how a capability is used.
type way struct {
	capability string
	method     string // on the wire
	has        func(acp.AgentCapabilities) bool
	// use asks for it. s may be nil; id names a session that the connection does not have open.
	use func(ctx context.Context, c *acp.Conn, s *acp.Session, id acp.SessionID, dir string) error
	// why it is not used where it works, empty if it is.
	spared string
}

const (
	capabilityLoad   = "loadSession"
	capabilityResume = "sessionCapabilities.resume"
	capabilityFork   = "sessionCapabilities.fork"
	capabilityDelete = "sessionCapabilities.delete"
	capabilityHTTP   = "mcpCapabilities.http"
)

// ways returns all capabilities that are used by a call.
func ways() []way {
	type (
		caps = acp.AgentCapabilities
		conn = *acp.Conn
		id   = acp.SessionID
	)
	return []way{
		{
			"sessionCapabilities.list", "session/list", func(c caps) bool { return c.Session.List },
			func(ctx context.Context, c conn, _ *acp.Session, _ id, _ string) error {
				for _, err := range c.Sessions(ctx, nil) {
					return err // one page is enough
				}
				return nil
			}, "",
		},
		{
			"sessionCapabilities.status", "session/status", func(c caps) bool { return c.Session.Status },
			func(ctx context.Context, c conn, _ *acp.Session, id id, _ string) error {
				_, err := c.SessionStatus(ctx, id)
				return err
			}, "",
		},
		{
			"sessionCapabilities.title", "session/set_title", func(c caps) bool { return c.Session.Title },
			func(ctx context.Context, c conn, _ *acp.Session, id id, _ string) error {
				_, err := c.SetSessionTitle(ctx, id, "parity")
				return err
			}, "",
		},
		{
			capabilityFork, "session/fork", func(c caps) bool { return c.Session.Fork },
			func(ctx context.Context, _ conn, s *acp.Session, _ id, _ string) error {
				_, err := s.Fork(ctx, &acp.SessionOptions{NoUpdates: true})
				return err
			}, "",
		},
		{
			"auth.status", "auth/status", func(c caps) bool { return c.AuthStatus },
			func(ctx context.Context, c conn, _ *acp.Session, _ id, _ string) error {
				_, err := c.QueryAuthStatus(ctx)
				return err
			}, "",
		},
		{
			"providers", "providers/list", func(c caps) bool { return c.Providers },
			func(ctx context.Context, c conn, _ *acp.Session, _ id, _ string) error {
				_, err := c.LLMProviders(ctx)
				return err
			}, "",
		},
		{
			"sessionCapabilities.additionalDirectories", "session/new", func(c caps) bool { return c.Session.AdditionalDirectories },
			func(ctx context.Context, c conn, _ *acp.Session, _ id, dir string) error {
				more := []string{os.TempDir()}
				_, err := c.NewSession(ctx, dir, &acp.SessionOptions{NoUpdates: true, AdditionalDirectories: more})
				return err
			}, "",
		},
		{
			"sessionCapabilities.close", "session/close", func(c caps) bool { return c.Session.Close },
			func(ctx context.Context, c conn, _ *acp.Session, id id, _ string) error {
				return c.CloseSession(ctx, id)
			}, "",
		},
		{
			capabilityLoad, "session/load", func(c caps) bool { return c.LoadSession },
			func(ctx context.Context, c conn, _ *acp.Session, id id, dir string) error {
				_, err := c.LoadSession(ctx, id, dir, &acp.SessionOptions{NoUpdates: true})
				return err
			}, "",
		},
		{
			capabilityResume, "session/resume", func(c caps) bool { return c.Session.Resume },
			func(ctx context.Context, c conn, _ *acp.Session, id id, dir string) error {
				_, err := c.ResumeSession(ctx, id, dir, &acp.SessionOptions{NoUpdates: true})
				return err
			}, "",
		},
		{
			"sessionCapabilities.archive", "session/archive", func(c caps) bool { return c.Session.Archive },
			func(ctx context.Context, c conn, _ *acp.Session, id id, _ string) error {
				return c.ArchiveSession(ctx, id)
			}, "",
		},
		{
			capabilityDelete, "session/delete", func(c caps) bool { return c.Session.Delete },
			func(ctx context.Context, c conn, _ *acp.Session, id id, _ string) error {
				return c.DeleteSession(ctx, id)
			}, "",
		},
		{
			"auth.logout", "logout", func(c caps) bool { return c.Logout },
			func(ctx context.Context, c conn, _ *acp.Session, _ id, _ string) error {
				return c.Logout(ctx)
			}, "it would sign the user out",
		},
		{
			capabilityHTTP, "session/new", func(c caps) bool { return c.MCP.HTTP },
			newWith(&acp.MCPServerHTTP{Name: "parity", URL: nowhere}), "there is no such server to give",
		},
		{
			"mcpCapabilities.sse", "session/new", func(c caps) bool { return c.MCP.SSE },
			newWith(&acp.MCPServerSSE{Name: "parity", URL: nowhere}), "there is no such server to give",
		},
	}
}

// nowhere is where no server answers.
const nowhere = "http://127.0.0.1:9/mcp"

func newWith(server acp.MCPServer) func(context.Context, *acp.Conn, *acp.Session, acp.SessionID, string) error {
	return func(ctx context.Context, c *acp.Conn, _ *acp.Session, _ acp.SessionID, dir string) error {
		_, err := c.NewSession(ctx, dir, &acp.SessionOptions{NoUpdates: true, MCPServers: []acp.MCPServer{server}})
		return err
	}
}
