package interop_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
)

const annotated = `"annotations": {"audience": ["user", "assistant"], "lastModified": "2026-11-30T12:00:00Z", "priority": 0.5}`

func annotations() *acp.Annotations {
	return &acp.Annotations{
		Audience: []acp.Role{acp.RoleUser, acp.RoleAssistant}, LastModified: "2026-11-30T12:00:00Z", Priority: new(0.5),
	}
}

// updateRow is an update as the agent sends it, without its kind, and as it is read.
type updateRow struct {
	sent string
	want acp.Update
}

// updateRows are what the agent sends in one turn.
var updateRows = []updateRow{
	{
		`"messageId": "u", "content": {"type": "text", "text": "text", ` + annotated + `}`,
		&acp.UserMessageChunk{MessageID: "u", Content: &acp.TextContent{Text: "text", Annotations: annotations()}},
	},
	{
		`"messageId": "m", "content": {"type": "image", "data": "AAAA", "mimeType": "image/png", "uri": "file:///a.png", ` + annotated + `}`,
		&acp.AgentMessageChunk{MessageID: "m", Content: &acp.ImageContent{Data: "AAAA", MIMEType: "image/png", URI: "file:///a.png", Annotations: annotations()}},
	},
	{
		`"content": {"type": "audio", "data": "AAAA", "mimeType": "audio/wav", ` + annotated + `}`,
		&acp.AgentThoughtChunk{Content: &acp.AudioContent{Data: "AAAA", MIMEType: "audio/wav", Annotations: annotations()}},
	},
	{
		`"content": {"type": "resource_link", "uri": "file:///a.md", "name": "a.md", "title": "A", "description": "notes", "mimeType": "text/markdown", "size": 7, ` + annotated + `}`,
		&acp.AgentMessageChunk{Content: &acp.ResourceLink{URI: "file:///a.md", Name: "a.md", Title: "A", Description: "notes", MIMEType: "text/markdown", Size: new(int64(7)), Annotations: annotations()}},
	},
	{
		`"content": {"type": "resource", "resource": {"uri": "file:///a.txt", "mimeType": "text/plain", "text": "text"}, ` + annotated + `}`,
		&acp.AgentMessageChunk{Content: &acp.EmbeddedResource{URI: "file:///a.txt", MIMEType: "text/plain", Text: new("text"), Annotations: annotations()}},
	},
	{
		`"content": {"type": "resource", "resource": {"uri": "file:///a.bin", "mimeType": "image/png", "blob": "AAAA"}}`,
		&acp.AgentMessageChunk{Content: &acp.EmbeddedResource{URI: "file:///a.bin", MIMEType: "image/png", Blob: new("AAAA")}},
	},
	{
		`"toolCallId": "call", "title": "Write", "name": "write", "kind": "edit", "status": "pending", "locations": [{"path": "/a", "line": 3}],
		"rawInput": {"path": "/a"}, "rawOutput": [1], "content": [{"type": "content", "content": {"type": "text", "text": "output"}},
		{"type": "diff", "path": "/a", "oldText": "1", "newText": "2"}, {"type": "diff", "path": "/b", "newText": "2"},
		{"type": "terminal", "terminalId": "terminal-1"}]`,
		&acp.ToolCallStart{ToolCall: acp.ToolCall{
			ID: "call", Title: new("Write"), Name: new("write"), Kind: acp.ToolEdit, Status: acp.ToolPending,
			Locations: []acp.ToolCallLocation{{Path: "/a", Line: new(int64(3))}},
			RawInput:  json.RawMessage(`{"path":"/a"}`), RawOutput: json.RawMessage(`[1]`),
			Content: []acp.ToolCallContent{
				&acp.ToolContent{Content: &acp.TextContent{Text: "output"}}, &acp.Diff{Path: "/a", OldText: new("1"), NewText: "2"},
				&acp.Diff{Path: "/b", NewText: "2"}, &acp.Terminal{ID: "terminal-1"},
			},
		}},
	},
	{
		`"toolCallId": "call", "title": "Wrote", "name": "write", "kind": "edit", "status": "in_progress", "locations": [{"path": "/a"}],
		"rawInput": "in", "rawOutput": "out", "content": []`,
		&acp.ToolCallUpdate{ToolCall: acp.ToolCall{
			ID: "call", Title: new("Wrote"), Name: new("write"), Kind: acp.ToolEdit, Status: acp.ToolInProgress,
			Locations: []acp.ToolCallLocation{{Path: "/a"}},
			RawInput:  json.RawMessage(`"in"`), RawOutput: json.RawMessage(`"out"`), Content: []acp.ToolCallContent{},
		}},
	},
	kindOf(acp.ToolRead), kindOf(acp.ToolDelete), kindOf(acp.ToolMove), kindOf(acp.ToolSearch), kindOf(acp.ToolExecute),
	kindOf(acp.ToolThink), kindOf(acp.ToolFetch), kindOf(acp.ToolSwitchMode), kindOf(acp.ToolOther),
	statusOf(acp.ToolCompleted), statusOf(acp.ToolFailed),
	{
		`"entries": [{"content": "a", "priority": "high", "status": "completed"}, {"content": "b", "priority": "medium", "status": "in_progress"},
		{"content": "c", "priority": "low", "status": "pending"}]`,
		&acp.Plan{Entries: []acp.PlanEntry{
			{Content: "a", Priority: acp.PriorityHigh, Status: acp.PlanCompleted},
			{Content: "b", Priority: acp.PriorityMedium, Status: acp.PlanInProgress},
			{Content: "c", Priority: acp.PriorityLow, Status: acp.PlanPending},
		}},
	},
	{
		`"plan": {"type": "items", "planId": "1", "entries": [{"content": "a", "priority": "low", "status": "pending"}]}`,
		&acp.PlanUpdate{ID: "1", Plan: &acp.PlanItems{Entries: []acp.PlanEntry{{Content: "a", Priority: acp.PriorityLow, Status: acp.PlanPending}}}},
	},
	{`"plan": {"type": "file", "planId": "2", "uri": "file:///plan.md"}`, &acp.PlanUpdate{ID: "2", Plan: &acp.PlanFile{URI: "file:///plan.md"}}},
	{`"plan": {"type": "markdown", "planId": "3", "content": "# Plan"}`, &acp.PlanUpdate{ID: "3", Plan: &acp.PlanMarkdown{Content: "# Plan"}}},
	{`"planId": "3"`, &acp.PlanRemoved{ID: "3"}},
	{
		`"availableCommands": [{"name": "test", "description": "runs tests", "input": {"hint": "which"}}, {"name": "stop", "description": "stops"}]`,
		&acp.AvailableCommandsUpdate{Commands: []acp.AvailableCommand{
			{Name: "test", Description: "runs tests", Hint: "which"}, {Name: "stop", Description: "stops"},
		}},
	},
	{`"currentModeId": "ask"`, &acp.CurrentModeUpdate{ModeID: "ask"}},
	{
		`"configOptions": [{"type": "select", "id": "mode", "name": "Mode", "category": "mode", "currentValue": "ask", "options": [{"value": "ask", "name": "Ask"}]},
		{"type": "select", "id": "model", "name": "Model", "category": "model", "currentValue": "big", "options": [{"group": "good", "name": "Good",
		"options": [{"value": "big", "name": "Big", "description": "slow"}]}]},
		{"type": "boolean", "id": "web", "name": "Web", "description": "looks things up", "currentValue": true}]`,
		&acp.ConfigOptionUpdate{Options: []acp.ConfigOption{
			{ID: "mode", Name: "Mode", Category: acp.CategoryMode, Type: acp.ConfigSelect, Value: "ask", Choices: []acp.ConfigChoice{{Value: "ask", Name: "Ask"}}},
			{ID: "model", Name: "Model", Category: acp.CategoryModel, Type: acp.ConfigSelect, Value: "big", Choices: []acp.ConfigChoice{
				{Value: "big", Name: "Big", Description: "slow", Group: "Good", GroupID: "good"},
			}},
			{ID: "web", Name: "Web", Description: "looks things up", Type: acp.ConfigBoolean, Bool: true},
		}},
	},
	{`"title": "A talk", "updatedAt": "2026-11-30T12:00:00Z"`, &acp.SessionInfoUpdate{Title: new("A talk"), UpdatedAt: new("2026-11-30T12:00:00Z")}},
	{
		`"used": 10, "size": 100, "cost": {"amount": 0.5, "currency": "USD"}`,
		&acp.UsageUpdate{Used: 10, Size: 100, Cost: &acp.Cost{Amount: 0.5, Currency: "USD"}},
	},
	{`"severity": "info", "title": "Note", "description": "more"`, &acp.Notice{Severity: acp.NoticeInfo, Title: "Note", Description: "more"}},
	{`"severity": "warning", "title": "Mind"`, &acp.Notice{Severity: acp.NoticeWarning, Title: "Mind"}},
	{`"severity": "error", "title": "Oh"`, &acp.Notice{Severity: acp.NoticeError, Title: "Oh"}},
	{`"compactionId": "c", "status": "in_progress"`, &acp.CompactionUpdate{ID: "c", Status: acp.CompactionInProgress}},
	{`"compactionId": "c", "content": {"type": "text", "text": "sum"}`, &acp.CompactionSummaryChunk{ID: "c", Content: &acp.TextContent{Text: "sum"}}},
	{
		`"compactionId": "c", "status": "completed", "summary": [{"type": "text", "text": "sum"}]`,
		&acp.CompactionUpdate{ID: "c", Status: acp.CompactionCompleted, Summary: acp.Text("sum")},
	},
	{`"compactionId": "d", "status": "failed", "error": "too long"`, &acp.CompactionUpdate{ID: "d", Status: acp.CompactionFailed, Error: "too long"}},
	{`"compactionId": "e", "status": "cancelled"`, &acp.CompactionUpdate{ID: "e", Status: acp.CompactionCancelled}},
	{
		`"sessionId": "child", "title": "Helper", "description": "helps", "capabilities": {"cancel": {}}, "cwd": "/child",
		"additionalDirectories": ["/more"], "state": {"state": "running"}`,
		&acp.SubagentUpdate{
			SessionID: "child", Title: new("Helper"), Description: new("helps"), CWD: new("/child"), AdditionalDirectories: []string{"/more"},
			MayCancel: new(true), State: &acp.SubagentState{State: acp.WorkRunning},
		},
	},
	stateOf(`"state": "requires_action"`, acp.SubagentState{State: acp.WorkRequiresAction}),
	stateOf(`"state": "unknown"`, acp.SubagentState{State: acp.WorkUnknown}),
	stateOf(`"state": "idle", "stopReason": null`, acp.SubagentState{State: acp.WorkIdle}),
	stateOf(`"state": "idle", "stopReason": "end_turn", "usage": {"totalTokens": 3, "inputTokens": 1, "outputTokens": 2}`,
		acp.SubagentState{State: acp.WorkIdle, StopReason: acp.StopEndTurn, Usage: &acp.Usage{
			Total: new(int64(3)), Input: new(int64(1)), Output: new(int64(2)),
		}}),
	stateOf(`"state": "idle", "stopReason": "max_tokens"`, acp.SubagentState{State: acp.WorkIdle, StopReason: acp.StopMaxTokens}),
	stateOf(`"state": "idle", "stopReason": "max_turn_requests"`, acp.SubagentState{State: acp.WorkIdle, StopReason: acp.StopMaxTurnRequests}),
	stateOf(`"state": "idle", "stopReason": "refusal"`, acp.SubagentState{State: acp.WorkIdle, StopReason: acp.StopRefusal}),
	stateOf(`"state": "idle", "stopReason": "cancelled"`, acp.SubagentState{State: acp.WorkIdle, StopReason: acp.StopCancelled}),
	stateOf(`"state": "idle", "stopReason": "error", "error": {"code": -32603, "message": "broken", "data": {"why": 1}}`,
		acp.SubagentState{State: acp.WorkIdle, StopReason: acp.StopError, Error: &acp.Error{
			Code: acp.CodeInternalError, Message: "broken", Data: json.RawMessage(`{"why":1}`),
		}}),
	{
		`"messageId": "s", "senderSessionId": "session-1", "recipientSessionId": "child", "senderMessageId": "1", "recipientMessageId": "2",
		"content": [{"type": "text", "text": "look"}]`,
		&acp.SessionMessage{
			ID: "s", Sender: new(acp.SessionID("session-1")), Recipient: new(acp.SessionID("child")), SenderMessageID: new("1"),
			RecipientMessageID: new("2"), Content: acp.Text("look"),
		},
	},
	{`"messageId": "s", "content": {"type": "text", "text": "here"}`, &acp.SessionMessageChunk{ID: "s", Content: &acp.TextContent{Text: "here"}}},
}

