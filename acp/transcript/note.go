package transcript

import "github.com/acpharness/acpharness/acp"

// inProgress is the one status of a compaction that is not its end.
const inProgress = acp.CompactionInProgress

func (t *Transcript) newNote(n *acp.SessionNotification, kind acp.UpdateKind) *Note {
	return &Note{Head: t.newHead(n), Kind: kind}
}

// keep completes the next snapshot of a note.
func (m *Note) keep(n *acp.SessionNotification, limit int) {
	m.note(n)
	m.Raw, _ = keepRaw(n.Raw, limit)
	m.Text = m.text.String()
	m.size = entrySize + len(m.ID) + len(m.Status) + len(m.Title) + len(m.Text) + len(m.Error) + len(m.Raw)
}

func (t *Transcript) notice(n *acp.SessionNotification, u *acp.Notice) Change {
	m := t.newNote(n, acp.KindNotice)
	m.Status = string(u.Severity)
	m.Title, m.Cut = clip(u.Title, t.maxText)
	m.Cut += m.text.append(u.Description, t.maxText)
	m.keep(n, t.maxText)
	return t.add(m)
}

// compaction applies what is said of a compaction as a whole. One that is over does not begin again: an id that is used
// once more is another.
func (t *Transcript) compaction(n *acp.SessionNotification, u *acp.CompactionUpdate) Change {
	l := t.lane(n.Replayed)
	next := t.newNote(n, acp.KindCompaction)
	known, _ := t.at(l.notes[u.ID]).(*Note)
	again := known != nil && (u.Status != inProgress || known.Status == string(inProgress) || known.Status == "")
	if again {
		*next = *known
	}
	next.ID = u.ID
	if u.Status != "" {
		next.Status = string(u.Status)
	}
	if u.Error != "" {
		var cut int
		next.Error, cut = clip(u.Error, t.maxText)
		next.Cut += cut
	}
	if u.Summary != nil { // it replaces what came in chunks
		next.text, next.Cut = text{}, 0
		for _, block := range u.Summary {
			next.write(block, t.maxText)
		}
	}
	next.keep(n, t.maxText)
	if again {
		return t.replace(next)
	}
	change := t.add(next)
	l.notes[next.ID] = next.Index
	return change
}

// summary applies a piece of a compaction's summary, which may be the first that is heard of it.
func (t *Transcript) summary(n *acp.SessionNotification, u *acp.CompactionSummaryChunk) Change {
	l := t.lane(n.Replayed)
	next := t.newNote(n, acp.KindCompaction)
	known, _ := t.at(l.notes[u.ID]).(*Note)
	if known != nil {
		*next = *known
	}
	next.ID = u.ID
	next.write(u.Content, t.maxText)
	next.keep(n, t.maxText)
	if known != nil {
		return t.replace(next)
	}
	change := t.add(next)
	l.notes[next.ID] = next.Index
	return change
}

// write appends a block of a summary; what is no text is in the raw update only.
func (m *Note) write(block acp.ContentBlock, limit int) {
	if c, ok := block.(*acp.TextContent); ok {
		m.Cut += m.text.append(c.Text, limit-len(m.text.String()))
	}
}

// gap makes lost updates visible. What comes after them cannot go on with what was before.
func (t *Transcript) gap(n *acp.SessionNotification, u *acp.Gap) Change {
	clear(t.live.messages)
	clear(t.replayed.messages)
	g := &Gap{Head: t.newHead(n), From: u.From, Count: u.Count}
	g.size = entrySize
	return t.add(g)
}
