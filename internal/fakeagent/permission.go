package fakeagent

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Option ids are opaque on purpose: a client must go by kind.
func defaultOptions() json.RawMessage {
	return json.RawMessage(`[{"optionId":"opt-7","name":"Allow once","kind":"allow_once"},` +
		`{"optionId":"opt-3","name":"Always allow","kind":"allow_always"},` +
		`{"optionId":"opt-9","name":"Reject","kind":"reject_once"}]`)
}

func (t *turn) options() json.RawMessage {
	if raw := t.server.script.PermissionOptions; raw != nil {
		return raw
	}
	return defaultOptions()
}

func (t *turn) asks() bool {
	switch t.server.script.PermissionOn {
	case PermissionOnPrompt:
		return true
	case PermissionNever:
		return false
	case PermissionOnWord:
	}
	return regexp.MustCompile(`(?i)\bpermission\b`).MatchString(t.text)
}

// permission is one open request and the edit it is about.
type permission struct {
	tool toolCall
	call *call
}

// askPermissions asks as many requests at once as the script wants and returns their outcomes in order.
func (t *turn) askPermissions() ([]string, error) {
	var open []permission
	for range max(1, t.server.script.PermissionParallel) {
		if err := t.ctx.Err(); err != nil {
			return nil, err
		}
		p, err := t.ask(t.session.id)
		if err != nil {
			return nil, err
		}
		open = append(open, p)
	}
	var outcomes []string
	for _, p := range open {
		ev, err := p.call.wait(t.ctx)
		if err != nil {
			return nil, err
		}
		outcome := t.outcome(ev)
		if err := t.edited(p.tool, outcome); err != nil {
			return nil, err
		}
		outcomes = append(outcomes, outcome)
	}
	return outcomes, nil
}

// askOnce makes one request and waits for its answer until ctx ends.
func (t *turn) askOnce(ctx context.Context) (Event, error) {
	p, err := t.ask(t.session.id)
	if err != nil {
		return Event{}, err
	}
	return p.call.wait(ctx)
}

// ask announces an edit in the session, which is the turn's or its child, and asks whether it may be made.
func (t *turn) ask(sessionID string) (permission, error) {
	tool := toolCall{sessionID, t.nextToolID()}
	file := filepath.Join(t.cwd, "demo.txt")
	card := object{
		"toolCallId": tool.id, "title": "Edit demo.txt", "kind": "edit", "status": "pending",
		"locations": []any{object{"path": file}}, "rawInput": object{"path": file},
		"content": []any{object{"type": "diff", "path": file, "oldText": nil, "newText": "demo\n"}},
	}
	if !t.server.script.Empty {
		if err := t.pushEither(sessionID, with(card, "sessionUpdate", "tool_call")); err != nil {
			return permission{}, err
		}
		t.open = append(t.open, tool)
	}
	if sessionID == t.session.id {
		sessionID = or(t.server.script.PermissionSession, sessionID)
	}
	c, err := t.start(methodPermission, object{
		"sessionId": sessionID, "toolCall": card, "options": t.options(),
	})
	return permission{tool: tool, call: c}, err
}

// edited reports the end of an edit; the demo agent touches no file even if it may.
func (t *turn) edited(tool toolCall, outcome string) error {
	if t.server.script.Empty {
		return nil
	}
	status := "failed"
	if strings.HasPrefix(outcome, "allowed") {
		status = "completed"
	}
	if n := slices.Index(t.open, tool); n >= 0 {
		t.open = slices.Delete(t.open, n, n+1)
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	return t.pushEither(tool.session, toolStatus(tool.id, status))
}

// outcome is the client's answer in words that begin with allowed, rejected, cancelled, selected, invalid or error.
func (t *turn) outcome(ev Event) string {
	if ev.Error != nil {
		return fmt.Sprintf("error %d", ev.Error.Code)
	}
	var r struct {
		Outcome struct {
			Outcome  string `json:"outcome"`
			OptionID string `json:"optionId"`
		} `json:"outcome"`
	}
	if json.Unmarshal(ev.Result, &r) != nil {
		return "invalid answer"
	}
	switch r.Outcome.Outcome {
	case "cancelled":
		return "cancelled"
	case "selected":
		return t.selected(r.Outcome.OptionID)
	default:
		return fmt.Sprintf("invalid outcome %q", r.Outcome.Outcome)
	}
}

func (t *turn) selected(optionID string) string {
	var options []struct {
		OptionID string `json:"optionId"`
		Kind     string `json:"kind"`
	}
	if json.Unmarshal(t.options(), &options) != nil { // a script may offer anything
		options = nil
	}
	for _, o := range options {
		if o.OptionID != optionID {
			continue
		}
		switch o.Kind {
		case "allow_once", "allow_always":
			return fmt.Sprintf("allowed (%s)", o.Kind)
		case "reject_once", "reject_always":
			return fmt.Sprintf("rejected (%s)", o.Kind)
		default:
			return fmt.Sprintf("selected an option of kind %q", o.Kind)
		}
	}
	return fmt.Sprintf("invalid option %q", optionID)
}
