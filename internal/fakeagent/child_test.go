package fakeagent_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakeagent"
)

// step is one frame of a turn with a child.
type step struct{ session, what, about string }

func steps(frames []frame) []step {
	var all []step
	for _, f := range frames {
		what, about := f.Params.Update.SessionUpdate, f.text()
		switch {
		case f.ID != nil:
			what = f.Method
		case what == "subagent_update":
			about = string(f.Params.Update.State)
		case f.Params.Update.Status != "":
			about = f.Params.Update.Status
		}
		all = append(all, step{f.Params.SessionID, what, about})
	}
	return all
}

func TestChild(t *testing.T) {
	const (
		running = `{"state":"running"}`
		idle    = `{"state":"idle","stopReason":"end_turn"}`
	)
	for _, tc := range []struct {
		name, script, reply string
		want                []step // "parent" stands for the parent's id
	}{
		{"announced", `{"child":"kid","updates":1}`, "", []step{
			{"parent", "subagent_update", running},
			{"kid", "agent_message_chunk", "child chunk 0 "},
			{"kid", "agent_message_chunk", "child chunk 1 "},
			{"parent", "subagent_update", idle},
			{"parent", "agent_message_chunk", "chunk 0 "},
		}},
		{"unknown", `{"child":"kid","updates":1,"childAnnounced":false}`, "", []step{
			{"kid", "agent_message_chunk", "child chunk 0 "},
			{"kid", "agent_message_chunk", "child chunk 1 "},
			{"parent", "agent_message_chunk", "chunk 0 "},
		}},
		{"asks, allowed", `{"child":"kid","updates":1,"childPermission":true,"childAnnounced":true}`, selected("opt-7"), []step{
			{"parent", "subagent_update", running},
			{"kid", "agent_message_chunk", "child chunk 0 "},
			{"kid", "agent_message_chunk", "child chunk 1 "},
			{"kid", "tool_call", "pending"},
			{"kid", "session/request_permission", ""},
			{"kid", "tool_call_update", "completed"},
			{"kid", "agent_message_chunk", "Permission: allowed (allow_once)."},
			{"parent", "subagent_update", idle},
			{"parent", "agent_message_chunk", "chunk 0 "},
		}},
		{"unknown asks, rejected", `{"child":"kid","updates":1,"childPermission":true,"childAnnounced":false}`, selected("opt-9"), []step{
			{"kid", "agent_message_chunk", "child chunk 0 "},
			{"kid", "agent_message_chunk", "child chunk 1 "},
			{"kid", "tool_call", "pending"},
			{"kid", "session/request_permission", ""},
			{"kid", "tool_call_update", "failed"},
			{"kid", "agent_message_chunk", "Permission: rejected (reject_once)."},
			{"parent", "agent_message_chunk", "chunk 0 "},
		}},
		{"empty", `{"child":"kid","empty":true,"childPermission":true}`, selected("opt-9"), []step{
			{"kid", "session/request_permission", ""},
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			script, err := fakeagent.ParseScript([]byte(tc.script))
			require.NoError(t, err)
			c := dial(t, script)
			session := c.open()
			f, before := c.prompt(session, "hi", tc.reply)
			assert.Equal(t, "end_turn", stopReason(t, f))
			for n := range tc.want {
				if tc.want[n].session == "parent" {
					tc.want[n].session = session
				}
			}
			assert.Equal(t, tc.want, steps(before))
			for _, b := range before {
				if b.Params.Update.SessionUpdate == "subagent_update" {
					assert.Equal(t, "kid", b.Params.Update.SessionID)
					assert.Contains(t, b.raw, `"title":"Helper"`)
				}
			}
			_, replayed := c.load(session)
			assert.NotContains(t, kinds(replayed), "subagent_update", "a child is no part of the parent's history")
		})
	}
}

func TestCancelWhileTheChildAsks(t *testing.T) {
	c := dial(t, &fakeagent.Script{Child: "kid", ChildPermission: true})
	session := c.open()
	id := c.request("session/prompt", promptParams(session, "hi"))
	c.until(calls("session/request_permission"))
	c.cancel("kid") // has no capability to be cancelled alone
	c.cancel(session)
	all := c.until(answers(id))
	assert.Equal(t, "cancelled", stopReason(t, all[len(all)-1]))
	assert.Equal(t, []step{
		{"kid", "tool_call_update", "failed"},
		{session, "subagent_update", `{"state":"idle","stopReason":"cancelled"}`},
	}, steps(all[:len(all)-1]))
}
