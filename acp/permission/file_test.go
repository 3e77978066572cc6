package permission_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/permission"
)

func TestParseRules(t *testing.T) {
	t.Parallel()
	got, err := permission.ParseRules([]byte(`{
		"rules": [
			{"name": "secrets", "action": "reject", "paths": ["**/.env", "~/.ssh/**"]},
			{"action": "allow", "kinds": ["read", "search"], "paths": ["**"], "tools": ["Read*"]},
			{"action": "allow", "commands": ["go test **"], "operators": true},
			{"action": "ask"}
		],
		"default": "ask"
	}`))
	require.NoError(t, err)
	assert.Equal(t, &permission.Rules{
		Rules: []permission.Rule{
			{Name: "secrets", Action: reject, Paths: []string{"**/.env", "~/.ssh/**"}},
			{Action: allow, Kinds: []acp.ToolKind{"read", "search"}, Paths: []string{"**"}, Tools: []string{"Read*"}},
			{Action: allow, Commands: []string{"go test **"}, Operators: true},
			{Action: ask},
		},
		Default: ask,
	}, got)
	empty, err := permission.ParseRules([]byte(`{}`))
	require.NoError(t, err)
	assert.Equal(t, reject, decide(t, empty, "", call("read", "")), "what says nothing rejects")
}

// mistakes are policies that are refused, with what is said about them.
var mistakes = []struct{ text, want string }{
	{``, "empty"},
	{`[]`, "line 1: want an object"},
	{`null`, "line 1: want an object"},
	{`{"rules": [}`, "line 1, /rules/0"},
	{"{\n\"rules\": [],\n}", "line 2: invalid character"},
	{`{} {}`, "line 1"},
	{`{"rule": []}`, "line 1, /rule: there is no such member"},
	{`{"Rules": []}`, "/Rules: there is no such member"},
	{"{\"rules\": [\n{\"action\": \"ask\"},\n{\"action\": \"allow\", \"tool\": [\"x\"]}]}", "line 3, /rules/1/tool: there is no such member"},
	{`{"rules": [], "rules": []}`, "/rules"},
	{`{"rules": {}}`, "/rules: a { does not belong here"},
	{`{"rules": null}`, "/rules: null is no value here"},
	{`{"rules": [null]}`, "/rules/0: null"},
	{`{"rules": [{"action": "allow", "paths": null}]}`, "/rules/0/paths: null"},
	{`{"rules": [{"action": "allow", "paths": []}]}`, "/rules/0/paths: is an empty list"},
	{`{"rules": [{"action": "allow", "kinds": []}]}`, "/rules/0/kinds: is an empty list"},
	{`{"rules": [{"action": "allow", "paths": "src"}]}`, "/rules/0/paths: a string does not belong here"},
	{"{\"rules\": [\n\n{\"name\": \"x\"}]}", "line 3, /rules/0/action: is missing"},
	{`{"rules": [{"action": "Allow"}]}`, `/rules/0/action: unknown action "Allow": want allow, reject or ask`},
	{`{"rules": [{"action": "allow_always"}]}`, `unknown action`},
	{`{"rules": [{"action": true}]}`, "/rules/0/action: a true does not belong here"},
	{`{"default": "maybe"}`, `/default: unknown action "maybe"`},
	{`{"rules": [{"action": "allow", "kinds": ["read", "exec"]}]}`, `/rules/0/kinds/1: unknown tool kind "exec"`},
	{`{"rules": [{"action": "allow", "tools": [""]}]}`, `/rules/0/tools/0: bad pattern "": it is empty`},
	{`{"rules": [{"action": "allow", "paths": [""]}]}`, "it is empty"},
	{`{"rules": [{"action": "allow", "paths": ["../x"]}]}`, `/rules/0/paths/0: bad pattern "../x": it has a name ".."`},
	{`{"rules": [{"action": "allow", "paths": ["a/./b"]}]}`, `it has a name "."`},
	{`{"rules": [{"action": "allow", "paths": ["a//b"]}]}`, "empty name"},
	{`{"rules": [{"action": "allow", "paths": ["a/"]}]}`, "empty name"},
	{`{"rules": [{"action": "allow", "paths": ["a**"]}]}`, "must be a name by itself"},
	{`{"rules": [{"action": "allow", "paths": ["a\\b"]}]}`, `separated by /`},
	{`{"rules": [{"action": "allow", "paths": ["~root/x"]}]}`, "~ is for the own home"},
	{`{"rules": [{"action": "allow", "commands": [" "]}]}`, "it is empty"},
	{`{"rules": [{"action": "allow", "commands": ["git ** status"]}]}`, "** may only be the last word"},
	{`{"rules": [{"action": "allow", "commands": ["a | b"]}]}`, "no word of a command has '|' in it"},
	{`{"rules": [{"action": "allow", "commands": ["a 'b'"]}]}`, "no word of a command has"},
	{`{"rules": [{"action": "allow", "commands": ["a\u0000"]}]}`, "control characters"},
	{`{"rules": [{"action": "allow", "operators": true}]}`, "/rules/0/operators: is for rules that allow commands"},
	{`{"rules": [{"action": "reject", "commands": ["a"], "operators": true}]}`, "/rules/0/operators"},
}

