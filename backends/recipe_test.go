package backends_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
)

func TestEveryRecipe(t *testing.T) {
	require.Equal(t, []string{"loopback"}, backends.RecipeNames())
	ids := backends.RecipeBackends("loopback")
	assert.Equal(t, []string{
		"builtin", "claude", "cline", "codex", "copilot", "droid", "gemini", "kilo", "nanocoder", "opencode", "pi", "qwen",
	}, ids)
	values := backends.RecipeValues{Home: "/h", Workspace: "/w", Model: "http://127.0.0.1:1"}
	for _, id := range ids {
		t.Run(id, func(t *testing.T) {
			d, err := backends.Lookup(id)
			require.NoError(t, err)
			r, err := backends.LookupRecipe("loopback", id)
			require.NoError(t, err)
			assert.Equal(t, id, r.Backend)
			assert.Equal(t, "loopback", r.Name)
			filled, err := r.Fill(values)
			require.NoError(t, err)
			text := strings.Join(filled.Env, "\n")
			for name, content := range filled.Files {
				text += "\n" + string(content)
				if strings.HasSuffix(name, ".json") {
					assert.True(t, json.Valid(content), name)
				}
			}
			for name := range r.Env {
				assert.NotContains(t, d.Env.Set, name, "the descriptor sets it already")
				assert.NotContains(t, d.Env.Scrub, name)
			}
			for _, url := range regexp.MustCompile(`https?://[^/"\s]+`).FindAllString(text, -1) {
				assert.Equal(t, values.Model, url, "nothing but the model on loopback")
			}
			for _, secret := range regexp.MustCompile(`(?i)(?:key|token)"?[=:] ?"?([^"\n,]+)`).FindAllStringSubmatch(text, -1) {
				assert.Regexp(t, `^(fk-)?dummy$|^FAKE_KEY`, secret[1])
			}
			if d.Builtin {
				return
			}
			assert.Contains(t, text, values.Model)
			call, err := r.ShellCall(`touch "a b"`)
			require.NoError(t, err)
			assert.NotEmpty(t, call.Name)
			assert.Contains(t, string(call.Arguments), `"touch \"a b\""`)
		})
	}
}

func TestLookupRecipeOfNobody(t *testing.T) {
	for _, tc := range []struct{ name, backend, text string }{
		{"loopback", "kiro", `backend "kiro" has no recipe "loopback": builtin, claude, `},
		{"loopback", "", `backend "" has no recipe "loopback"`},
		{"loopback", "../recipes/qwen", `backend "../recipes/qwen" has no recipe`},
		{"cloud", "qwen", `there is no recipe "cloud": there is loopback`},
		{"", "qwen", `there is no recipe ""`},
	} {
		_, err := backends.LookupRecipe(tc.name, tc.backend)
		require.ErrorContains(t, err, tc.text)
	}
}

func TestFillRecipe(t *testing.T) {
	r, err := backends.ParseRecipe([]byte(`{
		"env": {"B": "${model}/v1", "A": "${home}:${workspace}:$HOME"},
		"files": {
			".a/b.json": {"url": "${model}", "deep": [{"at": "${home}"}, 12345678901234567890, true, null]},
			"c.toml": ["x = 1", "", "dir = '${workspace}'"]
		},
		"mode": "ask",
		"shell": {"name": "bash", "arguments": {"commands": ["${command}"], "background": false}}
	}`))
	require.NoError(t, err)
	filled, err := r.Fill(backends.RecipeValues{Home: `C:\h "q"`, Workspace: "/w", Model: "http://m"})
	require.NoError(t, err)
	assert.Equal(t, []string{`A=C:\h "q":/w:$HOME`, "B=http://m/v1"}, filled.Env)
	assert.JSONEq(t, `{"url":"http://m","deep":[{"at":"C:\\h \"q\""},12345678901234567890,true,null]}`, string(filled.Files[".a/b.json"]))
	assert.Contains(t, string(filled.Files[".a/b.json"]), "12345678901234567890")
	assert.Equal(t, "x = 1\n\ndir = '/w'\n", string(filled.Files["c.toml"]))
	call, err := r.ShellCall("${home}")
	require.NoError(t, err)
	assert.JSONEq(t, `{"commands":["${home}"],"background":false}`, string(call.Arguments), "filled once")
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		for _, shown := range []any{filled, r, &r} {
			text := fmt.Sprintf(verb, shown)
			assert.NotContains(t, text, "/v1", "a value may be a secret")
			assert.Contains(t, text, "[A B]")
			assert.Contains(t, text, "c.toml")
		}
	}
}

func TestBadRecipes(t *testing.T) {
	for _, tc := range []struct{ name, text, fault string }{
		{"no JSON", `{`, "unexpected EOF"},
		{"two values", `{} {}`, "something follows the JSON object"},
		{"rubbish after it", `{} }`, "something follows the JSON object"},
		{"unknown member", `{"environment": {}}`, `unknown field "environment"`},
		{"unknown placeholder", `{"env": {"A": "${hom}"}}`, "environment variable A: unknown placeholder ${hom}"},
		{"open placeholder", `{"env": {"A": "x${home"}}`, "environment variable A: a placeholder is malformed"},
		{"what may be a secret", `{"env": {"A": "abc${s3cret-rest"}}`, "environment variable A: a placeholder is malformed"},
		{"placeholder of the shell", `{"env": {"A": "${command}"}}`, "unknown placeholder ${command}"},
		{"placeholder in a file", `{"files": {"a": {"b": ["${x}"]}}}`, "file a: unknown placeholder ${x}"},
		{"placeholder in a line", `{"files": {"a": ["${x}"]}}`, "file a: unknown placeholder ${x}"},
		{"absolute path", `{"files": {"/etc/x": {}}}`, `file "/etc/x" is no path below the home`},
		{"way out", `{"files": {"a/../../x": {}}}`, "is no path below the home"},
		{"the home itself", `{"files": {".": {}}}`, "is no path below the home"},
		{"another system's path", `{"files": {"a\\b": {}}}`, "is no path below the home"},
		{"content", `{"files": {"a": 1}}`, "file a: it is neither an object nor a list of lines"},
		{"line", `{"files": {"a": [1]}}`, "file a: a line is no string"},
		{"arguments", `{"shell": {"name": "x", "arguments": []}}`, "the arguments of the shell tool"},
		{"no arguments", `{"shell": {"name": "x"}}`, "the arguments of the shell tool"},
		{"placeholder in arguments", `{"shell": {"name": "x", "arguments": {"a": "${home}"}}}`, "unknown placeholder ${home}"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := backends.ParseRecipe([]byte(tc.text))
			require.ErrorContains(t, err, tc.fault)
			assert.NotContains(t, err.Error(), "s3cret")
		})
	}
}

func FuzzParseRecipe(f *testing.F) {
	f.Add([]byte(`{"env":{"A":"${home}"},"files":{"a":{"b":"${model}"},"c":["${workspace}"]},"shell":{"name":"s","arguments":{"x":"${command}"}}}`))
	f.Add([]byte(`{"files":{"../a":[]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := backends.ParseRecipe(text)
		if err != nil {
			return
		}
		filled, err := r.Fill(backends.RecipeValues{Home: "${model}", Workspace: `\`, Model: `"`})
		require.NoError(t, err, "what is read can be filled")
		assert.Len(t, filled.Env, len(r.Env))
		assert.Len(t, filled.Files, len(r.Files))
		call, err := r.ShellCall("c")
		require.NoError(t, err)
		assert.True(t, r.Shell == nil || json.Valid(call.Arguments))
	})
}
