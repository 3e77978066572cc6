package acp

import "bytes"

// toolTable merges what is read of a session's tool calls, so that a permission request shows the whole call and not
// the last patch. It is bounded: the calls noted longest ago go first. Its session's lock guards it.
type toolTable struct {
	calls map[string]*ToolCall
	order []string
}

const toolTableSize = 256

// note merges a tool call update into the table. Contents and outputs stay out: they can be large, and the request that
// needs them brings its own (zed#60134).
func (t *toolTable) note(l *letter) {
	if l.kind != KindToolCall && l.kind != KindToolCallUpdate {
		return
	}
	patch := toolHeader(l.update)
	if patch.ID == "" {
		return
	}
	call := t.calls[patch.ID]
	switch {
	case call == nil:
		if t.calls == nil {
			t.calls = map[string]*ToolCall{}
		}
		if len(t.order) == toolTableSize {
			delete(t.calls, t.order[0])
			t.order = t.order[1:]
		}
		call = &ToolCall{ID: patch.ID}
		t.calls[patch.ID] = call
		t.order = append(t.order, patch.ID)
	case l.kind == KindToolCall && call.Status.Final():
		*call = ToolCall{ID: patch.ID} // the id is used again for another call (telegram-acp-bot#41)
	}
	call.merge(&patch)
}

// complete fills in what call leaves out and the table has.
func (t *toolTable) complete(call *ToolCall) {
	known := t.calls[call.ID]
	if known == nil {
		return
	}
	whole := *known
	whole.merge(call)
	*call = whole
}

// toolHeader decodes a tool call without its content and output.
func toolHeader(raw []byte) ToolCall {
	var d decoder
	var t ToolCall
	d.object("", raw, func(key string, value []byte) {
		if isNull(value) {
			return
		}
		switch key {
		case "toolCallId":
			d.str(key, value, &t.ID)
		case "title":
			d.optStr(key, value, &t.Title)
		case "name":
			d.optStr(key, value, &t.Name)
		case "kind":
			d.str(key, value, (*string)(&t.Kind))
		case "status":
			d.str(key, value, (*string)(&t.Status))
		case "locations":
			t.Locations = d.locations(key, value)
		case "rawInput":
			if len(value) <= 64<<10 {
				t.RawInput = bytes.Clone(value)
			}
		}
	})
	return t
}
