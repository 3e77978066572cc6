package fakeagent_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakeagent"
)

// cancelled plays a turn that is cancelled after its first chunk. The script must not let it end before.
func (c *client) cancelled(session string) {
	c.t.Helper()
	id := c.request("session/prompt", promptParams(session, "permission"))
	c.until(calls("session/request_permission"))
	c.cancel(session)
	all := c.until(answers(id))
	require.Equal(c.t, "cancelled", stopReason(c.t, all[len(all)-1]))
}

func TestStopTakesAnyJSON(t *testing.T) {
	for _, stop := range []string{`"error"`, `42`, `null`, `""`, `{"a":[1]}`} {
		for _, usage := range []string{`null`, `7`, `{"totalTokens":"many"}`} {
			script, err := fakeagent.ParseScript(fmt.Appendf(nil, `{"empty":true,"stop":%s,"usage":%s}`, stop, usage))
			require.NoError(t, err)
			c := dial(t, script)
			f, _ := c.prompt(c.open(), "hi", `"result":{}`)
			assert.JSONEq(t, fmt.Sprintf(`{"stopReason":%s,"usage":%s}`, stop, usage), string(f.Result))
		}
	}
}

func TestCancelledWithoutACancel(t *testing.T) {
	c := dial(t, &fakeagent.Script{Cancelled: true})
	session := c.open()
	for range 2 {
		f, before := c.prompt(session, "hi", `"result":{}`)
		assert.Equal(t, "cancelled", stopReason(t, f))
		assert.Contains(t, said(before), note, "the text is whole")
	}
}

func TestDesync(t *testing.T) {
	c := dial(t, &fakeagent.Script{Desync: true})
	session := c.open()
	c.prompt(session, "zero", `"result":{}`)
	c.cancelled(session)
	f, before := c.prompt(session, "one", `"result":{}`)
	assert.Equal(t, "end_turn", stopReason(t, f))
	assert.Empty(t, before)
	f, before = c.prompt(session, "two", `"result":{}`)
	assert.Equal(t, "end_turn", stopReason(t, f))
	assert.Equal(t, "You said: one\n"+note, before[0].text())
	assert.Equal(t, "msg-3", before[0].Params.Update.MessageID)
	assert.Equal(t, "You said: two\n"+note, said(before[1:]))
	_, before = c.prompt(session, "three", `"result":{}`)
	assert.Equal(t, "You said: three\n"+note, said(before), "it is in step again")
}

func TestSecondAnswer(t *testing.T) {
	c := dial(t, &fakeagent.Script{SecondAnswer: true, Updates: 1})
	session := c.open()
	first, before := c.prompt(session, "one", `"result":{}`)
	assert.Equal(t, "chunk 0 ", said(before))
	second, before := c.prompt(session, "two", `"result":{}`)
	require.Len(t, before, 2)
	assert.Equal(t, first.raw, before[0].raw, "before anything of the new turn")
	_, before = c.prompt(session, "three", `"result":{}`)
	assert.Equal(t, second.raw, before[0].raw)
	_, before = c.prompt(c.openAnother(), "one", `"result":{}`)
	assert.Len(t, before, 1, "sessions do not mix")
}

func TestEchoPrompt(t *testing.T) {
	c := dial(t, &fakeagent.Script{EchoPrompt: true, Updates: 1})
	session := c.open()
	f, before := c.call("session/prompt", fmt.Sprintf(
		`{"sessionId":%q,"prompt":[{"type":"text","text":"a"},{"type":"resource_link","name":"b","uri":"file:///b"}]}`, session))
	assert.Equal(t, "end_turn", stopReason(t, f))
	want := []string{"user_message_chunk", "user_message_chunk", "agent_message_chunk"}
	assert.Equal(t, want, kinds(before))
	assert.JSONEq(t, `{"type":"resource_link","name":"b","uri":"file:///b"}`, string(before[1].Params.Update.Content))
	_, replayed := c.load(session)
	assert.Equal(t, want, kinds(replayed), "the history has the prompt once")
}

func TestUnsolicited(t *testing.T) {
	c := dial(t, &fakeagent.Script{Unsolicited: 2, LateUpdates: 1, Updates: 1})
	session := c.open()
	for n := range 2 {
		c.prompt(session, "hi", `"result":{}`)
		after := []frame{c.must(), c.must(), c.must()}
		assert.Equal(t, "late 0 unsolicited 0 unsolicited 1 ", said(after))
		assert.Equal(t, fmt.Sprintf("unsolicited-%d", n+1), after[1].Params.Update.MessageID)
	}
	_, replayed := c.load(session)
	assert.Contains(t, said(replayed), "unsolicited 1 ")
}

func TestCancelKillsSession(t *testing.T) {
	c := dial(t, &fakeagent.Script{CancelKillsSession: true})
	session, other := c.open(), c.openAnother()
	c.cancel(session) // no turn, no harm
	f, _ := c.prompt(session, "hi", `"result":{}`)
	assert.Equal(t, "end_turn", stopReason(t, f))
	c.cancelled(session)
	for _, method := range []string{"session/prompt", "session/close", "session/set_mode"} {
		f, _ := c.call(method, promptParams(session, "hi"))
		require.NotNil(t, f.Error)
		assert.Equal(t, -32002, f.Error.Code)
	}
	f, _ = c.prompt(other, "hi", `"result":{}`)
	assert.Equal(t, "end_turn", stopReason(t, f))
	f, _ = c.load(session)
	assert.Nil(t, f.Error, "it can be loaded")
	_, before := c.prompt(session, "recall", `"result":{}`)
	assert.Equal(t, "history: 2 prompts: hi | permission", said(before))
}

func TestUsageOfACancelledTurn(t *testing.T) {
	c := dial(t, &fakeagent.Script{Usage: json.RawMessage(`{"totalTokens":0}`), NeverEnd: true, Empty: true})
	session := c.open()
	id := c.request("session/prompt", promptParams(session, "hi"))
	c.cancel(session)
	assert.JSONEq(t, `{"stopReason":"cancelled","usage":{"totalTokens":0}}`, string(c.until(answers(id))[0].Result))
}
