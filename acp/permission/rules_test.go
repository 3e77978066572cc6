package permission_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/permission"
)

// usual are options that leave no doubt.
var usual = offered("y", "allow_once", "ever", "allow_always", "n", "reject_once")

// nextOption is what the next handler of the tests chooses; policies never do.
const nextOption = "ever"

// call is a tool call with its input as JSON, and paths as its locations.
func call(kind acp.ToolKind, input string, paths ...string) acp.ToolCall {
	c := acp.ToolCall{ID: "1", Kind: kind}
	if input != "" {
		c.RawInput = json.RawMessage(input)
	}
	for _, p := range paths {
		c.Locations = append(c.Locations, acp.ToolCallLocation{Path: p})
	}
	return c
}

func named(c acp.ToolCall, name string) acp.ToolCall {
	c.Name = &name
	return c
}

func titled(c acp.ToolCall, title string) acp.ToolCall {
	c.Title = &title
	return c
}

// decide returns the action that is taken: allow, reject, or ask if the next handler was asked.
func decide(t *testing.T, rules *permission.Rules, root string, c acp.ToolCall) permission.Action {
	t.Helper()
	handler, err := rules.Handler(&permission.Options{
		Root: root,
		Next: acp.PermissionFunc(func(context.Context, *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			return acp.PermissionOutcome{OptionID: nextOption}, nil
		}),
	})
	require.NoError(t, err)
	outcome, err := handler.RequestPermission(t.Context(), &acp.PermissionRequest{ToolCall: c, Options: usual})
	require.NoError(t, err)
	return map[string]permission.Action{
		"y": permission.ActionAllow, "n": permission.ActionReject, nextOption: permission.ActionAsk,
	}[outcome.OptionID]
}

const (
	allow  = permission.ActionAllow
	reject = permission.ActionReject
	ask    = permission.ActionAsk
)

// one is a policy of one rule in front of a default that asks.
func one(rule permission.Rule) *permission.Rules {
	return &permission.Rules{Rules: []permission.Rule{rule}, Default: ask}
}

func TestRuleKinds(t *testing.T) {
	t.Parallel()
	all := []acp.ToolKind{
		"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other", "", "login", "Read",
	}
	for _, tc := range []struct {
		name  string
		rules *permission.Rules
		want  string // the kinds that are allowed; the others are asked
	}{
		{"everything but mode and web, agent-of-empires/agent-of-empires#3741", one(permission.Rule{Action: allow}), "read edit delete move search execute think other -"},
		{"so does the default", &permission.Rules{Default: allow}, "read edit delete move search execute think other -"},
		{"what is named", one(permission.Rule{Action: allow, Kinds: []acp.ToolKind{"read", "switch_mode"}}), "read switch_mode"},
		{"fetch when named, felinics/Memoh#972", one(permission.Rule{Action: allow, Kinds: []acp.ToolKind{"fetch"}}), "fetch"},
		{"no kind is other", one(permission.Rule{Action: allow, Kinds: []acp.ToolKind{"other"}}), "other -"},
		{"commands are for execute", one(permission.Rule{Action: allow, Commands: []string{"**"}}), "execute"},
		{"paths are for files", one(permission.Rule{Action: allow, Paths: []string{"**"}}), "read edit delete move search"},
		{"tools do not bring mode and web", one(permission.Rule{Action: allow, Tools: []string{"*"}}), "read edit delete move search execute think other -"},
		{"nothing", &permission.Rules{Default: ask}, ""},
	} {
		var got []string
		for _, kind := range all {
			c := named(call(kind, `{"command":"true"}`, "a.txt"), "tool")
			if decide(t, tc.rules, "/root-of-session", c) == allow {
				if kind == "" {
					kind = "-"
				}
				got = append(got, string(kind))
			}
		}
		assert.Equal(t, tc.want, strings.Join(got, " "), tc.name)
	}
}

func TestRejectAndAskHoldForEveryKind(t *testing.T) {
	t.Parallel()
	for _, kind := range []acp.ToolKind{"read", "switch_mode", "fetch", "", "login"} {
		for _, action := range []permission.Action{reject, ask} {
			rules := &permission.Rules{Rules: []permission.Rule{{Action: action}}, Default: allow}
			assert.Equal(t, action, decide(t, rules, "", call(kind, "")), "kind %q", kind)
		}
	}
}

func TestFirstMatchWins(t *testing.T) {
	t.Parallel()
	rules := &permission.Rules{
		Rules: []permission.Rule{
			{Action: reject, Paths: []string{"**/.env"}},
			{Action: ask, Kinds: []acp.ToolKind{"edit"}},
			{Action: allow, Paths: []string{"**"}},
		},
	}
	for path, want := range map[string]permission.Action{"a/.env": reject, "a/b": allow, "../c": reject, "/etc/passwd": reject} {
		assert.Equal(t, want, decide(t, rules, "/proj", call("read", "", path)), path)
	}
	assert.Equal(t, ask, decide(t, rules, "/proj", call("edit", "", "a/b")))
	assert.Equal(t, reject, decide(t, rules, "/proj", call("edit", "", "a/.env")))
	assert.Equal(t, reject, decide(t, rules, "/proj", call("think", "")), "the default of no default")
}

