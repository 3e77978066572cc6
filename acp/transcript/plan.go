package transcript

import (
	"slices"

	"github.com/acpharness/acpharness/acp"
)

// plan applies a plan, which replaces the one before if that is of the same turn.
func (t *Transcript) plan(n *acp.SessionNotification, u *acp.Plan) Change {
	l := t.lane(n.Replayed)
	known, _ := t.at(l.plan).(*Plan)
	if known == nil {
		p := &Plan{Head: t.newHead(n)}
		p.set(n, u, t.maxText)
		change := t.add(p)
		l.plan = p.Index
		return change
	}
	next := *known
	next.note(n)
	next.set(n, u, t.maxText)
	return t.replace(&next)
}

func (p *Plan) set(n *acp.SessionNotification, u *acp.Plan, limit int) {
	p.Raw, _ = keepRaw(n.Raw, limit)
	p.size = entrySize + len(p.Raw)
	room, kept := limit, 0
	for _, e := range u.Entries {
		size := itemSize + len(e.Content) + len(e.Priority) + len(e.Status)
		if size > room {
			break
		}
		room -= size
		p.size += size
		kept++
	}
	p.Entries, p.Cut = slices.Clone(u.Entries[:kept]), len(u.Entries)-kept
}
