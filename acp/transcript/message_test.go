package transcript_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/transcript"
)

func TestChunksJoin(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		steps []step
		want  []string
	}{
		{
			"with an id",
			[]step{add(agent("he", "m1")), add(agent("llo", "m1"))},
			[]string{"0 agent m1: hello"},
		},
		{
			"without an id",
			[]step{add(agent("he")), add(agent("llo"))},
			[]string{"0 agent: hello"},
		},
		{
			"a warning behind the model's words, as codex and claude send it",
			[]step{add(agent("pong", "m1")), add(agent("Config warning"))},
			[]string{"0 agent m1: pong", "0 agent: Config warning"},
		},
		{
			"a changed id",
			[]step{add(agent("one", "m1")), add(agent("two", "m2"))},
			[]string{"0 agent m1: one", "0 agent m2: two"},
		},
		{
			"an id that comes later",
			[]step{add(agent("one")), add(agent("two", "m2"))},
			[]string{"0 agent: one", "0 agent m2: two"},
		},
		{
			"interleaved by id",
			[]step{add(agent("a1", "a")), add(agent("b1", "b")), add(agent("a2", "a")), add(agent("b2", "b"))},
			[]string{"0 agent a: a1a2", "0 agent b: b1b2"},
		},
		{
			"a thought is no answer",
			[]step{add(thought("hm")), add(agent("yes")), add(thought("so"))},
			[]string{"0 thought: hm", "0 agent: yes", "0 thought: so"},
		},
		{
			"a thought with the answer's id",
			[]step{add(thought("h", "m")), add(agent("y", "m")), add(thought("m", "m")), add(agent("es", "m"))},
			[]string{"0 thought m: hm", "0 agent m: yes"},
		},
		{
			"a tool call between",
			[]step{add(agent("a")), add(start("t", "", "")), add(agent("b"))},
			[]string{"0 agent: a", "0 tool t", "0 agent: b"},
		},
		{
			"a tool call between, with an id",
			[]step{add(agent("a", "m")), add(start("t", "", "")), add(agent("b", "m")), add(agent("c", "m"))},
			[]string{"0 agent m: a", "0 tool t", "0 agent m: bc"},
		},
		{
			"a patch of an earlier call between",
			[]step{add(start("t", "", "")), add(agent("a")), add(patch("t", "", "completed")), add(agent("b"))},
			[]string{"0 tool t completed", "0 agent: ab"},
		},
		{
			"state between",
			[]step{
				add(agent("a")), add(&acp.UsageUpdate{Used: 1}), add(&acp.CurrentModeUpdate{ModeID: "m"}),
				add(&acp.Unknown{Kind: "future_update"}), add(agent("b")),
			},
			[]string{"0 agent: ab"},
		},
		{
			"a plan between",
			[]step{add(agent("a")), add(plan("p")), add(agent("b")), add(plan("q")), add(agent("c"))},
			[]string{"0 agent: a", "0 plan q", "0 agent: bc"},
		},
		{
			"a gap between",
			[]step{add(agent("a", "m")), add(&acp.Gap{From: 2, Count: 9}), add(agent("b", "m"))},
			[]string{"0 agent m: a", "0 gap of 9 from 2", "0 agent m: b"},
		},
		{
			"empty chunks with metadata, as qwen sends them",
			[]step{add(agent("")), add(thought("hm")), add(thought("")), add(agent("")), add(thought("!")), add(&acp.AgentMessageChunk{})},
			[]string{"0 thought: hm!"},
		},
		{
			"two equal chunks are two",
			[]step{add(agent("ha")), add(agent("ha"))},
			[]string{"0 agent: haha"},
		},
		{
			"across a turn",
			[]step{begin("1"), add(agent("a", "m")), end("end_turn"), begin("2"), add(agent("b", "m"))},
			[]string{"1 user: 1", "1 agent m: a", "2 user: 2", "2 agent m: b"},
		},
		{
			"across a turn without a prompt",
			[]step{begin(""), add(agent("a")), end("end_turn"), begin(""), add(agent("b"))},
			[]string{"1 agent: a", "2 agent: b"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, lines(play(tc.steps...)))
		})
	}
}

func TestReplayedAndLiveNeverJoin_acpx38(t *testing.T) {
	t.Parallel()
	record := play(
		replayed(user("old")), replayed(agent("it was")), replayed(start("t", "old", "")), replayed(plan("then")), replayed(agent("so")),
		begin("new"),
		replayed(agent(" it was")), // the replay drains while the turn is open
		add(agent("it is")), add(plan("now")), add(patch("t", "", "completed")),
	)
	assert.Equal(t, []string{
		"0 user: old (replayed)", "0 agent: it was (replayed)", "0 tool t old (end unknown) (replayed)", "0 plan then (replayed)",
		"0 agent: so (replayed)", "1 user: new", "0 agent: it was (replayed)", "1 agent: it is", "1 plan now",
		"1 tool t completed (placeholder)",
	}, lines(record))
	assert.Equal(t, "it is", record.Text())

	withID := play(replayed(agent("a", "m")), add(agent("b", "m")), replayed(agent("c", "m")))
	assert.Equal(t, []string{"0 agent m: ac (replayed)", "0 agent m: b"}, lines(withID))
}

