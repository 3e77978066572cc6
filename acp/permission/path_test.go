package permission_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/permission"
)

// folders makes a root and a folder outside of it, with symbolic links between them.
func folders(t *testing.T) (root, outside string) {
	t.Helper()
	top := t.TempDir()
	root, outside = filepath.Join(top, "root"), filepath.Join(top, "outside")
	for _, dir := range []string{filepath.Join(root, "src", "deep"), filepath.Join(outside, "sub")} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	for _, file := range []string{filepath.Join(root, "src", "a.go"), filepath.Join(outside, "secret")} {
		require.NoError(t, os.WriteFile(file, nil, 0o600))
	}
	for link, target := range map[string]string{
		filepath.Join(root, "out"):            outside,
		filepath.Join(root, "src", "leak"):    filepath.Join(outside, "secret"),
		filepath.Join(root, "src", "new"):     filepath.Join(outside, "not-there-yet"),
		filepath.Join(root, "src", "rel"):     filepath.Join("..", "..", "outside"),
		filepath.Join(root, "inner"):          "src",
		filepath.Join(root, "src", "loop"):    "loop",
		filepath.Join(root, "src", "deepest"): filepath.Join(outside, "sub"),
		filepath.Join(top, "alias"):           root,
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Skipf("symbolic links cannot be made here: %v", err)
		}
	}
	return root, outside
}

func TestAllowedPaths(t *testing.T) {
	t.Parallel()
	root, outside := folders(t)
	top := filepath.Dir(root)
	for _, tc := range []struct {
		pattern, path string // TOP stands for the folder above the root
		want          bool
	}{
		{"**", "src/a.go", true},
		{"**", "TOP/root/src/a.go", true},
		{"**", "src/new-file.go", true},
		{"**", ".", true},
		{"**", "TOP/root", true},
		{"**", "file://TOP/root/src/a.go", true},
		{"src/**", "src/a.go", true},
		{"src/**", "src", true},
		{"src/**", "src/deep/x/y", true},
		{"src/*", "src/deep/x", false},
		{"src/*.go", "src/a.go", true},
		{"src/*.go", "src/a.md", false},
		{"src/?.go", "src/a.go", true},
		{"src/a.go", "src/a.go", true},
		{"src/a.go", "src/a.goo", false},
		{"**/*.go", "a.go", true},
		{"**/deep/**/x", "src/deep/x", true},
		{"**/deep/**/x", "src/deep/1/2/x", true},
		{"**/deep/**/x", "src/deep/1/2/y", false},
		{"*", ".hidden", true},
		{"src/[id].tsx", "src/[id].tsx", true},
		{"src/[id].tsx", "src/i.tsx", false},

		{"**", "../outside/secret", false},
		{"**", "src/../../outside/secret", false},
		{"src/**", "src/../x", false},
		{"src/**", "src/deep/../a.go", true},
		{"**", "TOP/outside/secret", false},
		{"**", "TOP/root-but-not", false},
		{"**", "/", false},
		{"**", "/etc/passwd", false},
		{"**", "file:///etc/passwd", false},
		{"**", "FILE:/etc/passwd", false},
		{"**", "file:etc/passwd", false},
		{"**", "file://elsewhere/TOP/root/src/a.go", false},
		{"**", "https://x.example/a", false},
		{"**", "~/x", false},
		{"**", "~root/x", false},
		{"**", "$HOME/x", false},
		{"**", "%USERPROFILE%/x", false},
		{"**", "", false},
		{"**", "a\x00b", false},
		{"**", "a\nb", false},
		{"**", "src/$id.tsx", true},

		{"**", "src/leak", false},
		{"**", "src/new", false},
		{"**", "src/rel/secret", false},
		{"**", "out/secret", false},
		{"**", "out/nothing/there", false},
		{"**", "out", false},
		{"**", "src/loop", false},
		{"**", "src/loop/x", false},
		{"**", "src/a.go/x", false},
		{"**", "inner/a.go", true},
		{"src/**", "inner/a.go", true},
		{"inner/**", "src/a.go", true},
		{"inner/**", "inner/a.go", true},
		// By the letter it is src/secret, on the disk outside/secret.
		{"**", "src/deepest/../secret", false},
		{"out/**", "out/secret", false}, // a link in the root does not widen it
		{"**", "TOP/alias/src/a.go", true},
		{"TOP/alias/**", "src/a.go", true},
		{"TOP/outside/**", "out/secret", true},
		{"TOP/outside/**", "src/leak", true},
		{"TOP/outside/**", "src/a.go", false},
	} {
		above := strings.NewReplacer("TOP", filepath.ToSlash(top))
		rules := one(permission.Rule{Action: allow, Paths: []string{"none/*", above.Replace(tc.pattern)}})
		want := map[bool]permission.Action{true: allow, false: ask}[tc.want]
		assert.Equal(t, want, decide(t, rules, root, call("read", "", above.Replace(tc.path))), "%q for %q", tc.pattern, tc.path)
	}

	// The same through another name of the root.
	for path, want := range map[string]permission.Action{"src/a.go": allow, "out/secret": ask, filepath.Join(root, "src", "a.go"): allow, outside: ask} {
		rules := one(permission.Rule{Action: allow, Paths: []string{"**"}})
		assert.Equal(t, want, decide(t, rules, filepath.Join(top, "alias"), call("read", "", path)), path)
	}
}

func TestLinkMadeLaterOpensNothing(t *testing.T) {
	t.Parallel()
	root, outside := folders(t)
	handler, err := one(permission.Rule{Action: allow, Paths: []string{"build/**"}}).Handler(&permission.Options{Root: root})
	require.NoError(t, err)
	require.NoError(t, os.Symlink(outside, filepath.Join(root, "build")))
	outcome, err := handler.RequestPermission(t.Context(), &acp.PermissionRequest{ToolCall: call("read", "", "build/secret"), Options: usual})
	require.NoError(t, err)
	assert.Equal(t, "n", outcome.OptionID)
}

