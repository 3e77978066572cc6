package mcpfile_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/harness/mcpfile"
)

// starts are files that random edits begin with, in each agent's format and far from tidy.
var starts = map[string][]string{
	"kiro": {
		"{\n  \"name\": \"crew\",\n  \"mcpServers\": {},\n  \"tools\": [\"@builtin\"],\n  \"allowedTools\": [\"@a\", \"fs_read\"]\n}\n",
		"\uFEFF{\r\n\t\"mcpServers\" : {\r\n\t\t\"a\": {\"command\":\"x\"} ,\r\n\r\n\t\t\"odd\": 7\r\n\t}\r\n}",
	},
	"copilot":  {"{}", "{\"mcpServers\":{\"a\":{\"command\":\"x\",\"tools\":[\"*\"]}}}", "{\n\n\n}\n"},
	"droid":    {"{\"x\": [ 1,2 ]}", "{\n\"mcpServers\": {\n\"a\": {\"disabled\": false, \"command\": \"x\"}}}"},
	"claude":   {"{\"mcpServers\":{\"a\":{\"command\":\"x\"}},\"y\":{}}", "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"},\n\n    \"z\": {\"command\": \"z\", \"args\": [\"1\",\n\"2\"]}\n  }\n}\n"},
	"opencode": {"// c\n{\n  \"mcp\": { // servers\n    \"a\": {\"type\": \"local\", \"command\": [\"x\"]}, // a\n  }, // end\n}\n", "{\"tools\":{\"bash\":false}}"},
	"gemini":   {"{\n  /* none */\n}", "{\"mcp\":{},\"mcpServers\":{\"a\":{\"command\":\"x\"}}}", "{\"mcp\":{\"excluded\":[\"gone\"],\"x\":1}}"},
	"codex": {
		"", "model = \"m\"", "# c\n[mcp_servers.a] # a\ncommand = 'x'\n\n# d\n[mcp_servers.a.env]\nK = 'v'\n\n[other]\nx = 1\n",
		"mcp_servers.a.command = \"x\"\nmcp_servers.a.enabled = true\n[z]\n", "mcp_servers = { a = { command = 'x' } }\r\n[z]\r\ny = [1, # one\r\n 2]\r\n",
	},
}

type modelServer struct {
	spec     string // of its add, or of the start
	disabled bool
}

// TestRandomEdits plays random sequences of edits against a model that knows nothing of files.
func TestRandomEdits(t *testing.T) {
	t.Parallel()
	sequences := 100
	if os.Getenv("ACP_HEAVY") != "" {
		sequences = 1000
	}
	ids := slices.Sorted(maps.Keys(starts))
	for seed := range sequences {
		id := ids[seed%len(ids)]
		texts := starts[id]
		text := texts[seed/len(ids)%len(texts)]
		if !t.Run(fmt.Sprintf("%s-%d", id, seed), func(t *testing.T) { randomEdits(t, id, text, uint64(seed)) }) {
			return
		}
	}
}

