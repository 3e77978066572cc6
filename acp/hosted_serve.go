package acp

import (
	"context"
	"errors"
)

type createTerminalResult struct {
	TerminalID string `json:"terminalId"`
}

// terminalOutputResult has exitStatus only if there is one: null is no member of it in strict agents.
type terminalOutputResult struct {
	Output     string              `json:"output"`
	Truncated  bool                `json:"truncated"`
	ExitStatus *TerminalExitStatus `json:"exitStatus,omitzero"`
}

func (c *Conn) serveCreateTerminal(in *inbound) {
	req := &CreateTerminalRequest{Raw: in.params}
	p := params{raw: in.params}
	p.each(func(d *decoder, key string, value []byte) {
		switch key {
		case "sessionId":
			d.str(key, value, (*string)(&req.SessionID))
		case "command":
			d.str(key, value, &req.Command)
		case "args":
			req.Args = d.texts(key, value)
		case "env":
			req.Env = d.environment(key, value)
		case "cwd":
			d.str(key, value, &req.CWD)
		case "outputByteLimit":
			d.optInt(key, value, &req.OutputByteLimit)
		}
	})
	p.want("command", req.Command != "")
	c.serveSession(in, req.SessionID, &p, func(ctx context.Context, s *Session) (any, error) {
		req.Roots = s.Roots()
		if s.root().tooManyTerminals() {
			return nil, errors.New("the session has too many terminals that run: kill or release some")
		}
		if req.CWD == "" {
			req.CWD = req.Roots[0]
		}
		hosted, err := s.services.terminal.CreateTerminal(ctx, req)
		if err != nil {
			return nil, err
		}
		if hosted == nil {
			return nil, errors.New("the handler made no terminal")
		}
		id, ok := "", false
		if ctx.Err() == nil { // else nobody will learn of the id
			id, ok = c.terminals.enter(s.root(), hosted)
		}
		if !ok {
			return nil, errors.Join(ErrSessionClosed, c.release(context.WithoutCancel(ctx), hosted))
		}
		s.root().releaseTerminals(false)
		return createTerminalResult{id}, nil
	})
}

func (d *decoder) envVariable(raw []byte) EnvVariable {
	var v EnvVariable
	d.item(raw, func(key, value []byte) {
		switch string(key) {
		case "name":
			d.str("name", value, &v.Name)
		case "value":
			d.str("value", value, &v.Value)
		}
	})
	return v
}

// serveTerminal answers a request about a terminal that there is.
func (c *Conn) serveTerminal(in *inbound, find func(*terminalTable, *Session, string) (HostedTerminal, func()), do func(context.Context, HostedTerminal) (any, error)) {
	var session SessionID
	var id string
	p := params{raw: in.params}
	p.each(func(d *decoder, key string, value []byte) {
		switch key {
		case "sessionId":
			d.str(key, value, (*string)(&session))
		case "terminalId":
			d.str(key, value, &id)
		}
	})
	p.want("terminalId", id != "")
	c.serveSession(in, session, &p, func(ctx context.Context, s *Session) (any, error) {
		hosted, done := find(&c.terminals, s.root(), id)
		defer done()
		if hosted == nil {
			return nil, &Error{Code: CodeNotFound, Message: "the session has no terminal " + id + ", or it was released"}
		}
		return do(ctx, hosted)
	})
}

func (c *Conn) serveTerminalOutput(in *inbound) {
	c.serveTerminal(in, (*terminalTable).hold, func(_ context.Context, t HostedTerminal) (any, error) {
		out := t.Output()
		return terminalOutputResult{out.Output, out.Truncated, out.Exit}, nil
	})
}

func (c *Conn) serveWaitForTerminalExit(in *inbound) {
	c.serveTerminal(in, (*terminalTable).hold, func(ctx context.Context, t HostedTerminal) (any, error) { return t.Wait(ctx) })
}

func (c *Conn) serveKillTerminal(in *inbound) {
	c.serveTerminal(in, (*terminalTable).hold, func(ctx context.Context, t HostedTerminal) (any, error) {
		return struct{}{}, t.Kill(ctx)
	})
}

func (c *Conn) serveReleaseTerminal(in *inbound) {
	c.serveTerminal(in, (*terminalTable).take, func(ctx context.Context, t HostedTerminal) (any, error) {
		// What has been taken out must be released, whatever becomes of the request.
		return struct{}{}, t.Release(context.WithoutCancel(ctx))
	})
}
