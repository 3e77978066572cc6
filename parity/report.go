package parity

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/acpharness/acpharness/backends"
)

// Schema names the form of a [Report] in JSON. It changes when a member changes its meaning or goes.
const Schema = "acpharness.parity/1"

// Result is what became of one comparison.
type Result string

// The results.
const (
	Pass            Result = "pass"
	Fail            Result = "fail"
	Undeclared      Result = "undeclared"       // it does what nothing declares: no fault, and nothing to rely on
	ExpectedFailure Result = "expected failure" // a failure that the baseline has, with a reason
	UnexpectedPass  Result = "unexpected pass"  // the baseline expects a failure that is none any more
	Skipped         Result = "skipped"          // not compared, for the reason that is given
)

// Failed reports whether a report with such a result is not in order.
func (r Result) Failed() bool { return r == Fail || r == UnexpectedPass }

// Compared reports whether anything was compared.
func (r Result) Compared() bool { return r != Skipped }

// Cell is one comparison.
type Cell struct {
	Backend  string `json:"backend"` // an id, or the name of what was checked
	Check    string `json:"check"`   // the rule or check, see Rules and Checks
	Subject  string `json:"subject"` // what was compared
	Declared string `json:"declared"`
	Observed string `json:"observed"`
	Result   Result `json:"result"`
	Reason   string `json:"reason,omitempty"`
}

// AllBackends stands for the backend in cells that are about none in particular.
const AllBackends = "-"

// Key names the cell among those of a report.
func (c Cell) Key() string { return c.Backend + "/" + c.Check + "/" + c.Subject }

// Report is what was compared.
type Report struct {
	Schema  string         `json:"schema"`
	Cells   int            `json:"cells"` // how many were compared; those skipped do not count
	Failed  int            `json:"failed"`
	Counts  map[Result]int `json:"counts"`
	Agents  []Agent        `json:"agents,omitempty"` // that were started by Check
	Results []Cell         `json:"results"`
}

// Agent is how an agent introduced itself.
type Agent struct {
	Backend string `json:"backend"`
	Name    string `json:"name"`
	Version string `json:"version"`
}

// NewReport returns a report of cells.
func NewReport(agents []Agent, cells []Cell) *Report {
	r := &Report{Schema: Schema, Counts: map[Result]int{}, Agents: agents, Results: cells}
	if r.Results == nil {
		r.Results = []Cell{}
	}
	for _, c := range cells {
		r.Counts[c.Result]++
		if c.Result.Compared() {
			r.Cells++
		}
		if c.Result.Failed() {
			r.Failed++
		}
	}
	return r
}

// Join returns one report of several.
func Join(reports ...*Report) *Report {
	var agents []Agent
	var cells []Cell
	for _, r := range reports {
		agents, cells = append(agents, r.Agents...), append(cells, r.Results...)
	}
	return NewReport(agents, cells)
}

// Failures returns the cells that are not in order.
func (r *Report) Failures() []Cell {
	return slices.DeleteFunc(slices.Clone(r.Results), func(c Cell) bool { return !c.Result.Failed() })
}

// TrustRow is what one backend is trusted with, as far as a report has it.
type TrustRow struct {
	Backend string
	Cells   map[backends.TrustKey]Cell // without an entry for what was not compared
}

// Value is what is decided, "-" if it is not in the report.
func (t TrustRow) Value(key backends.TrustKey) string {
	if c, ok := t.Cells[key]; ok && c.Declared != "" {
		return c.Declared
	}
	return "-"
}

// TrustRows returns the decisions of every backend whose decisions were compared, in the order of the report.
func (r *Report) TrustRows() []TrustRow {
	var rows []TrustRow
	for _, c := range r.Results {
		if c.Check != trustRule || !slices.Contains(backends.TrustKeys(), backends.TrustKey(c.Subject)) {
			continue
		}
		i := slices.IndexFunc(rows, func(t TrustRow) bool { return t.Backend == c.Backend })
		if i < 0 {
			i = len(rows)
			rows = append(rows, TrustRow{Backend: c.Backend, Cells: map[backends.TrustKey]Cell{}})
		}
		rows[i].Cells[backends.TrustKey(c.Subject)] = c
	}
	return rows
}

// trustRule is the rule whose cells have the decisions, see Rules.
const trustRule = "P3"

// Summary is one line: how many cells were compared, failed and were skipped, and what else there is.
func (r *Report) Summary() string {
	text := fmt.Sprintf("%d cells compared, %d failed, %d skipped", r.Cells, r.Failed, r.Counts[Skipped])
	if n := r.Counts[ExpectedFailure]; n > 0 {
		text += fmt.Sprintf(", %d failed as expected", n)
	}
	if n := r.Counts[Undeclared]; n > 0 {
		text += fmt.Sprintf(", %d undeclared", n)
	}
	return text
}

// WriteJSON writes the report as an indented JSON object, which [ReadReport] reads.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

// ReadReport reads what [Report.WriteJSON] has written. A report of another schema is refused, and so is a result that is not known: who
// cannot tell whether it failed must not guess. Members that are not known are passed over, since a schema may gain some. The counts are
// made anew from the cells.
func ReadReport(from io.Reader) (*Report, error) {
	var r Report
	dec := json.NewDecoder(from)
	if err := dec.Decode(&r); err != nil {
		return nil, fmt.Errorf("cannot read the report: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("cannot read the report: something follows the object")
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("cannot read the report: its schema is %q, want %q", r.Schema, Schema)
	}
	known := []Result{Pass, Fail, Undeclared, ExpectedFailure, UnexpectedPass, Skipped}
	for i, c := range r.Results {
		if !slices.Contains(known, c.Result) {
			return nil, fmt.Errorf("cannot read the report: results[%d] (%s) has the unknown result %q", i, strings.TrimSpace(c.Key()), c.Result)
		}
	}
	return NewReport(r.Agents, r.Results), nil
}
