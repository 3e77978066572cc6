package parity

import (
	"context"
	"strings"
)

// checkAnswers compares the answers of the provider with each other, and looks which it leaves to the default.
func checkAnswers(_ context.Context, t *trial) {
	declared := t.seen.declared.McpConfigHotReload()
	t.require("McpConfigHotReload", answer(declared), answer(t.seen.alive), t.seen.alive == declared, "its Capabilities say something else")
	hidden := "none"
	if len(t.seen.hidden) > 0 {
		hidden = strings.Join(t.seen.hidden, ", ")
	}
	t.require("hidden answers", "none", hidden, len(t.seen.hidden) == 0, "the embedded provider.Unimplemented hides an answer of a provider beside it")
	left := "none"
	if len(t.seen.inherited) > 0 {
		left = strings.Join(t.seen.inherited, ", ")
	}
	t.record("left to the default", "anything", left, Pass, "")
}
