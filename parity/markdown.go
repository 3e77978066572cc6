package parity

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/acpharness/acpharness/backends"
)

// WriteMarkdown writes the report for people: what each backend is trusted with, what is not in order and why, and the counts. Text of
// agents is shown as it is, whatever it would mean in Markdown or HTML.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# Parity\n")
	if len(r.Agents) > 0 {
		b.WriteString("\n## Agents\n")
		var rows [][]string
		for _, a := range r.Agents {
			rows = append(rows, []string{a.Backend, a.Name, a.Version})
		}
		markdownTable(&b, []string{"backend", "name", "version"}, rows)
	}
	r.markdownTrust(&b)
	for _, section := range []struct {
		title   string
		results []Result
	}{
		{"Failures", []Result{Fail, UnexpectedPass}},
		{"Undeclared", []Result{Undeclared}},
		{"Expected failures", []Result{ExpectedFailure}},
	} {
		var rows [][]string
		for _, c := range r.Results {
			if slices.Contains(section.results, c.Result) {
				rows = append(rows, []string{c.Backend, c.Check, c.Subject, c.Declared, c.Observed, string(c.Result), c.Reason})
			}
		}
		if len(rows) > 0 {
			fmt.Fprintf(&b, "\n## %s\n", section.title)
			markdownTable(&b, []string{"backend", "check", "subject", "declared", "observed", "result", "reason"}, rows)
		}
	}
	b.WriteString("\n## Counts\n\n" + r.Summary() + ".\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) markdownTrust(b *strings.Builder) {
	trust := r.TrustRows()
	if len(trust) == 0 {
		return
	}
	b.WriteString("\n## Trust\n")
	header := []string{"backend"}
	for _, key := range backends.TrustKeys() {
		header = append(header, string(key))
	}
	var rows [][]string
	for _, t := range trust {
		row := []string{t.Backend}
		for _, key := range backends.TrustKeys() {
			value := t.Value(key)
			if t.Cells[key].Result.Failed() {
				value += " (fails)"
			}
			row = append(row, value)
		}
		rows = append(rows, row)
	}
	markdownTable(b, header, rows)
}

func markdownTable(b *strings.Builder, header []string, rows [][]string) {
	b.WriteString("\n| " + strings.Join(header, " | ") + " |\n|" + strings.Repeat("---|", len(header)) + "\n")
	for _, row := range rows {
		b.WriteByte('|')
		for _, text := range row {
			b.WriteString(" " + markdownText(text) + " |")
		}
		b.WriteByte('\n')
	}
}

// markdownText is text in a cell of a table: on one line, and without anything that Markdown, HTML or a terminal acts on.
func markdownText(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.C, r): // controls, and what turns the direction of writing around
			return -1
		}
		return r
	}, text)
	return markdownEscapes.Replace(strings.Join(strings.Fields(text), " "))
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "~", `\~`, "[", `\[`, "]", `\]`, "|", `\|`,
	"&", "&amp;", "<", "&lt;", ">", "&gt;")
