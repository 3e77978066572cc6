package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/acpharness/acpharness/internal/fakemcp"
)

// MCPEntry is a line of an MCP server's journal.
type MCPEntry = fakemcp.Entry

// MCPTools is what an MCP server offers.
type MCPTools = fakemcp.ToolsFile

// MCPTool is one tool of it.
type MCPTool = fakemcp.Tool

// MCPServer is a fake MCP server as an agent is told of it: by a command for one that the agent starts itself, over stdio, or
// by the URL of one that is there.
type MCPServer struct {
	Name    string
	Command string   // an executable with its path; empty over HTTP
	Args    []string // of Command
	URL     string   // of streamable HTTP; empty over stdio

	journal, tools string // files
}

// MCPServer makes up a server for the agent to start. It has the tools alpha and beta until SetTools says otherwise. extra are
// arguments that mean nothing and stand in the journal, so that an edited entry can be told from the one before.
func (b *Bench) MCPServer(name string, extra ...string) (*MCPServer, error) {
	if len(b.opts.MCPServer) == 0 {
		return nil, errors.New("cannot make an MCP server: no program was given that serves it")
	}
	s, err := b.newMCPServer(name)
	if err != nil {
		return nil, fmt.Errorf("cannot make the MCP server %q: %w", name, err)
	}
	s.Command = b.opts.MCPServer[0]
	s.Args = slices.Concat(b.opts.MCPServer[1:], []string{"--label", name, "--journal", s.journal, "--tools", s.tools})
	if len(extra) > 0 {
		s.Args = append(append(s.Args, "--"), extra...) // they may look like flags
	}
	return s, nil
}

// ServeMCP starts a server over streamable HTTP that ends with the bench. Its tools are as in MCPServer.
func (b *Bench) ServeMCP(name string) (*MCPServer, error) {
	s, err := b.newMCPServer(name)
	if err != nil {
		return nil, fmt.Errorf("cannot serve the MCP server %q: %w", name, err)
	}
	listener, err := fakemcp.Listen(context.Background(), "", &fakemcp.Options{
		Label: name, Journal: s.journal, Tools: s.tools, Log: b.opts.Log,
	})
	if err != nil {
		return nil, fmt.Errorf("cannot serve the MCP server %q: %w", name, errors.Join(err, os.Remove(s.tools)))
	}
	s.URL = listener.URL()
	b.mu.Lock()
	b.closers = append(b.closers, listener.Close)
	b.mu.Unlock()
	return s, nil
}

func (b *Bench) newMCPServer(name string) (*MCPServer, error) {
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`).MatchString(name) {
		return nil, errors.New("a name has letters, digits, - and _")
	}
	s := &MCPServer{
		Name:    name,
		journal: filepath.Join(b.mcpDir(), name+".jsonl"), tools: filepath.Join(b.mcpDir(), name+".tools.json"),
	}
	if _, err := os.Stat(s.tools); err == nil {
		return nil, errors.New("there is one of that name")
	}
	return s, s.SetTools(MCPTools{Tools: []MCPTool{{Name: "alpha"}, {Name: "beta"}}})
}

// SetTools replaces what the server offers, in one step, also while it runs; its clients are told.
func (s *MCPServer) SetTools(tools MCPTools) error {
	text, err := json.Marshal(tools)
	if err == nil {
		err = os.WriteFile(s.tools+".new", text, 0o600)
	}
	if err == nil {
		err = os.Rename(s.tools+".new", s.tools)
	}
	if err != nil {
		return fmt.Errorf("cannot set the tools of %s: %w", s.Name, err)
	}
	return nil
}

// Journal returns what happened to the server, oldest first; nothing if it was never started.
func (s *MCPServer) Journal() ([]MCPEntry, error) {
	entries, err := fakemcp.ReadJournal(s.journal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}

// Await returns the journal as soon as done says so of it. When ctx ends first it returns what there is, and an error.
func (s *MCPServer) Await(ctx context.Context, done func([]MCPEntry) bool) ([]MCPEntry, error) {
	return fakemcp.Await(ctx, s.journal, done)
}
