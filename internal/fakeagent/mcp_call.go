package fakeagent

import (
	"encoding/json"
	"slices"
	"strings"
)

// callTool makes a call of the model and returns what that is told. The error is the end of the turn.
func (t *turn) callTool(offers []mcpOffer, name string, args json.RawMessage) (string, error) {
	tool := toolCall{t.session.id, t.nextToolID()}
	card := object{"toolCallId": tool.id, "title": name, "kind": "other", "status": "pending", "rawInput": args}
	if err := t.send(with(card, "sessionUpdate", "tool_call")); err != nil {
		return "", err
	}
	t.open = append(t.open, tool)
	text, failed, err := t.runTool(offers, name, args, card)
	if err == nil {
		err = t.ctx.Err()
	}
	if err != nil {
		return "", err
	}
	t.open = slices.DeleteFunc(t.open, func(open toolCall) bool { return open == tool })
	status := "completed"
	if failed {
		status = "failed"
	}
	return text, t.send(with(toolStatus(tool.id, status), "content", []any{
		object{"type": "content", "content": object{"type": "text", "text": text}},
	}))
}

func (t *turn) runTool(offers []mcpOffer, name string, args json.RawMessage, card object) (text string, failed bool, err error) {
	at := slices.IndexFunc(offers, func(o mcpOffer) bool { return o.name() == name })
	if at < 0 {
		return "no such tool: " + name, true, nil
	}
	o := offers[at]
	if !t.server.mcp.permits(o) {
		outcome, err := t.askForTool(card)
		if err != nil {
			return "", false, err
		}
		if !strings.HasPrefix(outcome, "allowed") {
			return "not permitted: " + outcome, true, nil
		}
	}
	text, failed = o.server.call(t.ctx, o.tool.Name, args)
	return text, failed, nil
}

func (t *turn) askForTool(card object) (string, error) {
	ev, err := t.call(methodPermission, object{
		"sessionId": or(t.server.script.PermissionSession, t.session.id), "toolCall": card, "options": t.options(),
	})
	if err != nil {
		return "", err
	}
	return t.outcome(ev), nil
}

// permits reports whether the file allows a tool without a question. What it approves of a server of its own is not
// said of one that a session was given.
func (h *mcpHub) permits(o mcpOffer) bool {
	h.agent.mu.Lock()
	defer h.agent.mu.Unlock()
	server, tool := o.server.name, o.tool.Name
	if h.config.allowed.server(server) || h.config.allowed.tool(server, tool) {
		return true
	}
	entry := h.config.enabled(server)
	return !o.given && entry != nil && slices.Contains(entry.autoApprove, tool)
}
