package parity

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	cell := func(subject string, result Result, declared, observed string) Cell {
		return Cell{Backend: "kiro", Check: "check", Subject: subject, Declared: declared, Observed: observed, Result: result, Reason: "why"}
	}
	other := cell("same", Pass, "a", "a")
	other.Reason = "another reason"
	before := []Cell{
		cell("same", Pass, "a", "a"),
		cell("breaks", Pass, "a", "a"),
		cell("mended", Fail, "a", "b"),
		cell("fails otherwise", Fail, "a", "b"),
		cell("says something else", Pass, "a", "a"),
		cell("goes", Fail, "a", "b"),
		cell("twice", Pass, "a", "a"), cell("twice", Pass, "b", "b"),
	}
	after := []Cell{
		cell("twice", Pass, "a", "a"), cell("twice", Skipped, "b", "b"),
		cell("appears", Pass, "a", "a"),
		cell("appears and fails", UnexpectedPass, "a", "a"),
		cell("says something else", Pass, "b", "b"),
		cell("fails otherwise", UnexpectedPass, "a", "c"),
		cell("mended", Pass, "a", "a"),
		cell("breaks", Fail, "a", "b"),
		other,
	}
	changes := Diff(NewReport(nil, before), NewReport(nil, after))
	var lines, regressions []string
	for _, c := range changes {
		lines = append(lines, c.String())
		if c.Regression() {
			regressions = append(regressions, c.Cell().Subject)
		}
	}
	assert.Equal(t, []string{
		`kiro/check/appears: appeared: pass`,
		`kiro/check/appears and fails: appeared: unexpected pass; why`,
		`kiro/check/breaks: pass, now fail; observed "b", was "a"; why`,
		`kiro/check/fails otherwise: fail, now unexpected pass; observed "c", was "b"; why`,
		`kiro/check/goes: gone, was fail`,
		`kiro/check/mended: fail, now pass; observed "a", was "b"`,
		`kiro/check/says something else: still pass; declared "b", was "a"; observed "b", was "a"`,
		`kiro/check/twice: pass, now skipped`,
	}, lines)
	assert.Equal(t, []string{"appears and fails", "breaks"}, regressions)
	assert.True(t, Regressed(changes))
	slices.Reverse(after)
	reverse := Diff(NewReport(nil, after), NewReport(nil, after))
	assert.Empty(t, reverse)
	assert.False(t, Regressed(reverse))
}
