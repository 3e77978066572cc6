package acp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// schemaNode is a JSON schema, or a part of one.
type schemaNode map[string]any

// protocolSchema is the official schema of the protocol.
type protocolSchema struct{ defs map[string]schemaNode }

func readSchema(raw []byte) (*protocolSchema, error) {
	var file struct {
		Defs map[string]schemaNode `json:"$defs"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("cannot read the schema: %w", err)
	}
	return &protocolSchema{file.Defs}, nil
}

// shape is one form that an object of the protocol may have: all its members, and those that say which form it is.
type shape struct {
	members  map[string]member
	required map[string]bool
	consts   map[string]any
}

// member is a property, labelled with the definition that it stands in.
type member struct {
	label  string
	schema schemaNode
}

func nodes(v any) []schemaNode {
	list, _ := v.([]any)
	var out []schemaNode
	for _, item := range list {
		if n, ok := item.(map[string]any); ok {
			out = append(out, n)
		}
	}
	return out
}

// resolve follows references and wrappers of one, and forgets about null.
func (s *protocolSchema) resolve(name string, n schemaNode) (string, schemaNode) {
	for {
		if ref, ok := n["$ref"].(string); ok {
			name = ref[strings.LastIndexByte(ref, '/')+1:]
			n = s.defs[name]
			continue
		}
		if n["properties"] != nil {
			return name, n
		}
		if all := nodes(n["allOf"]); len(all) == 1 && n["anyOf"] == nil && n["oneOf"] == nil {
			n = all[0]
			continue
		}
		choices := withoutNull(choicesOf(n))
		if len(choices) == 1 {
			n = choices[0]
			continue
		}
		return name, n
	}
}

func withoutNull(choices []schemaNode) []schemaNode {
	return slices.DeleteFunc(choices, func(c schemaNode) bool { return c["type"] == "null" })
}

func choicesOf(n schemaNode) []schemaNode {
	if choices := nodes(n["oneOf"]); choices != nil {
		return choices
	}
	return nodes(n["anyOf"])
}

// shapes returns the forms of an object, nil if n is none.
func (s *protocolSchema) shapes(name string, n schemaNode) []shape {
	name, n = s.resolve(name, n)
	own := shape{members: map[string]member{}, required: map[string]bool{}, consts: map[string]any{}}
	properties, isObject := n["properties"].(map[string]any)
	isObject = isObject || n["type"] == "object"
	for key, raw := range properties {
		property, _ := raw.(map[string]any)
		if fixed, ok := property["const"]; ok {
			own.consts[key] = fixed
		} else if key != "_meta" {
			own.members[key] = member{name + "." + key, property}
		}
	}
	required, _ := n["required"].([]any)
	for _, r := range required {
		own.required[r.(string)] = true
	}
	forms := []shape{own}
	for _, part := range nodes(n["allOf"]) {
		theirs := s.shapes(name, part)
		isObject = isObject || theirs != nil
		forms = product(forms, theirs)
	}
	var alternatives []shape
	for _, choice := range choicesOf(n) {
		if choice["not"] == nil { // what is open has no members to look for
			alternatives = append(alternatives, s.shapes(name, choice)...)
		}
	}
	isObject = isObject || alternatives != nil
	if !isObject {
		return nil
	}
	return product(forms, alternatives)
}

func product(left, right []shape) []shape {
	if len(right) == 0 {
		return left
	}
	var out []shape
	for _, l := range left {
		for _, r := range right {
			both := shape{maps.Clone(l.members), maps.Clone(l.required), maps.Clone(l.consts)}
			maps.Copy(both.members, r.members)
			maps.Copy(both.required, r.required)
			maps.Copy(both.consts, r.consts)
			for key := range both.consts {
				delete(both.members, key)
			}
			out = append(out, both)
		}
	}
	return out
}

// minimal returns the smallest value that the schema allows.
func (s *protocolSchema) minimal(n schemaNode) any {
	if forms := s.shapes("", n); forms != nil {
		return s.minimalOf(forms[0])
	}
	a, _ := s.scalars(n)
	return a
}

func (s *protocolSchema) minimalOf(f shape) map[string]any {
	value := maps.Clone(f.consts)
	for key := range f.required {
		if m, ok := f.members[key]; ok {
			value[key] = s.minimal(m.schema)
		}
	}
	return value
}

// scalars returns two values of what is no object.
func (s *protocolSchema) scalars(n schemaNode) (a, b any) {
	_, n = s.resolve("", n)
	var fixed []any
	for _, choice := range choicesOf(n) {
		if v, ok := choice["const"]; ok {
			fixed = append(fixed, v)
		}
	}
	if len(fixed) >= 2 {
		return fixed[0], fixed[1]
	}
	kind := fmt.Sprint(n["type"])
	if choices := withoutNull(choicesOf(n)); n["type"] == nil && len(choices) > 0 && len(fixed) == 0 {
		return s.scalars(choices[0])
	}
	switch {
	case strings.Contains(kind, "array"):
		items, _ := n["items"].(map[string]any)
		return []any{s.minimal(items)}, []any{}
	case strings.Contains(kind, "string"), n["const"] != nil, len(fixed) == 1:
		return "x", "y"
	case strings.Contains(kind, "integer"):
		return 1, 2
	case strings.Contains(kind, "number"):
		return 0.25, 0.5
	case strings.Contains(kind, "boolean"):
		return true, false
	}
	return map[string]any{"k": 1}, map[string]any{"k": 2}
}

// difference is two values that differ in one member, or in the variant.
type difference struct {
	labels []string // the members on the way, the outermost first
	a, b   any
}

// differences returns pairs of values that differ in one thing that the schema knows.
func (s *protocolSchema) differences(name string, n schemaNode) []difference {
	name, n = s.resolve(name, n)
	if name == "RequestId" {
		return slices.Clone(ourIDs)
	}
	if forms := s.shapes(name, n); forms != nil {
		var out []difference
		for _, f := range forms {
			out = append(out, s.shapeDifferences(name, f)...)
		}
		if len(out) == 0 { // a marker
			return []difference{{nil, map[string]any{}, nil}}
		}
		return out
	}
	if items, ok := n["items"].(map[string]any); ok {
		return wrapped(s.differences(name, items), func(v any) any { return []any{v} })
	}
	if choices := withoutNull(choicesOf(n)); len(choices) > 0 && choices[0]["const"] == nil {
		var out []difference
		for _, choice := range choices {
			out = append(out, s.differences(name, choice)...)
		}
		return out
	}
	a, b := s.scalars(n)
	return []difference{{nil, a, b}}
}

// ourIDs are two ids of calls of ours, which are numbers whatever else the protocol allows.
var ourIDs = []difference{{nil, 1, 2}}

func wrapped(all []difference, in func(any) any) []difference {
	for i, d := range all {
		all[i].a, all[i].b = in(d.a), in(d.b)
	}
	return all
}

func (s *protocolSchema) shapeDifferences(name string, f shape) []difference {
	var out []difference
	base := s.minimalOf(f)
	with := func(key string, value any) map[string]any {
		next := maps.Clone(base)
		next[key] = value
		return next
	}
	for key, fixed := range f.consts {
		if _, text := fixed.(string); text {
			out = append(out, difference{[]string{fmt.Sprintf("%s(%s=%v)", name, key, fixed)}, base, with(key, "a_later_variant")})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(f.members)) {
		m := f.members[key]
		if m.schema["type"] == "null" {
			continue
		}
		var inner []difference
		if values, ok := m.schema["additionalProperties"].(map[string]any); ok {
			inner = wrapped(s.differences(m.label, values), func(v any) any { return map[string]any{"k": v} })
		} else {
			inner = s.differences(m.label, m.schema)
		}
		for _, d := range inner {
			out = append(out, difference{append([]string{m.label}, d.labels...), with(key, d.a), with(key, d.b)})
		}
	}
	return out
}

// present collects the labels of all members in a value, as the schema knows them.
func (s *protocolSchema) present(name string, n schemaNode, value any, seen map[string]bool) {
	name, n = s.resolve(name, n)
	switch v := value.(type) {
	case []any:
		items, _ := n["items"].(map[string]any)
		for _, choice := range choicesOf(n) {
			if inner, ok := choice["items"].(map[string]any); ok {
				items = inner
			}
		}
		for _, item := range v {
			s.present(name, items, item, seen)
		}
	case map[string]any:
		for _, f := range s.shapes(name, n) {
			if !f.fits(v) {
				continue
			}
			for key := range f.consts {
				seen[fmt.Sprintf("%s(%s=%v)", name, key, f.consts[key])] = true
			}
			for key, m := range f.members {
				if inner, ok := v[key]; ok {
					seen[m.label] = true
					s.present(m.label, m.schema, inner, seen)
				}
			}
		}
	}
}

// fits reports whether a value is of this form.
func (f *shape) fits(v map[string]any) bool {
	for key, fixed := range f.consts {
		if v[key] != fixed {
			return false
		}
	}
	for key := range f.required {
		if _, ok := v[key]; !ok {
			return false
		}
	}
	return true
}

// labels collects the labels of all members that a value of the schema may have.
func (s *protocolSchema) labels(name string, n schemaNode, all map[string]bool) {
	name, n = s.resolve(name, n)
	if items, ok := n["items"].(map[string]any); ok {
		s.labels(name, items, all)
		return
	}
	for _, f := range s.shapes(name, n) {
		for key, fixed := range f.consts {
			all[fmt.Sprintf("%s(%s=%v)", name, key, fixed)] = true
		}
		for _, m := range f.members {
			if !all[m.label] {
				all[m.label] = true
				s.labels(m.label, m.schema, all)
			}
		}
	}
}
