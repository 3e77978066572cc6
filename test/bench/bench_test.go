package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStreamIsWhatItSays decodes a stream with encoding/json and counts its text again.
func TestStreamIsWhatItSays(t *testing.T) {
	t.Parallel()
	s := &spec{Kind: kindStream, Items: 4000, Warm: 100, Sessions: 3}
	st := makeStream(s)
	assert.Equal(t, st.buf, makeStream(s).buf, "every agent sends the same")
	require.Len(t, st.ends, 4100)
	var text text
	kinds := map[string]int{}
	for i := 100; i < 4100; i++ {
		line := st.lines(i, i+1)
		var m struct {
			Params struct{ Update map[string]any }
		}
		require.NoError(t, json.Unmarshal(line, &m), "%s", line)
		kind := m.Params.Update["sessionUpdate"].(string)
		kinds[kind]++
		for _, found := range textsOf(m.Params.Update) {
			text.bytes += int64(len(found))
			text.units += int64(len(utf16.Encode([]rune(found))))
		}
	}
	assert.Equal(t, text, st.text)
	average := float64(len(st.buf)) / 4100
	assert.InDelta(t, 280, average, 20, "bytes in a line")
	for kind, percent := range map[string]int{
		"agent_message_chunk": 70, "agent_thought_chunk": 15, "tool_call": 5, "tool_call_update": 5, "plan": 5,
	} {
		assert.InDelta(t, percent*40, kinds[kind], 60, kind)
	}
}

// textsOf returns the strings that the subjects count of an update.
func textsOf(update map[string]any) []string {
	at := func(v any, keys ...string) string {
		for _, key := range keys {
			if list, ok := v.([]any); ok {
				v = list[0]
			}
			v = v.(map[string]any)[key]
		}
		return v.(string)
	}
	switch update["sessionUpdate"] {
	case "tool_call":
		return []string{at(update, "title")}
	case "tool_call_update":
		return []string{at(update, "content", "content", "text")}
	case "plan":
		entries := update["entries"].([]any)
		return []string{at(entries[0], "content"), at(entries[1], "content")}
	}
	return []string{at(update, "content", "text")}
}

func TestLineReader(t *testing.T) {
	t.Parallel()
	want := []string{"a", "", strings.Repeat("b", 1<<20), "c", strings.Repeat("d", 300<<10), "e"}
	text := strings.Join(want, "\n") + "\n"
	sources := map[string]io.Reader{
		"whole":  strings.NewReader(text),
		"halves": iotest.HalfReader(strings.NewReader(text)),
		"at end": iotest.DataErrReader(strings.NewReader(text)),
	}
	for name, src := range sources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newLineReader(src)
			for _, line := range want {
				got, err := r.next()
				require.NoError(t, err)
				require.True(t, string(got) == line, "%d bytes, want %d", len(got), len(line))
			}
			_, err := r.next()
			assert.Equal(t, io.EOF, err)
		})
	}
}

// TestProduceAsks has the agent ask twice, with an answer that names another request.
func TestProduceAsks(t *testing.T) {
	t.Parallel()
	prompt := `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{}}` + "\n"
	answer := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{"x":"allow"}}` + "\n" }
	s := &spec{Kind: kindAsk, Size: 10, Items: 2, Sessions: 1}

	var out bytes.Buffer
	require.NoError(t, produce(s, strings.NewReader(prompt+answer("1")+answer("2")), &out))
	sent := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, sent, 3)
	for i, line := range sent {
		assert.True(t, json.Valid([]byte(line)), "line %d", i)
	}
	assert.Contains(t, sent[2], "end_turn")

	assert.ErrorContains(t, produce(s, strings.NewReader(prompt+answer("2")), io.Discard), "request 1")
}

func TestTable(t *testing.T) {
	t.Parallel()
	s := &spec{Name: "updates", Kind: kindStream, Items: 10, subjects: []string{valid, ours, coder}}
	table := newTable([]*spec{s})
	for _, wall := range []time.Duration{30, 10, 20} {
		table.add(s, ours, &result{Wall: wall * time.Microsecond, Mallocs: 45})
		table.add(s, valid, &result{Wall: 10 * time.Microsecond})
	}
	table.add(s, coder, &result{Died: "died after 3"})
	got := table.ratios()
	require.NotNil(t, got["updates_vs_valid"])
	assert.InDelta(t, 2, *got["updates_vs_valid"], 0.001, "the median of this module through that of the floor")
	require.NotNil(t, got["allocs_per_update"])
	assert.InDelta(t, 4.5, *got["allocs_per_update"], 0.001)
	assert.Nil(t, got["updates_vs_coder"], "there is none")
	var out strings.Builder
	require.NoError(t, table.print(&out))
	assert.Contains(t, out.String(), "updates, coder, 1 of 1 runs: died after 3")
}
