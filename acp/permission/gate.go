package permission

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/go-json-experiment/json"

	"github.com/acpharness/acpharness/acp"
)

// Gate has a handler judge what agents have the client do: read and write files, run commands. Without it an agent that does
// not ask for leave gets at everything that the client serves. The handler is asked by a permission request of the gate's own, with an
// option to allow it once and one to reject it; [Once] keeps a person from being asked twice about one thing.
//
// A Gate is for the sessions of one folder. Its methods may be called side by side.
type Gate struct {
	judge acp.PermissionHandler
	root  string
	asked atomic.Int64
}

// NewGate returns a gate with a handler that judges; nil rejects everything. root is the sessions' cwd, absolute: relative paths
// are under it.
func NewGate(judge acp.PermissionHandler, root string) *Gate {
	if judge == nil {
		judge = Reject
	}
	return &Gate{judge: judge, root: root}
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
	if len(req.Env) > 0 {
		env := map[string]string{}
		for _, v := range req.Env {
			env[v.Name] = v.Value
		}
		input["env"] = env
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

// pass returns nil if the handler allows something. What it was asked about must still be what it was then: a link may have
// been turned elsewhere while a person thought about it.
func (g *Gate) pass(ctx context.Context, session acp.SessionID, kind acp.ToolKind, title string, input any, locations []acp.ToolCallLocation) error {
	req, err := g.request(session, kind, title, input, locations)
	if err != nil {
		return err
	}
	before := Inspect(&req.ToolCall, g.root)
	outcome, err := g.judge.RequestPermission(context.WithValue(ctx, servedKey{}, true), req)
	switch after := Inspect(&req.ToolCall, g.root); {
	case err != nil:
		return fmt.Errorf("cannot ask for leave: %w", err)
	case !allows(req, outcome):
		return fmt.Errorf("the client does not allow it (%s): %w; ask the user, or do without", kind, fs.ErrPermission)
	case !slices.Equal(before.Paths, after.Paths):
		return fmt.Errorf("the client does not allow it: a symbolic link has changed meanwhile: %w", fs.ErrPermission)
	}
	return nil
}

// request is what the judge is asked.
func (g *Gate) request(session acp.SessionID, kind acp.ToolKind, title string, input any, locations []acp.ToolCallLocation) (*acp.PermissionRequest, error) {
	type location struct {
		Path string `json:"path"`
	}
	type option struct {
		ID   string             `json:"optionId"`
		Name string             `json:"name"`
		Kind acp.PermissionKind `json:"kind"`
	}
	raw, err := json.Marshal(input)
	if err != nil {
		return nil, fmt.Errorf("cannot judge it: %w", err)
	}
	req := &acp.PermissionRequest{
		SessionID: session,
		ToolCall: acp.ToolCall{
			ID: "_client-" + strconv.FormatInt(g.asked.Add(1), 10), Title: &title, Kind: kind, Status: acp.ToolPending,
			Locations: locations, RawInput: raw,
		},
		Options: []acp.PermissionOption{
			{ID: "allow", Name: "Allow", Kind: acp.AllowOnce}, {ID: "reject", Name: "Reject", Kind: acp.RejectOnce},
		},
	}
	call := map[string]any{"toolCallId": req.ToolCall.ID, "title": title, "kind": kind, "status": acp.ToolPending, "rawInput": input}
	for _, l := range locations {
		call["locations"] = []location{{l.Path}}
	}
	options := make([]option, len(req.Options))
	for i, o := range req.Options {
		options[i] = option(o)
	}
	req.Raw, err = json.Marshal(map[string]any{"sessionId": session, "toolCall": call, "options": options}, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("cannot judge it: %w", err)
	}
	return req, nil
}

// servedKey marks the context of requests that a gate makes.
type servedKey struct{}

// ByGate reports whether a request with this context is a gate's: about something that the client is to do, and not the agent.
func ByGate(ctx context.Context) bool {
	gate, _ := ctx.Value(servedKey{}).(bool)
	return gate
}

// allows reports whether an outcome says yes: by the kind of the option, and by nothing else (nexu-io/open-design#6135). An id that
// says yes and no says neither.
func allows(req *acp.PermissionRequest, outcome acp.PermissionOutcome) bool {
	yes := false
	for _, o := range req.Options {
		if o.ID != outcome.OptionID {
			continue
		}
		if o.Kind != acp.AllowOnce && o.Kind != acp.AllowAlways {
			return false
		}
		yes = true
	}
	return yes
}
