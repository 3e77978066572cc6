package parity

import "slices"

// BaselineSchema names the form of a [Baseline] in JSON.
const BaselineSchema = "acpharness.parity-baseline/1"

// Baseline has the failures that are known. It excuses them one by one, each with a reason, and only as long as they fail.
type Baseline struct {
	Schema   string        `json:"schema"`
	Expected []Expectation `json:"expected"`
}

// Expectation is one failure that is known.
type Expectation struct {
	Backend string `json:"backend"`
	Check   string `json:"check"`
	Subject string `json:"subject"`
	Reason  string `json:"reason"`         // why it fails, and is put up with
	Link    string `json:"link,omitempty"` // where that is followed up
}

func (e Expectation) key() cellKey {
	return cellKey{backend: e.Backend, check: e.Check, subject: e.Subject}
}

func (e Expectation) why() string {
	if e.Link == "" {
		return e.Reason
	}
	return e.Reason + " (" + e.Link + ")"
}

// baselineCheck is the check of cells about the baseline itself.
const baselineCheck = "baseline"

// Apply returns the report as a baseline sees it. A failure that it names is expected, with its reason; a cell that it names and that
// does not fail is an unexpected pass, which fails; one that was skipped stays so. A name that is not there fails, since it would excuse
// anything of that name later: that of no rule or check, and of no cell where the backend was held to that rule or check. The rest is left
// for other reports: one baseline serves Matrix and Check.
func (r *Report) Apply(b Baseline) *Report {
	expected := map[cellKey]Expectation{}
	for _, e := range b.Expected {
		expected[e.key()] = e
	}
	cells := slices.Clone(r.Results)
	held, found := map[cellKey]bool{}, map[cellKey]bool{} // of held, without a subject
	for i, c := range cells {
		if c.Result.Compared() {
			held[cellKey{backend: c.Backend, check: c.Check}] = true
		}
		k := cellKey{backend: c.Backend, check: c.Check, subject: c.Subject}
		e, ok := expected[k]
		if !ok {
			continue
		}
		found[k] = true
		switch c.Result {
		case Fail, ExpectedFailure:
			cells[i].Result, cells[i].Reason = ExpectedFailure, e.why()
		case Pass, Undeclared, UnexpectedPass:
			cells[i].Result, cells[i].Reason = UnexpectedPass, "the baseline expects a failure: "+e.why()
		case Skipped:
		}
	}
	for _, e := range b.Expected {
		if found[e.key()] || isCheck(e.Check) && !held[cellKey{backend: e.Backend, check: e.Check}] {
			continue
		}
		found[e.key()] = true
		missing := Cell{
			Backend: e.Backend, Check: baselineCheck, Subject: e.Check + "/" + e.Subject, Declared: "compared", Observed: "not so",
			Result: Fail, Reason: "the baseline names nothing that was compared",
		}
		if !slices.Contains(cells, missing) { // which it does if the baseline was applied before
			cells = append(cells, missing)
		}
	}
	return NewReport(r.Agents, cells)
}

func isCheck(id string) bool {
	return slices.ContainsFunc(Rules(), func(r Rule) bool { return r.ID == id }) ||
		slices.ContainsFunc(Checks(), func(c CheckInfo) bool { return c.ID == id })
}
