package fakemcp

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	endpoint      = "/mcp"
	sessionHeader = "Mcp-Session-Id"
)

// session is one client over HTTP.
type session struct {
	transport *mcp.StreamableServerTransport
	mcp       *mcp.ServerSession
}

// sessions are those of a listener. The library has a handler with sessions as
// well, but that answers unknown methods by a status and plain text, tells the
// id of a session only after it has answered, and cannot be closed.
type sessions struct {
	server *server

	mu     sync.Mutex
	byID   map[string]*session
	closed bool
}

func newSessions(s *server) *sessions { return &sessions{server: s, byID: map[string]*session{}} }

// open makes a session with a new id.
func (s *sessions) open(ctx context.Context) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, http.ErrServerClosed
	}
	transport := &mcp.StreamableServerTransport{SessionID: rand.Text()}
	connected, err := s.server.mcp.Connect(ctx, transport, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot open a session: %w", err)
	}
	opened := &session{transport: transport, mcp: connected}
	s.byID[transport.SessionID] = opened
	return opened, nil
}

func (s *sessions) find(id string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[id]
}

// remove takes out a session, which is to be closed; that returns when its
// requests are answered.
func (s *sessions) remove(id string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	removed := s.byID[id]
	delete(s.byID, id)
	return removed
}

// close ends all sessions; there are none afterwards.
func (s *sessions) close() {
	s.mu.Lock()
	all := s.byID
	s.byID, s.closed = map[string]*session{}, true
	s.mu.Unlock()
	for _, ended := range all {
		_ = ended.mcp.Close()
	}
}
