package mcpfile

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// valueOfJSON is a value written as JSON.
func valueOfJSON(t *testing.T, s string) value {
	t.Helper()
	d, err := parseJSON(`{"v":`+s+`}`, false)
	require.NoError(t, err)
	v, _ := d.root().get("v")
	return v
}

func readTOML(t *testing.T, text string) *tomlDocument {
	t.Helper()
	d, err := parseTOML(text)
	require.NoError(t, err, "%q", text)
	return d
}

// slashes splits a path at its slashes.
func slashes(s string) []string { return strings.Split(s, "/") }

func TestTOMLValue(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                       `{}`,
		"b = 1\na = 2":                           `{"b":1,"a":2}`,
		"a.b.c = 1\na.d = 2\n":                   `{"a":{"b":{"c":1},"d":2}}`,
		"[a.b]\nx = 1\n[c]\n[a.b.d]\ny = 2\n[a]": `{"a":{"b":{"x":1,"d":{"y":2}}},"c":{}}`,
		"[[x]]\na = 1\n[x.y]\nb = 2\n[[x]]\nc=3": `{"x":[{"a":1,"y":{"b":2}},{"c":3}]}`,
		"[[x]]\n[[x.y]]\na = 1\n[[x.y]]\n[x.y.z]":                       `{"x":[{"y":[{"a":1},{"z":{}}]}]}`,
		"a = { b.c = 1, 'd e' = { } }":                                  `{"a":{"b":{"c":1},"d e":{}}}`,
		"\"a.b\".'c' = [[1, 2], [ # no ]\n3,], {x=[]}] # end":           `{"a.b":{"c":[[1,2],[3],{"x":[]}]}}`,
		"a = \"\"\"\nx\\u00e9\ny\\\n   z\"\"\"\nb = '''\n'q' # no\n'''": `{"a":"xé\nyz","b":"'q' # no\n"}`,
		"a = 1_000\nb = +5\nc = 1e5\nd = -0.5\ne = true":                `{"a":1000,"b":5,"c":1e5,"d":-0.5,"e":true}`,
		"a = 2020-01-02\nb = [0x1F, 07:32:00]":                          `{"a":"2020-01-02","b":["0x1F","07:32:00"]}`,
	} {
		assert.Equal(t, want, readTOML(t, text).root().json(), "%q", text)
	}
	date, _ := readTOML(t, "a = 2020-01-02").root().get("a")
	assert.False(t, date.equal(textValue("2020-01-02")))
	for _, text := range []string{"a", "a = 1\na = 2", "[a]\n[a]", "a = {\n", "a = 1 b = 2", "a = 2020-13-45", "a = \"\xff\"", "\r"} {
		_, err := parseTOML(text)
		assert.Error(t, err, "%q", text)
	}
}

func TestTOMLAt(t *testing.T) {
	t.Parallel()
	text := "top = 1\n[a]\n# x\nb.c = [1, # ]\n 2]\nb.d = '''\nx'''\ne = {f.g = 1, f.h={}}\n[i.j]\n"
	d := readTOML(t, text)
	for _, c := range []struct {
		path, text string
		first      bool
	}{
		{"top", "1", true},
		{"a/b/c", "[1, # ]\n 2]", true},
		{"a/b/d", "'''\nx'''", false},
		{"a/e", "{f.g = 1, f.h={}}", false},
		{"a/e/f/g", "1", true},
		{"a/e/f/h", "{}", false},
		{"a", "", false},
		{"a/b", "", false},
		{"a/e/f", "", false},
		{"i/j", "", false},
		{"top/x", "", false},
	} {
		s, ok := d.at(slashes(c.path))
		assert.Equal(t, c.text != "", ok, c.path)
		assert.Equal(t, c.text, text[s.from:s.to], c.path)
		assert.Equal(t, c.first, s.first, c.path)
	}
}