func TestParseRulesMistakes(t *testing.T) {
	t.Parallel()
	for _, tc := range mistakes {
		got, err := permission.ParseRules([]byte(tc.text))
		require.Error(t, err, tc.text)
		assert.ErrorContains(t, err, tc.want, tc.text)
		assert.Nil(t, got, "nothing is loaded in half")
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "policy.json")
	_, err := permission.Load(file)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "cannot read the permission policy")
	require.NoError(t, os.WriteFile(file, []byte("{\n\"default\": \"x\"}"), 0o600))
	_, err = permission.Load(file)
	require.ErrorContains(t, err, "cannot read the permission policy "+file+": line 2, /default: unknown action")
	require.NoError(t, os.WriteFile(file, []byte(`{"default": "ask"}`), 0o600))
	rules, err := permission.Load(file)
	require.NoError(t, err)
	assert.Equal(t, ask, rules.Default)
}

// TestDocumentedPolicy holds the page about permissions to what it shows.
func TestDocumentedPolicy(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "permissions.md"))
	require.NoError(t, err)
	_, text, found := strings.Cut(string(page), "```json\n")
	require.True(t, found)
	text, _, _ = strings.Cut(text, "```")
	rules, err := permission.ParseRules([]byte(text))
	require.NoError(t, err)
	root := t.TempDir()
	for _, tc := range []struct {
		call acp.ToolCall
		want permission.Action
	}{
		{call("read", `{"path":"a/.env"}`), reject},
		{call("read", `{"path":"a/b"}`), allow},
		{call("read", `{"path":"/etc/passwd"}`), ask},
		{call("edit", `{"path":"src/a/b.go"}`), allow},
		{call("edit", `{"path":"src/a/b.md"}`), ask},
		{line(t, "go test ./... 2>&1 | tail -3"), allow},
		{line(t, "git status && git push"), ask},
		{line(t, "make"), ask},
		{named(call("other", `{"x":1}`), "mcp__docs__find"), allow},
		{named(call("other", `{"url":"https://x.example"}`), "mcp__docs__find"), ask},
		{call("switch_mode", `{}`), ask},
	} {
		assert.Equal(t, tc.want, decide(t, rules, root, tc.call), "%s %s", tc.call.Kind, tc.call.RawInput)
	}
}

func TestHandlerRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rules *permission.Rules
		root  string
		want  string
	}{
		{&permission.Rules{Default: "x"}, "", "cannot use the permission policy: /default: unknown action"},
		{&permission.Rules{Rules: []permission.Rule{{Action: allow, Kinds: []acp.ToolKind{}}}}, "", "/rules/0/kinds: is an empty list"},
		{one(permission.Rule{Action: allow, Paths: []string{"**"}}), "", "it needs a root that is absolute"},
		{one(permission.Rule{Action: allow, Paths: []string{"**"}}), "src", "it needs a root that is absolute"},
		{one(permission.Rule{Action: allow}), "src", "it needs a root that is absolute"},
	} {
		_, err := tc.rules.Handler(&permission.Options{Root: tc.root})
		assert.ErrorContains(t, err, tc.want)
	}
}

// FuzzParseRules makes sure that what is taken is complete: it works, and it means the same when it is written again.
func FuzzParseRules(f *testing.F) {
	f.Add([]byte(`{"rules": [{"name": "n", "action": "allow", "kinds": ["read"], "paths": ["a/**"]}], "default": "ask"}`))
	f.Add([]byte(`{"rules": [{"action": "allow", "commands": ["a **"], "tools": ["*"], "operators": true}]}`))
	for _, m := range mistakes {
		f.Add([]byte(m.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		rules, err := permission.ParseRules(text)
		if err != nil {
			require.Nil(t, rules)
			return
		}
		require.True(t, json.Valid(text))
		again, err := json.Marshal(rules)
		require.NoError(t, err)
		same, err := permission.ParseRules(again)
		require.NoError(t, err, "%s", again)
		require.Len(t, same.Rules, len(rules.Rules))
		handler, err := rules.Handler(&permission.Options{Root: "/nowhere"})
		if err != nil {
			return // such as a loop of links on this machine
		}
		outcome, err := handler.RequestPermission(t.Context(), &acp.PermissionRequest{
			ToolCall: call("execute", `{"command":"a; b","path":"c"}`), Options: usual,
		})
		require.NoError(t, err)
		require.NotEqual(t, "ever", outcome.OptionID)
	})
}
