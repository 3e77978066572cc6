package acp

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestForm(t *testing.T) {
	const raw = `{"type":"object","title":"T","description":"D","properties":{
		"s":{"type":"string","title":"S","description":"d","minLength":1,"maxLength":3,"pattern":"^a","format":"email","default":"a"},
		"e":{"type":"string","enum":["x","y"]},
		"o":{"type":"string","oneOf":[{"const":"x","title":"X","description":"dx"},7]},
		"n":{"type":"number","minimum":0.5,"maximum":2,"default":1},
		"i":{"type":"integer","minimum":1,"default":2},
		"b":{"type":"boolean","default":true},
		"m":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["x","y"]},"default":["x"]},
		"t":{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]}},
		"f":{"type":"colour","default":"red"}},"required":["s","f","gone"]}`
	var d decoder
	form := d.form("form", []byte(raw))
	assert.Equal(t, []string{"form.properties.o.oneOf[1]"}, paths(d.warnings))
	for i := range form.Fields {
		assert.NotEmpty(t, form.Fields[i].Raw)
		form.Fields[i].Raw = nil
	}
	choices := []FormChoice{{Value: "x"}, {Value: "y"}}
	assert.Equal(t, []FormField{
		{
			Name: "s", Title: "S", Description: "d", Required: true, Type: FieldString, Default: "a",
			MinLength: new(int64(1)), MaxLength: new(int64(3)), Pattern: "^a", Format: FormatEmail,
		},
		{Name: "e", Type: FieldString, Choices: choices},
		{Name: "o", Type: FieldString, Choices: []FormChoice{{"x", "X", "dx"}}},
		{Name: "n", Type: FieldNumber, Minimum: new(0.5), Maximum: new(2.0), Default: 1.0},
		{Name: "i", Type: FieldInteger, Minimum: new(1.0), Default: int64(2)},
		{Name: "b", Type: FieldBoolean, Default: true},
		{Name: "m", Type: FieldArray, MinItems: new(int64(1)), MaxItems: new(int64(2)), Choices: choices, Default: []string{"x"}},
		{Name: "t", Type: FieldArray, Choices: []FormChoice{{Value: "x", Title: "X"}}},
		{Name: "f", Type: "colour", Required: true, Default: "red"},
	}, form.Fields)
	assert.Equal(t, "T", form.Title)
	assert.Equal(t, "D", form.Description)
}

