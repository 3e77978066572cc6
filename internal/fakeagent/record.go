package fakeagent

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// record is what lasts of a session: the content of its file in Script.Store.
type record struct {
	ID                    string            `json:"sessionId"`
	CWD                   string            `json:"cwd"`
	AdditionalDirectories []string          `json:"additionalDirectories,omitempty"`
	SystemPrompt          json.RawMessage   `json:"systemPrompt,omitempty"`
	MCPServers            json.RawMessage   `json:"mcpServers,omitempty"`
	Mode                  string            `json:"mode"`
	Model                 string            `json:"model,omitempty"`
	Options               []object          `json:"configOptions,omitempty"`
	UpdatedAt             time.Time         `json:"updatedAt"`
	Prompts               []string          `json:"prompts,omitempty"` // their texts
	History               []json.RawMessage `json:"history,omitempty"` // updates, as load replays them
	Talk                  []json.RawMessage `json:"talk,omitempty"`    // what was said to the model and by it, as it is sent again
}

// snapshot stays as it is: its lists are only ever appended to, and an append to a clipped one makes a new one.
func (r *record) snapshot() record {
	c := *r
	c.Prompts, c.History, c.Talk = slices.Clip(r.Prompts), slices.Clip(r.History), slices.Clip(r.Talk)
	return c
}

func (r *record) touch() { r.UpdatedAt = time.Now().UTC().Round(0) } // Round drops the monotonic clock, which files have not

// configure takes over what the client says when it makes or opens the session.
func (r *record) configure(p *setupParams) {
	r.CWD, r.AdditionalDirectories = p.CWD, p.AdditionalDirectories
	if given(p.SystemPrompt) {
		r.SystemPrompt = p.SystemPrompt
	}
	r.MCPServers = json.RawMessage("[]")
	if given(p.MCPServers) {
		r.MCPServers = p.MCPServers
	}
}

// add appends updates to the history.
func (r *record) add(updates ...json.RawMessage) {
	r.History = append(r.History, updates...)
	r.touch()
}

// info is the session as session/list shows it.
func (r *record) info() object {
	const width = 60
	info := object{"sessionId": r.ID, "cwd": r.CWD, "updatedAt": r.UpdatedAt}
	if len(r.Prompts) > 0 {
		title := []rune(r.Prompts[0])
		if len(title) > width {
			title = append(title[:width], '…')
		}
		info["title"] = string(title)
	}
	if len(r.AdditionalDirectories) > 0 {
		info["additionalDirectories"] = r.AdditionalDirectories
	}
	return info
}

// userChunk is a block of a prompt, exactly as it came.
func userChunk(number int, block json.RawMessage) json.RawMessage {
	return fmt.Appendf(nil, `{"sessionUpdate":"user_message_chunk","messageId":"user-%d","content":%s}`, number, block)
}
