package mcpfile_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/harness/mcpfile"
)

// file is the first file of an agent, which is nowhere.
func file(t *testing.T, id string) *mcpfile.File {
	t.Helper()
	d, err := backends.Lookup(id)
	require.NoError(t, err)
	return mcpfile.NewFile(filepath.Join(t.TempDir(), "file"), &d.MCPFiles[0])
}

func TestCompare(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, id, before, after, want string }{
		{"nothing", "kiro", `{"mcpServers":{"a":{"command":"x","env":{"A":"1","B":"2"}}}}`, "{ \"mcpServers\":\n{\"a\":{\"env\":{\"B\":\"2\",\"A\":\"1\"},\"command\":\"x\"}}}", ""},
		{"add", "kiro", `{}`, `{"mcpServers":{"a":{"command":"x"}}}`, "add a"},
		{"add with its reference and rule", "kiro", `{}`, `{"mcpServers":{"a":{}},"tools":["@a","@a/t"],"allowedTools":["@a/t"]}`, "add a"},
		{"add by its alias", "kiro", `{}`, `{"mcpServers":{"npm:@s/p":{}},"tools":["@s-p"]}`, "add npm:@s/p"},
		{"add, and a reference to another", "kiro", `{"mcpServers":{"b":{}}}`, `{"mcpServers":{"b":{},"a":{}},"tools":["@a","@b"]}`, "add a, add-ref b @b"},
		{"add a disabled one", "kiro", `{}`, `{"mcpServers":{"a":{"disabled":true}}}`, "add a"},
		{"remove", "kiro", `{"mcpServers":{"a":{}},"tools":["@a"],"allowedTools":["@a"]}`, `{"tools":[]}`, "remove a"},
		{"rename", "kiro", `{"mcpServers":{"a":{"command":"x"}},"tools":["@a"]}`, `{"mcpServers":{"b":{"command":"x"}},"tools":["@b"]}`, "remove a, add b"},
		{"disable", "kiro", `{"mcpServers":{"a":{}}}`, `{"mcpServers":{"a":{"disabled":true}}}`, "disable a"},
		{"enable", "kiro", `{"mcpServers":{"a":{"disabled":true}}}`, `{"mcpServers":{"a":{"disabled":false}}}`, "enable a"},
		{"an explicit marker that says the same", "kiro", `{"mcpServers":{"a":{}}}`, `{"mcpServers":{"a":{"disabled":false}}}`, ""},
		{"a marker that is none", "kiro", `{"mcpServers":{"a":{}}}`, `{"mcpServers":{"a":{"disabled":"yes"}}}`, "change-transport a"},
		{"a server that is off otherwise", "opencode", `{"mcp":{"a":{"enabled":true}}}`, `{"mcp":{"a":{"enabled":false}}}`, "disable a"},
		{"disable by a list", "gemini", `{"mcpServers":{"a":{},"b":{}}}`, `{"mcpServers":{"a":{},"b":{}},"mcp":{"excluded":["b"]}}`, "disable b"},
		{"a list with a name that is nobody's", "gemini", `{"mcpServers":{"a":{}}}`, `{"mcpServers":{"a":{}},"mcp":{"excluded":["x"]}}`, "spawn-field mcp"},
		{"something beside the list", "gemini", `{"mcp":{"excluded":[]}}`, `{"mcp":{"excluded":[],"allowed":["a"]}}`, "spawn-field mcp"},
		{"remove with its marker", "gemini", `{"mcpServers":{"a":{}},"mcp":{"excluded":["a"]}}`, `{"mcpServers":{}}`, "remove a"},
		{"command", "kiro", `{"mcpServers":{"a":{"command":"x"}}}`, `{"mcpServers":{"a":{"command":"y"}}}`, "change-transport a"},
		{"order of arguments", "kiro", `{"mcpServers":{"a":{"args":["1","2"]}}}`, `{"mcpServers":{"a":{"args":["2","1"]}}}`, "change-transport a"},
		{"environment", "kiro", `{"mcpServers":{"a":{"env":{"A":"1"}}}}`, `{"mcpServers":{"a":{"env":{"A":"2"}}}}`, "change-transport a"},
		{"unknown member", "kiro", `{"mcpServers":{"a":{}}}`, `{"mcpServers":{"a":{"new":1}}}`, "change-transport a"},
		{"number in another form", "kiro", `{"mcpServers":{"a":{"timeout":9007199254740992}}}`, `{"mcpServers":{"a":{"timeout":9007199254740993}}}`, "change-transport a"},
		{"no mapping any more", "kiro", `{"mcpServers":{"a":{}}}`, `{"mcpServers":{"a":1}}`, "change-transport a"},
		{"disable and change", "kiro", `{"mcpServers":{"a":{"command":"x"}}}`, `{"mcpServers":{"a":{"command":"y","disabled":true}}}`, "disable a, change-transport a"},
		{"filter", "kiro", `{"mcpServers":{"a":{}}}`, `{"mcpServers":{"a":{"disabledTools":["t"]}}}`, "tool-filter a"},
		{"filter in another order", "kiro", `{"mcpServers":{"a":{"disabledTools":["t","u"]}}}`, `{"mcpServers":{"a":{"disabledTools":["u","t","t"]}}}`, ""},
		{"an empty filter of what is left out", "kiro", `{"mcpServers":{"a":{}}}`, `{"mcpServers":{"a":{"disabledTools":[]}}}`, ""},
		{"an empty filter of what is in", "qwen", `{"mcpServers":{"a":{}}}`, `{"mcpServers":{"a":{"includeTools":[]}}}`, "tool-filter a"},
		{"filter by switches", "kilo", `{"mcp":{"a":{},"a_b":{}}}`, `{"mcp":{"a":{},"a_b":{}},"tools":{"a_b_t":false}}`, "tool-filter a_b"},
		{"switch of no server", "kilo", `{}`, `{"tools":{"bash":false}}`, "spawn-field tools"},
		{"rule in an entry", "kiro", `{"mcpServers":{"a":{}}}`, `{"mcpServers":{"a":{"autoApprove":["t"]}}}`, "permission-rule a autoApprove"},
		{"rule of a server", "kiro", `{"mcpServers":{"a":{}}}`, `{"mcpServers":{"a":{}},"allowedTools":["@a/t"]}`, "permission-rule a @a/t"},
		{"rule of a tool", "kiro", `{}`, `{"allowedTools":["fs_read"]}`, "permission-rule fs_read"},
		{"references", "kiro", `{"mcpServers":{"a":{}},"tools":["@a","@a/x"]}`, `{"mcpServers":{"a":{}},"tools":["@a/x","@a/y"]}`, "remove-ref a @a, add-ref a @a/y"},
		{"reference to nobody", "kiro", `{}`, `{"tools":["@gone/x"]}`, "add-ref gone @gone/x"},
		{"a tool of the agent", "kiro", `{"tools":["fs_read"]}`, `{"tools":["fs_read","*","@builtin"]}`, "spawn-field tools"},
		{"references in another order", "kiro", `{"tools":["@a","@b"]}`, `{"tools":["@b","@a"]}`, ""},
		{"references that are no list", "kiro", `{"tools":["@a"]}`, `{"tools":"*"}`, "spawn-field tools"},
		{"a reference splits at the slash", "kiro", `{"mcpServers":{"a":{}}}`, `{"mcpServers":{"a/x":{},"a":{}},"allowedTools":["@a/x"]}`, "add a/x, permission-rule a @a/x"},
		{"a reference splits at the slash, in tools too", "kiro", `{"mcpServers":{"a":{}}}`, `{"mcpServers":{"a/x":{},"a":{}},"tools":["@a/x"]}`, "add a/x, add-ref a @a/x"},
		{"references to no single server", "kiro", `{}`, `{"tools":["@builtin/x"],"allowedTools":["@*"]}`, "spawn-field tools, permission-rule @*"},
		{"references to no single server, as a wildcard", "kiro", `{"tools":["@a*/x"]}`, `{"tools":["@builtin/y"]}`, "spawn-field tools"},
		{"members that are there twice", "kiro", `{"x":1,"x":2}`, `{"x":1,"x":3}`, "spawn-field x"},
		{"a member that comes twice", "kiro", `{"x":1}`, `{"x":1,"x":1}`, "spawn-field x"},
		{"switches that become no mapping", "kilo", `{"tools":{}}`, `{"tools":5}`, "spawn-field tools"},
		{"switches of a server that become no mapping", "kilo", `{"mcp":{"a":{}},"tools":{"a_t":false}}`, `{"mcp":{"a":{}},"tools":5}`, "spawn-field tools, tool-filter a"},
		{"no switches", "kilo", `{}`, `{"tools":{}}`, ""},
		{"half of a surrogate pair", "kiro", `{"mcpServers":{"a":{"x":"\ud800"}}}`, `{"mcpServers":{"a":{"x":"\ud801"}}}`, "change-transport a"},
		{"half of a surrogate pair in a name", "kiro", `{"\ud800":1}`, `{"\ud801":1}`, `spawn-field "\ud800", spawn-field "\ud801"`},
		{"a surrogate pair", "kiro", `{"x":"\ud83d\ude00"}`, `{"x":"😀"}`, ""},
		{"prompt and model", "kiro", `{"prompt":"a"}`, `{"prompt":"b","model":"m"}`, "spawn-field prompt, spawn-field model"},
		{"includes", "kiro", `{}`, `{"includeMcpJson":true}`, "spawn-field includeMcpJson"},
		{"servers that are no mapping", "kiro", `{"mcpServers":{}}`, `{"mcpServers":[]}`, "spawn-field mcpServers"},
		{"toml", "codex", "x = 1\n[mcp_servers.a]\ncommand='a'\n", "x = 2 # c\n[mcp_servers]\n[mcp_servers.a]\nenabled=false\ncommand=\"a\"\n[mcp_servers.b]\nurl='u'\n", "disable a, add b, spawn-field x"},
		{"a date and a text like it", "codex", "[mcp_servers.a]\nx = 1979-05-27\n", "[mcp_servers.a]\nx = '1979-05-27'\n", "change-transport a"},
		{"comments", "opencode", "{\"mcp\":{\"a\":{\"x\":1}}}", "{/* c */\"mcp\":{\"a\":{\"x\":1,}, // d\n}}", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := file(t, tc.id)
			before, after := f.ParseState([]byte(tc.before)), f.ParseState([]byte(tc.after))
			require.NoError(t, before.Err())
			require.NoError(t, after.Err())
			diff := mcpfile.Compare(before, after)
			require.NoError(t, diff.Unknown)
			assert.Equal(t, tc.want, words(diff.Changes))
			assert.Equal(t, tc.want == "", diff.Empty())
			assert.Len(t, diff.Changes, len(diff.Reconcilable())+len(diff.SpawnOnly()))
			for _, c := range diff.SpawnOnly() {
				assert.Equal(t, backends.EditSpawnField, c.Edit)
			}
			back := mcpfile.Compare(after, before)
			assert.Equal(t, tc.want == "", back.Empty(), "the way back")
		})
	}
}

