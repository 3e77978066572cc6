package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/transcript"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// step is one thing that happens to a transcript.
type step func(*transcript.Transcript)

// play lets steps happen to a new transcript.
func play(steps ...step) *transcript.Transcript {
	t := transcript.New(nil)
	for _, s := range steps {
		s(t)
	}
	return t
}

func notification(u acp.Update) acp.SessionNotification {
	return acp.SessionNotification{SessionID: "s", Update: u, Raw: []byte(`{}`)}
}

func add(u acp.Update) step {
	return func(t *transcript.Transcript) { t.Add(notification(u)) }
}

func late(u acp.Update) step {
	return func(t *transcript.Transcript) {
		n := notification(u)
		n.Late = true
		t.Add(n)
	}
}

func replayed(u acp.Update) step {
	return func(t *transcript.Transcript) {
		n := notification(u)
		n.Late, n.Replayed = true, true // nothing but a load is under way
		t.Add(n)
	}
}

func begin(prompt string) step {
	return func(t *transcript.Transcript) { t.BeginTurn(acp.Text(prompt)) }
}

func end(reason acp.StopReason) step {
	return func(t *transcript.Transcript) { t.EndTurn(&acp.TurnResult{StopReason: reason}, nil) }
}

func block(text string) acp.ContentBlock { return &acp.TextContent{Text: text} }

func user(text string, id ...string) acp.Update {
	return &acp.UserMessageChunk{Content: block(text), MessageID: strings.Join(id, "")}
}

func agent(text string, id ...string) acp.Update {
	return &acp.AgentMessageChunk{Content: block(text), MessageID: strings.Join(id, "")}
}

func thought(text string, id ...string) acp.Update {
	return &acp.AgentThoughtChunk{Content: block(text), MessageID: strings.Join(id, "")}
}

// call is what is sent of a tool call, with a title unless it is empty.
func call(id, title string, status acp.ToolCallStatus) acp.ToolCall {
	c := acp.ToolCall{ID: id, Status: status}
	if title != "" {
		c.Title = &title
	}
	return c
}

func start(id, title string, status acp.ToolCallStatus) acp.Update {
	return &acp.ToolCallStart{ToolCall: call(id, title, status)}
}

func patch(id, title string, status acp.ToolCallStatus) acp.Update {
	return &acp.ToolCallUpdate{ToolCall: call(id, title, status)}
}

func plan(steps ...string) acp.Update {
	p := &acp.Plan{}
	for _, s := range steps {
		p.Entries = append(p.Entries, acp.PlanEntry{Content: s, Status: "pending"})
	}
	return p
}

// lines renders the entries, one a line.
func lines(t *transcript.Transcript) []string {
	var out []string
	for _, e := range t.Entries() {
		out = append(out, line(e))
	}
	return out
}

// line renders an entry with its turn: "1 agent m1: text (late)".
func line(e transcript.Entry) string {
	head := e.Info()
	words := []string{fmt.Sprint(head.Turn)}
	flag := func(is bool, name string) {
		if is {
			words = append(words, "("+name+")")
		}
	}
	switch e := e.(type) {
	case *transcript.Message:
		words = append(words, strings.TrimSuffix(string(e.Role)+" "+e.MessageID, " ")+":", e.Text)
		flag(e.Echoed, "echoed")
		flag(e.Cut > 0, fmt.Sprintf("cut %d", e.Cut))
	case *transcript.ToolCall:
		words = append(words, "tool", e.ID)
		if e.Title != nil {
			words = append(words, *e.Title)
		}
		words = append(words, string(e.Status))
		flag(e.End != "", "end "+string(e.End))
		flag(e.Placeholder, "placeholder")
		flag(e.Cut > 0, fmt.Sprintf("cut %d", e.Cut))
	case *transcript.Plan:
		words = append(words, strings.TrimSpace("plan "+e.ID))
		if e.URI+e.Text != "" {
			words = append(words, e.URI+e.Text)
		}
		for _, s := range e.Entries {
			words = append(words, s.Content)
		}
		flag(e.Removed, "removed")
	case *transcript.Note:
		words = append(words, "note", string(e.Kind), e.ID, e.Status, e.Title, e.Text, e.Error)
	case *transcript.Gap:
		words = append(words, fmt.Sprintf("gap of %d from %d", e.Count, e.From))
	}
	flag(head.Replayed, "replayed")
	flag(head.Late, "late")
	flag(head.Unsolicited, "unsolicited")
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}