// tomlEdits are texts before and after an edit: put, first, drop, push or pull.
var tomlEdits = []struct{ before, op, path, value, after string }{
	// values that are there
	{"a = 1 # c\n", "put", "a", `"x"`, "a = \"x\" # c\n"},
	{"[a]\nb.c = [1,\n2] # c\r\n", "put", "a/b/c", `{"d e": [true, -0, 1.0, 1e5]}`, "[a]\nb.c = { \"d e\" = [true, -0, 1.0, 1e5] } # c\r\n"},
	{"a = { b = { c = 1 } }", "put", "a/b/c", `"\"\\\n\t\u0001é"`, "a = { b = { c = \"\\\"\\\\\\n\\t\\u0001é\" } }"},
	{"[a.b]\nx = 1\n\n[a.c]\ny = 1\n", "put", "a/b", `{"z":1}`, "[a.c]\ny = 1\n\n[a.b]\nz = 1\n"},
	// below a header
	{"[a] # c\n  # d\n  b = 1\n\n[c]\n", "first", "a/x", `false`, "[a] # c\n  x = false\n  # d\n  b = 1\n\n[c]\n"},
	{"[a]\n\tb = 1 # b\n\n# c\n[c]\n", "put", "a/x", `1`, "[a]\n\tb = 1 # b\n\tx = 1\n\n# c\n[c]\n"},
	{"[a]\r\nb = 1", "put", "a/x", `1`, "[a]\r\nb = 1\r\nx = 1"},
	{"  [a]", "first", "a/x", `1`, "  [a]\n  x = 1"},
	{"[m.a]\nb = 1\n[m.b]\n", "put", "m/a/env", `{"A":"b"}`, "[m.a]\nb = 1\nenv = { A = \"b\" }\n[m.b]\n"},
	{"[m.a]\nb = 1\n", "put", "m/a/env/A", `"b"`, "[m.a]\nb = 1\nenv = { A = \"b\" }\n"},
	// at the top
	{"", "put", "top", `[]`, "top = []\n"},
	{"# c\n[a]\n", "put", "top", `1`, "top = 1\n\n# c\n[a]\n"},
	{"# x\n\n# c\na = 1\n\n[a2]\n", "first", "top", `1`, "# x\n\ntop = 1\n# c\na = 1\n\n[a2]\n"},
	{"a = 1 # c\n\n[b]\n", "put", "top", `1`, "a = 1 # c\ntop = 1\n\n[b]\n"},
	// in braces
	{"a = {}", "put", "a/x", `1`, "a = { x = 1 }"},
	{"a = { }", "first", "a/x", `1`, "a = {x = 1 }"},
	{"a = { b = 1 } # c", "first", "a/x", `{"y":{}}`, "a = { x = { y = {} }, b = 1 } # c"},
	{"a = { b = 1 } # c", "put", "a/x", `1`, "a = { b = 1, x = 1 } # c"},
	{"m = { a = { b = 1 } }\n", "first", "m/a/x", `1`, "m = { a = { x = 1, b = 1 } }\n"},
	{"m = { a.b = 1, c = 2 }\n", "first", "m/a/x", `1`, "m = { a.x = 1, a.b = 1, c = 2 }\n"},
	{"m = { a.b = 1, c = 2 }\n", "put", "m/a/x", `1`, "m = { a.b = 1, a.x = 1, c = 2 }\n"},
	{"m = { c = 2, a.b = 1 }\n", "put", "m/a/x", `1`, "m = { c = 2, a.b = 1, a.x = 1 }\n"},
	{"m = {\n  a = 1, # c\n}\n", "put", "m/x", `1`, "m = {\n  a = 1, # c\n  x = 1,\n}\n"},
	{"mcp_servers = {}\n", "put", "mcp_servers/x/y", `1`, "mcp_servers = { x = { y = 1 } }\n"},
	// dotted keys
	{
		"z = 1\nm.\"a b\" . c = 1\nm.\"a b\".d = 1\n", "first", "m/a b/x", `1`,
		"z = 1\nm.\"a b\".x = 1\nm.\"a b\" . c = 1\nm.\"a b\".d = 1\n",
	},
	{"m.a.c = 1\nz = 1\n", "put", "m/a/x", `1`, "m.a.c = 1\nm.a.x = 1\nz = 1\n"},
	{"[m]\n  a.c = 1\nz = 1\n", "put", "m/a/x/y", `1`, "[m]\n  a.c = 1\n  a.x.y = 1\nz = 1\n"},
	{"m.a.c = 1\nz = 1\n", "put", "m/n", `{"b":1}`, "m.a.c = 1\nm.n = { b = 1 }\nz = 1\n"},
	// new tables
	{
		"", "put", "m/n", `{"command":"c","env":{"A":"b"},"args":["a","b"]}`,
		"[m.n]\ncommand = \"c\"\nenv = { A = \"b\" }\nargs = [\"a\", \"b\"]\n",
	},
	{"a = 1", "first", "m/n", `{}`, "a = 1\n\n[m.n]"},
	{"a = 1\r\n# c\r\n", "put", "m/n.x", `{"b":1}`, "a = 1\r\n# c\r\n\r\n[m.\"n.x\"]\r\nb = 1\r\n"},
	{"[m.a]\nb = 1 # c\n# d\n\n[z]\n", "first", "m/n", `{"b":1}`, "[m.a]\nb = 1 # c\n\n[m.n]\nb = 1\n# d\n\n[z]\n"},
	{"[m]\n[m.a]\n[m.a.env]\nb = 1\n\n[z]\n", "put", "m/n", `{}`, "[m]\n[m.a]\n[m.a.env]\nb = 1\n\n[m.n]\n\n[z]\n"},
	{"[m]\n", "put", "m/n/enabled", `true`, "[m]\n\n[m.n]\nenabled = true\n"},
	{"[z]\n", "put", "m/n/enabled", `true`, "[z]\n\n[m.n]\nenabled = true\n"},
	// headers that are only implied
	{"[z]\n\n# c\n[m.a.env]\nA = 1\n", "put", "m/a/x", `1`, "[z]\n\n[m.a]\nx = 1\n\n# c\n[m.a.env]\nA = 1\n"},
	{"[z]\n\n# c\n[m.a.env]\nA = 1\n", "first", "m/a/x", `1`, "m.a.x = 1\n\n[z]\n\n# c\n[m.a.env]\nA = 1\n"},
	{"[m]\n\n[m.a.env]\nA = 1\n", "first", "m/a/x", `1`, "[m]\na.x = 1\n\n[m.a.env]\nA = 1\n"},
	// drop
	{"a = 1\nb = [\n1] # c\n# d\nc = 1\n", "drop", "b", "", "a = 1\n# d\nc = 1\n"},
	{"a = 1\nb = 1", "drop", "b", "", "a = 1"},
	{"[a]\nb = 1\n", "drop", "a/b", "", "[a]\n"},
	{"[a]\n\n# x\n[m.n]\n# y\nb = 1\n\nc = 1 # z\n# end\n\n[z]\n", "drop", "m/n", "", "[a]\n\n# x\n# end\n\n[z]\n"},
	{"[a]\n\n[m.n]\nb = 1\n\n[z]\n", "drop", "m/n", "", "[a]\n\n[z]\n"},
	{"[m.n]\nb = 1\n\n[z]\n", "drop", "m/n", "", "[z]\n"},
	{"[a]\n[m.n]\nb = 1\n\n[z]\n", "drop", "m/n", "", "[a]\n\n[z]\n"},
	{"[a]\n\n[m.n]\nb = 1\n", "drop", "m/n", "", "[a]\n"},
	{"[a]\r\n\r\n[m.n]\r\nb = 1", "drop", "m/n", "", "[a]"},
	{"m.n.x = 1\nb = 2\n\n[m.n.y]\nb = 1\n\n\n[m.n.z]\n[z]\n[[m.n.v]]\n\n[q]\n", "drop", "m/n", "", "b = 2\n[z]\n\n[q]\n"},
	{"[m]\n[[m.n]]\na = 1\n[m.n.x]\nb = 1\n[m.o]\n", "drop", "m/n", "", "[m]\n[m.o]\n"},
	{"a = { b = 1, c = 2, d = 3 }", "drop", "a/c", "", "a = { b = 1, d = 3 }"},
	{"a = { b = 1, c = 2 }", "drop", "a/c", "", "a = { b = 1 }"},
	{"a = { b = 1 }", "drop", "a/b", "", "a = {}"},
	{"a = { b.x = 1, c = 2, b.y = 3 }", "drop", "a/b", "", "a = { c = 2 }"},
	// lists
	{"a = []", "push", "a", `"x"`, "a = [\"x\"]"},
	{"a = [ 'y' ] # c\n", "push", "a", `"x"`, "a = [ 'y', \"x\" ] # c\n"},
	{"a = [1, ]", "push", "a", `2`, "a = [1, 2, ]"},
	{"a = [\n  # n\n  'y' # z, ]\n  # end\n]\n", "push", "a", `"x"`, "a = [\n  # n\n  'y', # z, ]\n  # end\n  \"x\"\n]\n"},
	{"a.b = [\r\n\t'y', # z\r\n]\r\n", "push", "a/b", `[{}]`, "a.b = [\r\n\t'y', # z\r\n\t[{}],\r\n]\r\n"},
	{"a = [1, 2, 3]", "pull", "a", `1`, "a = [1, 3]"},
	{"a = [1, [2], {b=1}]", "pull", "a", `2`, "a = [1, [2]]"},
	{"a = [1]", "pull", "a", `0`, "a = []"},
	{"a = [\n  1, # one\n  2, # two\n]", "pull", "a", `0`, "a = [\n  # one\n  2, # two\n]"},
	{"a = [ 1 # one\n, # c\n 2 ]", "pull", "a", `0`, "a = [  # one\n # c\n 2 ]"},
	{"a = [1, 2,]", "pull", "a", `1`, "a = [1,]"},
	{"  a = [ 1 # one\n]", "push", "a", `2`, "  a = [ 1, # one\n  2\n]"},
	{"a = [\n  # one\n  1,\n  # two\n  2\n]", "pull", "a", `1`, "a = [\n  # one\n  1\n  # two\n]"},
}

