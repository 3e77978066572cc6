package parity

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostile is a report with a cell of each result, in the words of an agent that means no good.
func hostile() *Report {
	return NewReport([]Agent{{Backend: "kiro", Name: "a|b", Version: "1\n2"}}, []Cell{
		{Backend: "kiro", Check: "P3", Subject: "mcp-config-hot-reload", Declared: "yes", Observed: "yes", Result: Pass, Reason: "Seen."},
		{Backend: "kiro", Check: "P3", Subject: "reads-config", Declared: "process-start", Observed: "not so", Result: Fail, Reason: "no | reason\n<b>&"},
		{Backend: "kiro", Check: "P3", Subject: "descriptor", Declared: "valid", Observed: "valid", Result: Pass},
		{Backend: "qwen", Check: "session", Subject: "close", Declared: "no", Observed: "\x1b[31m`yes`\u202e \xff", Result: Undeclared, Reason: "not *declared*"},
		{Backend: "qwen", Check: "session", Subject: "list", Result: ExpectedFailure, Reason: "known"},
		{Backend: "qwen", Check: "session", Subject: "load", Result: UnexpectedPass, Reason: "works"},
		{Backend: "-", Check: "P7", Subject: "launch", Result: Skipped, Reason: "nobody\x00plays"},
	})
}

func TestWriteMarkdown(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	require.NoError(t, hostile().WriteMarkdown(&b))
	assert.Equal(t, `# Parity

## Agents

| backend | name | version |
|---|---|---|
| kiro | a\|b | 1 2 |

## Trust

| backend | mcp-config-hot-reload | shares-process | isolates-mcp | reads-config | takes-servers | asks-permission | parallel-starts | follows-list-changed | stops-on-stdin-close |
|---|---|---|---|---|---|---|---|---|---|
| kiro | yes | - | - | process-start (fails) | - | - | - | - | - |

## Failures

| backend | check | subject | declared | observed | result | reason |
|---|---|---|---|---|---|---|
| kiro | P3 | reads-config | process-start | not so | fail | no \| reason &lt;b&gt;&amp; |
| qwen | session | load |  |  | unexpected pass | works |

## Undeclared

| backend | check | subject | declared | observed | result | reason |
|---|---|---|---|---|---|---|
`+"| qwen | session | close | no | \\[31m\\`yes\\` \uFFFD | undeclared | not \\*declared\\* |"+`

## Expected failures

| backend | check | subject | declared | observed | result | reason |
|---|---|---|---|---|---|---|
| qwen | session | list |  |  | expected failure | known |

## Counts

6 cells compared, 2 failed, 1 skipped, 1 failed as expected, 1 undeclared.
`, b.String())
}

func TestWriteMarkdownOfNothing(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	require.NoError(t, NewReport(nil, nil).WriteMarkdown(&b))
	assert.Equal(t, "# Parity\n\n## Counts\n\n0 cells compared, 0 failed, 0 skipped.\n", b.String())
}

func TestWriteJUnit(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	require.NoError(t, hostile().WriteJUnit(&b))
	assert.Equal(t, `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="parity" tests="7" failures="2" skipped="2">
  <testsuite name="kiro" tests="3" failures="1" skipped="0">
    <testcase classname="kiro.P3" name="P3: mcp-config-hot-reload"></testcase>
    <testcase classname="kiro.P3" name="P3: reads-config">
      <failure message="no | reason&#xA;&lt;b&gt;&amp;" type="fail">declared: process-start&#xA;observed: not so</failure>
    </testcase>
    <testcase classname="kiro.P3" name="P3: descriptor"></testcase>
  </testsuite>
  <testsuite name="qwen" tests="3" failures="1" skipped="1">
    <testcase classname="qwen.session" name="session: close">
`+"      <system-out>undeclared: not *declared*&#xA;declared: no&#xA;observed: \uFFFD[31m`yes`\u202e \uFFFD</system-out>"+`
    </testcase>
    <testcase classname="qwen.session" name="session: list">
      <skipped message="expected failure: known">declared: &#xA;observed: </skipped>
    </testcase>
    <testcase classname="qwen.session" name="session: load">
      <failure message="works" type="unexpected pass">declared: &#xA;observed: </failure>
    </testcase>
  </testsuite>
  <testsuite name="-" tests="1" failures="0" skipped="1">
    <testcase classname="-.P7" name="P7: launch">
      <skipped message="nobody`+"\uFFFD"+`plays"></skipped>
    </testcase>
  </testsuite>
</testsuites>
`, b.String())
	dec := xml.NewDecoder(&b)
	for {
		_, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
}

func TestReadReport(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	report := hostile()
	require.NoError(t, report.WriteJSON(&b))
	assert.True(t, strings.HasPrefix(b.String(), "{\n  \"schema\": \"acpharness.parity/1\",\n  \"cells\": 6,\n"))
	assert.Contains(t, b.String(), "<b>&", "nothing is escaped for HTML")
	again, err := ReadReport(&b)
	require.NoError(t, err)
	report.Results[3].Observed = strings.ToValidUTF8(report.Results[3].Observed, "\uFFFD")
	assert.Equal(t, report, again)

	again, err = ReadReport(strings.NewReader(`{"schema": "acpharness.parity/1", "newer": 1, "failed": 7, "results": []}`))
	require.NoError(t, err)
	assert.Equal(t, NewReport(nil, nil), again, "what is not known is passed over, and counts are counted")

	for text, fault := range map[string]string{
		``:                                    "cannot read the report: EOF",
		`[]`:                                  "cannot read the report: json: cannot unmarshal array",
		`{}`:                                  `cannot read the report: its schema is "", want "acpharness.parity/1"`,
		`{"schema": "acpharness.parity/2"}`:   `its schema is "acpharness.parity/2", want`,
		`{"schema": "acpharness.parity/1"} x`: "something follows the object",
		`{"schema": "acpharness.parity/1", "results": [{"backend": "a", "check": "b", "subject": "c", "result": "maybe"}]}`: `results[0] (a/b/c) has the unknown result "maybe"`,
	} {
		_, err := ReadReport(strings.NewReader(text))
		assert.ErrorContains(t, err, fault, text)
	}
}

var errFull = errors.New("full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestWritersTellOfFaults(t *testing.T) {
	t.Parallel()
	r := hostile()
	for _, write := range []func(io.Writer) error{r.WriteJSON, r.WriteMarkdown, r.WriteJUnit} {
		assert.ErrorIs(t, write(fullDisk{}), errFull)
	}
}
