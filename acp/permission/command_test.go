package permission_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/permission"
)

// line is a call that runs one command line.
func line(tb testing.TB, text string) acp.ToolCall {
	tb.Helper()
	input, err := json.Marshal(map[string]string{"command": text})
	require.NoError(tb, err)
	return call("execute", string(input))
}

func TestAllowedCommands(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pattern, line string
		want          bool
	}{
		{"git status", "git status", true},
		{"git status", "  git\tstatus ", true},
		{"git status", `"git" 'sta'tus`, true},
		{"git status", "git status --porcelain", false},
		{"git status", "git", false},
		{"git status", "git statuses", false},
		{"git status", "/usr/bin/git status", false},
		{"git status", "./git status", false},
		{"git status", "GIT status", false},
		{"git status", "GIT_EXTERNAL_DIFF=x git status", false},
		{"git status", "sudo git status", false},
		{"git status", "", false},
		{"git status", "git 'status", false},
		{"git status", "git status\x00", false},
		{"git status", "git\u00a0status", false},
		{"git status **", "git status", true},
		{"git status **", "git status --porcelain -b", true},
		{"git status **", "git stat", false},
		{"git *", "git push", true},
		{"git *", "git push --force", false},
		{"go test ./*", "go test ./...", true},
		{"npm run test:?", "npm run test:a", true},
		{"npm run test:?", "npm run test:ab", false},
		{"echo *", `echo "a b"`, true},
		{"echo *", `echo ""`, true},
		{"echo *", "echo *.go", true},
		{"**", "anything at all", true},
		{"**", "", false},

		{"git status **", "git status; rm -rf /", false},
		{"git status **", "git status && rm -rf /", false},
		{"git status **", "git status || rm -rf /", false},
		{"git status **", "git status | sh", false},
		{"git status **", "git status & rm -rf /", false},
		{"git status **", "git status\nrm -rf /", false},
		{"git status **", "git status\rrm -rf /", false},
		{"git status **", "git status x\nrm -rf /", false},
		{"**", "a\rb", false},
		{"**", "a\x00b", false},
		{"git status **", "git status > /etc/passwd", false},
		{"git status **", "git status >>x", false},
		{"git status **", "git status < x", false},
		{"git status **", "git status `rm -rf /`", false},
		{"git status **", "git status $(rm -rf /)", false},
		{"git status **", "git status <(rm -rf /)", false},
		{"git status **", "git status $HOME", false},
		{"git status **", "git status ${x}", false},
		{"git status **", "git status {a,b}", false},
		{"git status **", "git status *(e:rm:)", false},
		{"git status **", `git status \; x`, false},
		{"git status **", `git status "a; b"`, false},
		{"git status **", `git status 'a & calc'`, false},
		{"**", "true; false", false},
	} {
		want := map[bool]permission.Action{true: allow, false: ask}[tc.want]
		got := decide(t, one(permission.Rule{Action: allow, Commands: []string{"none", tc.pattern}}), "", line(t, tc.line))
		assert.Equal(t, want, got, "%q for %q", tc.pattern, tc.line)
	}
}

func TestAllowedOperators(t *testing.T) {
	t.Parallel()
	rule := permission.Rule{Action: allow, Operators: true, Commands: []string{"go test **", "tail **", "cd *"}}
	for text, want := range map[string]bool{
		"go test ./...":                    true,
		"go test ./... | tail -5":          true,
		"go test ./... 2>&1 | tail -5":     true,
		"go test ./... 2>&1":               true,
		"cd x && go test ./... ; tail y &": true,
		"cd x\ngo test ./...\n\n":          true,
		"go test ./... || rm -rf /":        false,
		"rm -rf / ; go test":               false,
		"go test ./... | sh":               false,
		"go test > x":                      false,
		"go test 2>&1file":                 false,
		"go test 2>/etc/passwd":            false,
		"go test &>x":                      false,
		"go test $(rm -rf /)":              false,
		"go test `x`":                      false,
		"go test 'a; tail b'":              false,
		"go test \"a | tail b\"":           false,
		" ; ":                              false,
		"":                                 false,
		"go test \\\n; rm":                 false,
		"(go test)":                        false,
		"{ go test; }":                     false,
		"for i in a b; do go test; done":   false,
		"go test 2>&1; tail x 2>&1 | tail 2>&1; ls": false,
	} {
		action := map[bool]permission.Action{true: allow, false: ask}[want]
		assert.Equal(t, action, decide(t, one(rule), "", line(t, text)), "%q", text)
	}
}

