package fakeagent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// consult makes the turn's requests to the client and returns sentences on how they were answered.
func (t *turn) consult() (string, error) {
	var report strings.Builder
	if t.asks() {
		outcomes, err := t.askPermissions()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&report, " Permission: %s.", strings.Join(outcomes, ", "))
	}
	terminal := ""
	for _, c := range t.server.script.CallClient {
		ev, err := t.call(c.Method, fillParams(c.Params, t.session.id, terminal))
		if err != nil {
			return "", err
		}
		if c.Method == "terminal/create" {
			var r struct {
				TerminalID string `json:"terminalId"`
			}
			if json.Unmarshal(ev.Result, &r) == nil && r.TerminalID != "" {
				terminal = r.TerminalID
			}
		}
		fmt.Fprintf(&report, " Client %s: %s.", c.Method, summary(ev))
	}
	if t.server.script.UnknownRequest {
		ev, err := t.call("_vendor/ask", object{"sessionId": t.session.id})
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&report, " Vendor ask: %s.", summary(ev))
	}
	return report.String(), nil
}

// summary says how the client answered, in few words.
func summary(ev Event) string {
	const limit = 200
	if ev.Error != nil {
		return fmt.Sprintf("error %d", ev.Error.Code)
	}
	text := []rune(string(ev.Result))
	if len(text) > limit {
		text = append(text[:limit], '…')
	}
	return "ok " + string(text)
}

// fillParams adds the session id to an object without one, and puts in the latest terminal id. Other params are left
// as they are.
func fillParams(raw json.RawMessage, sessionID, terminalID string) json.RawMessage {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	id, err := encode(terminalID)
	if err == nil {
		raw = bytes.ReplaceAll(raw, []byte(`"$terminalId"`), id)
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return raw
	}
	if _, has := members["sessionId"]; has {
		return raw
	}
	members["sessionId"], err = encode(sessionID)
	if err != nil {
		return raw
	}
	filled, err := encode(members)
	if err != nil {
		return raw
	}
	return filled
}
