package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
)

// SessionInfo is what an agent tells of a session that it has stored (SessionInfo).
type SessionInfo struct {
	ID                    SessionID
	CWD                   string
	AdditionalDirectories []string
	Title                 string // empty if the agent has none
	UpdatedAt             string // ISO 8601, as the agent wrote it; empty if it does not say
	Archived              bool
	Raw                   json.RawMessage
}

// ListOptions configure Sessions. The zero value works.
type ListOptions struct {
	// CWD has the agent list the sessions of one folder only; empty lists all.
	CWD string
	// Archived says whether archived sessions are wanted; an agent that does not advertise the archive is not told.
	Archived ArchiveFilter
}

// Sessions yields the sessions that the agent has stored, in its order, asking for one page after another as they are
// needed. The first error ends it; of an agent that does not advertise it, that is ErrUnsupported. It mirrors session/list.
func (c *Conn) Sessions(ctx context.Context, opts *ListOptions) iter.Seq2[SessionInfo, error] {
	if opts == nil {
		opts = &ListOptions{}
	}
	return func(yield func(SessionInfo, error) bool) {
		err := c.supports(c.capabilities.Session.List, "sessionCapabilities.list")
		seen := map[string]bool{"": true}
		cursor := ""
		for err == nil {
			var page []SessionInfo
			if page, cursor, err = c.sessionPage(ctx, opts, cursor); err != nil {
				break
			}
			for _, info := range page {
				if !yield(info, nil) {
					return
				}
			}
			if cursor == "" {
				return
			}
			if seen[cursor] {
				err = fmt.Errorf("%w: a page of session/list leads back to one before it", ErrProtocol)
			}
			seen[cursor] = true
		}
		yield(SessionInfo{}, fmt.Errorf("cannot list the sessions: %w", err))
	}
}

type listParams struct {
	CWD      string        `json:"cwd,omitempty"`
	Cursor   string        `json:"cursor,omitempty"`
	Archived ArchiveFilter `json:"archived,omitempty"`
}

func (c *Conn) sessionPage(ctx context.Context, opts *ListOptions, cursor string) (page []SessionInfo, next string, err error) {
	params := listParams{CWD: opts.CWD, Cursor: cursor}
	if c.capabilities.Session.Archive {
		params.Archived = opts.Archived
	}
	result, err := c.control(ctx, methodSessionList, params)
	if err != nil {
		return nil, "", err
	}
	var d decoder
	listed := false
	d.object("result", result, func(key, value []byte) {
		switch string(key) {
		case "sessions":
			listed = d.list("sessions", value, func(value []byte) {
				if info, ok := d.sessionInfo(value); ok {
					page = append(page, info)
				}
			})
		case "nextCursor":
			d.str("nextCursor", value, &next)
		}
	})
	c.warnings("", d.warnings)
	if !listed {
		return nil, "", fmt.Errorf("%w: the answer to session/list has no sessions", ErrProtocol)
	}
	return page, next, nil
}

func (d *decoder) sessionInfo(raw []byte) (SessionInfo, bool) {
	info := SessionInfo{Raw: raw}
	ok := d.item(raw, func(key, value []byte) {
		switch string(key) {
		case "sessionId":
			d.str("sessionId", value, (*string)(&info.ID))
		case "cwd":
			d.str("cwd", value, &info.CWD)
		case "additionalDirectories":
			d.list("additionalDirectories", value, func(value []byte) {
				var dir string
				d.str("", value, &dir)
				if dir != "" {
					info.AdditionalDirectories = append(info.AdditionalDirectories, dir)
				}
			})
		case "title":
			d.str("title", value, &info.Title)
		case "updatedAt":
			d.str("updatedAt", value, &info.UpdatedAt)
		case "archived":
			d.boolean("archived", value, &info.Archived)
		}
	})
	if ok && info.ID == "" {
		d.warn("sessionId", "a session without an id is left out")
		ok = false
	}
	return info, ok
}

// control calls a method that is bounded by Timeouts.Control.
func (c *Conn) control(ctx context.Context, method string, params any) ([]byte, error) {
	ctx, cancel := withTimeout(ctx, c.client.opts.Timeouts.Control)
	defer cancel()
	return c.wire.call(ctx, method, params)
}

// controlSettled is control for a call whose answer is taken over by the reader.
func (c *Conn) controlSettled(ctx context.Context, method string, params any, settle func(answer)) error {
	ctx, cancel := withTimeout(ctx, c.client.opts.Timeouts.Control)
	defer cancel()
	call, err := c.wire.start(ctx, method, params, settle, nil)
	if err != nil {
		return err
	}
	_, err = c.wire.wait(ctx, call)
	return err
}

// DeleteSession has the agent delete a session that it has stored; one that it does not have is deleted. A session that is
// open here is closed first. Of an agent that does not advertise it the error is ErrUnsupported. It mirrors session/delete.
func (c *Conn) DeleteSession(ctx context.Context, id SessionID) error {
	err := c.supports(c.capabilities.Session.Delete, "sessionCapabilities.delete")
	if err == nil {
		if s := c.openSession(id); s != nil {
			_ = s.Close(ctx) // what cannot be closed can still be deleted
		}
		_, err = c.control(ctx, methodSessionDelete, sessionParams{id})
	}
	if err = unlessGone(err); err != nil {
		return fmt.Errorf("cannot delete session %s: %w", id, err)
	}
	return nil
}

// CloseSession has the agent close a session by its id, also one that this connection has not opened. One that it does not
// have is closed. Of an agent that does not advertise it the error is ErrUnsupported. It mirrors session/close.
func (c *Conn) CloseSession(ctx context.Context, id SessionID) error {
	if s := c.openSession(id); s != nil {
		return s.Close(ctx)
	}
	err := c.supports(c.capabilities.Session.Close, "sessionCapabilities.close")
	if err == nil {
		_, err = c.control(ctx, methodSessionClose, sessionParams{id})
	}
	if err = unlessGone(err); err != nil {
		return fmt.Errorf("cannot close session %s: %w", id, err)
	}
	return nil
}

func (c *Conn) openSession(id SessionID) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

// unlessGone makes no error of a session that the agent does not have any more.
func unlessGone(err error) error {
	if rpc, ok := errors.AsType[*Error](err); ok && rpc.Code == CodeNotFound {
		return nil
	}
	return err
}
