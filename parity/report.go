package parity

import "slices"

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