func words(changes []mcpfile.Change) string {
	var list []string
	for _, c := range changes {
		list = append(list, c.String())
	}
	return strings.Join(list, ", ")
}

// TestCompareUnknown: what cannot be read is never unchanged.
func TestCompareUnknown(t *testing.T) {
	t.Parallel()
	f := file(t, "kiro")
	good, broken := f.ParseState([]byte("{}")), f.ParseState([]byte("{"))
	for _, diff := range []mcpfile.Diff{mcpfile.Compare(good, broken), mcpfile.Compare(broken, good), mcpfile.Compare(broken, broken)} {
		require.Error(t, diff.Unknown)
		assert.Empty(t, diff.Changes)
		assert.False(t, diff.Empty())
	}
	missing := mcpfile.Compare(f.Read(), good)
	assert.True(t, missing.Empty(), "a file that is not there has nothing in it, and that is known")
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	of := func(id, text string) string {
		rows := file(t, id).ParseState([]byte(text)).Rows()
		require.Len(t, rows, 1)
		return rows[0].Fingerprint
	}
	same := of("kiro", `{"mcpServers":{"a":{"command":"x","args":["1"]}}}`)
	assert.Equal(t, same, of("kiro", `{"mcpServers": {"b": {"args":[ "1" ],"command":"\u0078"}}}`))
	assert.Equal(t, same, of("codex", "[mcp_servers.a]\nargs = ['1']\ncommand = 'x'"), "whatever the format")
	assert.NotEqual(t, same, of("kiro", `{"mcpServers":{"a":{"command":"x","args":[1]}}}`))
}
