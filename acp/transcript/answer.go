package transcript

import "strings"

// LastMessage returns what the agent said last in the last turn, nil if it said nothing: its answer, as a rule. What
// comes after the turn's end counts as well, what is unsolicited does not.
func (t *Transcript) LastMessage() *Message {
	messages := t.answer()
	if len(messages) == 0 {
		return nil
	}
	return messages[len(messages)-1]
}

// Text returns all that the agent said in the last turn, as LastMessage sees it, with an empty line between messages.
func (t *Transcript) Text() string {
	var texts []string
	for _, m := range t.answer() {
		if m.Text != "" {
			texts = append(texts, m.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// answer returns the agent's messages of the last turn, in order.
func (t *Transcript) answer() []*Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	var messages []*Message
	for _, e := range t.entries {
		if m, ok := e.(*Message); ok && m.Role == RoleAgent && m.Turn == t.turn && !m.Replayed && !m.Unsolicited {
			messages = append(messages, m)
		}
	}
	return messages
}
