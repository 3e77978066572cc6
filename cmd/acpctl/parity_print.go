package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/parity"
)

// printParity prints one document or table to stdout. What people want to read beside it follows it on a terminal, and is on stderr where
// stdout is read by a program.
func (a *app) printParity(o *parityOptions, report *parity.Report, changes []parity.Change) error {
	var write func(io.Writer) error
	switch {
	case o.json:
		write = report.WriteJSON
	case o.markdown:
		write = report.WriteMarkdown
	case o.junit:
		write = report.WriteJUnit
	}
	if write != nil {
		if err := write(a.streams.Out); err != nil {
			return err
		}
		a.tellChanges(changes)
		return nil
	}
	aside := a.streams.Err
	if a.streams.OutTTY {
		aside = a.streams.Out
	}
	switch {
	case o.before != nil:
		if err := a.changeTable(changes); err != nil {
			return err
		}
	case o.live:
		if err := a.cellTable(report); err != nil {
			return err
		}
	default:
		if err := a.trustTable(report); err != nil {
			return err
		}
		a.tellDisorder(aside, report)
	}
	summary := report.Summary()
	if o.before != nil {
		summary += fmt.Sprintf(", %d changed", len(changes))
	}
	_, err := fmt.Fprintln(aside, summary)
	return err
}

// trustTable has a line for each backend with what it is trusted with.
func (a *app) trustTable(report *parity.Report) error {
	header := []string{"BACKEND"}
	for _, key := range backends.TrustKeys() {
		header = append(header, strings.ToUpper(string(key)))
	}
	table := a.streams.NewTable(header...).Whole(1)
	for _, t := range report.TrustRows() {
		row := []ui.Cell{{Text: t.Backend}}
		for _, key := range backends.TrustKeys() {
			value := ui.Cell{Text: t.Value(key)}
			switch {
			case t.Cells[key].Result.Failed():
				value.Style = ui.Red
			case value.Text == "yes":
				value.Style = ui.Green
			case value.Text == "no":
				value.Style = ui.Dim
			}
			row = append(row, value)
		}
		table.Row(row...)
	}
	return table.Print()
}

// cellTable has a line for each cell: of agents that were started there are few.
func (a *app) cellTable(report *parity.Report) error {
	table := a.streams.NewTable("BACKEND", "CHECK", "SUBJECT", "RESULT", "DECLARED", "OBSERVED", "REASON").Whole(2)
	for _, c := range report.Results {
		result := ui.Cell{Text: string(c.Result)}
		switch c.Result {
		case parity.Fail, parity.UnexpectedPass:
			result.Style = ui.Red
		case parity.Undeclared:
			result.Style = ui.Yellow
		case parity.ExpectedFailure, parity.Skipped:
			result.Style = ui.Dim
		case parity.Pass:
			result.Style = ui.Green
		}
		table.Row(ui.Cell{Text: c.Backend}, ui.Cell{Text: c.Check}, ui.Cell{Text: c.Subject}, result, ui.Cell{Text: c.Declared},
			ui.Cell{Text: c.Observed}, ui.Cell{Text: c.Reason})
	}
	return table.Print()
}

// tellDisorder tells of each cell that is not plainly in order, those that fail first.
func (a *app) tellDisorder(w io.Writer, report *parity.Report) {
	tell := func(style ui.Style, wanted func(parity.Result) bool) {
		for _, c := range report.Results {
			if !wanted(c.Result) {
				continue
			}
			result := string(c.Result)
			if a.streams.OutTTY {
				result = a.streams.Paint(style, result)
			}
			fmt.Fprintf(w, "%s: %s: declared %q, observed %q: %s\n", ui.OneLine(c.Key(), 0), result, c.Declared, c.Observed, ui.OneLine(c.Reason, 0))
		}
	}
	tell(ui.Red, parity.Result.Failed)
	tell(ui.Yellow, func(r parity.Result) bool { return r == parity.Undeclared })
	tell(ui.Dim, func(r parity.Result) bool { return r == parity.ExpectedFailure })
}

func (a *app) changeTable(changes []parity.Change) error {
	if len(changes) == 0 {
		return nil // not even a heading
	}
	table := a.streams.NewTable("BACKEND", "CHECK", "SUBJECT", "CHANGE", "DECLARED", "OBSERVED", "REASON").Whole(2)
	for _, c := range changes {
		cell := c.Cell()
		what := ui.Cell{Text: c.What()}
		if c.Regression() {
			what.Style = ui.Red
		}
		table.Row(ui.Cell{Text: cell.Backend}, ui.Cell{Text: cell.Check}, ui.Cell{Text: cell.Subject}, what,
			ui.Cell{Text: cell.Declared}, ui.Cell{Text: cell.Observed}, ui.Cell{Text: cell.Reason})
	}
	return table.Print()
}

// tellChanges tells of changes where stdout has the report.
func (a *app) tellChanges(changes []parity.Change) {
	for _, c := range changes {
		fmt.Fprintln(a.streams.Err, ui.OneLine(c.String(), 0))
	}
}
