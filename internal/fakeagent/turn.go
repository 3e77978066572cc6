package fakeagent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

const (
	defaultCancelDelay = 200 * time.Millisecond
	stopCancelled      = "cancelled"
)

// errExit ends a turn because the script exits the agent.
var errExit = errors.New("the agent exits")

// turn is one session/prompt at work. Its goroutine is started by server.prompt and joined by server.control.
type turn struct {
	server  *server
	session *session
	req     request
	number  int               // of the prompt in the session, from 1
	text    string            // the prompt's text
	blocks  []json.RawMessage // the whole prompt
	cwd     string            // of the session when the prompt came
	earlier []string          // the texts of the session's earlier prompts
	faults  promptFaults      // left by earlier turns
	base    context.Context   // ends with the agent: nothing can be written any more
	life    context.Context   // ends when the session or the input closes: no time for cancel faults
	ctx     context.Context   // ends with a cancel that is heeded
	cancel  context.CancelFunc
	stop    context.CancelFunc // ends life, and ctx with it
	done    chan struct{}      // closed when the goroutine is about to end

	// The rest belongs to the goroutine.
	batch     []byte // frames held back by Script.UpdatesPerWrite
	batched   int
	open      []toolCall // without a final status
	child     bool       // is at work
	cancelled bool       // the answer is that of a cancelled turn
	words     int        // words of the answer, for usage
	toolCalls int        // tool calls so far, for their ids
}

// cancelTurn cancels the turn that match chooses. There need not be one.
func (s *server) cancelTurn(match func(*turn) bool) {
	if s.script.Cancel == CancelIgnore {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sess := range s.sessions {
		if sess.turn != nil && match(sess.turn) {
			sess.turn.cancel()
		}
	}
}

func (t *turn) run() {
	defer close(t.done)
	defer t.stop()
	t.save()
	err := t.play()
	var refusal *RPCError
	switch {
	case errors.Is(err, errExit):
		t.server.exit()
	case t.base.Err() != nil:
	case t.ctx.Err() != nil:
		t.finishCancelled()
	case errors.As(err, &refusal):
		t.answer("error", refusal)
	case err != nil:
		t.server.end(err)
	default:
		t.finish()
	}
	t.playUnsolicited()
}

func (t *turn) finish() {
	script := t.server.script
	if script.Error != nil {
		t.answer("error", script.Error)
	} else {
		result := t.result("end_turn")
		if script.Cancelled {
			result["stopReason"] = stopCancelled
		}
		if script.Stop != nil {
			result["stopReason"] = script.Stop
		}
		if script.OmitStop {
			delete(result, "stopReason")
		}
		t.answer("result", result)
	}
	for n := range script.LateUpdates {
		if t.late(n) != nil {
			return
		}
	}
}

func (t *turn) finishCancelled() {
	script := t.server.script
	t.cancelled = true
	if err := t.lingerAfterCancel(); err != nil {
		return
	}
	for _, call := range t.open {
		if t.pushTo(call.session, toolStatus(call.id, "failed")) != nil {
			return
		}
	}
	if t.child && t.pushTo(t.session.id, t.childUpdate(idle(stopCancelled))) != nil {
		return
	}
	if script.Cancel == CancelEndTurn {
		t.finish()
		return
	}
	t.answer("result", t.result(stopCancelled))
}

// lingerAfterCancel plays the faults between a cancel and its answer, unless the turn has to end at once. It fails only
// if nothing can be written any more.
func (t *turn) lingerAfterCancel() error {
	script := t.server.script
	for range script.PermissionAfterCancel {
		if t.life.Err() != nil {
			return t.base.Err()
		}
		if _, err := t.askOnce(t.life); err != nil {
			return t.base.Err()
		}
	}
	if script.Cancel != CancelLate {
		return nil
	}
	delay := time.Duration(script.CancelDelay)
	if delay == 0 {
		delay = defaultCancelDelay
	}
	if pause(t.life, delay) != nil {
		return t.base.Err()
	}
	return t.push(textChunk("agent_message_chunk", "", "after cancel "))
}

func (t *turn) result(stop string) object {
	in := len(strings.Fields(t.text))
	result := object{
		"stopReason": stop,
		"usage":      object{"inputTokens": in, "outputTokens": t.words, "totalTokens": in + t.words},
	}
	if usage := t.server.script.Usage; usage != nil {
		result["usage"] = usage
	}
	return result
}

// answer ends the turn. The session is idle before the first byte is out, so that a client may prompt again as soon as
// it has read the answer.
func (t *turn) answer(member string, value any) {
	t.save()
	t.server.answer(t.base, t.req, t.batch, member, value, func() {
		t.server.mu.Lock()
		defer t.server.mu.Unlock()
		t.session.turn = nil
		t.server.turning--
		t.server.mcp.boundary()
		t.server.leaveFaults(t, member, value)
	})
	t.batch, t.batched = nil, 0
}
