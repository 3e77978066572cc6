package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/acpharness/acpharness/cmd/acpctl/ui"
)

// sections adds what the card has beside the descriptor's fields. What there is nothing to say about is left out.
func (c *cardJSON) sections(b *strings.Builder) {
	section := func(title string, rows [][]string) {
		if len(rows) > 0 {
			b.WriteString("\n" + title + "\n")
			columns(b, "  ", rows)
		}
	}
	var trust, edits, evidence, overrides [][]string
	for _, t := range c.Trust {
		trust = append(trust, []string{string(t.Key), t.Value, t.Reason})
	}
	section("trust", trust)
	for _, e := range c.HotReload.Edits {
		edits = append(edits, []string{string(e.Edit), string(e.Verdict), e.remark()})
	}
	section(fmt.Sprintf("hot reload from version %s, highest version seen %s", dash(c.HotReload.Floor), dash(c.HotReload.HighestSeen)), edits)
	for _, e := range c.Evidence {
		date := e.Date
		if date == "" {
			date = "date unknown"
		}
		evidence = append(evidence, []string{e.Version, date, string(e.Kind), e.Source, e.Method})
	}
	section("evidence", evidence)
	for _, o := range c.Overrides {
		works := "does not work"
		if o.Works {
			works = "works"
		}
		overrides = append(overrides, []string{o.Capability, works, o.Evidence})
	}
	section("overrides of what it advertises", overrides)
}

// remark says how far a verdict goes.
func (e editJSON) remark() string {
	var remarks []string
	if e.Inferred {
		remarks = append(remarks, "inferred")
	}
	if len(e.Conditions) > 0 {
		names := make([]string, len(e.Conditions))
		for i, c := range e.Conditions {
			names[i] = string(c)
		}
		remarks = append(remarks, "if "+strings.Join(names, ", "))
	}
	return strings.Join(remarks, "; ")
}

// widestColumn is how far the columns after a long cell are moved to keep them aligned; the row of a longer one is moved alone.
const widestColumn = 24

// columns writes rows with their columns aligned. The first has at least the width of the longest name of a field.
func columns(b *strings.Builder, indent string, rows [][]string) {
	widths := []int{len("protocol version")}
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], min(utf8.RuneCountInString(ui.OneLine(cell, 0)), widestColumn))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		line.WriteString(indent)
		for i, cell := range row {
			cell = ui.OneLine(cell, 0)
			line.WriteString(cell + strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(cell))+2))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
