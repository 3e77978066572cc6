package ui

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table is rows of cells under a heading. On a terminal it is aligned and cut to the width; in a pipe it is TSV with
// whole cells and no heading.
type Table struct {
	streams *Streams
	header  []string
	whole   int
	rows    [][]Cell
}

// Cell is one value of a table.
type Cell struct {
	Text  string
	Style Style
}

// NewTable returns an empty table.
func (s *Streams) NewTable(header ...string) *Table { return &Table{streams: s, header: header} }

// Whole has the first n columns never cut: what people copy from them is of no use in parts.
func (t *Table) Whole(n int) *Table {
	t.whole = n
	return t
}

// Row adds a row.
func (t *Table) Row(cells ...Cell) { t.rows = append(t.rows, cells) }

// Print writes the table to Out.
func (t *Table) Print() error {
	if !t.streams.OutTTY {
		return t.tsv(t.streams.Out)
	}
	return t.aligned(t.streams.Out)
}

func (t *Table) tsv(w io.Writer) error {
	for _, row := range t.rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = OneLine(c.Text, 0)
		}
		if _, err := fmt.Fprintln(w, strings.Join(cells, "\t")); err != nil {
			return err
		}
	}
	return nil
}

const columnGap = 2

func (t *Table) aligned(w io.Writer) error {
	widths := make([]int, len(t.header))
	for i, h := range t.header {
		widths[i] = utf8.RuneCountInString(h)
	}
	for _, row := range t.rows {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(OneLine(c.Text, 0)))
		}
	}
	t.fit(widths)
	var b strings.Builder
	for i, h := range t.header {
		t.cell(&b, Cell{h, Bold}, widths[i], i == len(t.header)-1)
	}
	b.WriteByte('\n')
	for _, row := range t.rows {
		for i, c := range row {
			t.cell(&b, c, widths[i], i == len(row)-1)
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// fit narrows the widest columns until the table is no wider than the terminal.
func (t *Table) fit(widths []int) {
	if t.streams.Width == 0 {
		return
	}
	for {
		total, widest := -columnGap, t.whole
		for i, w := range widths {
			total += w + columnGap
			if i >= t.whole && w > widths[widest] {
				widest = i
			}
		}
		if total <= t.streams.Width || widths[widest] <= 8 {
			return
		}
		widths[widest] = max(8, widths[widest]-(total-t.streams.Width))
	}
}

func (t *Table) cell(b *strings.Builder, c Cell, width int, last bool) {
	text := OneLine(c.Text, width)
	b.WriteString(t.streams.Paint(c.Style, text))
	if !last {
		b.WriteString(strings.Repeat(" ", width-utf8.RuneCountInString(text)+columnGap))
	}
}
