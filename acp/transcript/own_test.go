package transcript_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/transcript"
)

// TestRecordsDoNotKeepFramesAlive_zed60134 overwrites what an update was read from: what is kept does not share its memory.
func TestRecordsDoNotKeepFramesAlive_zed60134(t *testing.T) {
	t.Parallel()
	frame := func() json.RawMessage { return json.RawMessage(`{"a":"b"}`) }
	var frames []json.RawMessage
	raw := func() json.RawMessage {
		frames = append(frames, frame())
		return frames[len(frames)-1]
	}
	record := transcript.New(nil)
	c := call("t", "", "")
	c.RawInput, c.RawOutput = raw(), raw()
	c.Content = []acp.ToolCallContent{&acp.Unknown{Raw: raw()}, &acp.ToolContent{Content: &acp.Unknown{Raw: raw()}}}
	for _, u := range []acp.Update{
		&acp.ToolCallStart{ToolCall: c}, &acp.AgentMessageChunk{Content: &acp.Unknown{Raw: raw()}}, plan("p"), &acp.Notice{},
		&acp.Unknown{Kind: "future_update", Raw: raw()},
	} {
		record.Add(acp.SessionNotification{Update: u, Raw: raw()})
	}
	for _, f := range frames {
		clear(f)
	}
	var kept []json.RawMessage
	for _, e := range record.Entries() {
		switch e := e.(type) {
		case *transcript.ToolCall:
			kept = append(kept, e.Raw, e.RawInput, e.RawOutput, e.Content[0].(*acp.Unknown).Raw,
				e.Content[1].(*acp.ToolContent).Content.(*acp.Unknown).Raw)
		case *transcript.Message:
			kept = append(kept, e.Blocks[0].Content.(*acp.Unknown).Raw)
		case *transcript.Plan:
			kept = append(kept, e.Raw)
		case *transcript.Note:
			kept = append(kept, e.Raw)
		}
	}
	other := record.Others()[0]
	kept = append(kept, other.Raw, other.Update.(*acp.Unknown).Raw)
	assert.Len(t, kept, 10)
	for i, k := range kept {
		assert.Equal(t, string(frame()), string(k), i)
	}
}
