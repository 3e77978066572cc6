package transcript

import (
	"slices"

	"github.com/acpharness/acpharness/acp"
)

// plan applies a plan, which replaces the one of the same id before if that is of the same turn.
func (t *Transcript) plan(n *acp.SessionNotification, id string, content acp.PlanContent) Change {
	l := t.lane(n.Replayed)
	known, _ := t.at(l.plans[id]).(*Plan)
	if known == nil {
		p := &Plan{Head: t.newHead(n), ID: id}
		p.set(n, content, t.maxText)
		change := t.add(p)
		l.plans[id] = p.Index
		return change
	}
	next := *known
	next.note(n)
	next.set(n, content, t.maxText)
	return t.replace(&next)
}

// planRemoved marks a plan; another one of its id will be an entry of its own.
func (t *Transcript) planRemoved(n *acp.SessionNotification, u *acp.PlanRemoved) Change {
	l := t.lane(n.Replayed)
	known, _ := t.at(l.plans[u.ID]).(*Plan)
	if known == nil {
		return t.other(n)
	}
	delete(l.plans, u.ID)
	next := *known
	next.note(n)
	next.Removed = true
	return t.replace(&next)
}

func (p *Plan) set(n *acp.SessionNotification, content acp.PlanContent, limit int) {
	p.Raw, _ = keepRaw(n.Raw, limit)
	p.Entries, p.URI, p.Text, p.Cut = nil, "", "", 0
	switch c := content.(type) {
	case *acp.PlanItems:
		p.setEntries(c.Entries, limit)
	case *acp.PlanFile:
		p.URI, p.Cut = clip(c.URI, limit)
	case *acp.PlanMarkdown:
		p.Text, p.Cut = clip(c.Content, limit)
	}
	p.size = entrySize + len(p.ID) + len(p.Raw) + len(p.URI) + len(p.Text)
	for _, e := range p.Entries {
		p.size += planEntrySize(e)
	}
}

func (p *Plan) setEntries(entries []acp.PlanEntry, limit int) {
	kept := 0
	for _, e := range entries {
		if limit -= planEntrySize(e); limit < 0 {
			break
		}
		kept++
	}
	p.Entries, p.Cut = slices.Clone(entries[:kept]), len(entries)-kept
}

func planEntrySize(e acp.PlanEntry) int {
	return itemSize + len(e.Content) + len(e.Priority) + len(e.Status)
}
