package acp

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

type setModeParams struct {
	SessionID SessionID `json:"sessionId"`
	ModeID    string    `json:"modeId"`
}

// SetMode asks the agent to work in another mode, by its id. A mode that the session does not offer is refused without
// asking the agent; of the agent's own refusal the error wraps its *Error. It mirrors session/set_mode.
func (s *Session) SetMode(ctx context.Context, mode string) error {
	if err := s.offersMode(mode); err != nil {
		return fmt.Errorf("cannot set mode %q: %w", mode, err)
	}
	if _, err := s.conn.control(ctx, methodSessionSetMode, setModeParams{s.id, mode}); err != nil {
		return fmt.Errorf("cannot set mode %q: %w", mode, err)
	}
	return nil
}

// offersMode returns an error that names the modes there are if mode is none of them.
func (s *Session) offersMode(mode string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != sessionOpen {
		return ErrSessionClosed
	}
	if s.modes == nil {
		return fmt.Errorf("%w: it has no modes", ErrNotOffered)
	}
	var ids []string
	for _, m := range s.modes.Available {
		ids = append(ids, m.ID)
	}
	if !slices.Contains(ids, mode) {
		return fmt.Errorf("%w: it has %s", ErrNotOffered, strings.Join(ids, ", "))
	}
	return nil
}
