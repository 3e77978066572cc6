package acp

import (
	"context"
	"errors"
	"slices"
)

// SubagentUpdate tells of a child session in which a subagent of the agent works (subagent_update). The first one announces
// the child; the members that later ones leave out stay as they were. Session.Children has it from then on, and its updates
// come in the child's own stream.
type SubagentUpdate struct {
	SessionID   SessionID
	Title       *string
	Description *string
	State       *SubagentState // nil if not sent
	CWD         *string
	// AdditionalDirectories are nil if not sent.
	AdditionalDirectories []string
	// MayCancel says whether Session.Cancel of the child stops it (capabilities.cancel); nil if not sent.
	MayCancel *bool
}

// SubagentState is what a subagent is doing (StateUpdate).
type SubagentState struct {
	State      WorkState
	StopReason StopReason // of one that is idle, why its last turn ended; empty if not sent
	Error      *Error     // of one that stopped for an error
	Usage      *Usage     // of one that is idle, what its last turn has used; nil if not sent
}

// WorkState says whether a subagent works. It is open; what is unknown does not count as idle.
type WorkState string

// The states of the protocol.
const (
	WorkRunning        WorkState = "running"
	WorkIdle           WorkState = "idle"
	WorkRequiresAction WorkState = "requires_action" // it waits for a person
	WorkUnknown        WorkState = "unknown"         // the agent does not know
)

// UpdateKind implements Update.
func (*SubagentUpdate) UpdateKind() UpdateKind { return KindSubagent }

func (*SubagentUpdate) isUpdate() {}

func (d *decoder) subagent(raw []byte) Update {
	u := &SubagentUpdate{}
	d.object("", raw, func(key, value []byte) {
		switch string(key) {
		case "sessionId":
			d.str("sessionId", value, (*string)(&u.SessionID))
		case "title":
			d.optStr("title", value, &u.Title)
		case "description":
			d.optStr("description", value, &u.Description)
		case "cwd":
			d.optStr("cwd", value, &u.CWD)
		case "additionalDirectories":
			u.AdditionalDirectories = d.texts("additionalDirectories", value)
		case "capabilities":
			_, u.MayCancel = readSubagent(raw)
		case "state":
			u.State = d.subagentState(value)
		}
	})
	if u.SessionID == "" {
		return d.missing("sessionId")
	}
	return u
}

func (d *decoder) subagentState(raw []byte) *SubagentState {
	s := &SubagentState{}
	if !d.object("state", raw, func(key, value []byte) {
		switch string(key) {
		case "state":
			d.str("state", value, (*string)(&s.State))
		case "stopReason":
			d.str("stopReason", value, (*string)(&s.StopReason))
		case "error":
			if !isNull(value) {
				s.Error = decodeError(value)
			}
		case "usage":
			s.Usage = d.usage("usage", value)
		}
	}) {
		return nil
	}
	return s
}

// ErrChildSession is returned when a child session is asked for what only sessions of one's own do.
var ErrChildSession = errors.New("the session is a subagent's, and the agent's own affair")

// Parent returns the session whose agent works in this one by a subagent, nil if it is none of a subagent's.
func (s *Session) Parent() *Session { return s.parent }

// maxChildren bounds the children of one session: agents make a new one for every errand.
const maxChildren = 1000

// Children returns the sessions of subagents that the agent has announced for this one, in that order, 1000 at most: what it
// announces beyond is reported and not known. Each has a stream of its own, of which what nobody has adopted is dropped when
// the next turn of this session begins; their requests go to this session's handlers, in its directories, and its cancel answers
// their questions.
// They end with it, and one that was closed stays closed.
func (s *Session) Children() []*Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.children)
}

// child returns the child with an id, also one that was closed, and whether there is room for another.
func (s *Session) child(id SessionID) (child *Session, room bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.children {
		if c.id == id {
			return c, false
		}
	}
	return nil, s.state != sessionClosed && len(s.children) < maxChildren
}

// root returns the session that was opened from here.
func (s *Session) root() *Session {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// announce enters the child session that an update tells of. It runs on the reader: what is read next finds it.
func (s *Session) announce(l *letter) {
	id, mayCancel := readSubagent(l.update())
	child, room := s.child(SessionID(id))
	known := child != nil
	if !known {
		child = s.adopt(SessionID(id), room)
	}
	if child == nil {
		return
	}
	if mayCancel != nil {
		child.mu.Lock()
		child.mayCancel = *mayCancel
		child.mu.Unlock()
	}
	if known {
		return
	}
	s.mu.Lock()
	gone := s.state == sessionClosed
	if !gone {
		s.children = append(s.children, child)
	}
	s.mu.Unlock()
	if gone {
		child.forget(ErrSessionClosed)
	}
}

// adopt makes a child session known, unless the id belongs to another session: that cannot become a child.
func (s *Session) adopt(id SessionID, room bool) *Session {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if id == "" || c.err != nil || c.sessions[id] != nil {
		return nil
	}
	if !room {
		c.diagnose(Diagnostic{Kind: DiagnosticProtocol, Session: s.id, Text: "a subagent's session was announced beyond the limit; it is not known"})
		return nil
	}
	child := &Session{
		conn: c, id: id, cwd: s.cwd, origin: OriginChild, parent: s, services: s.services,
		noUpdates: s.noUpdates, requests: map[*openRequest]struct{}{},
	}
	c.enter(child)
	return child
}

// readSubagent reads what the reader needs: whose session it is, and whether it takes a cancel, nil if that is not said.
func readSubagent(raw []byte) (id []byte, mayCancel *bool) {
	eachMember(raw, func(key, value []byte) {
		switch string(key) {
		case "sessionId":
			id = bareString(value)
		case "capabilities":
			may := false
			eachMember(value, func(key, value []byte) { may = may || string(key) == "cancel" && !isNull(value) })
			mayCancel = &may
		}
	})
	return id, mayCancel
}

// cancelChild asks the agent to stop the work in a child session, if it takes that.
func (s *Session) cancelChild(ctx context.Context) error {
	s.mu.Lock()
	may, open := s.mayCancel, s.state == sessionOpen
	s.mu.Unlock()
	if !may || !open {
		return ErrChildSession
	}
	return s.conn.wire.notify(ctx, methodSessionCancel, sessionParams{s.id})
}
