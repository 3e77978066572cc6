package permission_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/permission"
)

// served counts what got through a gate.
type served struct {
	mu   sync.Mutex
	done []string
}

func (s *served) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = append(s.done, what)
}

func (s *served) ReadTextFile(_ context.Context, req *acp.ReadTextFileRequest) (string, error) {
	s.note("read " + filepath.Base(req.Path))
	return "text", nil
}

func (s *served) WriteTextFile(_ context.Context, req *acp.WriteTextFileRequest) error {
	s.note("write " + filepath.Base(req.Path))
	return nil
}

func (s *served) CreateTerminal(_ context.Context, req *acp.CreateTerminalRequest) (acp.HostedTerminal, error) {
	s.note("run " + req.Command)
	return nil, nil //nolint:nilnil // nobody uses it
}

// asksFor is a permission request about a tool call of a kind with an input.
func asksFor(session string, kind acp.ToolKind, input string) *acp.PermissionRequest {
	return &acp.PermissionRequest{
		SessionID: acp.SessionID(session), ToolCall: acp.ToolCall{ID: "1", Kind: kind, RawInput: []byte(input)},
		Options: offered("y", "allow_once", "n", "reject_once"),
	}
}

// guarded is a gate in front of rules in front of a person who is asked once, as programs put them together.
type guarded struct {
	served

	root  string
	once  *permission.Once
	judge acp.PermissionHandler
	gate  *permission.Gate
	asked atomic.Int32 // of the person
}

// newGuarded makes one. The person says yes to what an agent asks for and no to what a gate asks for, unless says is given.
func newGuarded(t *testing.T, rules *permission.Rules, says func(req *acp.PermissionRequest, gate bool) string) *guarded {
	t.Helper()
	g := &guarded{root: t.TempDir()}
	if says == nil {
		says = func(_ *acp.PermissionRequest, gate bool) string {
			return map[bool]string{true: "reject", false: "y"}[gate]
		}
	}
	person := acp.PermissionFunc(func(ctx context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
		g.asked.Add(1)
		return acp.PermissionOutcome{OptionID: says(req, permission.ByGate(ctx))}, nil
	})
	g.once = permission.NewOnce(person, g.root)
	handler, err := rules.Handler(&permission.Options{Root: g.root, Next: g.once})
	require.NoError(t, err)
	g.judge = handler
	g.gate = permission.NewGate(handler, g.root)
	return g
}

func (g *guarded) file(name string) string { return filepath.Join(g.root, name) }

// ask is the agent asking for leave.
func (g *guarded) ask(t *testing.T, req *acp.PermissionRequest) {
	t.Helper()
	_, err := g.judge.RequestPermission(t.Context(), req)
	require.NoError(t, err)
}

// do is what the agent has the client do: "read a", "write a" or "run a line".
func (g *guarded) do(t *testing.T, what string) error {
	t.Helper()
	verb, rest, _ := strings.Cut(what, " ")
	switch verb {
	case "read":
		_, err := g.gate.Reader(g).ReadTextFile(t.Context(), &acp.ReadTextFileRequest{SessionID: "s", Path: g.file(rest)})
		return err
	case "write":
		return g.gate.Writer(g).WriteTextFile(t.Context(), &acp.WriteTextFileRequest{SessionID: "s", Path: g.file(rest)})
	case "run":
		_, err := g.gate.Terminal(g).CreateTerminal(t.Context(), &acp.CreateTerminalRequest{SessionID: "s", Command: rest, CWD: g.root})
		return err
	}
	require.Fail(t, "what?", what)
	return nil
}

