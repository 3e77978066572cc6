package mcpfile

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tailscale/hujson"

	"github.com/acpharness/acpharness/backends"
)

// FuzzEdit edits any JSON text and compares what the result says with the same edit of a Go map.
func FuzzEdit(f *testing.F) {
	for _, text := range jsonTexts {
		f.Add(text, "a", "new")
	}
	f.Add("{}", "a", "b")
	f.Add("\uFEFF{\"s\":{\"a\":{\"off\":false}},\"refs\":[\"@a\",\"@a/x\",1],\"m\":{\"x\":[\"a\"]}}", "a", "n/m")
	f.Fuzz(func(t *testing.T, text, name, fresh string) {
		for _, marker := range []backends.MCPMarker{{Key: "off", Value: true}, {List: []string{"m", "x"}}} {
			layout := &backends.MCPFile{Format: backends.MCPJSONC, ServersKey: "s", RefsKey: "refs", AllowedKey: "allowed", Marker: marker}
			e, err := newEditor(layout, text)
			if err != nil {
				continue
			}
			before := string(e.bytes())
			require.Equal(t, text, before)
			fuzzMarker(t, layout, text, name)
			if err := e.add(fresh, value{kind: object, members: []member{{"k", textValue(name)}}}); err == nil {
				want := asMap(t, text)
				inner, _ := want["s"].(map[string]any)
				if inner == nil {
					inner = map[string]any{}
				}
				inner[fresh] = map[string]any{"k": jsonText(name)}
				want["s"] = inner
				refs, _ := want["refs"].([]any)
				if !containsAny(refs, "@"+fresh, "*") {
					want["refs"] = append(refs, jsonText("@"+fresh))
				}
				assertSame(t, want, e)
				require.NoError(t, e.remove(fresh), e.text)
			}
			if e, err = newEditor(layout, text); err == nil && e.remove(name) == nil {
				want := asMap(t, text)
				delete(want["s"].(map[string]any), name)
				got := asMap(t, string(e.bytes()))
				assert.Equal(t, want["s"], got["s"])
				assert.Equal(t, want["other"], got["other"])
			}
		}
	})
}

// fuzzMarker disables and enables a server, after which nothing has happened.
func fuzzMarker(t *testing.T, layout *backends.MCPFile, text, name string) {
	t.Helper()
	e, err := newEditor(layout, text)
	require.NoError(t, err)
	was := e.disabled(name)
	if err := e.markAll(name, true); err != nil {
		return
	}
	require.True(t, e.disabled(name), e.text)
	if layout.Marker.Key != "" {
		want := asMap(t, text)
		want["s"].(map[string]any)[name].(map[string]any)["off"] = true
		assertSame(t, want, e)
	}
	old, _ := mustEditor(t, layout, text).model.get("s", name, "off")
	require.NoError(t, e.markAll(name, false), e.text)
	require.False(t, e.disabled(name), e.text)
	if !was && (old.kind == 0 || old.is(false)) {
		require.Equal(t, text, string(e.bytes()))
	}
}

func mustEditor(t *testing.T, layout *backends.MCPFile, text string) *editor {
	t.Helper()
	e, err := newEditor(layout, text)
	require.NoError(t, err)
	return e
}

// asMap reads a text by other means.
func asMap(t *testing.T, text string) map[string]any {
	t.Helper()
	if len(text) > 2 && text[:3] == byteOrderMark {
		text = text[3:]
	}
	standard, err := hujson.Standardize([]byte(text + "\n")) // it wants an end of a comment's line
	require.NoError(t, err)
	var m map[string]any
	require.NoError(t, json.Unmarshal(standard, &m))
	return m
}

// jsonText is what becomes of a text that is written as JSON.
func jsonText(s string) string {
	var back string
	_ = json.Unmarshal([]byte(quoteJSON(s)), &back)
	return back
}

func containsAny(list []any, texts ...string) bool {
	for _, v := range list {
		for _, text := range texts {
			if v == text {
				return true
			}
		}
	}
	return false
}

func assertSame(t *testing.T, want map[string]any, e *editor) {
	t.Helper()
	require.Equal(t, want, asMap(t, string(e.bytes())), e.text)
}
