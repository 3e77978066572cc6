package backends

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// UnknownError says that no descriptor has the id that was asked for.
type UnknownError struct {
	// ID is what was asked for, as it was typed.
	ID string
	// Nearest are canonical ids that look similar, the most similar first;
	// empty if none does.
	Nearest []string
}

// Error names the similar ids or, if there are none, all ids.
func (e *UnknownError) Error() string {
	if len(e.Nearest) == 0 {
		return fmt.Sprintf("unknown backend %q: known backends are %s", e.ID, strings.Join(IDs(), ", "))
	}
	quoted := make([]string, len(e.Nearest))
	for i, id := range e.Nearest {
		quoted[i] = fmt.Sprintf("%q", id)
	}
	return fmt.Sprintf("unknown backend %q: did you mean %s?", e.ID, strings.Join(quoted, " or "))
}

// Lookup finds a descriptor by id or alias; case and surrounding space do not
// matter. Anything else is an [*UnknownError].
func Lookup(id string) (Descriptor, error) {
	key := normal(id)
	all := table()
	for _, d := range all {
		if d.ID == key || slices.Contains(d.Aliases, key) {
			return d, nil
		}
	}
	return Descriptor{}, &UnknownError{ID: id, Nearest: nearest(key, all)}
}

func normal(id string) string { return strings.ToLower(strings.TrimSpace(id)) }

// longestTypo is the longest text similar ids are looked for: no id comes near
// it, and the work grows with the product of the lengths.
const longestTypo = 64

// nearest lists the ids that have a name similar to key, by distance and then
// in table order.
func nearest(key string, all []Descriptor) []string {
	if key == "" || len(key) > longestTypo {
		return nil
	}
	type candidate struct {
		id       string
		distance int
	}
	var found []candidate
	for _, d := range all {
		best := -1
		for _, name := range append([]string{d.ID}, d.Aliases...) {
			n := distance(key, name)
			if similar(key, name, n) && (best < 0 || n < best) {
				best = n
			}
		}
		if best >= 0 {
			found = append(found, candidate{d.ID, best})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	ids := make([]string, len(found))
	for i, c := range found {
		ids[i] = c.id
	}
	return ids
}

// similar decides whether name is worth suggesting for key: one begins with
// the other, or few typos lie between them (two, three for longer names, and
// never as many as the shorter one has letters).
func similar(key, name string, distance int) bool {
	if strings.HasPrefix(name, key) || strings.HasPrefix(key, name) {
		return true
	}
	limit := 2
	if max(len(key), len(name)) > 6 {
		limit = 3
	}
	return distance <= limit && distance < min(len(key), len(name))
}

// distance counts the typos between a and b: a letter inserted, dropped,
// changed, or swapped with its neighbour.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(s); i++ {
		for j := 1; j <= len(t); j++ {
			change := 1
			if s[i-1] == t[j-1] {
				change = 0
			}
			best := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				best = min(best, rows[i-2][j-2]+1)
			}
			rows[i][j] = best
		}
	}
	return rows[len(s)][len(t)]
}