// What was allowed to an agent on request is done by the client once without another question, and nothing else is.
func TestGateAndOnce(t *testing.T) {
	t.Parallel()
	ask := &permission.Rules{Default: permission.ActionAsk}
	path := func(name string) string { return fmt.Sprintf(`{"file_path":%q}`, name) }
	for _, tt := range []struct {
		name  string
		rules *permission.Rules
		ask   []*acp.PermissionRequest // paths relative to the root
		do    []string
		want  []string // of do, what is done
		asked int      // how often the person was
	}{
		{name: "without a question before", do: []string{"write a", "read a", "run ls"}, asked: 3},
		{name: "an edit, once", ask: []*acp.PermissionRequest{asksFor("s", acp.ToolEdit, path("a"))}, do: []string{"write a", "write a"}, want: []string{"write a"}, asked: 2},
		{name: "an edit that reads before, gemini", ask: []*acp.PermissionRequest{asksFor("s", acp.ToolEdit, path("a"))}, do: []string{"read a", "write a"}, want: []string{"read a", "write a"}, asked: 1},
		{name: "another file", ask: []*acp.PermissionRequest{asksFor("s", acp.ToolEdit, path("b"))}, do: []string{"write a"}, asked: 2},
		{name: "another session", ask: []*acp.PermissionRequest{asksFor("other", acp.ToolEdit, path("a"))}, do: []string{"write a"}, asked: 2},
		{name: "a read is no write", ask: []*acp.PermissionRequest{asksFor("s", acp.ToolRead, path("a"))}, do: []string{"write a", "read a"}, want: []string{"read a"}, asked: 2},
		{name: "a search is no write", ask: []*acp.PermissionRequest{asksFor("s", acp.ToolSearch, path("a"))}, do: []string{"write a", "read a"}, want: []string{"read a"}, asked: 2},
		{name: "a thought is nothing", ask: []*acp.PermissionRequest{asksFor("s", acp.ToolThink, path("a"))}, do: []string{"write a", "read a"}, asked: 3},
		{name: "a fetch is nothing", ask: []*acp.PermissionRequest{asksFor("s", acp.ToolFetch, path("a"))}, do: []string{"write a", "read a"}, asked: 3},
		{name: "a deletion is no write", ask: []*acp.PermissionRequest{asksFor("s", acp.ToolDelete, path("a"))}, do: []string{"write a"}, asked: 2},
		{name: "a call of no kind", ask: []*acp.PermissionRequest{asksFor("s", "", path("a"))}, do: []string{"write a"}, want: []string{"write a"}, asked: 1},
		{name: "a call of many files", ask: []*acp.PermissionRequest{asksFor("s", acp.ToolEdit, `{"files":["a","b"]}`)}, do: []string{"write b"}, want: []string{"write b"}, asked: 1},
		{name: "an unclear path", ask: []*acp.PermissionRequest{asksFor("s", acp.ToolEdit, `{"path":"$HOME/a","file":"a"}`)}, do: []string{"write a"}, asked: 2},
		{name: "a command, once", ask: []*acp.PermissionRequest{asksFor("s", acp.ToolExecute, `{"command":"ls"}`)}, do: []string{"run ls", "run ls"}, want: []string{"run ls"}, asked: 2},
		{name: "another command", ask: []*acp.PermissionRequest{asksFor("s", acp.ToolExecute, `{"command":"ls -l"}`)}, do: []string{"run ls"}, asked: 2},
		{name: "a file of that name", ask: []*acp.PermissionRequest{asksFor("s", acp.ToolEdit, `{"command":"ls","path":"ls"}`)}, do: []string{"run ls"}, asked: 2},
		{name: "a command in another folder", ask: []*acp.PermissionRequest{asksFor("s", acp.ToolExecute, `{"command":"ls","cwd":"sub"}`)}, do: []string{"run ls"}, asked: 2},
		{
			name: "no after yes", ask: []*acp.PermissionRequest{asksFor("s", acp.ToolEdit, path("a")), asksFor("s", acp.ToolEdit, `{"path":"a","no":true}`)},
			do: []string{"write a"}, asked: 3,
		},
		{
			name: "rules decide each time, before what was allowed", rules: &permission.Rules{
				Rules: []permission.Rule{{Action: permission.ActionReject, Kinds: []acp.ToolKind{acp.ToolEdit}}}, Default: permission.ActionAsk,
			},
			ask: []*acp.PermissionRequest{asksFor("s", "", path("a"))}, do: []string{"write a"}, asked: 1,
		},
		{
			name: "what a rule allows is no leave for anything else", rules: &permission.Rules{Rules: []permission.Rule{
				{Action: permission.ActionAllow, Kinds: []acp.ToolKind{acp.ToolOther, acp.ToolThink}}, {Action: permission.ActionReject},
			}},
			ask: []*acp.PermissionRequest{asksFor("s", "", path("a")), asksFor("s", acp.ToolThink, path("a"))}, do: []string{"write a", "read a"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rules := tt.rules
			if rules == nil {
				rules = ask
			}
			g := newGuarded(t, rules, func(req *acp.PermissionRequest, gate bool) string {
				switch {
				case gate:
					return "reject"
				case strings.Contains(string(req.ToolCall.RawInput), `"no":true`):
					return "n"
				}
				return "y"
			})
			for _, req := range tt.ask {
				g.ask(t, req)
			}
			for _, what := range tt.do {
				if err := g.do(t, what); err != nil {
					require.ErrorIs(t, err, fs.ErrPermission)
				}
			}
			assert.Equal(t, tt.want, g.done)
			assert.EqualValues(t, tt.asked, g.asked.Load())
		})
	}
}