func TestRuleAddresses(t *testing.T) {
	t.Parallel()
	broad := one(permission.Rule{Action: allow, Kinds: []acp.ToolKind{"other", "execute", "edit", "read"}})
	for _, tc := range []struct {
		name string
		call acp.ToolCall
		want permission.Action
	}{
		{"an MCP tool", call("other", `{"x":"1"}`), allow},
		{"a sign-in, felinics/Memoh#972", call("other", `{"url":"https://login.example/device"}`), ask},
		{"under another name", call("other", `{"auth":{"verification_uri":"login.example/x"}}`), ask},
		{"in a list", call("other", `{"links":[{"href":"x.example"}]}`), ask},
		{"in some text", call("other", `{"question":"Open HTTPS://login.example ?"}`), ask},
		{"in the title", titled(call("other", `{}`), "Sign in at https://login.example"), ask},
		{"in what is shown", acp.ToolCall{Content: []acp.ToolCallContent{&acp.ToolContent{Content: &acp.TextContent{Text: "see http://x"}}}}, ask},
		{"in a command it is a text", call("execute", `{"command":"curl https://x.example"}`), allow},
		{"in a file, too", call("edit", `{"path":"a.md","content":"https://x.example"}`), allow},
		{"an execute that opens one", call("execute", `{"command":"open","url":"x.example"}`), ask},
		{"a resource that is a file", call("read", `{"uri":"file:///proj/a"}`), allow},
		{"an empty one", call("other", `{"url":""}`), allow},
	} {
		assert.Equal(t, tc.want, decide(t, broad, "/proj", tc.call), tc.name)
	}
	fetch := one(permission.Rule{Action: allow, Kinds: []acp.ToolKind{"other", "fetch"}})
	assert.Equal(t, allow, decide(t, fetch, "", call("other", `{"url":"https://x.example"}`)))
}

func TestRuleTools(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pattern, name string
		want          bool
	}{
		{"Bash", "Bash", true},
		{"Bash", "bash", false},
		{"Bash", "BashOutput", false},
		{"mcp__files__*", "mcp__files__read", true},
		{"mcp__files__*", "mcp__filesystem__read", false},
		{"*", "a/b", true},
		{"*", "", false},
		{"?", "ä", true},
		{"[a]", "a", false},
		{"[a]", "[a]", true},
	} {
		c := call("other", "")
		if tc.name != "" {
			c = named(c, tc.name)
		}
		want := map[bool]permission.Action{true: allow, false: ask}[tc.want]
		assert.Equal(t, want, decide(t, one(permission.Rule{Action: allow, Tools: []string{"none", tc.pattern}}), "", c), "%q for %q", tc.pattern, tc.name)
	}
	assert.Equal(t, ask, decide(t, one(permission.Rule{Action: allow, Tools: []string{"*"}}), "", titled(call("other", ""), "Bash")),
		"a title is no name: models write titles")
}

// TestRealRequests decides about requests as agents send them.
func TestRealRequests(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	file := filepath.Join(root, "w.txt")
	in := func(s string) string { return strings.ReplaceAll(s, "ROOT", filepath.ToSlash(root)) }
	rules := &permission.Rules{
		Rules: []permission.Rule{
			{Action: reject, Commands: []string{"rm"}},
			{Action: allow, Paths: []string{"*.txt"}},
			{Action: allow, Commands: []string{"touch *"}},
		},
		Default: ask,
	}
	for _, tc := range []struct {
		name string
		call acp.ToolCall
		want permission.Action
	}{
		{"claude, a command", named(call("execute", `{"command":"touch made.txt","description":"make a file"}`, file), "Bash"), allow},
		{"claude, an edit", named(call("edit", in(`{"file_path":"ROOT/w.txt","content":"hi\n"}`), file), "Write"), allow},
		{"claude, a tool of a server", named(call("other", `{"x":"1"}`), "mcp__cfg1__alpha"), ask},
		{"codex", titled(call("execute", in(`{"command":"touch made.txt","cwd":"ROOT"}`)), "touch made.txt"), allow},
		{"cline", titled(call("execute", `{"commands":["touch made.txt"]}`), "run_commands: touch made.txt"), allow},
		{"cline, a patch names no path", call("other", `{"input":"*** Begin Patch\n*** Add File: w.txt\n"}`), ask},
		{"copilot, a command", titled(call("execute", `{"command":"touch made.txt","commands":["touch made.txt"]}`), "make a file"), allow},
		{"copilot, an edit", call("edit", in(`{"fileName":"ROOT/w.txt","diff":"\ndiff --git a/x b/x\n"}`), file), allow},
		{"gemini, a command that is in the title only", titled(call("execute", ""), "touch made.txt"), ask},
		{"gemini, another that is rejected for it", titled(call("execute", ""), "rm -rf made.txt"), reject},
		{"gemini, an edit", acp.ToolCall{Kind: "edit", Content: []acp.ToolCallContent{&acp.Diff{Path: file}}}, allow},
		{"droid", titled(call("other", `{"x":"1"}`), "cfg9___alpha"), ask},
		{"older codex, arguments of a shell", call("execute", `{"command":["bash","-lc","touch made.txt"]}`), allow},
	} {
		assert.Equal(t, tc.want, decide(t, rules, root, tc.call), tc.name)
	}
}

// TestRulesKeepToTheOptions holds rules to the sets of options that the fixed policies are held to.
func TestRulesKeepToTheOptions(t *testing.T) {
	t.Parallel()
	for _, set := range optionSets {
		for action, want := range map[permission.Action]string{allow: set.yes, reject: set.no, ask: set.no} {
			handler, err := one(permission.Rule{Action: action}).Handler(nil)
			require.NoError(t, err)
			outcome, err := handler.RequestPermission(t.Context(), &acp.PermissionRequest{Options: set.options})
			require.NoError(t, err)
			assert.Equal(t, want, outcome.OptionID, "%s, %s with nobody to ask", set.name, action)
		}
	}
}