func TestTOMLEdit(t *testing.T) {
	t.Parallel()
	for _, c := range tomlEdits {
		d := readTOML(t, c.before)
		p := slashes(c.path)
		var splices []splice
		var err error
		var want value
		switch c.op {
		case "put", "first":
			v := valueOfJSON(t, c.value)
			splices, err = d.put(p, v, order(c.op == "first"))
			want = d.value.with(p, v)
		case "drop":
			splices, err = d.drop(p)
			want = d.value.without(p...)
		case "push":
			v := valueOfJSON(t, c.value)
			splices, err = d.push(p, v)
			old, _ := d.value.get(p...)
			old.elems = append(slices.Clip(old.elems), v)
			want = d.value.with(p, old)
		case "pull":
			i := int(c.value[0] - '0')
			splices, err = d.pull(p, i)
			old, _ := d.value.get(p...)
			old.elems = append(old.elems[:i:i], old.elems[i+1:]...)
			want = d.value.with(p, old)
		}
		if !assert.NoError(t, err, "%s %s %q", c.op, c.path, c.before) {
			continue
		}
		after := apply(c.before, splices)
		assert.Equal(t, c.after, after, "%s %s", c.op, c.path)
		if sameButEmpty(readTOML(t, after).root(), want, p) {
			assert.Equal(t, c.before, apply(after, invert(c.before, splices)))
			continue
		}
		assert.Equal(t, want.canonical(), readTOML(t, after).root().canonical(), "%s %s %q", c.op, c.path, c.before)
	}
}