// What was allowed for a tool call ends with the call.
func TestOnceEndsWithTheCall(t *testing.T) {
	t.Parallel()
	for _, status := range []acp.ToolCallStatus{acp.ToolCompleted, acp.ToolFailed, acp.ToolInProgress} {
		g := newGuarded(t, &permission.Rules{Default: permission.ActionAsk}, nil)
		g.ask(t, asksFor("s", acp.ToolEdit, `{"path":"a"}`))
		g.once.Note(acp.SessionNotification{SessionID: "s", Update: &acp.ToolCallUpdate{ToolCall: acp.ToolCall{ID: "1", Status: status}}})
		assert.Equal(t, status == acp.ToolInProgress, g.do(t, "write a") == nil, status)
	}
}

// A link that is turned elsewhere while a person thinks about it (nextlevelbuilder/goclaw#1201).
func TestGateAndLinksThatChange(t *testing.T) {
	t.Parallel()
	link := func(t *testing.T, g *guarded, to string) {
		t.Helper()
		_ = os.Remove(g.file("link"))
		if err := os.Symlink(g.file(to), g.file("link")); err != nil {
			t.Skip("links need a right of its own here")
		}
	}
	var g *guarded
	g = newGuarded(t, &permission.Rules{Default: permission.ActionAsk}, func(_ *acp.PermissionRequest, gate bool) string {
		link(t, g, "secret")
		return map[bool]string{true: "allow", false: "y"}[gate]
	})
	link(t, g, "readme")
	require.ErrorIs(t, g.do(t, "write link"), fs.ErrPermission, "allowed for what it led to")
	link(t, g, "readme")
	g.ask(t, asksFor("s", acp.ToolEdit, `{"path":"link"}`))
	before := g.asked.Load()
	require.NoError(t, g.do(t, "write secret"))
	assert.Equal(t, before+1, g.asked.Load(), "leave for a link that has changed is none")
}

// A command with arguments is the line that a shell would take it for, and runs in its folder, with its variables.
func TestGateOfCommands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		asked   string
		command string
		args    []string
		cwd     string // under the root
		env     []acp.EnvVariable
		passes  bool
	}{
		{asked: `{"command":"bash -lc 'ls | wc'"}`, command: "bash", args: []string{"-lc", "ls | wc"}}, // the line of a shell is the shell's affair
		{asked: `{"command":["bash","-lc","ls | wc"]}`, command: "bash", args: []string{"-lc", "ls | wc"}, passes: true},
		{asked: `{"command":"ls | wc"}`, command: "bash", args: []string{"-c", "ls | wc"}, passes: true},
		{asked: `{"command":"git status"}`, command: "git", args: []string{"status"}, passes: true},
		{asked: `{"command":"git status"}`, command: "git", args: []string{"push"}},
		{asked: `{"commands":["ls","git status"]}`, command: "git", args: []string{"status"}, passes: true},
		{asked: `{"command":"git 'a b'"}`, command: "git", args: []string{"a b"}, passes: true},
		{asked: `{"command":"git a b"}`, command: "git", args: []string{"a b"}},
		{asked: `{"command":"./build.sh"}`, command: "./build.sh", cwd: "sub"},
		{asked: `{"command":"./build.sh","cwd":"sub"}`, command: "./build.sh", cwd: "sub", passes: true},
		{asked: `{"command":"git status"}`, command: "git", args: []string{"status"}, env: []acp.EnvVariable{{Name: "PATH", Value: "sub"}}},
		{asked: `{"command":"git status"}`, command: "git", args: []string{"status"}, env: []acp.EnvVariable{{Name: "GIT_PAGER", Value: "evil"}}},
		{
			asked: `{"command":"git status"}`, command: "git", args: []string{"status"},
			env: []acp.EnvVariable{{Name: "GIT_PAGER", Value: "cat"}, {Name: "NO_COLOR", Value: "1"}, {Name: "LC_ALL", Value: "C"}}, passes: true,
		},
	} {
		for _, by := range []string{"leave", "rule"} {
			rules := &permission.Rules{Default: permission.ActionAsk}
			if by == "rule" {
				rules.Rules = []permission.Rule{{Action: permission.ActionAllow, Commands: []string{"git status", "./build.sh"}}}
			}
			g := newGuarded(t, rules, nil)
			if by == "leave" {
				g.ask(t, asksFor("s", acp.ToolExecute, tt.asked))
			}
			_, err := g.gate.Terminal(g).CreateTerminal(t.Context(), &acp.CreateTerminalRequest{
				SessionID: "s", Command: tt.command, Args: tt.args, CWD: filepath.Join(g.root, tt.cwd), Env: tt.env,
			})
			switch {
			case by == "leave":
				assert.Equal(t, tt.passes, err == nil, "%s, then %s %q in %q with %v", tt.asked, tt.command, tt.args, tt.cwd, tt.env)
			case tt.env != nil || tt.cwd != "":
				assert.Equal(t, tt.passes && tt.cwd == "", err == nil, "by a rule: %s %q in %q with %v", tt.command, tt.args, tt.cwd, tt.env)
			}
		}
	}
}

