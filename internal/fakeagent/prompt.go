package fakeagent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// prompt starts the turn of a prompt, unless one is running in the session.
func (s *server) prompt(ctx context.Context, req request) {
	sess, e := s.lookup(req.params)
	var p struct {
		Prompt []json.RawMessage `json:"prompt"`
	}
	var text string
	if e == nil {
		e = decodeParams(req.params, &p)
	}
	if e == nil && p.Prompt == nil {
		e = rpcErrorf(codeInvalidParams, "Invalid params: prompt must be an array")
	}
	if e == nil {
		text, e = promptText(p.Prompt)
	}
	if e != nil {
		s.refuse(ctx, req, e)
		return
	}
	t := &turn{
		server: s, session: sess, req: req, text: text, blocks: p.Prompt, base: ctx,
		done: make(chan struct{}),
	}
	t.life, t.stop = context.WithCancel(s.life)
	t.ctx, t.cancel = context.WithCancel(t.life)
	s.mu.Lock()
	busy := sess.turn != nil
	if !busy {
		sess.begin(t)
		s.turning++
	}
	s.mu.Unlock()
	if busy {
		t.stop()
		s.refuse(ctx, req, rpcErrorf(codeInvalidRequest, "Invalid request: a prompt is running in this session"))
		return
	}
	s.turns.Go(t.run)
}

// begin makes t the turn of an idle session. The caller holds server.mu.
func (sess *session) begin(t *turn) {
	rec := &sess.rec
	t.earlier = slices.Clip(rec.Prompts)
	rec.Prompts = append(rec.Prompts, t.text)
	t.number, t.cwd = len(rec.Prompts), rec.CWD
	for _, block := range t.blocks {
		rec.add(userChunk(t.number, block))
	}
	t.faults = sess.takeFaults(t)
	sess.turn, sess.latest = t, t
}

// promptText joins the text blocks of a prompt.
func promptText(prompt []json.RawMessage) (string, *RPCError) {
	var texts []string
	for n, raw := range prompt {
		var block struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if err := json.Unmarshal(raw, &block); err != nil {
			return "", rpcErrorf(codeInvalidParams, "Invalid params: prompt[%d]: %v", n, err)
		}
		if block.Type == "text" {
			texts = append(texts, block.Text)
		}
	}
	return strings.Join(texts, "\n"), nil
}
