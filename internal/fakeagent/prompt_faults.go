package fakeagent

import (
	"encoding/json"
	"fmt"
	"time"
)

// promptFaults are what earlier turns of the session have left for a turn.
type promptFaults struct {
	again   *oldAnswer
	instant bool // answered at once
	owed    *owedAnswer
}

// oldAnswer is the answer of an earlier turn.
type oldAnswer struct {
	id     json.RawMessage
	member string
	value  any
}

// owedAnswer is the text of an answer that an earlier turn has held back.
type owedAnswer struct {
	number int // of its prompt
	text   string
}

// takeFaults moves what was left to the turn that begins. The caller holds server.mu.
func (sess *session) takeFaults(t *turn) promptFaults {
	f := promptFaults{again: sess.answered, instant: sess.skewed, owed: sess.owed}
	sess.answered, sess.skewed, sess.owed = nil, false, nil
	if f.instant {
		sess.owed = &owedAnswer{number: t.number, text: reply(t.text)}
	}
	return f
}

// leaveFaults is what a turn that is answered leaves for later ones. The caller holds server.mu.
func (s *server) leaveFaults(t *turn, member string, value any) {
	if s.script.SecondAnswer {
		t.session.answered = &oldAnswer{id: t.req.id, member: member, value: value}
	}
	if !t.cancelled {
		return
	}
	t.session.skewed = s.script.Desync
	if s.script.CancelKillsSession && s.sessions[t.session.id] == t.session {
		delete(s.sessions, t.session.id)
	}
}

// sendOldAnswer answers an old prompt once more. If that cannot be written, the turn's own frames will tell.
func (t *turn) sendOldAnswer() {
	if old := t.faults.again; old != nil {
		t.server.answer(t.base, request{id: old.id}, nil, old.member, old.value, nil)
	}
}

// playEcho sends the prompt back. The history has it already.
func (t *turn) playEcho() error {
	if !t.server.script.EchoPrompt || t.server.script.Empty {
		return nil
	}
	for _, block := range t.blocks {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		if err := t.pushTo(t.session.id, userChunk(t.number, block)); err != nil {
			return err
		}
	}
	return nil
}

func (t *turn) playOwed() error {
	owed := t.faults.owed
	if owed == nil {
		return nil
	}
	return t.send(textChunk("agent_message_chunk", messageID(owed.number), owed.text))
}

// playUnsolicited sends updates behind the turn, for as long as the session is there.
func (t *turn) playUnsolicited() {
	for n := range t.server.script.Unsolicited {
		if pause(t.life, time.Duration(t.server.script.UpdateDelay)) != nil || t.life.Err() != nil {
			return
		}
		id := fmt.Sprintf("unsolicited-%d", t.number)
		if t.push(textChunk("agent_message_chunk", id, fmt.Sprintf("unsolicited %d ", n))) != nil || t.flush() != nil {
			return
		}
		t.save()
	}
}
