package permission

import (
	"context"
	"slices"
	"sync"

	"github.com/acpharness/acpharness/acp"
)

// maxAllowances bounds what is remembered of what was allowed and not done yet.
const maxAllowances = 256

// Once stands in front of whoever is asked, such as a person, so that they are asked about a thing once: an agent asks for leave, and
// then has the client do it, which a [Gate] asks about. What was allowed to the agent answers the gate, for one time.
//
// It belongs behind the rules, not in front of them: what rules decide they decide each time, and an allowance stands in only for
// a question. It is for the sessions of one folder, may be used side by side, and holds no lock while anybody is asked.
type Once struct {
	next acp.PermissionHandler
	root string

	mu      sync.Mutex
	allowed []allowance
}

// allowance is what was allowed to an agent and has not been done yet.
type allowance struct {
	session acp.SessionID
	call    string
	subject Subject
}

// NewOnce returns a handler in front of next. root is the sessions' cwd, absolute.
func NewOnce(next acp.PermissionHandler, root string) *Once {
	if next == nil {
		next = Reject
	}
	return &Once{next: next, root: root}
}

// RequestPermission implements acp.PermissionHandler.
func (o *Once) RequestPermission(ctx context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
	subject := Inspect(&req.ToolCall, o.root)
	if ByGate(ctx) {
		if outcome, ok := req.Allow(); ok && o.use(req.SessionID, &subject) {
			return outcome, nil
		}
		return o.next.RequestPermission(ctx, req)
	}
	outcome, err := o.next.RequestPermission(ctx, req)
	o.mu.Lock()
	defer o.mu.Unlock()
	// A later answer to the same takes the place of an earlier one, be it yes or no.
	o.allowed = slices.DeleteFunc(o.allowed, func(a allowance) bool { return a.session == req.SessionID && a.subject.same(&subject) })
	if err != nil || !allows(req, outcome) || subject.Unclear || !subject.same(new(Inspect(&req.ToolCall, o.root))) {
		return outcome, err
	}
	o.allowed = append(o.allowed, allowance{req.SessionID, req.ToolCall.ID, subject})
	if len(o.allowed) > maxAllowances {
		o.allowed = slices.Delete(o.allowed, 0, 1)
	}
	return outcome, err
}

// Note takes an update of a session: what was allowed for a tool call ends with it.
func (o *Once) Note(n acp.SessionNotification) {
	var call *acp.ToolCall
	switch u := n.Update.(type) {
	case *acp.ToolCallStart:
		call = &u.ToolCall
	case *acp.ToolCallUpdate:
		call = &u.ToolCall
	default:
		return
	}
	if !call.Status.Final() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.allowed = slices.DeleteFunc(o.allowed, func(a allowance) bool { return a.session == n.SessionID && a.call == call.ID })
}

// use reports whether something was allowed. A read leaves the leave to write.
func (o *Once) use(session acp.SessionID, s *Subject) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.allowed, func(a allowance) bool { return a.session == session && a.subject.covers(s, o.root) })
	if i < 0 {
		return false
	}
	if s.Kind != acp.ToolRead || o.allowed[i].subject.Kind == acp.ToolRead {
		o.allowed = slices.Delete(o.allowed, i, i+1)
	}
	return true
}

// same reports whether two calls are about the same.
func (s *Subject) same(other *Subject) bool {
	return s.Kind == other.Kind && slices.Equal(s.Commands, other.Commands) && slices.Equal(s.Paths, other.Paths)
}

// covers reports whether leave for this call is leave for what the client is to do now: to run the same command in the same folder,
// to write a file that was to be edited, to read one that was to be read or edited. A call of no known kind may do both.
func (s *Subject) covers(done *Subject, root string) bool {
	if s.Unclear || done.Unclear {
		return false
	}
	if done.Kind == acp.ToolExecute {
		return s.Kind == acp.ToolExecute && len(done.Commands) == 1 && slices.Contains(s.Commands, done.Commands[0]) &&
			slices.Equal(s.folders(root), done.folders(root))
	}
	kinds := []acp.ToolKind{acp.ToolEdit, acp.ToolOther}
	if done.Kind == acp.ToolRead {
		kinds = append(kinds, acp.ToolRead, acp.ToolSearch)
	}
	return slices.Contains(kinds, s.Kind) && len(done.Paths) == 1 && slices.Contains(s.Paths, done.Paths[0])
}

// folders are where a command runs.
func (s *Subject) folders(root string) []string {
	if len(s.Dirs) > 0 {
		return s.Dirs
	}
	if physical, err := resolve(root); err == nil {
		root = physical
	}
	return []string{root}
}
