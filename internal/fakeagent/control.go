package fakeagent

import (
	"context"
	"encoding/json"
	"slices"
)

// request is a request of the client.
type request struct {
	id     json.RawMessage
	method string
	params json.RawMessage
}

// control handles what the client sends, in order.
func (s *server) control(ctx context.Context) {
	defer s.turns.Wait()
	var endLife context.CancelFunc
	s.life, endLife = context.WithCancel(ctx)
	defer endLife()
	if noise := s.script.startNoise(); len(noise) > 0 {
		if s.out.raw(ctx, noise) != nil {
			return
		}
	}
	if s.script.ExitAt == ExitAtStart {
		s.exit()
		return
	}
	if s.mcp != nil {
		s.turns.Go(func() { s.mcp.run(s.life, ctx) })
	}
	close(s.started)
	for {
		in, ok := s.input.next(ctx)
		if !ok {
			break
		}
		s.handleLine(ctx, in)
	}
	if ctx.Err() != nil {
		return
	}
	endLife() // the client is gone
	s.turns.Wait()
	if s.script.ExitAt == ExitAtEOF {
		s.exit()
	}
}

func (s *server) handleLine(ctx context.Context, in incoming) {
	if s.script.Echo {
		_ = s.out.raw(ctx, in.line)
		return
	}
	ev := in.event
	switch {
	case ev.Kind == EventRequest || ev.Kind == EventNotification:
		if s.script.exitsOn(ev.Method) {
			s.exit()
			return
		}
	case ev.Kind == EventResponse || ev.Raw == nil: // settled by the reader, or a blank line
		return
	}
	if s.script.Silent {
		return
	}
	switch ev.Kind {
	case EventInvalid:
		id := ev.ID
		if id == nil {
			id = json.RawMessage("null")
		}
		s.refuse(ctx, request{id: id}, ev.Error)
	case EventNotification:
		s.handleNotification(ev)
	case EventRequest:
		s.handleRequest(ctx, request{id: ev.ID, method: ev.Method, params: ev.Params})
	case EventResponse:
	}
}

func (s *server) handleRequest(ctx context.Context, req request) {
	switch req.method {
	case methodInitialize:
		s.initialize(ctx, req)
	case methodAuthenticate:
		s.authenticate(ctx, req)
	case methodNew:
		s.newSession(ctx, req)
	case methodLoad:
		s.apart(req, func() { s.loadSession(ctx, req) })
	case methodResume:
		s.apart(req, func() { s.resumeSession(ctx, req) })
	case methodFork:
		s.apart(req, func() { s.forkSession(ctx, req) })
	case methodList:
		s.listSessions(ctx, req)
	case methodDelete:
		s.deleteSession(ctx, req)
	case methodSetMode:
		s.setMode(ctx, req)
	case methodSetOption:
		s.setOption(ctx, req)
	case methodSetModel:
		s.setModel(ctx, req)
	case methodClose:
		s.closeSession(ctx, req)
	case methodPrompt:
		s.prompt(ctx, req)
	default:
		s.refuse(ctx, req, noMethod(req.method))
	}
}

func (s *server) handleNotification(ev Event) {
	switch ev.Method {
	case methodCancel:
		var p sessionParams
		if decodeParams(ev.Params, &p) == nil {
			s.cancelTurn(func(t *turn) bool { return t.session.id == p.SessionID })
		}
	case methodCancelCall:
		var p struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		if decodeParams(ev.Params, &p) == nil {
			s.cancelTurn(func(t *turn) bool { return string(t.req.id) == string(p.RequestID) })
		}
	}
}

// respond answers a request.
func (s *server) respond(ctx context.Context, req request, result any) {
	s.answer(ctx, req, nil, "result", result, nil)
}

func (s *server) refuse(ctx context.Context, req request, e *RPCError) {
	s.answer(ctx, req, nil, "error", e, nil)
}

// answer writes an answer behind the frames in batch, all in one write.
func (s *server) answer(ctx context.Context, req request, batch []byte, member string, value any, hook func()) {
	body, err := envelope(req.id, "", member, value)
	if err != nil {
		s.end(err)
		return
	}
	last := req.method != "" && s.script.lastAnswer() == req.method
	frame := s.script.dress(outgoing{method: req.method, answer: true, last: last, body: body})
	if s.script.DupResponse && !last {
		frame = append(slices.Clip(frame), frame...)
	}
	var after func()
	if last {
		after = s.exit // before anybody else can write
	}
	_ = s.out.frames(ctx, append(slices.Clip(batch), frame...), hook, after)
}

// notify writes a notification of the agent.
func (s *server) notify(ctx context.Context, method string, params any) error {
	frame, err := s.frame(nil, method, params)
	if err != nil {
		return err
	}
	return s.out.frames(ctx, frame, nil, nil)
}

func (s *server) update(ctx context.Context, sessionID string, update any) error {
	return s.notify(ctx, methodUpdate, object{"sessionId": sessionID, "update": update})
}

// frame dresses a request or notification of the agent.
func (s *server) frame(id json.RawMessage, method string, params any) ([]byte, error) {
	body, err := envelope(id, method, "params", params)
	if err != nil {
		s.end(err)
		return nil, err
	}
	return s.script.dress(outgoing{method: method, body: body}), nil
}