func TestRejectedPaths(t *testing.T) {
	t.Parallel()
	root, _ := folders(t)
	top := filepath.Dir(root)
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	for _, tc := range []struct {
		pattern, path string
		want          bool
	}{
		{"**/.env", ".env", true},
		{"**/.env", "a/.env", true},
		{"**/.env", "a/../.env", true},
		{"**/.env", "a/.env/../b", false},
		{"**/.env", "a/.environment", false},
		{"**/.env", "TOP/outside/.env", false},
		{"/**/.env", "TOP/outside/.env", true},
		{"out/**", "out/secret", true},
		{"TOP/outside/**", "out/secret", true},
		{"TOP/outside/**", "src/leak", true},
		{"src/leak", "src/leak", true},
		{"src/*", "src/leak", true},
		{"src/**", "inner/a.go", true},
		{"inner/**", "src/a.go", true},
		{"~/.ssh/**", "~/.ssh/id", true},
		{"~/.ssh/**", filepath.ToSlash(home) + "/.ssh/id", true},
		{"~/.ssh/**", "src/a.go", false},
	} {
		above := strings.NewReplacer("TOP", filepath.ToSlash(top))
		for _, action := range []permission.Action{reject, ask} {
			rules := &permission.Rules{Rules: []permission.Rule{{Action: action, Paths: []string{above.Replace(tc.pattern)}}}, Default: allow}
			want := map[bool]permission.Action{true: action, false: allow}[tc.want]
			assert.Equal(t, want, decide(t, rules, root, call("read", "", above.Replace(tc.path))), "%q for %q", tc.pattern, tc.path)
		}
	}
	foldsCase := runtime.GOOS == "windows" || runtime.GOOS == "darwin"
	rules := &permission.Rules{Rules: []permission.Rule{{Action: reject, Paths: []string{"**/.env"}}}, Default: allow}
	assert.Equal(t, foldsCase, decide(t, rules, root, call("read", "", ".ENV")) == reject)
}

func TestPathMembers(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	rules := one(permission.Rule{Action: allow, Kinds: []acp.ToolKind{"edit", "move", "execute"}, Paths: []string{"src/**"}})
	for _, tc := range []struct {
		input     string
		locations []string
		want      permission.Action
	}{
		{`{"path":"src/a"}`, nil, allow},
		{`{"file_path":"src/a"}`, nil, allow},
		{`{"filePath":"src/a"}`, nil, allow},
		{`{"absolute_path":"src/a"}`, nil, allow},
		{`{"fileName":"src/a"}`, nil, allow},
		{`{"notebook_path":"src/a"}`, nil, allow},
		{`{"paths":["src/a","src/b"]}`, nil, allow},
		{`{"paths":["src/a","b"]}`, nil, ask},
		{`{"path":"src/a","destination":"/etc/x"}`, nil, ask},
		{`{"old_path":"src/a","newPath":"x"}`, nil, ask},
		{`{"edits":[{"file_path":"src/a"},{"file_path":"../b"}]}`, nil, ask},
		{`{"edits":[{"file_path":"src/a"},{"file_path":"src/b"}]}`, nil, allow},
		{`{"path":"src/a"}`, []string{"src/b"}, allow},
		{`{"path":"src/a"}`, []string{"b"}, ask},
		{`{"path":"b"}`, []string{"src/a"}, ask},
		{`{"path":"src/a","path":"b"}`, nil, ask},
		{`{"content":"src/a"}`, nil, ask},
		{`{}`, nil, ask},
		{``, nil, ask},
		{`{"uri":"file:///etc/passwd"}`, []string{"src/a"}, ask},
		{`{"command":"make","cwd":"src"}`, nil, allow},
		{`{"command":"make","cwd":"/"}`, nil, ask},
		// A relative path is under the root and under the folder of the call: both have to match.
		{`{"path":"src/a","cwd":"src/x"}`, nil, allow},
		{`{"path":"../a","cwd":"src/x"}`, nil, ask},
		{`{"path":"a","cwd":"src"}`, nil, ask},
	} {
		assert.Equal(t, tc.want, decide(t, rules, root, call("edit", tc.input, tc.locations...)), "%s %v", tc.input, tc.locations)
	}
	diff := acp.ToolCall{Kind: "edit", Content: []acp.ToolCallContent{&acp.Diff{Path: "/etc/passwd"}}, Locations: []acp.ToolCallLocation{{Path: "src/a"}}}
	assert.Equal(t, ask, decide(t, rules, root, diff))

	// One path is enough to reject.
	rules = &permission.Rules{Rules: []permission.Rule{{Action: reject, Paths: []string{"**/.env"}}, {Action: allow, Paths: []string{"**"}}}}
	assert.Equal(t, reject, decide(t, rules, root, call("move", `{"source":"a","destination":".env"}`)))
}

func TestInspect(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	c := named(call("", `{"commands":[["echo","a b"],"ls"],"cwd":"sub"}`, "x"), "Bash")
	s := permission.Inspect(&c, root)
	assert.Equal(t, acp.ToolOther, s.Kind)
	assert.Equal(t, "Bash", s.Tool)
	assert.Equal(t, []string{"echo 'a b'", "ls"}, s.Commands)
	assert.Equal(t, []string{filepath.Join(root, "sub"), filepath.Join(root, "sub", "x"), filepath.Join(root, "x")}, s.Paths)
	assert.False(t, s.Address)
	assert.False(t, s.Unclear)
	s = permission.Inspect(&c, "")
	assert.True(t, s.Unclear, "without a root a relative path is anywhere")
}
