package fakeagent

import "fmt"

// playChild lets a child session work. Its traffic is no part of the parent's history.
func (t *turn) playChild() error {
	if t.server.script.Child == "" {
		return nil
	}
	if err := t.announceChild(object{"state": "running"}); err != nil {
		return err
	}
	t.child = t.announcesChild()
	for n := range 2 {
		if err := t.childSays(fmt.Sprintf("child chunk %d ", n)); err != nil {
			return err
		}
	}
	if t.server.script.ChildPermission {
		if err := t.childAsks(); err != nil {
			return err
		}
	}
	t.child = false
	return t.announceChild(idle("end_turn"))
}

// childAsks asks for permission as the parent does, and says how it was answered.
func (t *turn) childAsks() error {
	if err := t.ctx.Err(); err != nil {
		return err
	}
	p, err := t.ask(t.server.script.Child)
	if err != nil {
		return err
	}
	ev, err := p.call.wait(t.ctx)
	if err != nil {
		return err
	}
	outcome := t.outcome(ev)
	if err := t.edited(p.tool, outcome); err != nil {
		return err
	}
	return t.childSays("Permission: " + outcome + ".")
}

// announcesChild tells whether the client is told of the child.
func (t *turn) announcesChild() bool {
	announced := t.server.script.ChildAnnounced
	return (announced == nil || *announced) && !t.server.script.Empty
}

func (t *turn) announceChild(state object) error {
	if !t.announcesChild() {
		return nil
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	return t.pushTo(t.session.id, t.childUpdate(state))
}

func (t *turn) childUpdate(state object) object {
	return object{
		"sessionUpdate": "subagent_update", "sessionId": t.server.script.Child, "title": "Helper", "state": state,
	}
}

func idle(stop string) object { return object{"state": "idle", "stopReason": stop} }

func (t *turn) childSays(text string) error {
	if t.server.script.Empty {
		return nil
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	return t.pushTo(t.server.script.Child, textChunk("agent_message_chunk", "child-"+t.messageID(), text))
}

// pushEither sends an update of the turn's session or of its child.
func (t *turn) pushEither(sessionID string, update any) error {
	if sessionID == t.session.id {
		return t.push(update)
	}
	return t.pushTo(sessionID, update)
}
