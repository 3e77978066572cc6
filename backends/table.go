package backends

import (
	"iter"
	"slices"
)

// table builds all descriptors, in the documented order.
func table() []Descriptor {
	return []Descriptor{
		builtin(),
		kiro(),
		claude(),
		codex(),
		opencode(),
		gemini(),
		qwen(),
		copilot(),
		droid(),
		kilo(),
		goose(),
		cursor(),
		pi(),
		nanocoder(),
		cline(),
		auggie(),
		qoder(),
	}
}

// All yields every descriptor, the built-in agent first, in the order the
// package documents. Each iteration yields fresh values.
func All() iter.Seq[Descriptor] {
	return func(yield func(Descriptor) bool) {
		slices.Values(table())(yield)
	}
}

// IDs returns the ids of all descriptors in the order of [All].
func IDs() []string {
	all := table()
	ids := make([]string, 0, len(all))
	for _, d := range all {
		ids = append(ids, d.ID)
	}
	return ids
}
