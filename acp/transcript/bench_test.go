package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/transcript"
)

// BenchmarkAdd adds updates in the mix of an ordinary turn: 70 % answer, 15 % reasoning, 5 % each of tool calls, their
// results and plans.
func BenchmarkAdd(b *testing.B) {
	output := strings.Repeat("one line of output\n", 40)
	var mix []acp.SessionNotification
	for i := range 100 {
		var u acp.Update
		switch {
		case i%20 < 14:
			u = agent("six words of an answer each ", "m1")
		case i%20 < 17:
			u = thought("twelve words of what an agent thinks while it is at work ", "m2")
		case i%20 == 17:
			u = start(fmt.Sprint(i), "Read main.go", acp.ToolPending)
		case i%20 == 18:
			c := call(fmt.Sprint(i-1), "", acp.ToolCompleted)
			c.Content = []acp.ToolCallContent{&acp.ToolContent{Content: block(output)}}
			u = &acp.ToolCallUpdate{ToolCall: c}
		default:
			u = plan("look around", "answer")
		}
		mix = append(mix, acp.SessionNotification{Update: u, Raw: []byte(`{"sessionUpdate":"` + strings.Repeat("x", 200) + `"}`)})
	}
	record := transcript.New(nil)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if i%1000 == 0 {
			record.BeginTurn(acp.Text("go"))
		}
		record.Add(mix[i%len(mix)])
		i++
	}
}
