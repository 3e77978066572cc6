package mcpfile

import (
	"fmt"
	"slices"
	"strings"
)

func (d *tomlDocument) drop(path []string) ([]splice, error) {
	splices, err := d.remove(path)
	if err != nil {
		return nil, err
	}
	if _, err := d.check(splices, d.value.without(path...), path); err != nil {
		return nil, err
	}
	return splices, nil
}

// remove is drop without its check.
func (d *tomlDocument) remove(path []string) ([]splice, error) {
	n := d.find(path)
	if n == nil || len(path) == 0 {
		return nil, fmt.Errorf("there is no %s", strings.Join(path, "."))
	}
	e := n.entries[0]
	if !e.home.braced() {
		return d.removeLines(n.entries), nil
	}
	one := d.removeItem(e.home, e.home.items(), slices.Index(e.home.keys, e))
	if len(n.entries) == 1 {
		return one, nil
	}
	// A mapping of dotted keys within braces: one after another, as they share commas.
	rest, err := parseTOML(apply(d.text, one))
	if err != nil {
		return nil, err
	}
	more, err := rest.remove(path)
	if err != nil {
		return nil, err
	}
	return difference(d.text, apply(rest.text, more)), nil
}

// run is a range of whole lines.
type run struct {
	item
	header bool // it begins with a header
}

// removeLines takes headers, with all below them, and keys out.
func (d *tomlDocument) removeLines(entries []*tomlEntry) []splice {
	var runs []run
	next := -1 // the entry after the last run
	for _, e := range entries {
		end := e
		if e.header {
			end = d.lastOf(e)
		}
		r := run{item{d.lineFrom(e.from), d.lineTo(end.to)}, e.header}
		adjoins := e.index == next // what lies between is in what goes, comments too
		next = end.index + 1
		if i := len(runs) - 1; i >= 0 && (adjoins || strings.TrimSpace(d.text[runs[i].to:r.from]) == "") {
			runs[i].to = max(runs[i].to, r.to)
			continue
		}
		runs = append(runs, r)
	}
	splices := make([]splice, 0, len(runs))
	for _, r := range runs {
		only := r.from == 0 && d.entries[0].home == d.top && len(d.top.keys) == 1
		switch {
		case r.header && r.from > 0:
			r.from -= len(d.blankBefore(r.from))
		case r.from == 0 && (r.header || only):
			r.to += len(d.blankAfter(r.to))
		}
		if r.to == len(d.text) && r.from > 0 && d.text[r.to-1] != '\n' {
			r.from -= len(d.endBefore(r.from))
		}
		splices = append(splices, splice{r.from, r.to, ""})
	}
	return splices
}

// endBefore is the line end right before the beginning of a line.
func (d *tomlDocument) endBefore(at int) string {
	if strings.HasSuffix(d.text[:at], "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// blankBefore is the blank line right before the beginning of a line, with its line end.
func (d *tomlDocument) blankBefore(at int) string {
	line := d.text[d.lineFrom(at-1):at]
	if strings.TrimSpace(line) != "" {
		return ""
	}
	return line
}

// blankAfter is the blank line at the beginning of a line, with its line end.
func (d *tomlDocument) blankAfter(at int) string {
	line := d.text[at:d.lineTo(at)]
	if strings.TrimSpace(line) != "" || !strings.HasSuffix(line, "\n") {
		return ""
	}
	return line
}