// kindOf is a row for a kind of tool.
func kindOf(kind acp.ToolKind) updateRow {
	return updateRow{`"toolCallId": "call", "kind": "` + string(kind) + `"`, &acp.ToolCallUpdate{ToolCall: acp.ToolCall{ID: "call", Kind: kind}}}
}

// statusOf is a row for a status of a tool call.
func statusOf(status acp.ToolCallStatus) updateRow {
	return updateRow{`"toolCallId": "call", "status": "` + string(status) + `"`, &acp.ToolCallUpdate{ToolCall: acp.ToolCall{ID: "call", Status: status}}}
}

// stateOf is a row for a state of a subagent.
func stateOf(sent string, want acp.SubagentState) updateRow {
	return updateRow{`"sessionId": "child", "state": {` + sent + `}`, &acp.SubagentUpdate{SessionID: "child", State: &want}}
}

// step is the step that sends an update about a session.
func (r updateRow) step(session string) string {
	return `{"notify": "session/update", "params": {"sessionId": "` + session + `", "update": {"sessionUpdate": "` +
		string(r.want.UpdateKind()) + `", ` + r.sent + `}}}`
}

func updates(t *testing.T, p *peer) {
	t.Helper()
	var steps []string
	for _, row := range updateRows {
		steps = append(steps, row.step("${session}"))
	}
	ofChild := updateRow{`"content": {"type": "text", "text": "found"}`, &acp.AgentMessageChunk{Content: &acp.TextContent{Text: "found"}}}
	steps = append(steps, ofChild.step("child"))
	turn := p.begin(t, "["+strings.Join(steps, ",\n")+"]")
	result, _ := p.end(t, turn)
	assert.Equal(t, len(updateRows), result.Updates)
	i := 0
	for n := range turn.Updates() {
		require.Less(t, i, len(updateRows))
		assert.Equal(t, updateRows[i].want, n.Update, "%s", n.Raw)
		assert.Empty(t, n.Warnings, "%s", n.Raw)
		i++
	}
	assert.Equal(t, len(updateRows), i)

	require.Len(t, p.session.Children(), 1)
	child := p.session.Children()[0]
	assert.Equal(t, acp.SessionID("child"), child.ID())
	for n := range child.Updates() {
		assert.Equal(t, ofChild.want, n.Update)
		assert.Empty(t, n.Warnings)
		break
	}
	require.NoError(t, child.Cancel(within(t)))
}
