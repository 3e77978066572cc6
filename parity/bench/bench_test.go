package bench_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/parity/bench"
)

// recipe reads a recipe for a test.
func recipe(t *testing.T, text string) backends.Recipe {
	t.Helper()
	r, err := backends.ParseRecipe([]byte(text))
	require.NoError(t, err)
	r.Name = "test"
	return r
}

// ask sends a prompt to the model of a bench and returns the answer's body.
func ask(t *testing.T, b *bench.Bench, prompt string) string {
	t.Helper()
	body := strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"` + prompt + `"}]}`)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.ModelURL()+"/v1/chat/completions", body)
	require.NoError(t, err)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(text)
}

func TestBench(t *testing.T) {
	t.Parallel()
	var journal []bench.ModelCall
	b, err := bench.Start(t.Context(), recipe(t, `{
		"env": {"URL": "${model}/v1", "CONFIG": "${home}/.agent"},
		"files": {".agent/deep/config.json": {"url": "${model}", "dir": "${workspace}"}}
	}`), &bench.Options{Journal: func(c bench.ModelCall) { journal = append(journal, c) }})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, b.Close()) })

	assert.Contains(t, b.Env(), "URL="+b.ModelURL()+"/v1")
	assert.Contains(t, b.Env(), "CONFIG="+b.Home()+"/.agent")
	assert.Contains(t, b.Env(), "HOME="+b.Home())
	config, err := os.ReadFile(filepath.Join(b.Home(), ".agent", "deep", "config.json"))
	require.NoError(t, err)
	assert.JSONEq(t, `{"url":"`+b.ModelURL()+`","dir":"`+filepath.ToSlash(b.Workspace())+`"}`, string(config))
	entries, err := os.ReadDir(b.Workspace())
	require.NoError(t, err)
	assert.Empty(t, entries)
	assert.NotContains(t, b.Workspace(), b.Home(), "beside the home, not in it")

	assert.Contains(t, ask(t, b, "@@TEXT hi there@@"), "hi there")
	require.Len(t, journal, 1)
	assert.Equal(t, journal, b.ModelCalls())
	assert.Equal(t, bench.ReplyText, journal[0].Kind)

	env := b.Env()
	env[0] = "spoiled"
	assert.False(t, slices.Contains(b.Env(), "spoiled"))

	home := b.Home()
	require.NoError(t, b.Close())
	assert.NoDirExists(t, filepath.Dir(home))
	require.NoError(t, b.Close())
}

func TestBenchWithAModelOfItsOwn(t *testing.T) {
	t.Parallel()
	b, err := bench.Start(t.Context(), backends.Recipe{}, &bench.Options{
		Reply: func(r bench.ModelRequest) bench.ModelReply { return bench.ModelReply{Text: "you said " + r.LastUser()} },
	})
	require.NoError(t, err)
	assert.Contains(t, ask(t, b, "x"), "you said x")
	require.NoError(t, b.Close())
}

func TestBenchesAreApart(t *testing.T) {
	t.Parallel()
	one, err := bench.Start(t.Context(), backends.Recipe{}, nil)
	require.NoError(t, err)
	two, err := bench.Start(t.Context(), backends.Recipe{}, nil)
	require.NoError(t, err)
	assert.NotEqual(t, one.Home(), two.Home())
	assert.NotEqual(t, one.ModelURL(), two.ModelURL())
	require.NoError(t, one.Close())
	assert.Contains(t, ask(t, two, "hi"), "pong")
	require.NoError(t, two.Close())
}

func TestBenchThatCannotBeMade(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	for _, tc := range []struct {
		name, fault string
		recipe      backends.Recipe
	}{
		{"placeholder", "unknown placeholder ${x}", backends.Recipe{Name: "bad", Env: map[string]string{"A": "${x}"}}},
		{"a file where a folder is needed", "cannot set up recipe", recipe(t, `{"files": {"a": [], "a/b": []}}`)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := bench.Start(t.Context(), tc.recipe, nil)
			require.ErrorContains(t, err, tc.fault)
			left, err := os.ReadDir(os.Getenv("TMPDIR"))
			require.NoError(t, err)
			assert.Empty(t, left, "nothing stays behind")
		})
	}
}
