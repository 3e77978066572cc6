package transcript_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/transcript"
)

func compaction(id, status string, summary ...string) *acp.CompactionUpdate {
	u := &acp.CompactionUpdate{ID: id, Status: acp.CompactionStatus(status)}
	for _, s := range summary {
		u.Summary = append(u.Summary, block(s))
	}
	return u
}

func TestNotes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		updates []acp.Update
		want    []string
	}{
		{
			"notices",
			[]acp.Update{&acp.Notice{Severity: "warning", Title: "Slow", Description: "very"}, &acp.Notice{Title: "x"}},
			[]string{"0 note notice warning Slow very", "0 note notice x"},
		},
		{
			"a compaction",
			[]acp.Update{
				compaction("c", "in_progress"), &acp.CompactionSummaryChunk{ID: "c", Content: block("we ")},
				&acp.CompactionSummaryChunk{ID: "c", Content: block("met")}, compaction("c", "completed"),
			},
			[]string{"0 note compaction_update c completed we met"},
		},
		{
			"a whole summary replaces its pieces",
			[]acp.Update{&acp.CompactionSummaryChunk{ID: "c", Content: block("we ")}, compaction("c", "completed", "they ", "met")},
			[]string{"0 note compaction_update c completed they met"},
		},
		{
			"one that failed, and another with its id",
			[]acp.Update{compaction("c", "in_progress"), &acp.CompactionUpdate{ID: "c", Status: "failed", Error: "full"}, compaction("c", "in_progress")},
			[]string{"0 note compaction_update c failed full", "0 note compaction_update c in_progress"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			record := transcript.New(nil)
			for _, u := range tc.updates {
				record.Add(notification(u))
			}
			assert.Equal(t, tc.want, lines(record))
		})
	}
}

func TestPlanIsReplacedWithinItsTurn(t *testing.T) {
	t.Parallel()
	record := play(begin("1"), add(plan("a")), add(plan("a", "b")), end("end_turn"), begin("2"), add(plan("c")), add(plan()))
	assert.Equal(t, []string{"1 user: 1", "1 plan a b", "2 user: 2", "2 plan"}, lines(record))
}

func TestNothingIsLost_acp1694(t *testing.T) {
	t.Parallel()
	record := transcript.New(nil)
	for _, u := range []acp.Update{
		&acp.UsageUpdate{Used: 1}, &acp.Unknown{Kind: "future_update"}, &acp.UsageUpdate{Used: 2}, &acp.CurrentModeUpdate{ModeID: "m"},
		&acp.Unknown{}, &acp.SessionInfoUpdate{}, &acp.ConfigOptionUpdate{}, &acp.AvailableCommandsUpdate{}, nil, agent(""), patch("", "x", ""),
	} {
		n := notification(u)
		if u != nil {
			n.Raw = fmt.Appendf(nil, `{"kind":%q}`, u.UpdateKind())
		}
		assert.Equal(t, transcript.Change{}, record.Add(n))
	}
	var kinds []string
	for _, o := range record.Others() {
		kinds = append(kinds, fmt.Sprint(o.Kind, " ", o.Count))
	}
	assert.Equal(t, []string{
		"usage_update 2", "future_update 1", "current_mode_update 1", " 2", "session_info_update 1", "config_option_update 1",
		"available_commands_update 1", "agent_message_chunk 1", "tool_call_update 1",
	}, kinds)
	assert.Equal(t, &acp.UsageUpdate{Used: 2}, record.Others()[0].Update)
	assert.JSONEq(t, `{"kind":"future_update"}`, string(record.Others()[1].Raw))
}

func TestKindsThatAnAgentMakesUpAreBounded(t *testing.T) {
	t.Parallel()
	record := transcript.New(&transcript.Options{MaxText: 10})
	for i := range 1000 {
		record.Add(acp.SessionNotification{Update: &acp.Unknown{Kind: fmt.Sprint("k", i)}, Raw: []byte(`"longer than ten"`)})
	}
	others := record.Others()
	require.Len(t, others, 33)
	assert.Equal(t, transcript.Other{Kind: "", Count: 1000 - 32}, others[32])
}

func TestPlansByTheirIDs(t *testing.T) {
	t.Parallel()
	items := func(id, step string) acp.Update {
		return &acp.PlanUpdate{ID: id, Plan: &acp.PlanItems{Entries: []acp.PlanEntry{{Content: step}}}}
	}
	record := play(begin("1"),
		add(items("a", "dig")), add(&acp.PlanUpdate{ID: "b", Plan: &acp.PlanFile{URI: "file:///p"}}), add(items("a", "fill")),
		add(&acp.PlanUpdate{ID: "c", Plan: &acp.PlanMarkdown{Content: "# All"}}), add(plan("alone")),
		add(&acp.PlanRemoved{ID: "a"}), add(items("a", "again")), add(&acp.PlanRemoved{ID: "never"}),
	)
	assert.Equal(t, []string{
		"1 user: 1", "1 plan a fill (removed)", "1 plan b file:///p", "1 plan c # All", "1 plan alone", "1 plan a again",
	}, lines(record))
}
