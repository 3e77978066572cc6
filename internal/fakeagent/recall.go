package fakeagent

import (
	"fmt"
	"strings"
)

// recallWord is the prompt that asks for the earlier ones.
const recallWord = "recall"

// playRecall shows that the session has its history.
func (t *turn) playRecall() error {
	return t.say(fmt.Sprintf("history: %d prompts: %s", len(t.earlier), strings.Join(t.earlier, " | ")))
}
