// Package paritytest holds an agent to what is declared of it in the tests of whoever starts it, as parity.Check does.
package paritytest

import (
	"testing"

	"github.com/acpharness/acpharness/parity"
)

// Run checks the subject with a subtest for each cell, named by its check and subject. A cell that is not in order fails, one that was not
// compared is skipped with the reason, and what the subject does beyond what is declared is logged. A nil opts is the zero value. The
// processes of the subject have ended when it returns.
func Run(t *testing.T, s parity.Subject, opts *parity.Options) {
	t.Helper()
	report := parity.Check(t.Context(), s, opts)
	for _, agent := range report.Agents {
		t.Logf("%s is %q, version %q", agent.Backend, agent.Name, agent.Version)
	}
	if report.Cells == 0 {
		t.Log("nothing was compared")
	}
	for _, cell := range report.Results {
		t.Run(cell.Check+"/"+cell.Subject, func(t *testing.T) { judge(t, cell) })
	}
}

func judge(t *testing.T, cell parity.Cell) {
	t.Helper()
	switch {
	case cell.Result.Failed():
		t.Errorf("declared: %s; observed: %s; %s", cell.Declared, cell.Observed, cell.Reason)
	case !cell.Result.Compared():
		t.Skip(cell.Reason)
	case cell.Result == parity.Undeclared:
		t.Logf("undeclared: %s; declared: %s, %s", cell.Observed, cell.Declared, cell.Reason)
	}
}
