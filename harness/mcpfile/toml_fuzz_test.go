package mcpfile

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTOMLFirst puts members first into each mapping of all texts, and takes them out.
func TestTOMLFirst(t *testing.T) {
	t.Parallel()
	for _, c := range tomlEdits {
		for _, text := range []string{c.before, c.after, c.after + "\n", "\n" + c.after, strings.ReplaceAll(c.after, "\n", "\n  ")} {
			d, err := parseTOML(text)
			if err != nil {
				continue
			}
			paths := [][]string{{"mcp_servers", "new"}}
			paths = append(paths, mappings(d.value, nil)...)
			for _, p := range paths {
				for _, v := range []string{"false", `{"a":{"b":["c"]}}`} {
					p := append(slices.Clip(p), "new.")
					splices, err := d.put(p, valueOfJSON(t, v), first)
					if !assert.NoError(t, err, "%q %q", text, p) {
						continue
					}
					after := readTOML(t, apply(text, splices))
					assert.True(t, after.root().equal(d.value.with(p, valueOfJSON(t, v))))
					back, err := after.drop(shortest(d.value, p))
					require.NoError(t, err)
					assert.Equal(t, text, apply(after.text, back), "%q", after.text)
				}
			}
		}
	}
}

// mappings are the paths of all mappings in v, with that of v.
func mappings(v value, at []string) [][]string {
	list := [][]string{at}
	for _, m := range v.members {
		if m.value.kind == object {
			list = append(list, mappings(m.value, append(slices.Clip(at), m.name))...)
		}
	}
	return list
}

// shortest is the beginning of a path that leads to nothing yet.
func shortest(v value, path []string) []string {
	for i := range path {
		if _, ok := v.get(path[:i+1]...); !ok {
			return path[:i+1]
		}
	}
	return path
}

func FuzzTOML(f *testing.F) {
	for _, c := range tomlEdits {
		f.Add(c.before, "a")
		f.Add(strings.NewReplacer("m.", "mcp_servers.", "m/", "mcp_servers/", "[m]", "[mcp_servers]").Replace(c.after), "n")
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		d, err := parseTOML(text)
		if err != nil || !utf8.ValidString(name) {
			return
		}
		_ = d.root().json()
		for _, p := range [][]string{{"mcp_servers", name, "enabled"}, {"mcp_servers", name}, {name}} {
			for _, v := range []value{boolValue(false), textList([]string{name}), {kind: object, members: []member{{name, textValue(text)}}}} {
				for _, where := range []order{first, last} {
					splices, err := d.put(p, v, where)
					if err != nil {
						continue
					}
					after := readTOML(t, apply(text, splices))
					require.Equal(t, d.value.with(p, v).canonical(), after.root().canonical())
					if _, ok := d.value.get(p...); where == first && !ok {
						back, err := after.drop(shortest(d.value, p))
						require.NoError(t, err)
						require.Equal(t, text, apply(after.text, back))
					}
				}
			}
			splices, err := d.drop(p)
			if err != nil {
				continue
			}
			after := readTOML(t, apply(text, splices)).root()
			require.True(t, sameButEmpty(after, d.value.without(p...), p), "%s", after.json())
		}
	})
}
