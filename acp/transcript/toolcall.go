package transcript

import "github.com/acpharness/acpharness/acp"

// announce applies a tool_call.
func (t *Transcript) announce(n *acp.SessionNotification, call *acp.ToolCall) Change {
	if call.ID == "" {
		return t.other(n)
	}
	known := t.call(n.Replayed, call.ID)
	if known == nil || t.isAnother(known, call) {
		return t.addCall(n, call, false)
	}
	next := *known
	next.Placeholder = false
	return t.update(n, &next, call)
}

// isAnother reports whether an announcement means another call than the one known by its id: that is over, and this is a
// later turn (mgaitan/telegram-acp-bot#41), or its end is taken back. Otherwise it was only sent twice
// (agentclientprotocol/claude-agent-acp#122).
func (t *Transcript) isAnother(known *ToolCall, call *acp.ToolCall) bool {
	if known.Open() {
		return false
	}
	return known.round < t.lane(known.Replayed).round ||
		known.Status.Final() && !call.Status.Final() && !known.Placeholder // or else this is the announcement, late
}

// patch applies a tool_call_update, which may be the first that is heard of a call.
func (t *Transcript) patch(n *acp.SessionNotification, call *acp.ToolCall) Change {
	if call.ID == "" { // whatever it is about, it must not be guessed
		return t.other(n)
	}
	known := t.call(n.Replayed, call.ID)
	if known == nil {
		return t.addCall(n, call, true)
	}
	next := *known
	return t.update(n, &next, call)
}

// AddPermission applies what a permission request says of its tool call, which some agents announce in no other way. A
// request stands outside the ordered stream of updates, so it only fills in what the stream has not said.
func (t *Transcript) AddPermission(req *acp.PermissionRequest) Change {
	t.mu.Lock()
	defer t.mu.Unlock()
	patch := req.ToolCall
	if patch.ID == "" {
		return Change{}
	}
	n := acp.SessionNotification{SessionID: req.SessionID}
	known := t.call(false, patch.ID)
	if known == nil || known.Status.Final() || !known.Open() && known.round < t.live.round { // nobody asks about what is over
		return t.addCall(&n, &patch, true)
	}
	next := *known
	next.withoutKnown(&patch)
	next.merge(&patch, t.maxText)
	return t.replace(&next)
}

// call returns the newest record of an id, nil if there is none.
func (t *Transcript) call(replayed bool, id string) *ToolCall {
	call, _ := t.at(t.lane(replayed).calls[id]).(*ToolCall)
	return call
}

func (t *Transcript) addCall(n *acp.SessionNotification, call *acp.ToolCall, placeholder bool) Change {
	l := t.lane(n.Replayed)
	clear(l.messages) // what is said from here on stands after the call
	c := &ToolCall{Head: t.newHead(n), ToolCall: acp.ToolCall{ID: call.ID}, Placeholder: placeholder}
	if n.Replayed {
		c.End = EndUnknown
	}
	c.Raw, _ = keepRaw(n.Raw, t.maxText)
	c.merge(call, t.maxText)
	change := t.add(c)
	l.calls[c.ID] = c.Index
	return change
}

// update merges a patch into the next snapshot of a call.
func (t *Transcript) update(n *acp.SessionNotification, next *ToolCall, patch *acp.ToolCall) Change {
	next.note(n)
	next.Raw, _ = keepRaw(n.Raw, t.maxText)
	next.merge(patch, t.maxText)
	return t.replace(next)
}

// withoutKnown takes out of patch what the record has already.
func (c *ToolCall) withoutKnown(patch *acp.ToolCall) {
	if c.Title != nil {
		patch.Title = nil
	}
	if c.Name != nil {
		patch.Name = nil
	}
	if c.Kind != "" {
		patch.Kind = ""
	}
	if c.Status != "" {
		patch.Status = ""
	}
	if c.Content != nil {
		patch.Content = nil
	}
	if c.Locations != nil {
		patch.Locations = nil
	}
	if c.RawInput != nil || c.cuts[1] > 0 {
		patch.RawInput = nil
	}
	if c.RawOutput != nil || c.cuts[2] > 0 {
		patch.RawOutput = nil
	}
}

// merge takes over the members that patch has, within limit; null and absent ones change nothing
// (anomalyco/opencode#7368), and an end is final.
func (c *ToolCall) merge(patch *acp.ToolCall, limit int) {
	if patch.Title != nil {
		c.Title = clipPointer(patch.Title, limit)
	}
	if patch.Name != nil {
		c.Name = clipPointer(patch.Name, limit)
	}
	if patch.Kind != "" {
		c.Kind = patch.Kind
	}
	if patch.Status != "" && !c.Status.Final() {
		c.Status = patch.Status
		if c.Status.Final() {
			c.End = ""
		}
	}
	if patch.Content != nil {
		c.Content, c.cuts[0] = keepContents(patch.Content, limit)
	}
	if patch.Locations != nil {
		c.Locations = keepLocations(patch.Locations, limit)
	}
	if patch.RawInput != nil {
		c.RawInput, c.cuts[1] = keepRaw(patch.RawInput, limit)
	}
	if patch.RawOutput != nil {
		c.RawOutput, c.cuts[2] = keepRaw(patch.RawOutput, limit)
	}
	c.Cut = c.cuts[0] + c.cuts[1] + c.cuts[2]
	c.size = c.measure()
}
