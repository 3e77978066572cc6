package transcript

import "github.com/acpharness/acpharness/acp"

// Message is what the user or the agent says, or what the agent thinks. It mirrors the chunks of the protocol.
type Message struct {
	Head
	Role      Role
	MessageID string  // empty if not sent
	Text      string  // all text of it
	Blocks    []Block // all content that is no text
	Cut       int     // bytes left out, see Options.MaxText

	// Prompt says that this is what BeginTurn was given, not what the agent sent.
	Prompt bool
	// Echoed says that the agent repeated the prompt, or began to. The repetition is no entry.
	Echoed bool

	text   text
	blocks int // bytes in Blocks
}

// Block is a piece of a message that is no text.
type Block struct {
	At      int // where it stands: in front of the byte At of the text
	Content acp.ContentBlock
}

// Content returns the message as content blocks in order, text that was sent in pieces in one.
func (m *Message) Content() []acp.ContentBlock {
	var content []acp.ContentBlock
	from := 0
	text := func(to int) {
		if to > from {
			content = append(content, &acp.TextContent{Text: m.Text[from:to]})
			from = to
		}
	}
	for _, b := range m.Blocks {
		text(b.At)
		content = append(content, b.Content)
	}
	text(len(m.Text))
	return content
}

// append adds content within limit.
func (m *Message) append(content acp.ContentBlock, limit int) {
	room := limit - len(m.Text) - m.blocks
	if c, ok := content.(*acp.TextContent); ok {
		m.Cut += m.text.append(c.Text, room)
		m.Text = m.text.String()
	} else if size := blockSize(content); size > room {
		m.Cut += size
	} else {
		m.Blocks = append(m.Blocks, Block{At: len(m.Text), Content: ownBlock(content)})
		m.blocks += size
	}
	m.size = entrySize + len(m.MessageID) + len(m.Text) + m.blocks
}

// messageKey is what chunks of one message have in common. An empty id says nothing.
type messageKey struct {
	role Role
	id   string
}

// chunk applies a piece of a message.
func (t *Transcript) chunk(n *acp.SessionNotification, key messageKey, content acp.ContentBlock) Change {
	if isEmpty(content) { // some agents send these to carry metadata
		return t.other(n)
	}
	if key.role == RoleUser && !n.Replayed && !n.Late {
		if change, ok := t.echo(n, key.id, content); ok {
			return change
		}
	}
	if m := t.joins(n, key); m != nil {
		next := *m
		next.note(n)
		next.append(content, t.maxText)
		return t.replace(&next)
	}
	l := t.lane(n.Replayed)
	if key.role == RoleUser {
		l.begin()
	}
	m := &Message{Head: t.newHead(n), Role: key.role, MessageID: key.id}
	m.append(content, t.maxText)
	change := t.add(m)
	if key.id != "" {
		l.messages[key] = m.Index
	}
	return change
}

// joins returns the message that a chunk goes on with, nil if it begins one.
func (t *Transcript) joins(n *acp.SessionNotification, key messageKey) *Message {
	l := t.lane(n.Replayed)
	if key.id != "" {
		m, _ := t.at(l.messages[key]).(*Message)
		return m
	}
	m, ok := t.last().(*Message)
	switch {
	case !ok || m.Prompt || (messageKey{m.Role, m.MessageID}) != key:
		return nil
	case m.Replayed != n.Replayed || m.round != l.round:
		return nil
	case n.Unsolicited && !m.Late: // the answer is over
		return nil
	}
	return m
}

func isEmpty(content acp.ContentBlock) bool {
	if content == nil {
		return true
	}
	c, ok := content.(*acp.TextContent)
	return ok && c.Text == ""
}
