package transcript_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/transcript"
)

func TestToolCalls_R49(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		steps []step
		want  []string
	}{
		{
			"announced twice, claude-agent-acp#122",
			[]step{add(start("t1", "", "")), add(start("t1", "ls", "")), add(patch("t1", "", "completed"))},
			[]string{"0 tool t1 ls completed"},
		},
		{
			"announced again as it ended",
			[]step{add(start("t1", "ls", "pending")), add(start("t1", "", "completed")), add(start("t1", "", "completed"))},
			[]string{"0 tool t1 ls completed"},
		},
		{
			"patched before it is announced, omi#8787",
			[]step{add(patch("t9", "", "in_progress")), add(start("t9", "ls", ""))},
			[]string{"0 tool t9 ls in_progress"},
		},
		{
			"never announced",
			[]step{add(patch("t9", "ls", "completed"))},
			[]string{"0 tool t9 ls completed (placeholder)"},
		},
		{
			"without an id, kimchi#964",
			[]step{add(start("", "ls", "")), add(start("t", "ls", "")), add(patch("", "ls", "failed"))},
			[]string{"0 tool t ls"},
		},
		{
			"an id used again in the next turn, telegram-acp-bot#41",
			[]step{
				begin("1"), add(start("t1", "a", "completed")), end("end_turn"),
				begin("2"), add(start("t1", "b", "completed")), add(patch("t1", "c", "")),
			},
			[]string{"1 user: 1", "1 tool t1 a completed", "2 user: 2", "2 tool t1 c completed"},
		},
		{
			"an id used again in the same turn",
			[]step{add(start("t1", "a", "completed")), add(start("t1", "b", "pending"))},
			[]string{"0 tool t1 a completed", "0 tool t1 b pending"},
		},
		{
			"an id used again after an end that nobody told",
			[]step{begin("1"), add(start("t1", "a", "")), end("end_turn"), begin("2"), add(start("t1", "b", ""))},
			[]string{"1 user: 1", "1 tool t1 a (end unknown)", "2 user: 2", "2 tool t1 b"},
		},
		{
			"an end is final",
			[]step{add(start("t1", "a", "failed")), add(patch("t1", "b", "in_progress")), add(patch("t1", "", "completed"))},
			[]string{"0 tool t1 b failed"},
		},
		{
			"patched in a later turn, as claude does after a cancel",
			[]step{begin("1"), add(start("t1", "a", "")), end("cancelled"), begin("2"), add(patch("t1", "", "in_progress")), add(patch("t1", "", "completed"))},
			[]string{"1 user: 1", "1 tool t1 a completed", "2 user: 2"},
		},
		{
			"still open when the turn fails and is tried again, software-agent-sdk#2868",
			[]step{
				begin("go"), add(start("t1", "", "pending")), add(start("t2", "", "in_progress")), add(start("t3", "", "completed")),
				end("end_turn"), begin("go"), add(start("t4", "", "pending")),
			},
			[]string{
				"1 user: go", "1 tool t1 pending (end unknown)", "1 tool t2 in_progress (end unknown)", "1 tool t3 completed",
				"2 user: go", "2 tool t4 pending",
			},
		},
		{
			"a turn that nobody ended",
			[]step{begin("1"), add(start("t", "", "")), begin("2")},
			[]string{"1 user: 1", "1 tool t (end unknown)", "2 user: 2"},
		},
		{
			"a cancelled turn",
			[]step{begin("go"), add(start("t1", "", "pending")), end("cancelled")},
			[]string{"1 user: go", "1 tool t1 pending (end cancelled)"},
		},
		{
			"a status of the future is not final",
			[]step{begin("go"), add(start("t1", "", "waiting")), end("end_turn")},
			[]string{"1 user: go", "1 tool t1 waiting (end unknown)"},
		},
		{
			"the end comes after the turn's, opencode#17505",
			[]step{begin("go"), add(start("t1", "", "pending")), end("end_turn"), late(patch("t1", "", "in_progress")), late(patch("t1", "", "failed"))},
			[]string{"1 user: go", "1 tool t1 failed (late)"},
		},
		{
			"an announcement comes after the turn's end",
			[]step{begin("go"), add(start("t1", "", "")), end("end_turn"), late(start("t1", "ls", ""))},
			[]string{"1 user: go", "1 tool t1 ls (end unknown) (late)"},
		},
		{
			"what began after a turn ends with the next",
			[]step{begin("1"), end("end_turn"), late(start("t", "", "")), begin("2"), end("end_turn")},
			[]string{"1 user: 1", "1 tool t (end unknown) (late)", "2 user: 2"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, lines(play(tc.steps...)))
		})
	}
}

