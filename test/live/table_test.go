package live

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// page has the table of what agents do, which is both for readers and what the lane compares with.
const page = "../../docs/agents.md"

// table is a table of the page.
type table struct {
	lines    []string // of the page
	from, to int      // its rows

	mu      sync.Mutex
	changed bool
}

// readTable reads the table that has these headings.
func readTable(t *testing.T, heading []string) *table {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	tb := &table{lines: strings.Split(string(text), "\n")}
	tb.from = slices.Index(tb.lines, row("agent", heading)) + 2 // after the heading and its rule
	require.Greater(t, tb.from, 2, "%s has no table with the heading %v", page, heading)
	for tb.to = tb.from; strings.HasPrefix(tb.lines[tb.to], "|"); {
		tb.to++
	}
	return tb
}

// rows returns the indices of an agent's rows.
func (tb *table) rows(id string) []int {
	var found []int
	for i := tb.from; i < tb.to; i++ {
		if strings.HasPrefix(tb.lines[i], "| "+id+" |") {
			found = append(found, i)
		}
	}
	return found
}

// row renders a row of the table.
func row(id string, cells []string) string {
	return "| " + strings.Join(append([]string{id}, cells...), " | ") + " |"
}

// compare compares a row with what was seen, or takes it over with -update.
func (tb *table) compare(t *testing.T, id string, cells []string) {
	t.Helper()
	seen := row(id, cells)
	tb.mu.Lock()
	defer tb.mu.Unlock()
	rows := tb.rows(id)
	require.Len(t, rows, 1, "rows of %s in %s", id, page)
	at := &tb.lines[rows[0]]
	if !*flagUpdate || slices.ContainsFunc(cells, accident) {
		assert.Equal(t, *at, seen, "what is written of this agent, and what it does")
		return
	}
	tb.changed = tb.changed || *at != seen
	*at = seen
}

// accident reports whether a cell tells of a fault of the run, which is nothing to write down.
func accident(cell string) bool {
	return strings.Contains(cell, "lost: ") || strings.Contains(cell, "no answer in ")
}

// write writes the page if a row was taken over.
func (tb *table) write(t *testing.T) {
	t.Helper()
	if !tb.changed {
		return
	}
	text, err := os.ReadFile(page) // which another test may have written
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	copy(lines[tb.from:tb.to], tb.lines[tb.from:tb.to])
	require.NoError(t, os.WriteFile(page, []byte(strings.Join(lines, "\n")), 0o600))
}

func TestEveryPinnedAgentHasARow(t *testing.T) {
	tb := readTable(t, turnHeading())
	ids := 0
	for _, p := range pins(t) {
		if p.id != "node" {
			ids++
			assert.Len(t, tb.rows(p.id), 1, p.id)
		}
	}
	assert.Equal(t, ids, tb.to-tb.from, "a row for each")
}
