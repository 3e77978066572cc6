package fakeagent

import (
	"context"
	"encoding/json"
	"strings"
)

const (
	// toolsWord is the prompt that asks for the tools on offer, where no model plays it.
	toolsWord = "tools"
	// modelRounds is how often one turn asks the model.
	modelRounds = 8
)

func (h *mcpHub) model() string {
	if h == nil {
		return ""
	}
	return h.script.Model
}

// offers is what the session has, when nothing is about to change that: no edit, and no server that has new tools.
func (t *turn) offers() ([]mcpOffer, error) {
	h := t.server.mcp
	patience, cancel := context.WithTimeout(t.ctx, mcpPatience)
	defer cancel()
	h.lockSettled(t.ctx)
	offers := h.offers(t.session)
	t.server.mu.Unlock()
	for _, o := range offers {
		o.server.listed(patience)
	}
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	return h.offers(t.session), nil
}

func (t *turn) playTools() error {
	offers, err := t.offers()
	if err != nil {
		return err
	}
	names := make([]string, len(offers))
	for n, o := range offers {
		names[n] = o.name()
	}
	return t.say(or(strings.Join(names, ", "), "no tools"))
}

// playModel lets the model play the turn. What it said and was told is kept round by round, so that a turn which is
// cancelled leaves no call without a result.
func (t *turn) playModel() error {
	if err := t.keep(chatMessage{Role: "user", Content: &t.text}); err != nil {
		return err
	}
	for n := range modelRounds {
		said, offers, err := t.askModel()
		if err != nil {
			return err
		}
		round := []chatMessage{said}
		for _, call := range said.ToolCalls {
			result, err := t.callTool(offers, call.Function.Name, call.Function.arguments())
			if err != nil {
				return err
			}
			round = append(round, chatMessage{Role: "tool", Content: &result, ToolCallID: call.ID})
		}
		if err := t.keep(round...); err != nil {
			return err
		}
		if n == 0 {
			if err := t.midpoint(); err != nil {
				return err
			}
		}
		if len(said.ToolCalls) == 0 {
			return t.saySome(said.Content)
		}
	}
	return t.say("I have called tools often enough.")
}

// saySome sends the text of an answer, if it has one.
func (t *turn) saySome(text *string) error {
	if text == nil || *text == "" {
		return nil
	}
	return t.say(*text)
}

// keep adds to the conversation of the session.
func (t *turn) keep(messages ...chatMessage) error {
	var raw []json.RawMessage
	for _, m := range messages {
		one, err := encode(m)
		if err != nil {
			return err
		}
		raw = append(raw, one)
	}
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	t.session.rec.Talk = append(t.session.rec.Talk, raw...)
	return nil
}