// sameButEmpty reports whether two values say the same; a mapping of TOML may be gone when its last member is.
func sameButEmpty(got, want value, path []string) bool {
	for !got.equal(want) && len(path) > 1 {
		path = path[:len(path)-1]
		if v, ok := want.get(path...); !ok || v.kind == object && len(v.members) == 0 {
			want = want.without(path...)
		}
	}
	return got.equal(want)
}

func TestTOMLRefuses(t *testing.T) {
	t.Parallel()
	d := readTOML(t, "a = 1\nb = [1]\n[[c]]\nd = 1\n[e]\n")
	for _, v := range []string{"null", "[null]", `{"x":{"y":null}}`, "9223372036854775808"} {
		for _, p := range []string{"a", "new", "new/x", "e/x"} {
			for _, where := range []order{first, last} {
				splices, err := d.put(slashes(p), valueOfJSON(t, v), where)
				assert.Error(t, err, "%s %s", p, v)
				assert.Nil(t, splices)
			}
		}
	}
	for name, err := range map[string]error{
		"into a number":      second(d.put(slashes("a/x"), boolValue(true), last)),
		"into a list":        second(d.put(slashes("c/x"), boolValue(true), last)),
		"drop of nothing":    second(d.drop(slashes("x/y"))),
		"drop in a list":     second(d.drop(slashes("c/d"))),
		"push to a number":   second(d.push(slashes("a"), boolValue(true))),
		"push to nothing":    second(d.push(slashes("x"), boolValue(true))),
		"push of null":       second(d.push(slashes("b"), value{kind: literal, text: "null"})),
		"push to tables":     second(d.push(slashes("c"), value{kind: object})),
		"pull of too much":   second(d.pull(slashes("b"), 1)),
		"a name of no UTF-8": second(d.put(slashes("e/\xff"), boolValue(true), last)),
		"a text of no UTF-8": second(d.put(slashes("e/x"), textValue("\xff"), last)),
	} {
		assert.Error(t, err, name)
	}
}

func second(_ []splice, err error) error { return err }