// only returns the one entry there is.
func only(t *testing.T, record *transcript.Transcript) *transcript.ToolCall {
	t.Helper()
	require.Len(t, record.Entries(), 1)
	return record.Entries()[0].(*transcript.ToolCall)
}

func TestMembersMergeUnlessAbsent_opencode7368(t *testing.T) {
	t.Parallel()
	name, line := "bash", int64(3)
	whole := call("t1", "ls", acp.ToolPending)
	whole.Name, whole.Kind = &name, acp.ToolExecute
	whole.RawInput = json.RawMessage(`{"command":"ls"}`)
	whole.RawOutput = json.RawMessage(`"x"`)
	whole.Content = []acp.ToolCallContent{&acp.ToolContent{Content: block("a")}, &acp.Terminal{ID: "term"}}
	whole.Locations = []acp.ToolCallLocation{{Path: "/a", Line: &line}}
	record := play(add(&acp.ToolCallStart{ToolCall: whole}))

	change := record.Add(acp.SessionNotification{Update: patch("t1", "", acp.ToolCompleted), Raw: []byte(`{"x":1}`), Seq: 7})
	c := only(t, record)
	assert.Same(t, c, change.Entry)
	assert.False(t, change.Added)
	whole.Status = acp.ToolCompleted
	assert.Equal(t, whole, c.ToolCall)
	assert.Equal(t, `{"x":1}`, string(c.Raw))
	assert.Equal(t, uint64(7), c.Seq)

	record.Add(notification(&acp.ToolCallUpdate{ToolCall: acp.ToolCall{
		ID: "t1", Content: []acp.ToolCallContent{}, Locations: []acp.ToolCallLocation{{Path: "/b"}},
	}}))
	assert.Empty(t, only(t, record).Content, "an empty list was sent and replaces")
	assert.Equal(t, []acp.ToolCallLocation{{Path: "/b"}}, only(t, record).Locations)
	assert.Len(t, c.Content, 2, "a snapshot stays as it is")
}

func TestPermissionRequestAnnouncesACall(t *testing.T) {
	t.Parallel()
	record := transcript.New(nil)
	record.BeginTurn(acp.Text("go"))
	ask := func(c acp.ToolCall) transcript.Change {
		return record.AddPermission(&acp.PermissionRequest{ToolCall: c})
	}
	assert.Nil(t, ask(call("", "x", "")).Entry)
	assert.True(t, ask(call("t1", "write a.txt", acp.ToolPending)).Added) // gemini announces it in no other way
	record.Add(notification(patch("t1", "", acp.ToolInProgress)))
	again := call("t1", "write b.txt", acp.ToolPending)
	again.Kind = acp.ToolEdit
	assert.False(t, ask(again).Added)
	assert.Equal(t, []string{"1 user: go", "1 tool t1 write a.txt in_progress (placeholder)"}, lines(record))
	assert.Equal(t, acp.ToolEdit, record.Entries()[1].(*transcript.ToolCall).Kind, "what was not known is filled in")
	record.Add(notification(start("t1", "Write", acp.ToolCompleted)))
	assert.True(t, ask(call("t1", "write c.txt", "")).Added, "the id is used again")
	record.EndTurn(nil, nil)
	record.BeginTurn(acp.Text("on"))
	assert.True(t, ask(call("t1", "write d.txt", "")).Added)
	assert.Equal(t, []string{
		"1 user: go", "1 tool t1 Write completed", "1 tool t1 write c.txt (end unknown) (placeholder)",
		"2 user: on", "2 tool t1 write d.txt (placeholder)",
	}, lines(record))
}

func TestEndTurnTellsWhatItEnded(t *testing.T) {
	t.Parallel()
	record := play(begin("go"), add(start("t1", "", "")), add(start("t2", "", "completed")), add(patch("t3", "", "")))
	changes := record.EndTurn(&acp.TurnResult{StopReason: acp.StopEndTurn, CancelRequested: true}, nil) // copilot-cli#4561
	require.Len(t, changes, 2)
	for i, id := range []string{"t1", "t3"} {
		c := changes[i].Entry.(*transcript.ToolCall)
		assert.Equal(t, id, c.ID)
		assert.Equal(t, transcript.EndCancelled, c.End)
		assert.False(t, c.Open())
	}
	assert.Empty(t, record.EndTurn(nil, nil))
}
