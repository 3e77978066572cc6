package parity

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestApply(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name       string
		have, want Cell // with only what differs
		named      string
	}{
		{"a failure is expected", Cell{Result: Fail, Reason: "broken"}, Cell{Result: ExpectedFailure, Reason: "Known. (link)"}, "subject"},
		{"so it stays", Cell{Result: ExpectedFailure, Reason: "old"}, Cell{Result: ExpectedFailure, Reason: "Known. (link)"}, "subject"},
		{"a pass is not", Cell{Result: Pass}, Cell{Result: UnexpectedPass, Reason: "the baseline expects a failure: Known. (link)"}, "subject"},
		{"nor what is undeclared", Cell{Result: Undeclared}, Cell{Result: UnexpectedPass, Reason: "the baseline expects a failure: Known. (link)"}, "subject"},
		{"what was skipped says nothing", Cell{Result: Skipped, Reason: "why"}, Cell{Result: Skipped, Reason: "why"}, "subject"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range []*Cell{&tc.have, &tc.want} {
				c.Backend, c.Check, c.Subject = "kiro", "check", "subject"
			}
			other := Cell{Backend: "kiro", Check: "check", Subject: "other", Result: Fail, Reason: "broken"}
			before := NewReport([]Agent{{Backend: "kiro"}}, []Cell{tc.have, other})
			after := before.Apply(Baseline{Expected: []Expectation{{Backend: "kiro", Check: "check", Subject: tc.named, Reason: "Known.", Link: "link"}}})
			assert.Equal(t, NewReport(before.Agents, []Cell{tc.want, other}), after)
			assert.Equal(t, tc.have, before.Results[0], "the report stays as it is")
		})
	}
}

func TestApplyToWhatIsNotThere(t *testing.T) {
	t.Parallel()
	report := NewReport(nil, []Cell{{Backend: "kiro", Check: "P3", Subject: "subject", Result: Pass}, {Backend: "pi", Check: "P3", Subject: "subject", Result: Skipped}})
	b := Baseline{Expected: []Expectation{
		{Backend: "kiro", Check: "P3", Subject: "sub/ject", Reason: "Misspelt."},
		{Backend: "kiro", Check: "P33", Subject: "subject", Reason: "Misspelt, too."},
		{Backend: "gemini", Check: "P3", Subject: "subject", Reason: "Of another report."},
		{Backend: "kiro", Check: "advertised", Subject: "subject", Reason: "Of a report of the other kind."},
		{Backend: "pi", Check: "P3", Subject: "something else", Reason: "It was not compared today."},
	}}
	after := report.Apply(b)
	var missing []string
	for _, c := range after.Failures() {
		missing = append(missing, c.Key())
		assert.Equal(t, "the baseline names nothing that was compared", c.Reason)
	}
	assert.Equal(t, []string{"kiro/baseline/P3/sub/ject", "kiro/baseline/P33/subject"}, missing)
	assert.Equal(t, 3, after.Cells)
	assert.Equal(t, after, after.Apply(b), "once is enough")
}

func TestParseBaseline(t *testing.T) {
	t.Parallel()
	b, err := ParseBaseline([]byte(`{"schema": "acpharness.parity-baseline/1", "expected": [
		{"backend": "gemini", "check": "session", "subject": "loadSession", "reason": "It forgets.", "link": "https://example.com"},
		{"backend": "gemini", "check": "session", "subject": "close", "reason": "It hangs."}]}`))
	require.NoError(t, err)
	assert.Equal(t, Baseline{Schema: BaselineSchema, Expected: []Expectation{
		{"gemini", "session", "loadSession", "It forgets.", "https://example.com"},
		{"gemini", "session", "close", "It hangs.", ""},
	}}, b)
	_, err = ParseBaseline([]byte(`{"schema": "acpharness.parity-baseline/1", "expected": []}`))
	assert.NoError(t, err)
}

func TestParseBaselineTellsEveryFault(t *testing.T) {
	t.Parallel()
	_, err := ParseBaseline([]byte(`{"schema": "acpharness.parity-baseline/2", "schema": 1, "extra": {"a": [1]}, "expected": [
		{"backend": "a", "check": "b", "subject": "c", "reason": "It is fine."},
		{"backend": "a", "check": "b", "subject": "c", "reason": "It is there again."},
		{"backend": "a", "backend": "b", "check": "b", "subject": 1, "link": " "},
		{"Backend": "a"},
		7
	]} {}`))
	require.Error(t, err)
	assert.Equal(t, []string{
		`cannot use the baseline: the member "schema" is there twice`,
		`unknown member "extra"`,
		`expected[1]: it names the same cell as expected[0]`,
		`expected[2]: the member "backend" is there twice`,
		`expected[2].subject: want a string`,
		`expected[2].link: it is empty`,
		`expected[2]: the member "reason" is missing`,
		`expected[3]: unknown member "Backend"`,
		`expected[3]: the member "backend" is missing`,
		`expected[3]: the member "check" is missing`,
		`expected[3]: the member "subject" is missing`,
		`expected[3]: the member "reason" is missing`,
		`expected[4]: want an object`,
		`schema: it is "acpharness.parity-baseline/2", want "acpharness.parity-baseline/1"`,
		`something follows the object`,
	}, strings.Split(err.Error(), "\n"))
	for text, fault := range map[string]string{
		``:                         "want an object",
		`[]`:                       "want an object",
		`{}`:                       `the member "schema" is missing`,
		`{"expected": {}}`:         "expected: want an array",
		`{"expected": [{"backend"`: "unexpected EOF",
		`{"expected": [`:           "unexpected EOF",
	} {
		_, err := ParseBaseline([]byte(text))
		assert.ErrorContains(t, err, fault, text)
	}
}
