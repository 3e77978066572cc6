package transcript_test

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/transcript"
)

// said is what a chunk said, as the model knows it.
type said struct {
	role     transcript.Role
	replayed bool
}

// script turns bytes into a sequence of steps. Every chunk says the number of its step, "<7>", so that it is known later.
type script struct {
	record *transcript.Transcript
	said   []said
}

func (s *script) step(op, arg byte) {
	n := acp.SessionNotification{Raw: []byte(`{}`), Late: arg&0x80 != 0}
	id := []string{"", "a", "b"}[int(arg)%3]
	status := []acp.ToolCallStatus{"", acp.ToolPending, acp.ToolInProgress, acp.ToolCompleted, acp.ToolFailed, "new"}[int(arg>>2)%6]
	replayed := arg&0x40 != 0
	n.Replayed, n.Unsolicited = replayed, n.Late && !replayed && arg&0x20 != 0
	text := fmt.Sprintf("<%d>", len(s.said))
	say := func(role transcript.Role) { s.said = append(s.said, said{role, replayed}) }
	switch op % 14 {
	case 0, 1:
		n.Update = agent(text, id)
		say(transcript.RoleAgent)
	case 2:
		n.Update = thought(text, id)
		say(transcript.RoleThought)
	case 3:
		n.Update = user(text, id)
		say(transcript.RoleUser)
	case 4:
		n.Update = start(id, "", status)
	case 5, 6:
		n.Update = patch(id, "", status)
	case 7:
		n.Update = plan(text)
	case 8:
		n.Update = compaction(id, string(status), text)
	case 9:
		n.Update = &acp.CompactionSummaryChunk{ID: id, Content: block(text)}
	case 10:
		n.Update = &acp.Gap{From: 1, Count: 1}
	case 11:
		n.Update = &acp.Unknown{Kind: strconv.Itoa(int(arg))}
	case 12:
		s.record.BeginTurn(acp.Text("prompt"))
		return
	case 13:
		s.record.EndTurn(&acp.TurnResult{StopReason: acp.StopEndTurn}, nil)
		return
	}
	s.record.Add(n)
}

var number = regexp.MustCompile(`<(\d+)>`)

// FuzzTranscript lets anything happen in any order: nothing is lost, doubled or put into a wrong place, and bounds hold.
func FuzzTranscript(f *testing.F) {
	f.Add([]byte{12, 0, 0, 1, 0, 1, 4, 5, 0, 2, 5, 13, 13, 0, 0, 0x81})
	f.Add([]byte{3, 0x41, 0, 0x41, 12, 0, 0, 0x41, 0, 1, 3, 0, 10, 0, 0, 1})
	f.Add([]byte{8, 1, 9, 1, 7, 0, 12, 0, 7, 0, 11, 3, 6, 0, 4, 0})
	f.Fuzz(func(t *testing.T, ops []byte) {
		whole := &script{record: transcript.New(nil)}
		small := &script{record: transcript.New(&transcript.Options{MaxEntries: 3, MaxText: 5, MaxBytes: 1000})}
		for i := 0; i+1 < min(len(ops), 2000); i += 2 {
			whole.step(ops[i], ops[i+1])
			small.step(ops[i], ops[i+1])
			checkBounds(t, small.record)
		}
		checkIndexes(t, whole.record)
		checkSaid(t, whole)
		whole.record.EndTurn(nil, nil)
		for _, e := range whole.record.Entries() {
			if c, ok := e.(*transcript.ToolCall); ok {
				assert.False(t, c.Open(), "no call outlives its turn")
			}
		}
	})
}

func checkIndexes(t *testing.T, record *transcript.Transcript) {
	t.Helper()
	for i, e := range record.Entries() {
		require.Equal(t, uint64(record.Dropped()+i+1), e.Info().Index)
	}
}

func checkBounds(t *testing.T, record *transcript.Transcript) {
	t.Helper()
	entries := record.Entries()
	require.LessOrEqual(t, len(entries), 3)
	checkIndexes(t, record)
	for _, e := range entries {
		switch e := e.(type) {
		case *transcript.Message:
			require.LessOrEqual(t, len(e.Text), 5)
		case *transcript.Note:
			require.LessOrEqual(t, len(e.Text), 5)
		}
	}
	require.LessOrEqual(t, len(record.Others()), 33)
}

// checkSaid finds every chunk in exactly one message of its role and kind, in order.
func checkSaid(t *testing.T, s *script) {
	t.Helper()
	found := make([]int, len(s.said))
	for _, e := range s.record.Entries() {
		m, ok := e.(*transcript.Message)
		if !ok || m.Prompt {
			continue
		}
		before, text := -1, ""
		for _, match := range number.FindAllStringSubmatch(m.Text, -1) {
			i, err := strconv.Atoi(match[1])
			require.NoError(t, err)
			require.Less(t, before, i, "chunks of one message are in order")
			require.Equal(t, said{m.Role, m.Replayed}, s.said[i])
			found[i]++
			before = i
			text += match[0]
		}
		require.Equal(t, text, m.Text, "there is nothing else")
	}
	for i, n := range found {
		require.Equal(t, 1, n, "chunk %d", i)
	}
}

// TestChunksWithoutIDKeepTheirOrder holds the concatenation of messages against that of chunks.
func TestChunksWithoutIDKeepTheirOrder(t *testing.T) {
	t.Parallel()
	record := transcript.New(nil)
	want := map[transcript.Role]string{}
	for i := range 3000 {
		text := fmt.Sprintf("<%d>", i)
		switch i * 7919 % 11 {
		case 0, 1, 2, 3:
			record.Add(notification(agent(text)))
			want[transcript.RoleAgent] += text
		case 4, 5:
			record.Add(notification(thought(text)))
			want[transcript.RoleThought] += text
		case 6:
			record.Add(notification(user(text)))
			want[transcript.RoleUser] += text
		case 7:
			record.Add(notification(start(fmt.Sprint(i), "", "")))
		case 8:
			record.Add(notification(plan(text)))
		default:
			record.Add(notification(patch(fmt.Sprint(i-3), "", "completed")))
		}
	}
	got := map[transcript.Role]string{}
	for _, e := range record.Entries() {
		if m, ok := e.(*transcript.Message); ok {
			got[m.Role] += m.Text
		}
	}
	assert.Equal(t, want, got)
}
