package interop_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/terminal"
	"github.com/acpharness/acpharness/acp/workspace"
)

// peer is the agent, and what was seen of it.
type peer struct {
	conn    *acp.Conn
	user    *user
	cwd     string // of its sessions
	session *acp.Session
	journal string

	mu          sync.Mutex
	frames      []acp.TapFrame
	diagnostics []acp.Diagnostic
}

// start starts the agent, and offers it everything that a client can offer.
func start(t *testing.T, sdk string) *peer {
	t.Helper()
	script, err := filepath.Abs("ts/agent.mjs")
	require.NoError(t, err)
	p := &peer{user: newUser(), cwd: t.TempDir(), journal: filepath.Join(t.TempDir(), "journal")}
	files := workspace.New(nil)
	client := acp.NewClient(acp.Implementation{Name: "interop-test", Title: "Interop test", Version: "1.0.0"}, &acp.ClientOptions{
		Permission: p.user, ReadTextFile: files, WriteTextFile: files, Terminal: terminal.New(nil), Form: p.user, URL: p.user,
		Extension: p.user, TerminalAuth: true, Subagents: true, Tap: p.frame, Diagnostic: p.diagnostic,
	})
	p.conn, err = client.Connect(within(t), &acp.CommandTransport{Command: "node", Args: []string{script, sdk, p.journal}})
	require.NoError(t, err)
	t.Cleanup(func() { p.conn.Close(context.Background()) })
	return p
}

// within bounds what a test waits for.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func (p *peer) frame(f acp.TapFrame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frames = append(p.frames, f)
}

func (p *peer) diagnostic(d acp.Diagnostic) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.diagnostics = append(p.diagnostics, d)
}

// begin prompts the agent to do steps, see ts/agent.mjs. Further content goes after them.
func (p *peer) begin(t *testing.T, steps string, further ...acp.ContentBlock) *acp.Turn {
	t.Helper()
	require.True(t, json.Valid([]byte(steps)), steps)
	turn, err := p.session.Prompt(within(t), append(acp.Text(steps), further...), nil)
	require.NoError(t, err)
	return turn
}

// play has the agent do steps, and returns the outcome and what it was answered.
func (p *peer) play(t *testing.T, steps string, further ...acp.ContentBlock) (*acp.TurnResult, string) {
	t.Helper()
	return p.end(t, p.begin(t, steps, further...))
}

func (p *peer) end(t *testing.T, turn *acp.Turn) (result *acp.TurnResult, answers string) {
	t.Helper()
	result, err := turn.Wait(within(t))
	require.NoError(t, err, p.conn.StderrTail())
	var meta struct{ Answers json.RawMessage }
	require.NoError(t, json.Unmarshal(acp.Meta(result.Raw), &meta))
	return result, string(meta.Answers)
}

// user is the person and the extension at this side.
type user struct {
	mu        sync.Mutex
	forms     map[string]*acp.FormRequest // by their messages
	addresses map[string]*acp.URLRequest
	waiting   chan struct{}              // gets one when the agent has asked for leave to wait
	told      chan *acp.ExtensionMessage // notifications of the extension
}

func newUser() *user {
	return &user{
		forms: map[string]*acp.FormRequest{}, addresses: map[string]*acp.URLRequest{},
		waiting: make(chan struct{}, 10), told: make(chan *acp.ExtensionMessage, 10),
	}
}

// RequestPermission chooses the option that has the tool's title as its id, or waits for the end of the question.
func (u *user) RequestPermission(ctx context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
	switch title := *req.ToolCall.Title; title {
	case "wait":
		u.waiting <- struct{}{}
	case "taken back":
	default:
		return acp.PermissionOutcome{OptionID: title}, nil
	}
	<-ctx.Done()
	return acp.PermissionOutcome{}, ctx.Err()
}

// ElicitForm does what the message says.
func (u *user) ElicitForm(ctx context.Context, req *acp.FormRequest) (acp.FormAnswer, error) {
	u.mu.Lock()
	u.forms[req.Message] = req
	u.mu.Unlock()
	switch req.Message {
	case "taken back":
		<-ctx.Done()
		return acp.FormAnswer{}, ctx.Err()
	case "decline", "cancel":
		return acp.FormAnswer{Action: acp.ElicitationAction(req.Message)}, nil
	case "Which code?":
		return acp.FormAnswer{Action: acp.ElicitationAccept, Content: map[string]any{"code": "1234"}}, nil
	}
	return acp.FormAnswer{Action: acp.ElicitationAccept, Content: filled}, nil
}

// ElicitURL agrees to everything but what says otherwise.
func (u *user) ElicitURL(_ context.Context, req *acp.URLRequest) (acp.ElicitationAction, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.addresses[req.Message] = req
	if req.Message == "decline" {
		return acp.ElicitationDecline, nil
	}
	return acp.ElicitationAccept, nil
}

// form returns the form that came with a message.
func (u *user) form(t *testing.T, message string) *acp.FormRequest {
	t.Helper()
	u.mu.Lock()
	defer u.mu.Unlock()
	require.NotNil(t, u.forms[message])
	return u.forms[message]
}

// address returns the address that came with a message.
func (u *user) address(t *testing.T, message string) *acp.URLRequest {
	t.Helper()
	u.mu.Lock()
	defer u.mu.Unlock()
	require.NotNil(t, u.addresses[message])
	return u.addresses[message]
}

// HandleRequest answers _interop/ask with what was asked.
func (u *user) HandleRequest(_ context.Context, m *acp.ExtensionMessage) (any, error) {
	if m.Method != "_interop/ask" {
		return nil, acp.ErrUnknownMethod
	}
	return map[string]any{"asked": m.Params}, nil
}

// HandleNotification keeps what it gets.
func (u *user) HandleNotification(_ context.Context, m *acp.ExtensionMessage) { u.told <- m }

// hear waits for the next notification of the extension.
func (u *user) hear(t *testing.T) string {
	t.Helper()
	select {
	case m := <-u.told:
		assert.Equal(t, "_interop/tell", m.Method)
		return string(m.Params)
	case <-within(t).Done():
		t.Fatal("the agent has told nothing")
	}
	return ""
}

// awaitQuestion waits until the agent has asked for leave to wait.
func (u *user) awaitQuestion(t *testing.T) {
	t.Helper()
	select {
	case <-u.waiting:
	case <-within(t).Done():
		t.Fatal("the agent has asked nothing")
	}
}
