package main

import (
	"fmt"
	"strings"

	"github.com/acpharness/acpharness/cmd/acpctl/ui"
)

func (d *doctor) print(found []*checkup, issues []issue) error {
	streams := d.app.streams
	if d.json {
		return d.app.writeJSON(map[string]any{"schema": doctorSchema, "subjects": found, "issues": issues})
	}
	table := streams.NewTable("SUBJECT", "INSTALLED", "AGENT", "VERSION", "HOT RELOAD", "SIGNED IN").Whole(1)
	for _, c := range found {
		table.Row(c.row()...)
	}
	if err := table.Print(); err != nil {
		return err
	}
	var b strings.Builder
	for _, i := range issues {
		b.WriteString(line(streams, i))
	}
	if len(issues) == 0 && streams.OutTTY {
		b.WriteString("\nno issues\n")
	}
	_, err := fmt.Fprint(streams.Out, b.String())
	return err
}

// line is an issue: on a terminal whole, however long it is, in a pipe a row that begins with "issue".
func line(streams *ui.Streams, i issue) string {
	cells := []string{"issue", dash(i.Subject), string(i.Kind), i.Problem, i.Next}
	for n, cell := range cells {
		cells[n] = ui.OneLine(cell, 0)
	}
	if !streams.OutTTY {
		return strings.Join(cells, "\t") + "\n"
	}
	subject := cells[1]
	if i.Subject == "" {
		subject = "acpctl"
	}
	return fmt.Sprintf("\n%s: %s\n  next: %s\n", streams.Paint(ui.Red, subject), cells[3], cells[4])
}

func (c *checkup) row() []ui.Cell {
	if !c.Installed {
		return []ui.Cell{{Text: c.Subject}, {Text: "no", Style: ui.Dim}, {Text: "-"}, {Text: "-"}, {Text: "-"}, {Text: "-"}}
	}
	agent, signedIn := ui.Cell{Text: dash(c.Agent.Name)}, ui.Cell{Text: strings.ReplaceAll(string(c.SignedIn), "_", " ")}
	if c.NameKnown == answerNo {
		agent = ui.Cell{Text: dash(c.Agent.Name) + " (not known)", Style: ui.Yellow}
	}
	switch {
	case c.SignInBy != "":
		signedIn.Text = "by " + c.SignInBy
	case c.SignedIn == answerNo:
		signedIn.Style = ui.Yellow
	case c.SignedIn == answerYes:
		signedIn.Style = ui.Green
	}
	reload := ui.Cell{Text: c.HotReload.String()}
	if c.HotReload.State == reloadBelow {
		reload.Style = ui.Yellow
	}
	return []ui.Cell{{Text: c.Subject}, {Text: "yes", Style: ui.Green}, agent, {Text: dash(c.Agent.Version)}, reload, signedIn}
}
