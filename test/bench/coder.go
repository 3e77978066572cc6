package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"
)

// coderClient is coder/acp-go-sdk, used as its documentation shows: one handler for the updates of all sessions.
type coderClient struct {
	tally    *tally
	agent    []string
	child    *child
	conn     *acp.ClientSideConnection
	sessions []acp.SessionId
	log      lastLine
}

// lastLine keeps the last line that was logged, which has the reason when the connection ends.
type lastLine struct {
	mu   sync.Mutex
	line string
}

// Write implements io.Writer.
func (l *lastLine) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = string(b)
	return len(b), nil
}

func (l *lastLine) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(l.line)
}

// untimed leaves out what every line of the log has.
func untimed(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
		return slog.Attr{}
	}
	return a
}

func (c *coderClient) open(sessions int) error {
	ctx := context.Background()
	var err error
	if c.child, err = spawn(c.agent); err != nil {
		return err
	}
	c.conn = acp.NewClientSideConnection(c, c.child.in, c.child.out)
	c.conn.SetLogger(slog.New(slog.NewTextHandler(&c.log, &slog.HandlerOptions{ReplaceAttr: untimed})))
	_, err = c.conn.Initialize(ctx, acp.InitializeRequest{
		ProtocolVersion: acp.ProtocolVersionNumber, ClientInfo: &acp.Implementation{Name: "bench", Version: "1.0.0"},
	})
	if err != nil {
		return err
	}
	for range sessions {
		s, err := c.conn.NewSession(ctx, acp.NewSessionRequest{Cwd: os.TempDir(), McpServers: []acp.McpServer{}})
		if err != nil {
			return err
		}
		c.sessions = append(c.sessions, s.SessionId)
	}
	return nil
}

func (c *coderClient) turn(text string) error {
	if len(c.sessions) == 1 {
		return c.prompt(c.sessions[0], text)
	}
	errs := make([]error, len(c.sessions))
	var calls sync.WaitGroup
	for i, id := range c.sessions {
		calls.Go(func() { errs[i] = c.prompt(id, text) })
	}
	calls.Wait()
	for _, err := range errs {
		if err != nil {
			return err // one will do: they fail together
		}
	}
	return nil
}

func (c *coderClient) prompt(id acp.SessionId, text string) error {
	_, err := c.conn.Prompt(context.Background(), acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock(text)}})
	if err == nil {
		return nil
	}
	<-c.conn.Done()                    // the agent answers every prompt, so that a failure is one of the connection
	time.Sleep(100 * time.Millisecond) // the reason is logged a moment later
	return errors.New(c.log.last())
}

// SessionUpdate is called with one update after the other.
func (c *coderClient) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	switch u := n.Update; {
	case u.AgentMessageChunk != nil:
		c.tally.update(u.AgentMessageChunk.Content.Text.Text)
	case u.AgentThoughtChunk != nil:
		c.tally.update(u.AgentThoughtChunk.Content.Text.Text)
	case u.ToolCall != nil:
		c.tally.update(u.ToolCall.Title)
	case u.ToolCallUpdate != nil:
		c.tally.update(u.ToolCallUpdate.Content[0].Content.Content.Text.Text)
	case u.Plan != nil:
		c.tally.update(u.Plan.Entries[0].Content, u.Plan.Entries[1].Content)
	}
	return nil
}

// RequestPermission allows.
func (c *coderClient) RequestPermission(context.Context, acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	c.tally.asked.Add(1)
	return acp.RequestPermissionResponse{Outcome: acp.RequestPermissionOutcome{
		Selected: &acp.RequestPermissionOutcomeSelected{OptionId: "allow", Outcome: "selected"},
	}}, nil
}

func (c *coderClient) close() {
	if c.child != nil {
		c.child.close()
	}
}

// errUnused is the answer to what the agent of the benchmark never asks.
var errUnused = errors.New("not served by the benchmark")

// ReadTextFile is never called.
func (c *coderClient) ReadTextFile(context.Context, acp.ReadTextFileRequest) (r acp.ReadTextFileResponse, err error) {
	return r, errUnused
}

// WriteTextFile is never called.
func (c *coderClient) WriteTextFile(context.Context, acp.WriteTextFileRequest) (r acp.WriteTextFileResponse, err error) {
	return r, errUnused
}

// CreateTerminal is never called.
func (c *coderClient) CreateTerminal(context.Context, acp.CreateTerminalRequest) (r acp.CreateTerminalResponse, err error) {
	return r, errUnused
}

// KillTerminal is never called.
func (c *coderClient) KillTerminal(context.Context, acp.KillTerminalRequest) (r acp.KillTerminalResponse, err error) {
	return r, errUnused
}

// TerminalOutput is never called.
func (c *coderClient) TerminalOutput(context.Context, acp.TerminalOutputRequest) (r acp.TerminalOutputResponse, err error) {
	return r, errUnused
}

// ReleaseTerminal is never called.
func (c *coderClient) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (r acp.ReleaseTerminalResponse, err error) {
	return r, errUnused
}

// WaitForTerminalExit is never called.
func (c *coderClient) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (r acp.WaitForTerminalExitResponse, err error) {
	return r, errUnused
}
