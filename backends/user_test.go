package backends_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
)

const fullUser = `{
  "id": "mine", "name": "My agent", "command": "my-agent", "args": ["--root", "{cwd}", "--conf={home}/.mine", "{{}}"],
  "env": {"A": "1"}, "scrub": ["B"], "protocolVersion": "2025-08-22", "agentNames": ["my-agent"],
  "mcpFile": {"path": "{home}/.mine/mcp.json", "format": "mcp-servers"}
}`

func TestParseUser(t *testing.T) {
	u, err := backends.ParseUser([]byte(fullUser))
	require.NoError(t, err)
	d := u.Descriptor
	require.NoError(t, d.Validate())
	assert.Equal(t, "My agent", d.Name)
	assert.Equal(t, map[string]string{"A": "1"}, d.Env.Set)
	assert.Equal(t, []string{"B"}, d.Env.Scrub)
	assert.Equal(t, `"2025-08-22"`, d.ProtocolVersion)
	assert.Equal(t, []string{"my-agent"}, d.AgentNames)
	assert.Equal(t, "mcp-servers", u.MCPFormat)
	assert.Equal(t, "/h/.mine/mcp.json", u.MCPFile("/w", "/h"))
	assert.Equal(t, backends.Launch{Command: "my-agent", Args: []string{"--root", "/w/{home}", "--conf=/h/.mine", "{}"}}, u.Launch("/w/{home}", "/h"))
	assert.True(t, u.Placeholders())
}

func TestParseUserDefaults(t *testing.T) {
	u, err := backends.ParseUser([]byte(`{"id": "mine", "command": "/opt/my agent", "args": []}`))
	require.NoError(t, err)
	assert.Equal(t, "mine", u.Descriptor.Name)
	assert.Equal(t, "1", u.Descriptor.ProtocolVersion)
	assert.Empty(t, u.MCPFile("/w", "/h"))
	assert.False(t, u.Placeholders())
	assert.False(t, u.Descriptor.VersionOf("mine", "1.0.0").Known(), "no name is known")
}

func TestParseUserGrantsNothing(t *testing.T) {
	u, err := backends.ParseUser([]byte(fullUser))
	require.NoError(t, err)
	for _, key := range backends.TrustKeys() {
		ruling := u.Descriptor.Trust.Of(key)
		assert.False(t, ruling.Granted, key)
		assert.Equal(t, "Described by a user's file, which cannot grant trust.", ruling.Reason, key)
	}
	assert.Empty(t, u.Descriptor.Overrides)
	verified, _ := u.Descriptor.Verified()
	assert.False(t, verified)
}

