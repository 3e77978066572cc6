package backends

import "fmt"

// Prove returns what a table says beyond evidence, the lowest version first.
func Prove(h HotReload, own []Evidence) []string {
	var faults []string
	h.prove(own, func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) })
	return faults
}
