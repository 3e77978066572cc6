package fakeagent

import (
	"encoding/json"
	"fmt"
)

// send sends an update of the turn, unless it is cancelled.
func (t *turn) send(update any) error {
	if err := t.ctx.Err(); err != nil {
		return err
	}
	return t.push(update)
}

// push sends an update of the turn, cancelled or not. It becomes part of the history first: if the turn may be killed
// in a pause, the history has all that the client has seen.
func (t *turn) push(update any) error {
	raw, err := encode(update)
	if err != nil {
		err = fmt.Errorf("cannot encode update: %w", err)
		t.server.end(err)
		return err
	}
	t.server.mu.Lock()
	t.session.rec.add(raw)
	t.server.mu.Unlock()
	if t.server.script.UpdateDelay > 0 || t.server.script.NeverEnd {
		t.save()
	}
	return t.pushTo(t.session.id, json.RawMessage(raw))
}

// pushTo sends an update of any session, which is no part of the history.
func (t *turn) pushTo(sessionID string, update any) error {
	return t.pushFrame(methodUpdate, object{"sessionId": sessionID, "update": update})
}

func (t *turn) save() { t.server.save(t.session) }

func (t *turn) pushFrame(method string, params any) error {
	frame, err := t.server.frame(nil, method, params)
	if err != nil {
		return err
	}
	t.batch = append(t.batch, frame...)
	t.batched++
	if t.batched < t.server.script.UpdatesPerWrite {
		return nil
	}
	return t.flush()
}

func (t *turn) flush() error {
	batch := t.batch
	t.batch, t.batched = nil, 0
	if len(batch) == 0 {
		return nil
	}
	return t.server.out.frames(t.base, batch, nil, nil)
}

// call sends a request to the client and waits for the answer, for no longer than the turn lasts.
func (t *turn) call(method string, params any) (Event, error) {
	if err := t.ctx.Err(); err != nil {
		return Event{}, err
	}
	c, err := t.start(method, params)
	if err != nil {
		return Event{}, err
	}
	return c.wait(t.ctx)
}

func (t *turn) start(method string, params any) (*call, error) {
	t.save()
	if err := t.flush(); err != nil {
		return nil, err
	}
	return t.server.start(t.base, method, params)
}

func textChunk(kind, messageID, text string) object {
	chunk := object{"sessionUpdate": kind, "content": object{"type": "text", "text": text}}
	if messageID != "" {
		chunk["messageId"] = messageID
	}
	return chunk
}
