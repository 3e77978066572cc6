package permission

import "strings"

// wild reports whether s matches a pattern in which * stands for any text and ? for one character. There is no escape, so
// that every pattern is a good one.
func wild(pattern, s string) bool {
	p, t := []rune(pattern), []rune(s)
	i, star, mark := 0, -1, 0 // the last star, and how much of t it stands up to
	for j := 0; j < len(t); {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == t[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(string(p[i:]), "*") == ""
}

// isWild reports whether a pattern stands for more than itself.
func isWild(pattern string) bool { return strings.ContainsAny(pattern, "*?") }