func TestRejectedCommands(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pattern, line string
		want          bool
	}{
		{"rm -rf", "rm -rf /", true},
		{"rm -rf **", "rm -rf", true},
		{"rm", "/bin/rm x", true},
		{"rm", "git status; rm x", true},
		{"rm", "git status&&rm x", true},
		{"rm", "true|rm", true},
		{"rm", "sudo -n rm x", true},
		{"rm", "xargs rm", true},
		{"rm", `bash -c "rm x"`, true},
		{"rm", `sh -c 'cd /;rm x'`, true},
		{"rm", "echo $(rm x)", true},
		{"rm", "echo `rm x`", true},
		{"rm", `r'm' x`, true},
		{"rm", `r\m x`, true},
		{"rm", "r\\\nm x", true},
		{"rm -rf", "rm${IFS}-rf x", true},
		{"rm", `C:\bin\rm x`, true},
		{"rm", "echo rm", true}, // a net takes more than it should
		{"rm", "rmdir x", false},
		{"rm", "npm run farm", false},
		{"rm", "", false},
		{"git push *", "git push", false},
		{"git push *", "git push --force", true},
		{"curl", `powershell "curl x"`, true},
	} {
		for _, action := range []permission.Action{reject, ask} {
			rules := &permission.Rules{Rules: []permission.Rule{{Action: action, Commands: []string{tc.pattern}}}, Default: allow}
			want := map[bool]permission.Action{true: action, false: allow}[tc.want]
			assert.Equal(t, want, decide(t, rules, "", line(t, tc.line)), "%q for %q", tc.pattern, tc.line)
		}
	}
}

func TestCommandMembers(t *testing.T) {
	t.Parallel()
	rules := one(permission.Rule{Action: allow, Commands: []string{"git status **"}})
	for input, want := range map[string]permission.Action{
		`{"command":"git status"}`:                               allow,
		`{"cmd":"git status"}`:                                   allow,
		`{"command_line":"git status"}`:                          allow,
		`{"commands":["git status","git status -b"]}`:            allow,
		`{"commands":["git status","rm x"]}`:                     ask,
		`{"commands":[["git","status"],"git status"]}`:           allow,
		`{"command":"git status","commands":["rm x"]}`:           ask,
		`{"command":["git","status"]}`:                           allow,
		`{"argv":["git","status","a b"]}`:                        allow,
		`{"command":["git","status","a;b"]}`:                     ask,
		`{"command":["/bin/zsh","-lc","git status"]}`:            allow,
		`{"command":["/tmp/bash","-c","git status"]}`:            ask,
		`{"command":["bash","-c","git status; rm x"]}`:           ask,
		`{"command":["bash","-c","git status","x"]}`:             ask,
		`{"command":"git","args":["status"]}`:                    allow,
		`{"command":"git","args":"status; rm x"}`:                ask,
		`{"command":"git status","args":["-b"]}`:                 allow,
		`{"command":"rm","arguments":["git","status"]}`:          ask,
		`{"input":{"command":"git status"}}`:                     allow,
		`{"command":"git status","nested":[{"command":"rm x"}]}`: ask,
		`{"command":"git status","command":"rm x"}`:              ask,
		`{"command":{"line":"git status"}}`:                      ask,
		`{"command":["git",1]}`:                                  ask,
		`{"command":["git","status",1]}`:                         ask,
		`{"command":null}`:                                       ask,
		`{"description":"git status"}`:                           ask,
		`"git status"`:                                           ask,
		`["git status"]`:                                         ask,
		`not JSON`:                                               ask,
		``:                                                       ask,
		`{"command":"git status","x":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`: ask,
	} {
		assert.Equal(t, want, decide(t, rules, "", call("execute", input)), input)
	}
	assert.Equal(t, ask, decide(t, rules, "", call("other", `{"command":"git status"}`)), "commands are for kind execute")
}

// FuzzAllowedCommands looks for a line with operators that an allow rule matches.
func FuzzAllowedCommands(f *testing.F) {
	for _, text := range []string{"git status", "git status; rm -rf /", "a 'b' \"c\"", "a\n2>&1 | b", "a\nb", "x &\ty", "`", "a 2>&1&2>&1"} {
		f.Add(text)
	}
	handler := func(rule permission.Rule) *permission.Handler {
		h, err := one(rule).Handler(nil)
		if err != nil {
			f.Fatal(err)
		}
		return h
	}
	strict := handler(permission.Rule{Action: allow, Commands: []string{"**"}})
	joined := handler(permission.Rule{Action: allow, Commands: []string{"**"}, Operators: true})
	narrow := handler(permission.Rule{Action: allow, Commands: []string{"ok **"}, Operators: true})
	f.Fuzz(func(t *testing.T, text string) {
		req := &acp.PermissionRequest{ToolCall: line(t, text), Options: offered("y", "allow_once", "n", "reject_once")}
		allows := func(h *permission.Handler) bool {
			outcome, err := h.RequestPermission(t.Context(), req)
			require.NoError(t, err)
			return outcome.OptionID == "y"
		}
		if strings.ContainsAny(text, ";&|<>`$(){}\\\n\r") && allows(strict) {
			t.Errorf("%q is allowed", text)
		}
		if strings.ContainsAny(strings.ReplaceAll(text, "2>&1", ""), "<>`$(){}\\") && allows(joined) {
			t.Errorf("%q is allowed with operators", text)
		}
		if allows(narrow) {
			for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(";|\n\r", r) }) {
				for part = range strings.SplitSeq(strings.ReplaceAll(part, "2>&1", ""), "&") {
					if part = strings.Trim(part, " \t'\""); part != "" && !strings.HasPrefix(strings.NewReplacer("'", "", `"`, "").Replace(part), "ok") {
						t.Errorf("%q is allowed for %q", text, part)
					}
				}
			}
		}
	})
}
