package acp

import "bytes"

// toolTable merges what is read of a session's tool calls, so that a permission request shows the whole call and not
// the last patch. It keeps members as they were sent and decodes them when somebody asks: the reader writes it. It is
// bounded: the calls noted longest ago go first. Its session's lock guards it.
type toolTable struct {
	calls map[string]*toolEntry
	order []string
}

const (
	toolTableSize = 256
	// pinLimit is the length of a frame above which members are copied out of it, and the length of a member above
	// which it is not kept: contents and inputs can be large, and the request that needs them brings its own (zed#60134).
	pinLimit = 4 << 10
)

// toolEntry is what was sent of one tool call, without its content and output.
type toolEntry struct {
	title, name, kind, status, locations, rawInput []byte
}

// note merges a tool call update into the table.
func (t *toolTable) note(l *letter) {
	if l.kind != KindToolCall && l.kind != KindToolCallUpdate {
		return
	}
	id, patch := readToolEntry(l.update())
	if len(id) == 0 {
		return
	}
	if len(l.params) > pinLimit {
		patch.unpin()
	}
	entry := t.calls[string(id)]
	switch {
	case entry == nil:
		entry = t.add(string(id))
	case l.kind == KindToolCall && ToolCallStatus(bareString(entry.status)).Final():
		*entry = toolEntry{} // the id is used again for another call (telegram-acp-bot#41)
	}
	entry.merge(&patch)
}

func (t *toolTable) add(id string) *toolEntry {
	if t.calls == nil {
		t.calls = map[string]*toolEntry{}
	}
	if len(t.order) == toolTableSize {
		delete(t.calls, t.order[0])
		copy(t.order, t.order[1:])
		t.order = t.order[:len(t.order)-1]
	}
	entry := &toolEntry{}
	t.calls[id] = entry
	t.order = append(t.order, id)
	return entry
}

// complete fills in what call leaves out and the table has.
func (t *toolTable) complete(call *ToolCall) {
	entry := t.calls[call.ID]
	if entry == nil {
		return
	}
	whole := entry.decode()
	whole.ID = call.ID
	whole.merge(call)
	*call = whole
}

func readToolEntry(raw []byte) (id []byte, e toolEntry) {
	c := cursor{b: raw}
	for more := c.object(); more; more = c.next('}') {
		switch string(c.key()) {
		case "toolCallId":
			id = bareString(c.value())
		case "title":
			e.title = c.value()
		case "name":
			e.name = c.value()
		case "kind":
			e.kind = c.value()
		case "status":
			e.status = c.value()
		case "locations":
			e.locations = c.value()
		case "rawInput":
			e.rawInput = c.value()
		default:
			c.skip()
		}
	}
	return id, e
}

func (e *toolEntry) members() [6]*[]byte {
	return [6]*[]byte{&e.title, &e.name, &e.kind, &e.status, &e.locations, &e.rawInput}
}

// merge takes over the members that patch has; null and absent members change nothing (opencode#7368).
func (e *toolEntry) merge(patch *toolEntry) {
	into := e.members()
	for i, value := range patch.members() {
		if !isAbsent(*value) && len(*value) <= pinLimit {
			*into[i] = *value
		}
	}
}

// unpin copies the members, so that they do not keep a long frame alive.
func (e *toolEntry) unpin() {
	for _, value := range e.members() {
		if len(*value) <= pinLimit {
			*value = bytes.Clone(*value)
		}
	}
}

func (e *toolEntry) decode() ToolCall {
	var d decoder
	var t ToolCall
	optional := func(name string, token []byte, dst **string) {
		if len(token) > 0 {
			d.optStr(name, token, dst)
		}
	}
	optional("title", e.title, &t.Title)
	optional("name", e.name, &t.Name)
	d.str("kind", e.kind, (*string)(&t.Kind))
	d.str("status", e.status, (*string)(&t.Status))
	if len(e.locations) > 0 {
		t.Locations = d.locations(e.locations)
	}
	t.RawInput = e.rawInput
	return t
}
