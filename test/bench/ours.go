package main

import (
	"context"
	"iter"
	"os"
	"sync"

	"github.com/acpharness/acpharness/acp"
)

// oursClient is the client of this module, used as its documentation shows: a consumer for the updates of every turn.
type oursClient struct {
	tally    *tally
	agent    []string
	conn     *acp.Conn
	sessions []*acp.Session
}

func (c *oursClient) open(sessions int) error {
	ctx := context.Background()
	client := acp.NewClient(acp.Implementation{Name: "bench", Version: "1.0.0"}, &acp.ClientOptions{
		Permission: acp.PermissionFunc(c.permission),
	})
	var err error
	if c.conn, err = client.Connect(ctx, &acp.CommandTransport{Command: c.agent[0], Args: c.agent[1:]}); err != nil {
		return err
	}
	for range sessions {
		s, err := c.conn.NewSession(ctx, os.TempDir(), nil)
		if err != nil {
			return err
		}
		c.sessions = append(c.sessions, s)
	}
	return nil
}

func (c *oursClient) permission(context.Context, *acp.PermissionRequest) (acp.PermissionOutcome, error) {
	c.tally.asked.Add(1)
	return acp.PermissionOutcome{OptionID: "allow"}, nil
}

func (c *oursClient) turn(text string) error {
	ctx := context.Background()
	var consumers sync.WaitGroup
	turns := make([]*acp.Turn, len(c.sessions))
	for i, s := range c.sessions {
		turn, err := s.Prompt(ctx, acp.Text(text), nil)
		if err != nil {
			return err
		}
		turns[i] = turn
		updates := turn.Updates()
		consumers.Go(func() { c.consume(updates) })
	}
	for _, turn := range turns {
		if _, err := turn.Wait(ctx); err != nil {
			return err
		}
	}
	consumers.Wait()
	return nil
}

func (c *oursClient) consume(updates iter.Seq[acp.SessionNotification]) {
	for n := range updates {
		switch u := n.Update.(type) {
		case *acp.AgentMessageChunk:
			c.tally.update(oursText(u.Content))
		case *acp.AgentThoughtChunk:
			c.tally.update(oursText(u.Content))
		case *acp.ToolCallStart:
			c.tally.update(*u.Title)
		case *acp.ToolCallUpdate:
			c.tally.update(oursText(u.Content[0].(*acp.ToolContent).Content))
		case *acp.Plan:
			c.tally.update(u.Entries[0].Content, u.Entries[1].Content)
		}
	}
}

func oursText(b acp.ContentBlock) string { return b.(*acp.TextContent).Text }

func (c *oursClient) close() {
	if c.conn != nil {
		_ = c.conn.Close(context.Background())
	}
}
