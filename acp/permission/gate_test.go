package permission_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
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

// What an agent has the client do is judged like what it asks for, and what was allowed on request is done once without
// another question.
func TestGate(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	file := func(name string) string { return filepath.Join(root, name) }
	input := func(path string) string { return fmt.Sprintf(`{"file_path":%q}`, path) }
	const yes, no = "y", "n" // what a person says to the agent's requests
	for _, tt := range []struct {
		name   string
		policy acp.PermissionHandler // what is asked about everything else
		ask    *acp.PermissionRequest
		answer string
		do     string // read, write or run, and what; the same again for each word "again"
		again  int
		want   []string
	}{
		{name: "nothing is allowed", policy: permission.Reject, do: "write a"},
		{name: "nothing is allowed to read", policy: permission.Reject, do: "read a"},
		{name: "reads are allowed", policy: permission.AllowReads, do: "read a", want: []string{"read a"}},
		{name: "reads only", policy: permission.AllowReads, do: "write a"},
		{name: "reads only, and no commands", policy: permission.AllowReads, do: "run ls"},
		{name: "everything is allowed", policy: permission.Allow, do: "run ls", again: 1, want: []string{"run ls", "run ls"}},
		{name: "nobody there", do: "read a"},
		{name: "allowed on request, once", policy: permission.Reject, ask: asksFor("s", acp.ToolEdit, input(file("a"))), answer: yes, do: "write a", again: 1, want: []string{"write a"}},
		{name: "allowed by a relative path", policy: permission.Reject, ask: asksFor("s", acp.ToolEdit, input("a")), answer: yes, do: "write a", want: []string{"write a"}},
		{name: "rejected on request", policy: permission.Reject, ask: asksFor("s", acp.ToolEdit, input(file("a"))), answer: no, do: "write a"},
		{name: "another file was allowed", policy: permission.Reject, ask: asksFor("s", acp.ToolEdit, input(file("b"))), answer: yes, do: "write a"},
		{name: "another session was allowed", policy: permission.Reject, ask: asksFor("other", acp.ToolEdit, input(file("a"))), answer: yes, do: "write a"},
		{name: "a read was allowed", policy: permission.Reject, ask: asksFor("s", acp.ToolRead, input(file("a"))), answer: yes, do: "write a"},
		{name: "an edit was allowed, which reads first", policy: permission.Reject, ask: asksFor("s", acp.ToolEdit, input(file("a"))), answer: yes, do: "read a", want: []string{"read a"}},
		{name: "a call of no kind was allowed", policy: permission.Reject, ask: asksFor("s", "", input(file("a"))), answer: yes, do: "write a", want: []string{"write a"}},
		{name: "a command was allowed", policy: permission.Reject, ask: asksFor("s", acp.ToolExecute, `{"command":"ls"}`), answer: yes, do: "run ls", again: 1, want: []string{"run ls"}},
		{name: "another command was allowed", policy: permission.Reject, ask: asksFor("s", acp.ToolExecute, `{"command":"ls -l"}`), answer: yes, do: "run ls"},
		{name: "a file of that name was allowed", policy: permission.Reject, ask: asksFor("s", acp.ToolEdit, `{"command":"ls","path":"ls"}`), answer: yes, do: "run ls"},
		{name: "a handler that fails", policy: acp.PermissionFunc(func(context.Context, *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			return acp.PermissionOutcome{}, errors.New("gone")
		}), do: "read a"},
		{name: "a handler that makes an option up, Gitlawb/zero#915", policy: acp.PermissionFunc(func(context.Context, *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			return acp.PermissionOutcome{OptionID: "allow_everything"}, nil
		}), do: "read a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			handler := tt.policy
			if tt.ask != nil {
				handler = acp.PermissionFunc(func(ctx context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
					if req == tt.ask {
						return acp.PermissionOutcome{OptionID: tt.answer}, nil
					}
					return tt.policy.RequestPermission(ctx, req)
				})
			}
			gate, s := permission.NewGate(handler, root), &served{}
			if tt.ask != nil {
				outcome, err := gate.RequestPermission(t.Context(), tt.ask)
				require.NoError(t, err)
				assert.Equal(t, tt.answer, outcome.OptionID)
			}
			var last error
			for range 1 + tt.again {
				var what, name string
				_, err := fmt.Sscan(tt.do, &what, &name)
				require.NoError(t, err)
				switch what {
				case "read":
					_, last = gate.Reader(s).ReadTextFile(t.Context(), &acp.ReadTextFileRequest{SessionID: "s", Path: file(name)})
				case "write":
					last = gate.Writer(s).WriteTextFile(t.Context(), &acp.WriteTextFileRequest{SessionID: "s", Path: file(name)})
				case "run":
					_, last = gate.Terminal(s).CreateTerminal(t.Context(), &acp.CreateTerminalRequest{SessionID: "s", Command: name, CWD: root})
				}
			}
			assert.Equal(t, tt.want, s.done)
			switch {
			case len(tt.want) == 1+tt.again:
				require.NoError(t, last)
			case tt.name == "a handler that fails":
				require.ErrorContains(t, last, "gone")
			default:
				require.ErrorIs(t, last, fs.ErrPermission)
			}
		})
	}
}

