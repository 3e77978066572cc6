package ui

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// printed is a table of two rows on streams.
func printed(t *testing.T, s Streams) string {
	t.Helper()
	var out strings.Builder
	s.Out = &out
	table := s.NewTable("SUBJECT", "OUTCOME", "AGENT")
	table.Row(Cell{Text: "builtin"}, Cell{Text: "ok", Style: Green}, Cell{Text: "the agent\tof\nmany words"})
	table.Row(Cell{Text: "a-very-long-subject"}, Cell{Text: "start_failed", Style: Red}, Cell{Text: ""})
	require.NoError(t, table.Print())
	return out.String()
}

func TestTableInAPipeIsTSV(t *testing.T) {
	t.Parallel()
	want := "builtin\tok\tthe agent of many words\na-very-long-subject\tstart_failed\t\n"
	assert.Equal(t, want, printed(t, Streams{}))
	assert.Equal(t, want, printed(t, Streams{Width: 10}), "cells are whole whatever the width")
}

func TestTableOnATerminalIsAligned(t *testing.T) {
	t.Parallel()
	assert.Equal(t, ""+
		"SUBJECT              OUTCOME       AGENT\n"+
		"builtin              ok            the agent of many words\n"+
		"a-very-long-subject  start_failed  \n", printed(t, Streams{OutTTY: true}))
}

func TestTableColoursDoNotMoveColumns(t *testing.T) {
	t.Parallel()
	coloured := printed(t, Streams{OutTTY: true, Color: true, Width: 200})
	assert.Contains(t, coloured, "\x1b[32mok\x1b[0m            the agent")
	plain := strings.NewReplacer("\x1b[1m", "", "\x1b[32m", "", "\x1b[31m", "", "\x1b[0m", "").Replace(coloured)
	assert.Equal(t, printed(t, Streams{OutTTY: true}), plain)
}

func TestTableFitsTheTerminal(t *testing.T) {
	t.Parallel()
	whole := printed(t, Streams{OutTTY: true})
	for width := 1; width < 80; width++ {
		text := printed(t, Streams{OutTTY: true, Width: width})
		widest := 0
		for line := range strings.Lines(text) {
			widest = max(widest, utf8.RuneCountInString(strings.TrimRight(line, "\n")))
		}
		switch {
		case width >= 58: // the width of the whole table
			assert.Equal(t, whole, text)
		case width >= 3*8+2*2: // no column is made narrower than 8
			assert.LessOrEqual(t, widest, width, text)
			assert.Contains(t, text, "…")
		default:
			assert.Equal(t, printed(t, Streams{OutTTY: true, Width: 3*8 + 2*2}), text)
		}
	}
}

func TestTableWithoutRows(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, (&Streams{Out: &out}).NewTable("A", "B").Print())
	assert.Empty(t, out.String())
	require.NoError(t, (&Streams{Out: &out, OutTTY: true}).NewTable("A", "B").Print())
	assert.Equal(t, "A  B\n", out.String())
}

type brokenPipe struct{}

var errBroken = errors.New("broken pipe")

func (brokenPipe) Write([]byte) (int, error) { return 0, errBroken }

func TestTableTellsOfABrokenPipe(t *testing.T) {
	t.Parallel()
	for _, tty := range []bool{false, true} {
		table := (&Streams{Out: brokenPipe{}, OutTTY: tty}).NewTable("A")
		table.Row(Cell{Text: "a"})
		assert.ErrorIs(t, table.Print(), errBroken)
	}
}

func TestTableKeepsWholeColumns(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	table := (&Streams{Out: &out, OutTTY: true, Width: 30}).NewTable("ID", "TITLE").Whole(1)
	table.Row(Cell{Text: "0123456789-0123456789"}, Cell{Text: "a title that is long"})
	require.NoError(t, table.Print())
	assert.Equal(t, "ID                     TITLE\n0123456789-0123456789  a title…\n", out.String())
}
