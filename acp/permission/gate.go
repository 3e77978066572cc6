package permission

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/acpharness/acpharness/acp"
)

// maxAllowances bounds what is remembered of what was allowed and not done yet.
const maxAllowances = 256

// Gate has one handler judge what an agent asks leave for, and what it has the client do: read and write files, run commands.
// Without it an agent that does not ask for leave gets at everything that the client serves. What has been allowed on request
// is done without another question, once: an agent that asks first, and then has it done, is asked about once.
//
// A Gate is for the sessions of one folder. Its methods may be called side by side; no lock is held while the handler is asked.
type Gate struct {
	next acp.PermissionHandler
	root string

	mu      sync.Mutex
	allowed []allowance
	asked   int
}

// allowance is what was allowed and has not been done yet.
type allowance struct {
	session acp.SessionID
	subject Subject
}

// NewGate returns a gate in front of a handler; nil rejects everything. root is the sessions' cwd, absolute: relative paths are
// under it.
func NewGate(next acp.PermissionHandler, root string) *Gate {
	if next == nil {
		next = Reject
	}
	return &Gate{next: next, root: root}
}

// RequestPermission implements acp.PermissionHandler by the handler behind the gate.
func (g *Gate) RequestPermission(ctx context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
	outcome, err := g.next.RequestPermission(ctx, req)
	if err == nil && allows(req, outcome) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.allowed = append(g.allowed, allowance{req.SessionID, Inspect(&req.ToolCall, g.root)})
		if len(g.allowed) > maxAllowances {
			g.allowed = slices.Delete(g.allowed, 0, 1)
		}
	}
	return outcome, err
}

// allows reports whether an outcome says yes: by the kind of the option, and by nothing else (nexu-io/open-design#6135).
func allows(req *acp.PermissionRequest, outcome acp.PermissionOutcome) bool {
	option, ok := req.Option(outcome.OptionID)
	return ok && (option.Kind == acp.AllowOnce || option.Kind == acp.AllowAlways)
}

// Reader returns a reader that reads what the gate lets through.
func (g *Gate) Reader(r acp.FileReader) acp.FileReader { return &gatedReader{g, r} }

// Writer returns a writer that writes what the gate lets through.
func (g *Gate) Writer(w acp.FileWriter) acp.FileWriter { return &gatedWriter{g, w} }

// Terminal returns a handler that runs what the gate lets through.
func (g *Gate) Terminal(t acp.TerminalHandler) acp.TerminalHandler { return &gatedTerminal{g, t} }

type (
	gatedReader struct {
		gate *Gate
		next acp.FileReader
	}
	gatedWriter struct {
		gate *Gate
		next acp.FileWriter
	}
	gatedTerminal struct {
		gate *Gate
		next acp.TerminalHandler
	}
)

// ReadTextFile implements acp.FileReader.
func (r *gatedReader) ReadTextFile(ctx context.Context, req *acp.ReadTextFileRequest) (string, error) {
	if err := r.gate.file(ctx, req.SessionID, acp.ToolRead, "Read", req.Path); err != nil {
		return "", err
	}
	return r.next.ReadTextFile(ctx, req)
}

// WriteTextFile implements acp.FileWriter.
func (w *gatedWriter) WriteTextFile(ctx context.Context, req *acp.WriteTextFileRequest) error {
	if err := w.gate.file(ctx, req.SessionID, acp.ToolEdit, "Write", req.Path); err != nil {
		return err
	}
	return w.next.WriteTextFile(ctx, req)
}

// CreateTerminal implements acp.TerminalHandler.
func (t *gatedTerminal) CreateTerminal(ctx context.Context, req *acp.CreateTerminalRequest) (acp.HostedTerminal, error) {
	input := map[string]any{"command": req.Command, "cwd": req.CWD}
	if len(req.Args) > 0 {
		input["command"] = append([]string{req.Command}, req.Args...)
	}
	if err := t.gate.pass(ctx, req.SessionID, acp.ToolExecute, "Run "+req.Command, input, nil); err != nil {
		return nil, err
	}
	return t.next.CreateTerminal(ctx, req)
}

func (g *Gate) file(ctx context.Context, session acp.SessionID, kind acp.ToolKind, verb, path string) error {
	locations := []acp.ToolCallLocation{{Path: path}}
	return g.pass(ctx, session, kind, verb+" "+path, map[string]any{"path": path}, locations)
}

// pass returns nil if something may be done: it was allowed on request, or the handler allows it now.
func (g *Gate) pass(ctx context.Context, session acp.SessionID, kind acp.ToolKind, title string, input any, locations []acp.ToolCallLocation) error {
	raw, err := json.Marshal(input)
	if err != nil {
		return fmt.Errorf("cannot judge it: %w", err)
	}
	req := &acp.PermissionRequest{
		SessionID: session,
		ToolCall:  acp.ToolCall{Title: &title, Kind: kind, Status: acp.ToolPending, Locations: locations, RawInput: raw},
		Options: []acp.PermissionOption{
			{ID: "allow", Name: "Allow", Kind: acp.AllowOnce}, {ID: "reject", Name: "Reject", Kind: acp.RejectOnce},
		},
		Raw: raw,
	}
	subject := Inspect(&req.ToolCall, g.root)
	g.mu.Lock()
	g.asked++
	req.ToolCall.ID = "client-" + strconv.Itoa(g.asked)
	was := slices.IndexFunc(g.allowed, func(a allowance) bool { return a.session == session && a.covers(&subject) })
	if was >= 0 {
		g.allowed = slices.Delete(g.allowed, was, was+1)
	}
	g.mu.Unlock()
	if was >= 0 {
		return nil
	}
	outcome, err := g.next.RequestPermission(ctx, req)
	switch {
	case err != nil:
		return fmt.Errorf("cannot ask for leave: %w", err)
	case allows(req, outcome):
		return nil
	}
	return fmt.Errorf("the client does not allow it (%s): %w; ask the user, or do without", kind, fs.ErrPermission)
}

// covers reports whether what was allowed is what is to be done now: the same command, or a file of the call's in a call that may
// change files, unless it is only to be read.
func (a *allowance) covers(s *Subject) bool {
	if a.subject.Unclear || s.Unclear {
		return false
	}
	if s.Kind == acp.ToolExecute {
		return a.subject.Kind == acp.ToolExecute && len(s.Commands) == 1 && slices.Contains(a.subject.Commands, s.Commands[0])
	}
	changes := []acp.ToolKind{acp.ToolEdit, acp.ToolMove, acp.ToolDelete, acp.ToolOther}
	if s.Kind == acp.ToolEdit && !slices.Contains(changes, a.subject.Kind) {
		return false
	}
	return len(s.Paths) == 1 && slices.Contains(a.subject.Paths, s.Paths[0])
}