func TestParseUserRefuses(t *testing.T) {
	// member makes a description of one more member; a later one of that name stands for the first.
	member := func(text string) string { return `{"id": "mine", "command": "agent", ` + text + `}` }
	tests := []struct{ name, text, want string }{
		{"nothing", ``, `it is empty`},
		{"space", " \n", `it is empty`},
		{"byte order mark", "\xef\xbb\xbf{}", `it begins with a byte order mark`},
		{"UTF-16", "\xff\xfe{\x00", `it is UTF-16`},
		{"not UTF-8", "{\"id\": \"\xff\"}", `it is not UTF-8`},
		{"too large", `{"id": "` + strings.Repeat("x", 1<<20) + `"}`, `larger than 1 MiB`},
		{"half", `{"id": "mine"`, `it ends in the middle`},
		{"half a string", `{"id": "mi`, `it ends in the middle`},
		{"comment", "{\n// hello\n\"id\": \"mine\"}", `line 2 is not JSON: there are no comments`},
		{"comma", "{\n\"id\": \"mine\",\n}", `line 2 is not JSON`},
		{"more", `{} {}`, `there is more after the object`},
		{"junk after", `{} x`, `there is more after the object`},
		{"list", `[]`, `want an object, have a list`},
		{"null", `null`, `want an object, have null`},
		{"no id", `{"command": "agent"}`, `id: it is missing`},
		{"no command", `{"id": "mine"}`, `command: it is missing`},
		{"id is a number", `{"id": 1, "command": "agent"}`, `id: want a string, have a number`},
		{"id in capitals", `{"id": "Mine", "command": "agent"}`, `id: "Mine" is not lower-case letters`},
		{"long id", `{"id": "` + strings.Repeat("x", 65) + `", "command": "agent"}`, `id: it is longer than 64`},
		{"id of a backend", `{"id": "claude", "command": "agent"}`, `id: "claude" is reserved`},
		{"alias of a backend", `{"id": "claude-code", "command": "agent"}`, `id: "claude-code" is reserved`},
		{"a word", `{"id": "all", "command": "agent"}`, `id: "all" is reserved`},
		{"twice", member(`"command": "other"`), `command: it is there twice`},
		{"unknown", member(`"cwd": "/"`), `cwd: there is no such member`},
		{"misspelt", member(`"Args": []`), `Args: there is no such member: did you mean "args"?`},
		{"odd name", member(`"a\nb": 1`), `"a\nb": there is no such member`},
		{"trust", member(`"trust": {}`), `trust: there is no such member: a file cannot grant trust`},
		{"hot reload", member(`"hotReload": true`), `hotReload: there is no such member: a file cannot grant trust`},
		{"overrides", member(`"overrides": []`), `overrides: there is no such member: a file cannot grant trust`},
		{"blank name", member(`"name": " "`), `name: it is blank`},
		{"name is null", member(`"name": null`), `name: want a string, have null`},
		{"blank command", `{"id": "mine", "command": " "}`, `command: it is empty`},
		{"padded command", `{"id": "mine", "command": "agent "}`, `command: there is space around it`},
		{"shell line", `{"id": "mine", "command": "A=hunter2 agent --acp"}`, `command: it looks like a shell line`},
		{"placeholder in command", `{"id": "mine", "command": "/{home}/agent"}`, `command: there are no placeholders here`},
		{"relative command", `{"id": "mine", "command": "./agent"}`, `command: want the name of a program or an absolute path`},
		{"NUL in command", `{"id": "mine", "command": "a\u0000"}`, `command: it contains a NUL`},
		{"args is a string", member(`"args": "--acp"`), `args: want a list of strings, have a string`},
		{"arg is a number", member(`"args": ["a", 1]`), `args[1]: want a string, have a number`},
		{"NUL in an arg", member(`"args": ["\u0000"]`), `args[0]: it contains a NUL`},
		{"stray open", member(`"args": ["{"]`), `args[0]: a stray {`},
		{"stray open before another", member(`"args": ["{a{cwd}"]`), `args[0]: a stray {`},
		{"stray close", member(`"args": ["a}b"]`), `args[0]: a stray }`},
		{"unknown placeholder", member(`"args": ["{cmd}"]`), `args[0]: there is no placeholder {cmd}`},
		{"empty placeholder", member(`"args": ["{}"]`), `args[0]: there is no placeholder {}`},
		{"env is a list", member(`"env": ["A=hunter2"]`), `env: want an object of strings, have a list`},
		{"env is a number", member(`"env": {"A": 1}`), `env.A: want a string, have a number`},
		{"env name", member(`"env": {"A=hunter2": ""}`), `is not the name of a variable`},
		{"no env name", member(`"env": {"": "hunter2"}`), `env."": "" is not the name of a variable`},
		{"NUL in env", member(`"env": {"A": "hunter2\u0000"}`), `env.A: it contains a NUL`},
		{"env twice", member(`"env": {"A": "hunter2", "A": "hunter2"}`), `env.A: it is there twice`},
		{"half an env value", member(`"env": {"A": "hunter2\x"`), `line 1 is not JSON`},
		{"set and scrubbed", member(`"env": {"A": "hunter2"}, "scrub": ["A"]`), `env.A: it is in scrub as well`},
		{"scrub is a string", member(`"scrub": "A"`), `scrub: want a list of strings, have a string`},
		{"scrub name", member(`"scrub": ["A=hunter2"]`), `scrub[0]: "A=…" is not the name of a variable`},
		{"scrubbed twice", member(`"scrub": ["A", "A"]`), `scrub[1]: "A" is there twice`},
		{"protocol is a fraction", member(`"protocolVersion": 1.5`), `protocolVersion: it is neither`},
		{"protocol is huge", member(`"protocolVersion": 1e999`), `protocolVersion: it is neither`},
		{"protocol is empty", member(`"protocolVersion": ""`), `protocolVersion: it is neither`},
		{"protocol is a boolean", member(`"protocolVersion": true`), `protocolVersion: want a number or a string, have a boolean`},
		{"agent name", member(`"agentNames": [" x"]`), `agentNames[0]: it is empty, or there is space around it`},
		{"agent name twice", member(`"agentNames": ["x", "x"]`), `agentNames[1]: "x" is there twice`},
		{"MCP file", member(`"mcpFile": 1`), `mcpFile: want a path, or an object with path and format, have a number`},
		{"no MCP path", member(`"mcpFile": {}`), `mcpFile.path: it is missing`},
		{"empty MCP path", member(`"mcpFile": ""`), `mcpFile: it is empty`},
		{"placeholder in MCP path", member(`"mcpFile": {"path": "{root}"}`), `mcpFile.path: there is no placeholder {root}`},
		{"MCP format", member(`"mcpFile": {"path": "p", "format": "A b"}`), `mcpFile.format: "A b" is not`},
		{"unknown in MCP file", member(`"mcpFile": {"path": "p", "trust": 1}`), `mcpFile.trust: there is no such member`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := backends.ParseUser([]byte(tt.text))
			require.ErrorContains(t, err, tt.want)
			require.ErrorContains(t, err, "cannot use the description of an agent")
			assert.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestParseUserNamesEveryFault(t *testing.T) {
	_, err := backends.ParseUser([]byte(`{"id": "none", "args": ["{", "{x}"], "env": {"A": 1, "B=": ""}, "scrub": ["A"], "agentNames": {}, "x": 1}`))
	e, ok := err.(*backends.UserError) //nolint:errorlint // it is what is promised
	require.True(t, ok)
	assert.Equal(t, "none", e.ID)
	assert.Len(t, e.Faults, 9)
	assert.Equal(t, 9, strings.Count(err.Error(), "\n  "), err.Error())
}

func TestLoadUser(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	agent := func(id string) string { return fmt.Sprintf(`{"id": %q, "command": "agent"}`, id) }
	write("b.json", agent("beta"))
	write("a.json", agent("alpha"))
	one, two := write("t1.json", agent("twin")), write("t2.json", agent("twin"))
	broken := write("broken.json", `{`)
	write("named.json", `{"id": "reachable"}`)
	write(".hidden.json", `{`)
	write("notes.txt", `{`)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder.json"), 0o700))

	users, faults := backends.LoadUser(dir)
	require.Len(t, users, 2)
	assert.Equal(t, "alpha", users[0].Descriptor.ID)
	assert.Equal(t, filepath.Join(dir, "a.json"), users[0].File)
	assert.Equal(t, "beta", users[1].Descriptor.ID)
	var texts []string
	for _, fault := range faults {
		texts = append(texts, fault.Error())
	}
	assert.Equal(t, []string{
		"cannot use " + broken + ": it ends in the middle of the JSON",
		"cannot use " + filepath.Join(dir, "folder.json") + ": it is not a regular file",
		"cannot use " + filepath.Join(dir, "named.json") + ": command: it is missing",
		"cannot use " + one + `: id: "twin" is that of ` + two + " as well",
		"cannot use " + two + `: id: "twin" is that of ` + one + " as well",
	}, texts)

	found, err := backends.LookupUser(" Alpha", users, faults)
	require.NoError(t, err)
	assert.Equal(t, "alpha", found.Descriptor.ID)
	for id, want := range map[string]string{
		"reachable": "command: it is missing",     // by its id
		"broken":    "it ends in the middle",      // by its name
		"twin":      `id: "twin" is that of`,      // by the id that it shares
		"alhpa":     `did you mean "alpha"`,       // one of the user's
		"claud":     `did you mean "claude"`,      // one of the table's
		"twni":      `did you mean "twin"?`,       // once
		"":          `unknown backend "": known `, // not that of a file without an id
	} {
		_, err = backends.LookupUser(id, users, faults)
		require.ErrorContains(t, err, want, id)
	}
}

func TestLoadUserWithoutFolder(t *testing.T) {
	dir := t.TempDir()
	users, faults := backends.LoadUser(filepath.Join(dir, "none"))
	assert.Empty(t, users)
	assert.Empty(t, faults)

	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, faults = backends.LoadUser(file)
	require.Len(t, faults, 1)
	require.ErrorContains(t, faults[0], "cannot use "+file)

	_, err := backends.LoadUserFile(filepath.Join(dir, "absent.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func FuzzParseUser(f *testing.F) {
	f.Add([]byte(fullUser))
	f.Add([]byte(`{"id": "mine", "command": "agent"}`))
	f.Add([]byte(`{"id": "mine", "command": "agent", "env": {"A": "hunter2", "A": 1}, "scrub": ["A", "A"], "args": ["{x}", "}{"], "mcpFile": ""}`))
	f.Add([]byte("\xef\xbb\xbf{}"))
	f.Add([]byte(`{"id": "mine" // comment`))
	f.Fuzz(func(t *testing.T, text []byte) {
		u, err := backends.ParseUser(text)
		if err != nil {
			require.ErrorContains(t, err, "cannot use the description of an agent")
			return
		}
		d := u.Descriptor
		if len(d.AgentNames) == 0 {
			d.AgentNames = []string{"any"} // those of the table have one, so that their versions are known
		}
		require.NoError(t, d.Validate())
		for _, key := range backends.TrustKeys() {
			require.False(t, d.Trust.Of(key).Granted)
			require.NotEmpty(t, d.Trust.Of(key).Reason)
		}
		require.Len(t, u.Launch("/w", "/h").Args, len(d.Launch.Args))
		require.True(t, json.Valid([]byte(d.ProtocolVersion)))
	})
}