func TestFormCheck(t *testing.T) {
	number := FormField{Name: "f", Type: FieldNumber, Minimum: new(1.0), Maximum: new(2.0)}
	integer := FormField{Name: "f", Type: FieldInteger}
	length := FormField{Name: "f", Type: FieldString, MinLength: new(int64(2)), MaxLength: new(int64(3))}
	choice := FormField{Name: "f", Type: FieldString, Choices: []FormChoice{{Value: "a"}, {Value: "b"}}}
	several := FormField{Name: "f", Type: FieldArray, Choices: choice.Choices, MinItems: new(int64(1)), MaxItems: new(int64(2))}
	of := func(format StringFormat) FormField { return FormField{Name: "f", Type: FieldString, Format: format} }
	for _, tt := range []struct {
		field FormField
		value any
		want  string // the reason, empty if it is allowed
	}{
		{FormField{Name: "f", Type: FieldString}, "", ""},
		{FormField{Name: "f", Type: FieldString}, 1, "is no text"},
		{FormField{Name: "f", Type: FieldString}, nil, "is no text"},
		{FormField{Name: "f", Type: FieldString}, "\xff", "is no valid UTF-8"},
		{length, "é€", ""},
		{length, "é", "is shorter than 2 characters"},
		{length, "😀😀😀", ""},
		{length, "abcd", "is longer than 3 characters"},
		{choice, "a", ""},
		{choice, "c", "is none of its choices"},
		{FormField{Name: "f", Type: FieldString, Choices: []FormChoice{}}, "c", "is none of its choices"},
		{FormField{Name: "f", Type: FieldString, Pattern: "^[0-9]+$"}, "12", ""},
		{FormField{Name: "f", Type: FieldString, Pattern: "^[0-9]+$"}, "x", "does not match ^[0-9]+$"},
		{FormField{Name: "f", Type: FieldString, Pattern: "^(?=.*[A-Z]).*$"}, "x", ""}, // not to be had in Go
		{of(FormatEmail), "a@example.test", ""},
		{of(FormatEmail), "A <a@example.test>", "is no email"},
		{of(FormatEmail), "a", "is no email"},
		{of(FormatURI), "https://example.test/a?b", ""},
		{of(FormatURI), "mailto:a@b", ""},
		{of(FormatURI), "/a", "is no uri"},
		{of(FormatDate), "2026-02-28", ""},
		{of(FormatDate), "2026-02-30", "is no date"},
		{of(FormatDateTime), "2026-02-28T10:00:00Z", ""},
		{of(FormatDateTime), "2026-02-28t10:00:00.5+01:00", ""},
		{of(FormatDateTime), "2026-02-28", "is no date-time"},
		{of("zip"), "anything", ""},
		{number, 1, ""},
		{number, int64(2), ""},
		{number, 1.5, ""},
		{number, 0.9, "is less than 1"},
		{number, 3, "is more than 2"},
		{number, "1", "is no number"},
		{number, math.NaN(), "is no number"},
		{integer, 1.0, ""},
		{integer, 1.5, "is no whole number"},
		{FormField{Name: "f", Type: FieldBoolean}, false, ""},
		{FormField{Name: "f", Type: FieldBoolean}, "false", "is neither true nor false"},
		{several, []string{"a"}, ""},
		{several, []string{"b", "a"}, ""},
		{several, []string{}, "has less than 1 items"},
		{several, []string{"a", "b", "a"}, "has more than 2 items"},
		{several, []string{"a", "a"}, "has an item that is none of its choices, or one twice"},
		{several, []string{"c"}, "has an item that is none of its choices, or one twice"},
		{several, "a", "is no list of texts"},
		{FormField{Name: "f", Type: FieldArray}, []string{"anything"}, ""},
		{FormField{Name: "f", Type: "colour"}, struct{}{}, ""},
	} {
		err := (&Form{Fields: []FormField{tt.field}}).Check(map[string]any{"f": tt.value})
		if tt.want == "" {
			require.NoError(t, err, "%v of %+v", tt.value, tt.field)
			continue
		}
		assert.Equal(t, &FormError{"f", tt.want}, err, "%v of %+v", tt.value, tt.field)
	}
	form := Form{Fields: []FormField{{Name: "a", Type: FieldString, Required: true}, {Name: "b", Type: FieldString}}}
	require.NoError(t, form.Check(map[string]any{"a": "x"}))
	require.EqualError(t, form.Check(map[string]any{"b": "x"}), "the field a is required")
	require.EqualError(t, form.Check(nil), "the field a is required")
	require.EqualError(t, form.Check(map[string]any{"a": "x", "c": "y"}), "the field c is none of the form's")
}

// FuzzForm has agents ask for anything: it can be read, and what it allows can be told.
func FuzzForm(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"string","pattern":"(","default":1}},"required":["a",1]}`), "x")
	f.Add([]byte(`{"properties":{"":{"type":"array","items":{"anyOf":[{"const":"x"}]},"minItems":9223372036854775807}}}`), "")
	f.Add([]byte(`{"properties":[]}`), "\xff")
	f.Fuzz(func(t *testing.T, raw []byte, text string) {
		var d decoder
		if !validJSON(raw) {
			return
		}
		form := d.form("f", raw)
		content := map[string]any{}
		for i := range form.Fields {
			for _, value := range []any{text, []string{text}, len(text), 1.5, true, nil} {
				_ = form.Fields[i].Check(value)
			}
			content[form.Fields[i].Name] = form.Fields[i].Default
		}
		_ = form.Check(content)
	})
}

func validJSON(raw []byte) bool { return checkJSON(raw) == nil }
