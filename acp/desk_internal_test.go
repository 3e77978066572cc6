package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"
)

// desk is all the handlers that there are. What a request asks for decides how it behaves.
type desk struct {
	mu        sync.Mutex
	asked     []string
	terminals []*fakeTerminal
	answer    FormAnswer
	action    ElicitationAction
	visits    []*URLRequest
	creates   []*CreateTerminalRequest
	forms     []*FormRequest
	waiting   chan struct{} // gets a value when a request waits for its context
}

func newDesk() *desk { return &desk{waiting: make(chan struct{}, 10)} }

func (d *desk) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, fmt.Sprintf(format, args...))
}

func (d *desk) heard() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.asked...)
}

// behave does what a name asks for.
func (d *desk) behave(ctx context.Context, name string) error {
	switch name {
	case "/missing":
		return fmt.Errorf("cannot open it: %w", fs.ErrNotExist)
	case "/typed":
		return fmt.Errorf("cannot open it: %w", &Error{Code: -7, Message: "typed", Data: json.RawMessage(`[1]`)})
	case "/fail":
		return errors.New("it does not go")
	case "/panic":
		panic("at the desk")
	case "/wait":
		d.waiting <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

func (d *desk) ReadTextFile(ctx context.Context, req *ReadTextFileRequest) (string, error) {
	line, limit := int64(-1), int64(-1)
	if req.Line != nil {
		line = *req.Line
	}
	if req.Limit != nil {
		limit = *req.Limit
	}
	d.note("read %s %s %v line %d limit %d", req.SessionID, req.Path, req.Roots, line, limit)
	return "text of " + req.Path, d.behave(ctx, req.Path)
}

func (d *desk) WriteTextFile(ctx context.Context, req *WriteTextFileRequest) error {
	d.note("write %s %s %v %q", req.SessionID, req.Path, req.Roots, req.Content)
	return d.behave(ctx, req.Path)
}

// fakeTerminal is a terminal whose command ends when the test says so.
type fakeTerminal struct {
	desk     *desk
	name     string
	exited   chan struct{}
	once     sync.Once
	released bool
}

func (d *desk) CreateTerminal(ctx context.Context, req *CreateTerminalRequest) (HostedTerminal, error) {
	limit := int64(-1)
	if req.OutputByteLimit != nil {
		limit = *req.OutputByteLimit
	}
	d.note("create %s %s %v %v in %s limit %d", req.SessionID, req.Command, req.Args, req.Env, req.CWD, limit)
	if err := d.behave(ctx, req.Command); err != nil {
		return nil, err
	}
	t := &fakeTerminal{desk: d, name: req.Command, exited: make(chan struct{})}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.creates = append(d.creates, req)
	d.terminals = append(d.terminals, t)
	return t, nil
}

func (t *fakeTerminal) end() { t.once.Do(func() { close(t.exited) }) }

func (t *fakeTerminal) Output() TerminalOutput {
	out := TerminalOutput{Output: "output of " + t.name}
	select {
	case <-t.exited:
		out.Exit = &TerminalExitStatus{Signal: "SIGKILL"}
	default:
	}
	return out
}

func (t *fakeTerminal) Wait(ctx context.Context) (TerminalExitStatus, error) {
	t.desk.waiting <- struct{}{}
	select {
	case <-t.exited:
		return TerminalExitStatus{ExitCode: new(int64(3))}, nil
	case <-ctx.Done():
		return TerminalExitStatus{}, ctx.Err()
	}
}

func (t *fakeTerminal) Kill(context.Context) error {
	t.end()
	return nil
}

func (t *fakeTerminal) Release(context.Context) error {
	t.end()
	t.desk.mu.Lock()
	t.released = true
	t.desk.mu.Unlock()
	t.desk.note("release %s", t.name)
	return nil
}

func (d *desk) ElicitForm(ctx context.Context, req *FormRequest) (FormAnswer, error) {
	d.mu.Lock()
	d.forms = append(d.forms, req)
	answer := d.answer
	d.mu.Unlock()
	d.note("form %s %s %q %s", req.Scope.SessionID, req.Scope.Method, req.Message, req.Form.Title)
	return answer, d.behave(ctx, req.Message)
}

func (d *desk) ElicitURL(ctx context.Context, req *URLRequest) (ElicitationAction, error) {
	d.mu.Lock()
	d.visits = append(d.visits, req)
	action := d.action
	d.mu.Unlock()
	d.note("url %s %s", req.Scope.Method, req.URL)
	return action, d.behave(ctx, req.Message)
}

func (d *desk) HandleRequest(ctx context.Context, m *ExtensionMessage) (any, error) {
	d.note("request %s %s %s", m.Method, m.SessionID, m.Params)
	if m.Method == "_x/strange" {
		return nil, ErrUnknownMethod
	}
	if m.Method == "_x/unencodable" {
		return make(chan int), nil
	}
	return map[string]string{"of": m.Method}, d.behave(ctx, string(m.SessionID))
}

func (d *desk) HandleNotification(ctx context.Context, m *ExtensionMessage) {
	_ = d.behave(ctx, string(m.SessionID))
	d.note("notification %s %s", m.Method, m.Params)
}

// everything offers all that the desk serves.
func (d *desk) everything() *ClientOptions {
	return &ClientOptions{ReadTextFile: d, WriteTextFile: d, Terminal: d, Form: d, URL: d, Extension: d}
}
