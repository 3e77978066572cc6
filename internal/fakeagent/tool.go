package fakeagent

import (
	"fmt"
	"maps"
	"path/filepath"
)

// toolCall is a tool call of a turn, or of its child.
type toolCall struct{ session, id string }

func toolStatus(id, status string) object {
	return object{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status}
}

// tools plays tool calls that touch nothing.
func (t *turn) tools(tool Tool) error {
	for range max(1, tool.Count) {
		if err := t.tool(tool); err != nil {
			return err
		}
	}
	return nil
}

func (t *turn) tool(tool Tool) error {
	id := t.nextToolID()
	if tool.ReuseID {
		id = "call-reused"
	}
	file := filepath.Join(t.cwd, "README.md")
	card := object{
		"toolCallId": id, "title": or(tool.Title, "Read README.md"), "kind": or(tool.Kind, "read"),
		"locations": []any{object{"path": file}}, "rawInput": object{"path": file},
	}
	if !tool.NoCreate {
		if err := t.send(with(card, "sessionUpdate", "tool_call", "status", "pending")); err != nil {
			return err
		}
	}
	if tool.Open {
		t.open = append(t.open, toolCall{t.session.id, id})
		return nil
	}
	done := object{"toolCallId": id}
	kind := "tool_call_update"
	if tool.Upsert {
		done, kind = card, "tool_call"
	}
	return t.send(with(done, "sessionUpdate", kind, "status", or(tool.Status, "completed"), "content", []any{
		object{"type": "content", "content": object{"type": "text", "text": "The demo agent reads no files."}},
	}))
}

func (t *turn) nextToolID() string {
	t.toolCalls++
	return fmt.Sprintf("call-%d-%d", t.number, t.toolCalls)
}

// with returns a copy of o with pairs of names and values added.
func with(o object, pairs ...any) object {
	merged := make(object, len(o)+len(pairs)/2)
	maps.Copy(merged, o)
	for i := 0; i+1 < len(pairs); i += 2 {
		if name, ok := pairs[i].(string); ok {
			merged[name] = pairs[i+1]
		}
	}
	return merged
}
