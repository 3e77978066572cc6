package mcpfile

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/backends"
)

// jsonTexts are written in all the ways that come to mind. Each has the entry "a" with a member "x" in "s", and a list "l" in it.
var jsonTexts = []string{
	`{"s":{"a":{"x":1,"l":[1,2]}}}`,
	`{ "s": { "a": { "x": 1, "l": [ 1, 2 ] } } }`,
	"{\n  \"s\": {\n    \"a\": {\n      \"x\": 1,\n      \"l\": [\n        1,\n        2\n      ]\n    }\n  }\n}\n",
	"{\r\n\t\"s\": {\r\n\t\t\"b\": {},\r\n\t\t\"a\": { \"x\": 1, \"l\": [] }\r\n\t}\r\n}\r\n",
	"// top\n{\n  // in it\n  \"s\": { // beside\n    /* before */ \"a\": { // entry\n      \"x\": 1, // one\n      // list\n      \"l\": [1, /* two */ 2,], // end\n    }, // behind\n    // last\n  },\n}\n// bottom\n",
	"{\"s\": {\"b\": 1 /* b */, \"a\" : {\n\"x\" : 1\n,\"l\" : [1\n,2 // two\n]\n}\n,\"c\":2 // c\n}}",
	"{\n    \"other\": [1, {\"deep\": null}],\n    \"s\": {\"a\": {\"x\": 1, \"l\": [\"a, b\"]}, \"c\": \"no, comment\"}, \"n\": 1.50e+10\n}",
	"{\"s\": {\"a\": {\"l\": [], \"x\": {}}}, \"e\": {}, \"f\": {\n}, \"g\": { /* none */ }}\n",
	"{\"s\":{\"a\":{\"x\":1,\"l\":[1 // one\n ,2]}, // a\n \"z\":1}, \"\\u0073\\n\": 1}",
}

func jsonEditor(t *testing.T, text string) *editor {
	t.Helper()
	e, err := newEditor(&backends.MCPFile{Format: backends.MCPJSONC, ServersKey: "s", Marker: backends.MCPMarker{Key: "off", Value: true}}, text)
	require.NoError(t, err, text)
	return e
}

// TestJSONFirstAndDrop puts a member first into every mapping and takes it out again, after which every byte is as it was.
func TestJSONFirstAndDrop(t *testing.T) {
	t.Parallel()
	for _, text := range jsonTexts {
		for _, path := range paths(jsonEditor(t, text).model, object) {
			e := jsonEditor(t, text)
			path = append(path, "new")
			require.NoError(t, e.put(path, boolValue(true), first), text)
			require.NotEqual(t, text, e.text)
			require.NoError(t, e.drop(path...), text)
			assert.Equal(t, text, e.text, path)
		}
	}
}

// TestJSONAnyEdit makes every edit at every place: the result must say what the model says, which the editor sees to, and must have
// every comment.
func TestJSONAnyEdit(t *testing.T) {
	t.Parallel()
	for _, text := range jsonTexts {
		comments := strings.Count(text, "/*") + strings.Count(text, "//")
		check := func(e *editor, err error, what ...any) {
			t.Helper()
			require.NoError(t, err, what...)
			assert.Equal(t, comments, strings.Count(e.text, "/*")+strings.Count(e.text, "//"), "%v\n%s", what, e.text)
		}
		for _, path := range paths(jsonEditor(t, text).model, object) {
			o, _ := jsonEditor(t, text).model.get(path...)
			e := jsonEditor(t, text)
			for _, name := range []string{"n1", "n2"} {
				check(e, e.put(append(slices.Clip(path), name), value{kind: object, members: []member{{"k", textValue("v")}, {"o", textMap(map[string]string{"A": "b"})}}}, last), text, path, name)
			}
			check(e, e.put(append(slices.Clip(path), "deep", "er"), textList([]string{"q"}), first), text, path, "deep")
			for _, m := range o.members {
				if m.value.kind == object || m.value.kind == array {
					continue // comments in it go with it
				}
				e := jsonEditor(t, text)
				check(e, e.drop(append(slices.Clip(path), m.name)...), text, path, m.name)
			}
		}
		for _, path := range paths(jsonEditor(t, text).model, array) {
			e := jsonEditor(t, text)
			check(e, e.push(path, textValue("new")), text, path)
			check(e, e.push(path, textValue("newer")), text, path)
			list, _ := e.model.get(path...)
			for i := range list.elems {
				e := &editor{layout: e.layout, text: e.text, doc: e.doc, model: e.model}
				check(e, e.pull(path, i), text, path, i)
			}
			for range list.elems {
				check(e, e.pull(path, 0), text, path)
			}
		}
	}
}

// paths are the paths of all values of a kind.
func paths(v value, k kind) [][]string {
	var found [][]string
	if v.kind == k {
		found = append(found, nil)
	}
	for _, m := range v.members {
		for _, p := range paths(m.value, k) {
			found = append(found, append([]string{m.name}, p...))
		}
	}
	return found
}
