package transcript_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/transcript"
)

func TestOldestEntriesGoFirst(t *testing.T) {
	t.Parallel()
	record := transcript.New(&transcript.Options{MaxEntries: 3})
	for i := range 10 {
		change := record.Add(notification(start(fmt.Sprint("t", i), "", "")))
		assert.Equal(t, uint64(i+1), change.Entry.Info().Index)
	}
	assert.Equal(t, []string{"0 tool t7", "0 tool t8", "0 tool t9"}, lines(record))
	assert.Equal(t, 7, record.Dropped())
	assert.Equal(t, uint64(8), record.Entries()[0].Info().Index)

	record.Add(notification(patch("t8", "", "completed")))
	record.Add(notification(patch("t0", "", "completed"))) // its record is gone
	assert.Equal(t, []string{"0 tool t8 completed", "0 tool t9", "0 tool t0 completed (placeholder)"}, lines(record))
}

func TestWhatIsGoneIsNotGoneOnWith(t *testing.T) {
	t.Parallel()
	record := transcript.New(&transcript.Options{MaxEntries: 1})
	record.BeginTurn(acp.Text("hi"))
	for _, u := range []acp.Update{
		agent("a", "m"), thought("x"), agent("b", "m"), plan("p"), thought("y"), plan("q"), user("hi"),
		&acp.CompactionUpdate{ID: "c"}, thought("z"), &acp.CompactionSummaryChunk{ID: "c", Content: block("s")},
	} {
		assert.True(t, record.Add(notification(u)).Added, u.UpdateKind())
	}
	assert.Equal(t, 10, record.Dropped())
}

func TestTextsAreCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	for limit := 1; limit < 9; limit++ {
		record := transcript.New(&transcript.Options{MaxText: limit})
		record.Add(notification(agent("aö")))
		record.Add(notification(agent("日本")))
		record.Add(notification(agent("z")))
		m := record.LastMessage()
		assert.LessOrEqual(t, len(m.Text), limit)
		assert.True(t, utf8.ValidString(m.Text), limit)
		assert.True(t, strings.HasPrefix("aö日本z", m.Text), "nothing goes on behind a cut")
		assert.Equal(t, len("aö日本z"), len(m.Text)+m.Cut)
	}
	record := transcript.New(&transcript.Options{MaxText: 2})
	record.Add(notification(agent("\x80\x80\x80\x80\x80\x80")))
	assert.Equal(t, 4, record.LastMessage().Cut, "what is no UTF-8 is cut anywhere")
}

func TestImageThatDoesNotFitIsLeftOut(t *testing.T) {
	t.Parallel()
	record := transcript.New(&transcript.Options{MaxText: 200})
	for _, content := range []acp.ContentBlock{
		block("a"), &acp.ImageContent{Data: strings.Repeat("x", 300)}, block("b"),
		&acp.Unknown{Kind: "video", Raw: json.RawMessage(`{"type":"video"}`)}, block("c"),
	} {
		record.Add(notification(&acp.AgentMessageChunk{Content: content}))
	}
	m := record.LastMessage()
	assert.Equal(t, "abc", m.Text)
	assert.Greater(t, m.Cut, 300)
	assert.Equal(t, []acp.ContentBlock{
		block("ab"), &acp.Unknown{Kind: "video", Raw: json.RawMessage(`{"type":"video"}`)}, block("c"),
	}, m.Content())
}

func TestToolOutputIsBounded_zed60134(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ö", 500)
	record := transcript.New(&transcript.Options{MaxText: 300})
	c := call("t", long, "")
	c.RawInput, c.RawOutput = json.RawMessage(`{"a":1}`), json.RawMessage(`"`+long+`"`)
	c.Content = []acp.ToolCallContent{
		&acp.ToolContent{Content: block("first")},
		&acp.Diff{Path: "/a", NewText: long},
		&acp.ToolContent{Content: block(long)},
		&acp.Unknown{Kind: "future", Raw: json.RawMessage(`{}`)},
	}
	for i := range 200 {
		c.Locations = append(c.Locations, acp.ToolCallLocation{Path: fmt.Sprint("/", i)})
	}
	record.Add(acp.SessionNotification{Update: &acp.ToolCallStart{ToolCall: c}, Raw: []byte(`"` + long + `"`)})
	kept := only(t, record)
	assert.Nil(t, kept.Raw)
	assert.Nil(t, kept.RawOutput, "half of a JSON value is none")
	assert.JSONEq(t, `{"a":1}`, string(kept.RawInput))
	assert.Len(t, *kept.Title, 300)
	assert.Len(t, kept.Locations, 4)
	require.Len(t, kept.Content, 2, "a diff is not cut, and the rest has no room")
	text := kept.Content[1].(*acp.ToolContent).Content.(*acp.TextContent).Text
	assert.True(t, utf8.ValidString(text))
	assert.NotEmpty(t, text)
	assert.Greater(t, kept.Cut, 1002+1000, "the output, the diff, and more")

	record.Add(notification(&acp.ToolCallUpdate{ToolCall: acp.ToolCall{
		ID: "t", Content: []acp.ToolCallContent{}, RawOutput: json.RawMessage(`1`),
	}}))
	assert.Zero(t, only(t, record).Cut, "it is all there again")
}

func TestAllEntriesTogetherAreBounded_zed60134(t *testing.T) {
	t.Parallel()
	record := transcript.New(&transcript.Options{MaxBytes: 1 << 20})
	diff := strings.Repeat("x", 100_000)
	for i := range 5000 {
		c := call(fmt.Sprint(i), "", acp.ToolCompleted)
		c.Content = []acp.ToolCallContent{&acp.Diff{Path: "/a", NewText: diff}}
		record.Add(notification(&acp.ToolCallStart{ToolCall: c}))
	}
	assert.Len(t, record.Entries(), 10)

	huge := play(add(agent("small")))
	huge.Add(notification(start("t", strings.Repeat("x", 1<<20), "")))
	small := transcript.New(&transcript.Options{MaxBytes: 1})
	small.Add(notification(agent("a")))
	small.Add(notification(thought("b")))
	assert.Equal(t, []string{"0 thought: b"}, lines(small), "the last one stays")
	small.Add(notification(thought("c")))
	assert.Equal(t, []string{"0 thought: bc"}, lines(small))
}

func TestPlanIsBounded(t *testing.T) {
	t.Parallel()
	record := transcript.New(&transcript.Options{MaxText: 200})
	record.Add(notification(plan("one", "two", "three", "four")))
	p := record.Entries()[0].(*transcript.Plan)
	assert.Len(t, p.Entries, 2)
	assert.Equal(t, 2, p.Cut)
}
