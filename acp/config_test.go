package acp

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestConfigOptions(t *testing.T) {
	tests := []struct {
		name  string
		raw   string
		want  []ConfigOption
		warns []string
	}{
		{name: "Null_kotlinsdk581", raw: `null`},
		{name: "Empty", raw: `[]`},
		{
			name: "Flat", raw: `[{"id":"m","name":"Model","type":"select","currentValue":"b","options":[{"value":"a","name":"A"},{"value":"b","name":"B"}]}]`,
			want: []ConfigOption{{ID: "m", Name: "Model", Type: "select", Value: "b", Choices: []ConfigChoice{{Value: "a", Name: "A"}, {Value: "b", Name: "B"}}}},
		},
		{
			name: "Groups", raw: `[{"id":"m","type":"select","options":[{"group":"g1","name":"G1","options":[{"value":"a"},null,{"value":"b"}]},{"group":"g2","name":"G2","options":[]},{"value":"c"}]}]`,
			want:  []ConfigOption{{ID: "m", Type: "select", Choices: []ConfigChoice{{Value: "a", Group: "G1", GroupID: "g1"}, {Value: "b", Group: "G1", GroupID: "g1"}, {Value: "c"}}}},
			warns: []string{"o[0].options[0].options[1]"},
		},
		{
			name: "NullGroup_kotlinsdk581", raw: `[{"id":"m","type":"select","options":[{"value":"a","options":null}]}]`,
			want: []ConfigOption{{ID: "m", Type: "select", Choices: []ConfigChoice{{Value: "a"}}}},
		},
		{
			name: "BooleanBeforeType", raw: `[{"currentValue":true,"type":"boolean","id":"b"},{"id":"c","type":"boolean","currentValue":"yes"}]`,
			want:  []ConfigOption{{ID: "b", Type: "boolean", Bool: true}, {ID: "c", Type: "boolean"}},
			warns: []string{"o[1].currentValue"},
		},
		{name: "NoType", raw: `[{"id":"m","currentValue":"a"}]`, want: []ConfigOption{{ID: "m", Value: "a"}}},
		{name: "FutureType", raw: `[{"id":"m","type":"slider","currentValue":5,"min":1}]`, want: []ConfigOption{{ID: "m", Type: "slider"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var d decoder
			assert.Equal(t, tt.want, d.configOptions("o", []byte(tt.raw)))
			assert.Equal(t, tt.warns, paths(d.warnings))
		})
	}
}

func TestSessionModes(t *testing.T) {
	tests := []struct {
		name  string
		raw   string
		want  *SessionModes
		warns []string
	}{
		{name: "Null_kotlinsdk581", raw: `null`},
		{name: "Text", raw: `"plan"`, warns: []string{"m"}},
		{name: "Empty", raw: `{}`, want: &SessionModes{}},
		{
			name: "BadOneAmongOthers_pythonsdk117", raw: `{"currentModeId":"https://example.test/plan","availableModes":[{"id":"a","name":"A","description":null},null,1,{"id":2}]}`,
			want:  &SessionModes{Current: "https://example.test/plan", Available: []SessionMode{{ID: "a", Name: "A"}, {}}},
			warns: []string{"m.availableModes[1]", "m.availableModes[2]", "m.availableModes[3].id"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var d decoder
			assert.Equal(t, tt.want, d.sessionModes("m", []byte(tt.raw)))
			assert.Equal(t, tt.warns, paths(d.warnings))
		})
	}
}