// A command with arguments is the line that a shell would take it for.
func TestGateOfArguments(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, tt := range []struct {
		asked   string
		command string
		args    []string
		passes  bool
	}{
		{`{"command":"bash -lc 'ls | wc'"}`, "bash", []string{"-lc", "ls | wc"}, false}, // the line of a shell is the shell's affair
		{`{"command":["bash","-lc","ls | wc"]}`, "bash", []string{"-lc", "ls | wc"}, true},
		{`{"command":"ls | wc"}`, "bash", []string{"-c", "ls | wc"}, true},
		{`{"command":"git status"}`, "git", []string{"status"}, true},
		{`{"command":"git status"}`, "git", []string{"push"}, false},
		{`{"commands":["ls","git status"]}`, "git", []string{"status"}, true},
		{`{"command":"git 'a b'"}`, "git", []string{"a b"}, true},
		{`{"command":"git a b"}`, "git", []string{"a b"}, false},
	} {
		ask := asksFor("s", acp.ToolExecute, tt.asked)
		gate := permission.NewGate(acp.PermissionFunc(func(_ context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			if req == ask {
				return acp.PermissionOutcome{OptionID: "y"}, nil
			}
			return req.Reject(), nil
		}), root)
		_, err := gate.RequestPermission(t.Context(), ask)
		require.NoError(t, err)
		_, err = gate.Terminal(&served{}).CreateTerminal(t.Context(), &acp.CreateTerminalRequest{SessionID: "s", Command: tt.command, Args: tt.args, CWD: root})
		assert.Equal(t, tt.passes, err == nil, "%s, then %s %q", tt.asked, tt.command, tt.args)
	}
}

// Allowances that nobody uses do not pile up, and side by side each is used once.
func TestGateUnderLoad(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	handler := acp.PermissionFunc(func(_ context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
		if req.ToolCall.ID == "1" {
			return acp.PermissionOutcome{OptionID: "y"}, nil
		}
		return req.Reject(), nil
	})
	gate, s := permission.NewGate(handler, root), &served{}
	for range 1000 {
		_, err := gate.RequestPermission(t.Context(), asksFor("s", acp.ToolEdit, `{"path":"other"}`))
		require.NoError(t, err)
	}
	const allowed = 50
	for range allowed {
		_, err := gate.RequestPermission(t.Context(), asksFor("s", acp.ToolEdit, `{"path":"a"}`))
		require.NoError(t, err)
	}
	var wg sync.WaitGroup
	for range 2 * allowed {
		wg.Go(func() {
			_ = gate.Writer(s).WriteTextFile(t.Context(), &acp.WriteTextFileRequest{SessionID: "s", Path: filepath.Join(root, "a")})
		})
	}
	wg.Wait()
	assert.Len(t, s.done, allowed)
}