// An answer is a yes by the kind of its option alone.
func TestGateAndAnswers(t *testing.T) {
	t.Parallel()
	for name, judge := range map[string]acp.PermissionHandler{
		"nobody": nil,
		"a handler that makes an option up, Gitlawb/zero#915": acp.PermissionFunc(func(context.Context, *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			return acp.PermissionOutcome{OptionID: "allow_everything"}, nil
		}),
		"a handler that fails": acp.PermissionFunc(func(context.Context, *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			return acp.PermissionOutcome{}, errors.New("gone")
		}),
	} {
		s := &served{}
		_, err := permission.NewGate(judge, t.TempDir()).Reader(s).ReadTextFile(t.Context(), &acp.ReadTextFileRequest{Path: "/a"})
		require.Error(t, err, name)
		assert.Empty(t, s.done, name)
	}
	// An id that says yes and no says neither.
	g := newGuarded(t, &permission.Rules{Default: permission.ActionAsk}, func(_ *acp.PermissionRequest, gate bool) string {
		return map[bool]string{true: "reject", false: "x"}[gate]
	})
	req := asksFor("s", acp.ToolEdit, `{"path":"a"}`)
	req.Options = offered("x", "allow_once", "x", "reject_once")
	g.ask(t, req)
	require.ErrorIs(t, g.do(t, "write a"), fs.ErrPermission)
}

// What a gate asks is a request like an agent's.
func TestGateAsksInFull(t *testing.T) {
	t.Parallel()
	var raw string
	judge := acp.PermissionFunc(func(_ context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
		raw = string(req.Raw)
		return req.Reject(), nil
	})
	_, _ = permission.NewGate(judge, t.TempDir()).Reader(&served{}).ReadTextFile(t.Context(), &acp.ReadTextFileRequest{SessionID: "s", Path: "/a"})
	assert.JSONEq(t, `{"sessionId":"s","toolCall":{"toolCallId":"_client-1","title":"Read /a","kind":"read","status":"pending","rawInput":{"path":"/a"},"locations":[{"path":"/a"}]},
		"options":[{"optionId":"allow","name":"Allow","kind":"allow_once"},{"optionId":"reject","name":"Reject","kind":"reject_once"}]}`, raw)
}

// Allowances that nobody uses do not pile up, and side by side each is used once.
func TestOnceUnderLoad(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, &permission.Rules{Default: permission.ActionAsk}, nil)
	for i := range 400 {
		g.ask(t, asksFor("s", acp.ToolEdit, fmt.Sprintf(`{"path":"f%d"}`, i)))
	}
	require.ErrorIs(t, g.do(t, "write f0"), fs.ErrPermission, "the oldest are forgotten")
	require.NoError(t, g.do(t, "write f399"))
	done := len(g.done)
	gate := permission.NewGate(g.once, g.root) // the person of g.once is asked from many goroutines
	var wg sync.WaitGroup
	var mu sync.Mutex
	passed := 0
	g.ask(t, asksFor("s", acp.ToolEdit, `{"path":"shared"}`))
	for range 50 {
		wg.Go(func() {
			err := gate.Writer(&served{}).WriteTextFile(t.Context(), &acp.WriteTextFileRequest{SessionID: "s", Path: g.file("shared")})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				passed++
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 1, passed)
	assert.Len(t, g.done, done)
}

// A person is asked about what a named policy does not allow.
func TestPolicyElse(t *testing.T) {
	t.Parallel()
	next := acp.PermissionFunc(func(context.Context, *acp.PermissionRequest) (acp.PermissionOutcome, error) {
		return acp.PermissionOutcome{OptionID: "asked"}, nil
	})
	for _, tt := range []struct {
		policy permission.Policy
		kind   acp.ToolKind
		want   string
	}{
		{permission.Reject, acp.ToolRead, "asked"},
		{permission.AllowReads, acp.ToolRead, "y"},
		{permission.AllowReads, acp.ToolEdit, "asked"},
		{permission.Allow, acp.ToolSwitchMode, "y"},
	} {
		outcome, err := tt.policy.Else(next).RequestPermission(t.Context(), asksFor("s", tt.kind, `{}`))
		require.NoError(t, err)
		assert.Equal(t, tt.want, outcome.OptionID)
	}
	doubt := asksFor("s", acp.ToolEdit, `{}`)
	doubt.Options = offered("a", "allow_once", "b", "allow_once")
	outcome, err := permission.Allow.Else(next).RequestPermission(t.Context(), doubt)
	require.NoError(t, err)
	assert.Equal(t, "asked", outcome.OptionID, "a question is a person's")
}