func randomEdits(t *testing.T, id, start string, seed uint64) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 9))
	descriptor, err := backends.Lookup(id)
	require.NoError(t, err)
	home, agent := t.TempDir(), ""
	if id == "kiro" {
		agent = "crew"
	}
	config, err := mcpfile.Open(descriptor.MCPFiles, &mcpfile.Options{Home: home, Agent: agent})
	require.NoError(t, err)
	path := config.Files()[0].Path()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(start), 0o600))

	model := map[string]*modelServer{}
	rows, err := config.List()
	require.NoError(t, err)
	for i := range rows {
		if !rows[i].Malformed {
			model[rows[i].Name] = &modelServer{rows[i].Spec.JSON(), rows[i].Disabled}
		}
	}
	names := []string{"a", "b", "c-d", "e.f", "with space", "ünï", "z"}
	pick := func() []string {
		n := 1 + rnd.IntN(3)
		var list []string
		for range n {
			list = append(list, names[rnd.IntN(len(names))])
		}
		return list
	}
	var trace []string
	for range 12 {
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		chosen := pick()
		missing := slices.ContainsFunc(chosen, func(n string) bool { return model[n] == nil })
		verb := rnd.IntN(5)
		trace = append(trace, fmt.Sprintf("%d %v", verb, chosen))
		var editErr error
		var fails error
		switch verb {
		case 0, 1: // add
			name := chosen[0]
			entry := mcpfile.Entry{Name: name, Server: mcpfile.Server{Command: "cmd", Args: []string{"--x", name, "\"q\\"}, Env: map[string]string{"A B": "c\n"}}}
			_, editErr = config.Add(t.Context(), entry)
			if model[name] != nil {
				fails = mcpfile.ErrExists
			} else {
				model[name] = &modelServer{}
			}
		case 2, 3:
			edit := config.Disable
			if verb == 3 {
				edit = config.Enable
			}
			_, editErr = edit(t.Context(), chosen...)
			if missing {
				fails = mcpfile.ErrNotFound
				break
			}
			for _, n := range chosen {
				model[n].disabled = verb == 2
			}
		case 4:
			_, editErr = config.Remove(t.Context(), chosen...)
			if missing {
				fails = mcpfile.ErrNotFound
				break
			}
			for _, n := range chosen {
				delete(model, n)
			}
		}
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		if fails != nil {
			require.ErrorIs(t, editErr, fails, trace)
			require.Equal(t, string(before), string(after), "an edit that fails leaves the file as it was")
			continue
		}
		require.NoError(t, editErr, "%v\n%s", trace, before)
		checkModel(t, config, model, strings.Join(trace, "\n")+"\n"+string(before)+"\n----\n"+string(after))
		for n, s := range model {
			if s.spec == "" {
				s.spec = specOf(t, config, n)
			}
		}
		if verb == 2 { // back and forth is no change
			var on []string
			for _, n := range chosen {
				if wasDisabled := disabledIn(config, before, n); !wasDisabled && !slices.Contains(on, n) {
					on = append(on, n)
				}
			}
			if len(on) > 0 && len(on) == len(slices.Compact(slices.Sorted(slices.Values(chosen)))) {
				_, err := config.Enable(t.Context(), on...)
				require.NoError(t, err)
				back, err := os.ReadFile(path)
				require.NoError(t, err)
				require.Equal(t, string(before), string(back), "%v", trace)
				_, err = config.Disable(t.Context(), on...)
				require.NoError(t, err)
			}
		}
	}
}

func disabledIn(config *mcpfile.Config, text []byte, name string) bool {
	for _, row := range config.Files()[0].ParseState(text).Rows() {
		if row.Name == name {
			return row.Disabled
		}
	}
	return true // it was kept
}

func specOf(t *testing.T, config *mcpfile.Config, name string) string {
	t.Helper()
	rows, err := config.List()
	require.NoError(t, err)
	for i := range rows {
		if rows[i].Name == name {
			return rows[i].Spec.JSON()
		}
	}
	return ""
}

func checkModel(t *testing.T, config *mcpfile.Config, model map[string]*modelServer, what string) {
	t.Helper()
	rows, err := config.List()
	require.NoError(t, err, what)
	seen := map[string]bool{}
	for i := range rows {
		row := &rows[i]
		if row.Malformed {
			continue
		}
		want := model[row.Name]
		require.NotNil(t, want, "%s was not to be there\n%s", row.Name, what)
		assert.Equal(t, want.disabled, row.Disabled, "%s\n%s", row.Name, what)
		if want.spec != "" {
			require.Equal(t, withoutMarker(want.spec), withoutMarker(row.Spec.JSON()), what)
		}
		seen[row.Name] = true
	}
	for name := range model {
		require.True(t, seen[name], "%s is missing\n%s", name, what)
	}
}

// withoutMarker leaves out the members that may have become explicit.
func withoutMarker(spec string) string {
	return strings.NewReplacer(`"enabled":true,`, "", `,"enabled":true`, "").Replace(spec)
}