func TestReplayedTurnsAreToldApart_kcap454(t *testing.T) {
	t.Parallel()
	record := play(
		replayed(user("1")), replayed(start("t1", "a", "completed")), replayed(plan("p")), replayed(agent("one")),
		replayed(user("2")), replayed(start("t1", "b", "completed")), replayed(plan("q")), replayed(agent("two")),
	)
	assert.Equal(t, []string{
		"0 user: 1 (replayed)", "0 tool t1 a completed (replayed)", "0 plan p (replayed)", "0 agent: one (replayed)",
		"0 user: 2 (replayed)", "0 tool t1 b completed (replayed)", "0 plan q (replayed)", "0 agent: two (replayed)",
	}, lines(record))
	assert.Nil(t, record.LastMessage(), "history is no answer")
}

func TestTextAfterTheTurn_opencode17505(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]string{"with an id": "m1", "without": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record := play(begin("go"), add(agent("he", id)), end(acp.StopEndTurn), late(agent("llo", id)))
			m := record.LastMessage()
			require.NotNil(t, m)
			assert.Equal(t, "hello", m.Text)
			assert.True(t, m.Late)
			assert.Equal(t, 1, m.Turn)
			assert.Len(t, record.Entries(), 2)
		})
	}
}

func TestUnsolicitedText_wave1348(t *testing.T) {
	t.Parallel()
	unsolicited := func(u acp.Update) step {
		return func(t *transcript.Transcript) {
			n := notification(u)
			n.Late, n.Unsolicited = true, true
			t.Add(n)
		}
	}
	record := play(begin("go"), add(agent("done")), end(acp.StopEndTurn), unsolicited(agent("the build ")), unsolicited(agent("broke")))
	assert.Equal(t, []string{"1 user: go", "1 agent: done", "1 agent: the build broke (late) (unsolicited)"}, lines(record))
	assert.Equal(t, "done", record.Text())

	slow := play(begin("go"), add(thought("hm")), end(acp.StopEndTurn), late(agent("one ")), unsolicited(agent("two")))
	assert.Equal(t, "one two", slow.Text(), "what goes on after a turn may take its time")
}

func TestEchoOfThePrompt_opencode22468(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		steps []step
		want  []string
	}{
		{
			"whole",
			[]step{begin("hi there"), add(user("hi there", "u1")), add(agent("yes"))},
			[]string{"1 user u1: hi there (echoed)", "1 agent: yes"},
		},
		{
			"in pieces",
			[]step{begin("hi there"), add(user("hi")), add(user(" there")), add(agent("yes"))},
			[]string{"1 user: hi there (echoed)", "1 agent: yes"},
		},
		{
			"with other space",
			[]step{begin("hi\n"), add(user(" hi"))},
			[]string{"1 user: hi (echoed)"},
		},
		{
			"after a thought",
			[]step{begin("hi"), add(thought("hm")), add(user("hi"))},
			[]string{"1 user: hi (echoed)", "1 thought: hm"},
		},
		{
			"twice is once too often",
			[]step{begin("hi"), add(user("hi")), add(user("hi"))},
			[]string{"1 user: hi (echoed)", "1 user: hi"},
		},
		{
			"something else",
			[]step{begin("hi"), add(user("ho"))},
			[]string{"1 user: hi", "1 user: ho"},
		},
		{
			"more than was said",
			[]step{begin("hi"), add(user("hi", "u")), add(user(" (from another place)", "u"))},
			[]string{"1 user u: hi (echoed)", "1 user u: (from another place)"},
		},
		{
			"history is no echo",
			[]step{begin("hi"), replayed(user("hi"))},
			[]string{"1 user: hi", "0 user: hi (replayed)"},
		},
		{
			"of the turn before",
			[]step{begin("one"), end("end_turn"), begin("two"), add(user("one"))},
			[]string{"1 user: one", "2 user: two", "2 user: one"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, lines(play(tc.steps...)))
		})
	}

	image := &acp.ImageContent{Data: "aGk=", MIMEType: "image/png"}
	record := transcript.New(nil)
	record.BeginTurn([]acp.ContentBlock{block("see "), image, block("this")})
	for _, content := range []acp.ContentBlock{block("see "), &acp.ImageContent{Data: "aGk=", MIMEType: "image/png"}, block("this")} {
		change := record.Add(notification(&acp.UserMessageChunk{Content: content}))
		assert.False(t, change.Added)
	}
	require.Len(t, record.Entries(), 1)
	m := record.Entries()[0].(*transcript.Message)
	assert.True(t, m.Prompt)
	assert.Equal(t, []acp.ContentBlock{block("see "), image, block("this")}, m.Content(), "an image keeps its place")
}

func TestTextIsKeptWhateverTheEnd_deepseekReasonix3509(t *testing.T) {
	t.Parallel()
	for _, reason := range []acp.StopReason{"cancelled", "refusal", "error", ""} {
		record := play(begin("go"), add(agent("all of it")), end(reason))
		assert.Equal(t, "all of it", record.Text(), reason)
	}
	record := play(begin("go"), add(agent("half")))
	record.EndTurn(nil, errors.New("the agent died"))
	assert.Equal(t, "half", record.Text())
}

func TestTheAnswerOfTheLastTurn(t *testing.T) {
	t.Parallel()
	assert.Nil(t, transcript.New(nil).LastMessage())
	record := play(
		begin("1"), add(agent("old")), end("end_turn"),
		begin("2"), add(agent("I look.")), add(start("t", "", "completed")), add(thought("so")), add(agent("It is 4.")), add(plan("x")),
	)
	assert.Equal(t, "It is 4.", record.LastMessage().Text)
	assert.Equal(t, "I look.\n\nIt is 4.", record.Text())
	record.BeginTurn(acp.Text("3"))
	assert.Empty(t, record.Text())
	assert.Nil(t, record.LastMessage())
}
