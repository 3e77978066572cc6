package parity

import (
	"cmp"
	"fmt"
	"slices"
)

// Change is a cell that is in one of two reports only, or not the same in both.
type Change struct {
	Before *Cell // nil for one that has appeared
	After  *Cell // nil for one that has gone
}

// Cell is the changed cell: as it is now, or as it was when it has gone.
func (c Change) Cell() Cell {
	if c.After != nil {
		return *c.After
	}
	return *c.Before
}

// Regression reports whether the cell fails now and did not before, which includes one that was not there.
func (c Change) Regression() bool {
	return c.After != nil && c.After.Result.Failed() && (c.Before == nil || !c.Before.Result.Failed())
}

// What says what has become of the cell, such as "pass, now fail" or "appeared: pass".
func (c Change) What() string {
	switch {
	case c.Before == nil:
		return "appeared: " + string(c.After.Result)
	case c.After == nil:
		return "gone, was " + string(c.Before.Result)
	case c.Before.Result != c.After.Result:
		return string(c.Before.Result) + ", now " + string(c.After.Result)
	}
	return "still " + string(c.After.Result)
}

// String is the change for people: the cell, what has become of it, and each side that differs.
func (c Change) String() string {
	text := c.Cell().Key() + ": " + c.What()
	if c.Before != nil && c.After != nil {
		if c.Before.Declared != c.After.Declared {
			text += fmt.Sprintf("; declared %q, was %q", c.After.Declared, c.Before.Declared)
		}
		if c.Before.Observed != c.After.Observed {
			text += fmt.Sprintf("; observed %q, was %q", c.After.Observed, c.Before.Observed)
		}
	}
	if c.After != nil && c.After.Result.Failed() && c.After.Reason != "" {
		text += "; " + c.After.Reason
	}
	return text
}

// cellKey names a cell within a report. If a report has a key twice, the cells are told apart by their order.
type cellKey struct {
	backend, check, subject string
	nth                     int
}

func (k cellKey) compare(other cellKey) int {
	return cmp.Or(cmp.Compare(k.backend, other.backend), cmp.Compare(k.check, other.check), cmp.Compare(k.subject, other.subject),
		cmp.Compare(k.nth, other.nth))
}

func (r *Report) byKey() map[cellKey]*Cell {
	cells := make(map[cellKey]*Cell, len(r.Results))
	for _, c := range r.Results {
		k := cellKey{backend: c.Backend, check: c.Check, subject: c.Subject}
		for cells[k] != nil {
			k.nth++
		}
		cells[k] = &c
	}
	return cells
}

// Diff returns the cells that have appeared, that have gone, and whose result or whose sides have changed, by backend, check and subject.
// Another reason alone is no change.
func Diff(before, after *Report) []Change {
	old, now := before.byKey(), after.byKey()
	var keys []cellKey
	for k, c := range now {
		was := old[k]
		if was == nil || was.Result != c.Result || was.Declared != c.Declared || was.Observed != c.Observed {
			keys = append(keys, k)
		}
	}
	for k := range old {
		if now[k] == nil {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, cellKey.compare)
	changes := make([]Change, len(keys))
	for i, k := range keys {
		changes[i] = Change{Before: old[k], After: now[k]}
	}
	return changes
}

// Regressed reports whether one of the changes is a regression.
func Regressed(changes []Change) bool { return slices.ContainsFunc(changes, Change.Regression) }
