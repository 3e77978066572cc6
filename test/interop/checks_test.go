package interop_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func decode(t *testing.T, text string) (value any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &value))
	return value
}

// The checks of what went over the wire can fail.

func TestContains(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		whole, part string
		want        bool
	}{
		{`{"a": 1, "b": {"c": [1, null]}}`, `{"b": {"c": [1, null]}}`, true},
		{`{"a": 1}`, `{"a": 1, "b": null}`, false},
		{`{"a": 1}`, `{"a": 2}`, false},
		{`{"a": [1]}`, `{"a": [1, 2]}`, false},
		{`{"a": [{"b": 1}]}`, `{"a": [{"b": 1, "c": 1}]}`, false},
		{`null`, `{}`, false},
		{`{}`, `[]`, false},
	} {
		assert.Equal(t, tt.want, contains(decode(t, tt.whole), decode(t, tt.part)), "%s in %s", tt.part, tt.whole)
	}
}

func TestWalk(t *testing.T) {
	t.Parallel()
	s := &schema{decode(t, `{
		"Call": {"x-side": "agent", "x-method": "call", "type": "object", "required": ["kind"], "properties": {
			"kind": {"allOf": [{"$ref": "#/$defs/Kind"}]}, "inner": {"anyOf": [{"$ref": "#/$defs/Call"}, {"type": "null"}]},
			"_meta": {"type": "object"}, "value": {"anyOf": [{"title": "Whole", "type": "integer"}, {"title": "Number", "type": "number"}]},
			"parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}}}},
		"Kind": {"oneOf": [{"type": "string", "const": "a"}, {"type": "string", "const": "b"}, {"title": "other", "type": "string"}]},
		"Part": {"anyOf": [{"type": "object", "properties": {"type": {"type": "string", "const": "x"}}, "required": ["type"],
			"allOf": [{"$ref": "#/$defs/X"}]}, {"title": "plain", "allOf": [{"$ref": "#/$defs/Plain"}]}]},
		"X": {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]},
		"Plain": {"type": "object", "properties": {"map": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Kind"}}}, "required": ["map"]}
	}`).(map[string]any)}
	all := s.walk(true)
	all.node("Call", s.defs["Call"], nil)
	assert.Equal(t, []string{
		"Call.inner", "Call.kind", "Call.parts", "Call.value", "Call=Number", "Call=Whole", "Kind=a", "Kind=b", "Part.type",
		"Part=plain", "Part=x", "Plain.map", "X.x",
	}, slices.Sorted(maps.Keys(all.places)))

	sent := s.walk(false)
	sent.node("Call", s.defs["Call"], decode(t, `{"kind": "c", "value": 1, "inner": {"kind": "a", "parts": [{"type": "x", "x": ""}]}}`))
	assert.Equal(t, []string{"Call=Number", "Kind=b", "Part=plain", "Plain.map"}, slices.Sorted(maps.Keys(missing(all.places, sent.places))))
	sent.node("Call", s.defs["Call"], decode(t, `{"kind": "c", "value": 1.5, "inner": null, "parts": [{"map": {"k": "b"}}]}`))
	assert.Empty(t, missing(all.places, sent.places))
}
