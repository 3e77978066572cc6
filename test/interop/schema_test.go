package interop_test

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// schema is the protocol's own, as the SDK ships it. It names places: "ToolCall.kind" is a member, "ToolKind=read" a variant.
type schema struct{ defs map[string]any }

func readSchema(t *testing.T, sdk string) *schema {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(sdk, "node_modules/@agentclientprotocol/sdk/schema/v1/schema.unstable.json"))
	require.NoError(t, err)
	var root struct {
		Defs map[string]any `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(text, &root))
	require.NotEmpty(t, root.Defs)
	return &schema{root.Defs}
}

var payloadName = regexp.MustCompile(`(Request|Response|Notification)$`)

// payloads calls visit with every payload of the protocol: its definition, the side that takes the method (agent, client,
// protocol or proxy), the method, and whether it is a request, a response or a notification.
func (s *schema) payloads(visit func(name, side, method, kind string)) {
	for name, def := range s.defs {
		kind := strings.ToLower(payloadName.FindString(name))
		node, _ := def.(map[string]any)
		side, _ := node["x-side"].(string)
		if method, ok := node["x-method"].(string); ok && kind != "" {
			visit(name, side, method, kind)
		}
	}
}

// walk is one walk over the schema: along a value, or everywhere.
type walk struct {
	*schema
	everywhere bool
	visited    map[string]bool // definitions, of a walk everywhere
	places     map[string]bool
}

func (s *schema) walk(everywhere bool) *walk {
	return &walk{schema: s, everywhere: everywhere, visited: map[string]bool{}, places: map[string]bool{}}
}

// node goes along one schema, which is part of the definition at.
func (w *walk) node(at string, schema, value any) {
	node, ok := schema.(map[string]any)
	if !ok {
		return
	}
	if ref, ok := node["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/$defs/")
		if w.everywhere && w.visited[name] {
			return
		}
		w.visited[name] = true
		w.node(name, w.defs[name], value)
	}
	members, _ := value.(map[string]any)
	properties, _ := node["properties"].(map[string]any)
	for name, schema := range properties {
		member, sent := members[name]
		if name != "_meta" && (sent || w.everywhere) {
			w.places[at+"."+name] = true
			w.node(at, schema, member)
		}
	}
	for _, part := range list(node["allOf"]) {
		w.node(at, part, value)
	}
	w.union(at, list(node["anyOf"]), value)
	w.union(at, list(node["oneOf"]), value)
	if w.everywhere {
		w.node(at, node["items"], nil)
		w.node(at, node["additionalProperties"], nil)
		return
	}
	for _, item := range list(value) {
		w.node(at, node["items"], item)
	}
	for name, member := range members {
		if properties[name] == nil {
			w.node(at, node["additionalProperties"], member)
		}
	}
}

// union goes along the variant that a value is. Variants that stand for what the protocol does not know, and null, have no
// place.
func (w *walk) union(at string, variants []any, value any) {
	known := 0
	for _, v := range variants {
		if variant(v) != "" {
			known++
		}
	}
	for _, v := range variants {
		name := variant(v)
		if name == "" || !w.everywhere && !w.fits(v, value) {
			continue
		}
		if known > 1 {
			w.places[at+"="+name] = true
		}
		w.node(at, v, value)
		if !w.everywhere {
			return
		}
	}
}

// variant returns the name of a variant of a union: its discriminator, title or type. It is empty for those without a place.
func variant(schema any) string {
	node, _ := schema.(map[string]any)
	title, _ := node["title"].(string)
	kind, _ := node["type"].(string)
	if node["not"] != nil || strings.EqualFold(title, "other") || kind == "null" {
		return ""
	}
	if c, ok := node["const"].(string); ok {
		return c
	}
	properties, _ := node["properties"].(map[string]any)
	for _, p := range properties {
		if p, _ := p.(map[string]any); p != nil {
			if c, ok := p["const"].(string); ok {
				return c
			}
		}
	}
	if ref, ok := node["$ref"].(string); ok && title == "" {
		return strings.TrimPrefix(ref, "#/$defs/")
	}
	if title == "" {
		return kind
	}
	return title
}

// fits reports whether a value is what a schema says.
func (s *schema) fits(schema, value any) bool {
	node, _ := schema.(map[string]any)
	if ref, ok := node["$ref"].(string); ok && !s.fits(s.defs[strings.TrimPrefix(ref, "#/$defs/")], value) {
		return false
	}
	if c, ok := node["const"]; ok && !reflect.DeepEqual(c, value) {
		return false
	}
	if !fitsType(node["type"], value) {
		return false
	}
	members, _ := value.(map[string]any)
	for _, name := range list(node["required"]) {
		if _, sent := members[name.(string)]; !sent {
			return false
		}
	}
	properties, _ := node["properties"].(map[string]any)
	for name, member := range members {
		if p := properties[name]; p != nil && !s.fits(p, member) {
			return false
		}
	}
	if node["items"] != nil {
		for _, item := range list(value) {
			if !s.fits(node["items"], item) {
				return false
			}
		}
	}
	for _, part := range list(node["allOf"]) {
		if !s.fits(part, value) {
			return false
		}
	}
	return s.fitsOne(list(node["anyOf"]), value) && s.fitsOne(list(node["oneOf"]), value)
}

func (s *schema) fitsOne(variants []any, value any) bool {
	for _, v := range variants {
		if s.fits(v, value) {
			return true
		}
	}
	return len(variants) == 0
}

func fitsType(types, value any) bool {
	if types == nil {
		return true
	}
	names := list(types)
	if names == nil {
		names = []any{types}
	}
	for _, name := range names {
		number, isNumber := value.(float64)
		switch name {
		case "null":
			if value == nil {
				return true
			}
		case "integer":
			if isNumber && number == math.Trunc(number) {
				return true
			}
		case "number":
			if isNumber {
				return true
			}
		default:
			kinds := map[any]reflect.Kind{"string": reflect.String, "boolean": reflect.Bool, "object": reflect.Map, "array": reflect.Slice}
			if value != nil && reflect.TypeOf(value).Kind() == kinds[name] {
				return true
			}
		}
	}
	return false
}

func list(value any) []any {
	items, _ := value.([]any)
	return items
}

// contains reports whether one value has everything that another has, and may have more members.
func contains(whole, part any) bool {
	if members, ok := part.(map[string]any); ok {
		have, ok := whole.(map[string]any)
		for name, member := range members {
			if _, sent := have[name]; !sent || !contains(have[name], member) {
				return false
			}
		}
		return ok
	}
	if items, ok := part.([]any); ok {
		have, ok := whole.([]any)
		if !ok || len(have) != len(items) {
			return false
		}
		for i := range items {
			if !contains(have[i], items[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(whole, part)
}

// missing returns the places of one walk that are not among those of another.
func missing(places, from map[string]bool) map[string]bool {
	left := maps.Clone(places)
	maps.DeleteFunc(left, func(place string, _ bool) bool { return from[place] })
	return left
}
