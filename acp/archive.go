package acp

import (
	"context"
	"fmt"
)

const (
	methodSessionArchive   = "session/archive"
	methodSessionUnarchive = "session/unarchive"
	methodSessionStatus    = "session/status"
	methodSessionSetTitle  = "session/set_title"
)

// ArchiveFilter says which sessions are listed (SessionArchiveFilter). It is open; empty leaves it to the agent, which leaves out
// the archived ones.
type ArchiveFilter string

// The filters of the protocol.
const (
	ArchiveExclude ArchiveFilter = "exclude"
	ArchiveInclude ArchiveFilter = "include"
	ArchiveOnly    ArchiveFilter = "only"
)

// SessionStatus says whether the agent has a session open (SessionStatus). It is open.
type SessionStatus string

// The statuses of the protocol.
const (
	SessionStatusOpen  SessionStatus = "open"
	SessionStatusSaved SessionStatus = "saved" // it is stored, and can be loaded or resumed
)

// ArchiveSession has the agent put a stored session away. Like the other calls of this file it is of the protocol's drafts: of
// an agent that does not advertise it the error is ErrUnsupported. It mirrors session/archive.
func (c *Conn) ArchiveSession(ctx context.Context, id SessionID) error {
	if _, err := c.manage(ctx, methodSessionArchive, c.capabilities.Session.Archive, "archive", sessionParams{id}); err != nil {
		return fmt.Errorf("cannot archive session %s: %w", id, err)
	}
	return nil
}

// UnarchiveSession takes a session back out of the archive. It mirrors session/unarchive.
func (c *Conn) UnarchiveSession(ctx context.Context, id SessionID) error {
	if _, err := c.manage(ctx, methodSessionUnarchive, c.capabilities.Session.Archive, "archive", sessionParams{id}); err != nil {
		return fmt.Errorf("cannot unarchive session %s: %w", id, err)
	}
	return nil
}

// SessionStatus asks whether the agent has a session open. It mirrors session/status.
func (c *Conn) SessionStatus(ctx context.Context, id SessionID) (SessionStatus, error) {
	result, err := c.manage(ctx, methodSessionStatus, c.capabilities.Session.Status, "status", sessionParams{id})
	if err != nil {
		return "", fmt.Errorf("cannot ask for the status of session %s: %w", id, err)
	}
	return SessionStatus(c.member(result, "status")), nil
}

type setTitleParams struct {
	SessionID SessionID `json:"sessionId"`
	Title     string    `json:"title"`
}

// SetSessionTitle gives a session a title, and returns it as the agent has stored it. It mirrors session/set_title.
func (c *Conn) SetSessionTitle(ctx context.Context, id SessionID, title string) (string, error) {
	result, err := c.manage(ctx, methodSessionSetTitle, c.capabilities.Session.Title, "title", setTitleParams{id, title})
	if err != nil {
		return "", fmt.Errorf("cannot set the title of session %s: %w", id, err)
	}
	return c.member(result, "title"), nil
}

// manage calls a method of a stored session if the agent advertises it.
func (c *Conn) manage(ctx context.Context, method string, advertised bool, capability string, params any) ([]byte, error) {
	if err := c.supports(advertised, "sessionCapabilities."+capability); err != nil {
		return nil, err
	}
	return c.control(ctx, method, params)
}

// member returns one text of a result.
func (c *Conn) member(result []byte, name string) string {
	var text string
	var d decoder
	d.object("result", result, func(key, value []byte) {
		if string(key) == name {
			d.str(name, value, &text)
		}
	})
	c.warnings("", d.warnings)
	return text
}
