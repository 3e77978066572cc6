package fakeagent

import (
	"fmt"
	"strings"
	"time"
)

const (
	demoNote  = "This is the built-in demo agent of acpharness; there is no model behind it."
	pieceSize = 24 // runes per message chunk of the default turn
)

// play is a turn up to its answer.
func (t *turn) play() error {
	script := t.server.script
	t.sendOldAnswer()
	if t.faults.instant {
		return nil
	}
	for _, prelude := range []func() error{t.playEcho, t.playOwed, t.playOddities, t.playChild} {
		if err := prelude(); err != nil {
			return err
		}
	}
	body := t.playDefault
	switch {
	case t.server.mcp.model() != "":
		body = t.playModel
	case t.text == toolsWord && t.server.mcp != nil && !script.Empty:
		body = t.playTools
	case t.text == recallWord && !script.Empty:
		body = t.playRecall
	case t.text == settingsWord && !script.Empty:
		body = t.playSettings
	case script.Empty:
		body = t.playEmpty
	case script.Updates > 0:
		body = t.playUpdates
	}
	if err := body(); err != nil {
		return err
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if !script.NeverEnd {
		return nil
	}
	if err := t.flush(); err != nil {
		return err
	}
	<-t.ctx.Done()
	return t.ctx.Err()
}

func (t *turn) playOddities() error {
	script := t.server.script
	if script.UnknownNotification {
		err := t.pushFrame("_vendor/notice", object{"sessionId": t.session.id, "note": "vendor data"})
		if err != nil {
			return err
		}
	}
	if !script.UnknownUpdate {
		return nil
	}
	return t.send(object{
		"sessionUpdate": "future_update",
		"content":       object{"type": "video", "uri": "file:///demo.mp4", "mimeType": "video/mp4"},
	})
}

func (t *turn) playEmpty() error {
	_, err := t.consult()
	if err != nil {
		return err
	}
	return t.midpoint()
}

// playUpdates sends numbered chunks, then what requests to the client brought.
func (t *turn) playUpdates() error {
	script := t.server.script
	if script.Tool != nil {
		if err := t.tools(*script.Tool); err != nil {
			return err
		}
	}
	for n := range script.Updates {
		if n == script.Updates/2 {
			if err := t.midpoint(); err != nil {
				return err
			}
		}
		text := fmt.Sprintf("chunk %d ", n)
		text += strings.Repeat("x", max(0, script.UpdateSize-len(text)))
		if err := t.say(text); err != nil {
			return err
		}
	}
	report, err := t.consult()
	if err != nil || report == "" {
		return err
	}
	return t.say(report)
}

// playDefault is the turn of the good agent.
func (t *turn) playDefault() error {
	tool := Tool{}
	if t.server.script.Tool != nil {
		tool = *t.server.script.Tool
	}
	err := t.send(textChunk("agent_thought_chunk", "", "The user wrote something. I look around and repeat it."))
	if err != nil {
		return err
	}
	if err := t.plan("in_progress", "pending"); err != nil {
		return err
	}
	if err := t.tools(tool); err != nil {
		return err
	}
	report, err := t.consult()
	if err != nil {
		return err
	}
	pieces := split(reply(t.text)+report, pieceSize)
	for n, piece := range pieces {
		if n == len(pieces)/2 {
			if err := t.midpoint(); err != nil {
				return err
			}
		}
		if err := t.say(piece); err != nil {
			return err
		}
	}
	return t.plan("completed", "completed")
}

// reply is the text of a turn's answer, without what requests to the client brought.
func reply(text string) string { return "You said: " + text + "\n" + demoNote }

// midpoint is where half of a turn is over.
func (t *turn) midpoint() error {
	if t.server.script.ExitAt != ExitAtMidTurn {
		return nil
	}
	t.save()
	if err := t.flush(); err != nil {
		return err
	}
	return errExit
}

// say sends a piece of the answer.
func (t *turn) say(text string) error {
	if err := pause(t.ctx, time.Duration(t.server.script.UpdateDelay)); err != nil {
		return err
	}
	t.words += len(strings.Fields(text))
	return t.send(textChunk("agent_message_chunk", t.messageID(), text))
}

// late sends a chunk after the answer.
func (t *turn) late(n int) error {
	if err := pause(t.life, time.Duration(t.server.script.UpdateDelay)); err != nil {
		return err
	}
	if err := t.push(textChunk("agent_message_chunk", t.messageID(), fmt.Sprintf("late %d ", n))); err != nil {
		return err
	}
	return t.flush()
}

func (t *turn) messageID() string { return messageID(t.number) }

func messageID(number int) string { return fmt.Sprintf("msg-%d", number) }

func (t *turn) plan(look, answer string) error {
	return t.send(object{"sessionUpdate": "plan", "entries": []any{
		object{"content": "Look around", "priority": "medium", "status": look},
		object{"content": "Answer", "priority": "high", "status": answer},
	}})
}

func or(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}

// split cuts text into pieces of size runes.
func split(text string, size int) []string {
	runes := []rune(text)
	var pieces []string
	for len(runes) > 0 {
		n := min(size, len(runes))
		pieces = append(pieces, string(runes[:n]))
		runes = runes[n:]
	}
	return pieces
}
