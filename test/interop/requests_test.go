package interop_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/acpharness/acpharness/acp"
)

// requests are what the agent asks for in a turn, step by step, and what it is answered.
var requests = []struct {
	name, steps, answers string
	then                 func(t *testing.T, p *peer)
}{
	{
		name: "fs", steps: `[
			{"request": "fs/write_text_file", "params": {"sessionId": "${session}", "path": "${cwd}/notes.txt", "content": "one\ntwo\nthree\n"}},
			{"request": "fs/read_text_file", "params": {"sessionId": "${session}", "path": "${cwd}/notes.txt"}},
			{"request": "fs/read_text_file", "params": {"sessionId": "${session}", "path": "${cwd}/notes.txt", "line": 2, "limit": 1}},
			{"request": "fs/read_text_file", "params": {"sessionId": "${session}", "path": "${cwd}/none.txt"}, "fails": -32002}
		]`,
		answers: `[{}, {"content": "one\ntwo\nthree\n"}, {"content": "two\n"}, {"fails": -32002}]`,
	},
	{
		name: "a terminal whose command ends", steps: `[
			{"request": "terminal/create", "params": {"sessionId": "${session}", "command": "${node}", "args": ["-e",
				"console.log(process.env.GREETING, require('fs').existsSync('notes.txt')); process.exit(3)"],
				"env": [{"name": "GREETING", "value": "hello"}], "cwd": "${cwd}", "outputByteLimit": 5}},
			{"request": "terminal/wait_for_exit", "params": {"sessionId": "${session}", "terminalId": "${terminal}"}},
			{"request": "terminal/output", "params": {"sessionId": "${session}", "terminalId": "${terminal}"}},
			{"request": "terminal/release", "params": {"sessionId": "${session}", "terminalId": "${terminal}"}},
			{"request": "terminal/output", "params": {"sessionId": "${session}", "terminalId": "${terminal}"}, "fails": -32002}
		]`,
		answers: `[{"terminalId": "terminal-1"}, {"exitCode": 3}, {"output": "true\n", "truncated": true, "exitStatus": {"exitCode": 3}},
			{}, {"fails": -32002}]`,
	},
	{
		name: "a terminal whose command is killed", steps: `[
			{"request": "terminal/create", "params": {"sessionId": "${session}", "command": "${node}", "args": ["-e",
				"console.log('ready'); setInterval(() => {}, 1000)"]}},
			{"request": "terminal/output", "params": {"sessionId": "${session}", "terminalId": "${terminal}"}, "until": "ready\n"},
			{"request": "terminal/wait_for_exit", "params": {"sessionId": "${session}", "terminalId": "${terminal}"}, "cancel": true, "fails": -32800},
			{"request": "terminal/kill", "params": {"sessionId": "${session}", "terminalId": "${terminal}"}},
			{"request": "terminal/wait_for_exit", "params": {"sessionId": "${session}", "terminalId": "${terminal}"}},
			{"request": "terminal/output", "params": {"sessionId": "${session}", "terminalId": "${terminal}"}},
			{"request": "terminal/release", "params": {"sessionId": "${session}", "terminalId": "${terminal}"}}
		]`,
		answers: `[{"terminalId": "terminal-2"}, {"output": "ready\n", "truncated": false}, {"fails": -32800}, {}, {"signal": "SIGTERM"},
			{"output": "ready\n", "truncated": false, "exitStatus": {"signal": "SIGTERM"}}, {}]`,
	},
	{
		name: "permission", steps: `[
			{"request": "session/request_permission", "params": {"sessionId": "${session}", "options": [
				{"optionId": "yes", "name": "Yes", "kind": "allow_once"}, {"optionId": "always", "name": "Always", "kind": "allow_always"},
				{"optionId": "no", "name": "No", "kind": "reject_once"}, {"optionId": "never", "name": "Never", "kind": "reject_always"}],
				"toolCall": {"toolCallId": "call-p", "title": "always", "kind": "edit", "status": "pending", "name": "write",
					"content": [{"type": "diff", "path": "/a", "oldText": "1", "newText": "2"}], "locations": [{"path": "/a", "line": 1}],
					"rawInput": {"path": "/a"}}}},
			{"request": "session/request_permission", "params": {"sessionId": "${session}", "options": [
				{"optionId": "no", "name": "No", "kind": "reject_once"}], "toolCall": {"toolCallId": "call-p", "title": "no"}}},
			{"request": "session/request_permission", "params": {"sessionId": "${session}", "options": [
				{"optionId": "no", "name": "No", "kind": "reject_once"}], "toolCall": {"toolCallId": "call-p", "title": "taken back"}}, "cancel": true}
		]`,
		answers: `[{"outcome": {"outcome": "selected", "optionId": "always"}}, {"outcome": {"outcome": "selected", "optionId": "no"}},
			{"outcome": {"outcome": "cancelled"}}]`,
	},
	{
		name: "forms", steps: `[
			{"request": "elicitation/create", "params": {"mode": "form", "sessionId": "${session}", "toolCallId": "call-p", "message": "Fill in",
				"requestedSchema": {"type": "object", "title": "You", "description": "about you", "required": ["name"], "properties": {
					"name": {"type": "string", "title": "Name", "description": "how to call you", "minLength": 1, "maxLength": 20,
						"pattern": "^[A-Z]", "default": "Ada"},
					"mail": {"type": "string", "format": "email"},
					"page": {"type": "string", "format": "uri"},
					"day": {"type": "string", "format": "date"},
					"time": {"type": "string", "format": "date-time"},
					"color": {"type": "string", "enum": ["red", "blue"]},
					"size": {"type": "string", "oneOf": [{"const": "s", "title": "Small", "description": "fits"}, {"const": "l", "title": "Large"}]},
					"ratio": {"type": "number", "title": "Ratio", "description": "of all", "minimum": 0, "maximum": 1, "default": 0.5},
					"count": {"type": "integer", "title": "Count", "description": "of it", "minimum": 1, "maximum": 9, "default": 3},
					"sure": {"type": "boolean", "title": "Sure", "description": "or not", "default": true},
					"tags": {"type": "array", "title": "Tags", "description": "some", "minItems": 1, "maxItems": 2, "default": ["a"],
						"items": {"type": "string", "enum": ["a", "b"]}},
					"parts": {"type": "array", "items": {"anyOf": [{"const": "x", "title": "X"}, {"const": "y", "title": "Y"}]}}
				}}}},
			{"request": "elicitation/create", "params": {"mode": "form", "sessionId": "${session}", "message": "decline", "requestedSchema": {}}},
			{"request": "elicitation/create", "params": {"mode": "form", "sessionId": "${session}", "message": "cancel", "requestedSchema": {}}},
			{"request": "elicitation/create", "params": {"mode": "form", "sessionId": "${session}", "message": "taken back", "requestedSchema": {}},
				"cancel": true}
		]`,
		answers: `[{"action": "accept", "content": {"name": "Grace", "mail": "grace@example.com", "page": "https://example.com",
			"day": "2026-11-30", "time": "2026-11-30T12:00:00Z", "color": "blue", "size": "l", "ratio": 0.25, "count": 4, "sure": false,
			"tags": ["a", "b"], "parts": []}}, {"action": "decline"}, {"action": "cancel"}, {"action": "cancel"}]`,
		then: hasForm,
	},
	{
		name: "addresses", steps: `[
			{"request": "elicitation/create", "params": {"mode": "url", "sessionId": "${session}", "toolCallId": "call-p", "message": "Visit",
				"elicitationId": "visit", "url": "https://example.com/visit?a=1&b=2"}},
			{"notify": "elicitation/complete", "params": {"elicitationId": "visit"}},
			{"request": "elicitation/create", "params": {"mode": "url", "sessionId": "${session}", "message": "decline",
				"elicitationId": "other", "url": "https://example.com/"}}
		]`,
		answers: `[{"action": "accept"}, {"action": "decline"}]`,
		then: func(t *testing.T, p *peer) {
			t.Helper()
			visit := p.user.address(t, "Visit")
			assert.Equal(t, acp.ElicitationScope{SessionID: p.session.ID(), ToolCallID: "call-p"}, visit.Scope)
			assert.Equal(t, "visit", visit.ID)
			assert.Equal(t, "https://example.com/visit?a=1&b=2", visit.URL)
			completed(t, p, "Visit")
		},
	},
	{
		name: "extension", steps: `[
			{"request": "_interop/ask", "params": {"deep": [1, "two", null]}},
			{"request": "_interop/unknown", "fails": -32601},
			{"notify": "_interop/tell", "params": {"sessionId": "${session}"}}
		]`,
		answers: `[{"asked": {"deep": [1, "two", null]}}, {"fails": -32601}]`,
		then: func(t *testing.T, p *peer) {
			t.Helper()
			assert.JSONEq(t, `{"sessionId": "`+string(p.session.ID())+`"}`, p.user.hear(t))
		},
	},
}

