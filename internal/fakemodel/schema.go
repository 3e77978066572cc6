package fakemodel

import (
	"encoding/json"
	"math"
	"strings"
)

// schemaNodes bounds the size of an example: references can make a small
// schema describe an endless value.
const schemaNodes = 2000

// example returns a small JSON value that fits a JSON schema, in the dialect of
// OpenAI, Anthropic or Gemini, and {} if there is no schema. It knows what
// agents use; a schema that demands more, such as a pattern, is not met.
func example(schema json.RawMessage) string {
	e := exampler{left: schemaNodes}
	if json.Unmarshal(schema, &e.root) != nil || e.root == nil {
		return "{}"
	}
	data, err := json.Marshal(e.value(e.root))
	if err != nil {
		return "{}"
	}
	return string(data)
}

// exampler makes one example.
type exampler struct {
	root map[string]any
	left int // how many values it may still make
}

func (e *exampler) value(schema map[string]any) any {
	e.left--
	if e.left < 0 {
		return nil
	}
	if value, ok := schema["const"]; ok {
		return value
	}
	if values, _ := schema["enum"].([]any); len(values) > 0 {
		return values[0]
	}
	if ref, ok := schema["$ref"].(string); ok {
		return e.value(e.follow(ref))
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf"} {
		if choices, _ := schema[word].([]any); len(choices) > 0 {
			first, _ := choices[0].(map[string]any)
			return e.value(first)
		}
	}
	switch schemaType(schema) {
	case "string":
		return "x"
	case "number", "integer":
		return within(schema)
	case "boolean":
		return false
	case "array":
		return e.array(schema)
	case "null":
		return nil
	default:
		return e.object(schema)
	}
}

// schemaType is the type in lower case: Gemini writes OBJECT. Of several it is
// the first that is not null.
func schemaType(schema map[string]any) string {
	switch kind := schema["type"].(type) {
	case string:
		return strings.ToLower(kind)
	case []any:
		for _, one := range kind {
			if name, ok := one.(string); ok && !strings.EqualFold(name, "null") {
				return strings.ToLower(name)
			}
		}
		return "null"
	default:
		return ""
	}
}

// within returns 1, or the limit that excludes it.
func within(schema map[string]any) float64 {
	n := 1.0
	if low, ok := schema["minimum"].(float64); ok {
		n = math.Max(n, low)
	}
	if high, ok := schema["maximum"].(float64); ok {
		n = math.Min(n, high)
	}
	return n
}

func (e *exampler) array(schema map[string]any) []any {
	list := []any{}
	least, _ := schema["minItems"].(float64)
	items, _ := schema["items"].(map[string]any)
	for float64(len(list)) < least && e.left > 0 {
		list = append(list, e.value(items))
	}
	return list
}

// object has the required properties only.
func (e *exampler) object(schema map[string]any) map[string]any {
	object := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, one := range required {
		if name, ok := one.(string); ok && e.left > 0 {
			property, _ := properties[name].(map[string]any)
			object[name] = e.value(property)
		}
	}
	return object
}

// follow finds the schema that a reference such as "#/$defs/x" names.
func (e *exampler) follow(ref string) map[string]any {
	at := e.root
	for _, step := range strings.Split(ref, "/")[1:] {
		at, _ = at[step].(map[string]any)
	}
	return at
}
