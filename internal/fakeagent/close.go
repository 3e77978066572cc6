package fakeagent

import "context"

// closeSession stops the session's turn and lets it be answered first. The session can be loaded again.
func (s *server) closeSession(ctx context.Context, req request) {
	if s.script.CloseUnsupported {
		s.refuse(ctx, req, noMethod(req.method))
		return
	}
	sess, e := s.lookup(req.params)
	if e != nil {
		s.refuse(ctx, req, e)
		return
	}
	s.shut(sess.id)
	s.respond(ctx, req, object{})
}

// deleteSession removes a session, open or not, for good.
func (s *server) deleteSession(ctx context.Context, req request) {
	var p sessionParams
	if e := decodeParams(req.params, &p); e != nil {
		s.refuse(ctx, req, e)
		return
	}
	s.shut(p.SessionID)
	ok, err := s.store.remove(p.SessionID)
	switch {
	case err != nil:
		s.refuse(ctx, req, rpcErrorf(codeInternal, "Internal error: %v", err))
	case !ok:
		s.refuse(ctx, req, notFound(p.SessionID))
	default:
		s.respond(ctx, req, object{})
	}
}

// shut forgets an open session and waits for the end of its latest turn and of the servers it was given. There need not be either.
func (s *server) shut(id string) {
	s.mu.Lock()
	var t *turn
	sess := s.sessions[id]
	if sess != nil {
		t = sess.latest
	}
	delete(s.sessions, id)
	s.mu.Unlock()
	if t != nil {
		t.stop()
		<-t.done
	}
	s.mcp.unmount(sess)
}