func answers(t *testing.T, p *peer) {
	t.Helper()
	for _, row := range requests {
		t.Run(row.name, func(t *testing.T) {
			result, answers := p.play(t, row.steps)
			assert.Equal(t, acp.OutcomeCompleted, result.Outcome)
			assert.JSONEq(t, row.answers, answers)
			if row.then != nil {
				row.then(t, p)
			}
		})
	}
}

// filled is the form as the user fills it in.
var filled = map[string]any{
	"name": "Grace", "mail": "grace@example.com", "page": "https://example.com", "day": "2026-11-30", "time": "2026-11-30T12:00:00Z",
	"color": "blue", "size": "l", "ratio": 0.25, "count": 4, "sure": false, "tags": []string{"a", "b"}, "parts": []string{},
}

func hasForm(t *testing.T, p *peer) {
	t.Helper()
	req := p.user.form(t, "Fill in")
	assert.Equal(t, acp.ElicitationScope{SessionID: p.session.ID(), ToolCallID: "call-p"}, req.Scope)
	form := req.Form
	form.Raw = nil
	for i := range form.Fields {
		form.Fields[i].Raw = nil
	}
	assert.Equal(t, acp.Form{Title: "You", Description: "about you", Fields: []acp.FormField{
		{
			Name: "name", Title: "Name", Description: "how to call you", Required: true, Type: acp.FieldString, Default: "Ada",
			MinLength: new(int64(1)), MaxLength: new(int64(20)), Pattern: "^[A-Z]",
		},
		{Name: "mail", Type: acp.FieldString, Format: acp.FormatEmail},
		{Name: "page", Type: acp.FieldString, Format: acp.FormatURI},
		{Name: "day", Type: acp.FieldString, Format: acp.FormatDate},
		{Name: "time", Type: acp.FieldString, Format: acp.FormatDateTime},
		{Name: "color", Type: acp.FieldString, Choices: []acp.FormChoice{{Value: "red"}, {Value: "blue"}}},
		{Name: "size", Type: acp.FieldString, Choices: []acp.FormChoice{
			{Value: "s", Title: "Small", Description: "fits"}, {Value: "l", Title: "Large"},
		}},
		{
			Name: "ratio", Title: "Ratio", Description: "of all", Type: acp.FieldNumber, Default: 0.5,
			Minimum: new(0.0), Maximum: new(1.0),
		},
		{
			Name: "count", Title: "Count", Description: "of it", Type: acp.FieldInteger, Default: int64(3),
			Minimum: new(1.0), Maximum: new(9.0),
		},
		{Name: "sure", Title: "Sure", Description: "or not", Type: acp.FieldBoolean, Default: true},
		{
			Name: "tags", Title: "Tags", Description: "some", Type: acp.FieldArray, Default: []string{"a"},
			MinItems: new(int64(1)), MaxItems: new(int64(2)), Choices: []acp.FormChoice{{Value: "a"}, {Value: "b"}},
		},
		{Name: "parts", Type: acp.FieldArray, Choices: []acp.FormChoice{{Value: "x", Title: "X"}, {Value: "y", Title: "Y"}}},
	}}, form)
}
