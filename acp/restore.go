package acp

import (
	"context"
	"errors"
)

// RestoreOptions configure RestoreSession. The zero value works.
type RestoreOptions struct {
	// Session is as for the other ways of opening a session.
	Session SessionOptions
	// OrNew opens a new session, without the history, when the stored one cannot be had.
	OrNew bool
}

// Restoration tells how a session was restored.
type Restoration struct {
	Origin      SessionOrigin // resumed, loaded, or new
	HistoryLost bool          // the session is a new one: the agent knows nothing of the conversation
	Failed      []*LoadError  // what was tried before and failed, in order
}

// RestoreSession opens a stored session by the best way that the agent has: it resumes it, else loads it, else, if that is
// asked for, opens a new one and says that the history is lost. It does not go on where another try would be no better: when
// another process has the session, a sign-in is wanted, a setting cannot be had, or the connection has ended. The error is the *LoadError of the last
// try.
func (c *Conn) RestoreSession(ctx context.Context, id SessionID, cwd string, opts *RestoreOptions) (*Session, *Restoration, error) {
	if opts == nil {
		opts = &RestoreOptions{}
	}
	done := &Restoration{}
	for _, open := range []func(context.Context, SessionID, string, *SessionOptions) (*Session, error){c.ResumeSession, c.LoadSession} {
		s, err := open(ctx, id, cwd, &opts.Session)
		if err == nil {
			done.Origin = s.origin
			return s, done, nil
		}
		failed, _ := errors.AsType[*LoadError](err)
		if failed.Kind == LoadLocked || failed.Kind == LoadAuth || failed.Kind == LoadNotSet || errors.Is(err, ErrSessionOpen) || ctx.Err() != nil || c.isDying() {
			return nil, done, failed
		}
		done.Failed = append(done.Failed, failed)
	}
	last := done.Failed[len(done.Failed)-1]
	if done.Failed[0].Kind != LoadUnsupported && last.Kind == LoadUnsupported {
		last = done.Failed[0] // it says more
	}
	if !opts.OrNew {
		return nil, done, last
	}
	s, err := c.NewSession(ctx, cwd, &opts.Session)
	if err != nil {
		return nil, done, err
	}
	done.Origin, done.HistoryLost = OriginNew, true
	return s, done, nil
}

func (c *Conn) isDying() bool {
	select {
	case <-c.dying:
		return true
	default:
		return false
	}
}
