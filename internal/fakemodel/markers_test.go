package fakemodel_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/acpharness/acpharness/internal/fakemodel"
)

type (
	message = fakemodel.Message
	reply   = fakemodel.Reply
)

func user(text string) message { return message{Role: "user", Text: text} }

func tool(name, args string) reply {
	return reply{Kind: fakemodel.KindTool, Tool: fakemodel.ToolCall{Name: name, Args: json.RawMessage(args)}}
}

func slow(n int, every time.Duration) reply {
	return reply{Kind: fakemodel.KindSlow, Chunks: n, Every: every}
}

func endless(every time.Duration) reply { return reply{Kind: fakemodel.KindEndless, Every: every} }

func status(n int) reply { return reply{Kind: fakemodel.KindError, Status: n} }

func TestDefaultReplyMarkers(t *testing.T) {
	pong := reply{Text: "pong"}
	tests := []struct {
		name, text string
		want       reply
	}{
		{"none", "hello", pong},
		{"empty", "", pong},
		{"text", "please @@TEXT two words@@ now", reply{Text: "two words"}},
		{"text of two lines", "@@TEXT a\nb@@", reply{Text: "a\nb"}},
		{"tool", `@@TOOL bash {"command":"ls"}@@`, tool("bash", `{"command":"ls"}`)},
		{"tool, nested", `@@TOOL t {"a":{"b":[1]}}@@`, tool("t", `{"a":{"b":[1]}}`)},
		{"tool, marker in arguments", `@@TOOL t {"a":"@@HANG@@ x"}@@`, tool("t", `{"a":"@@HANG@@ x"}`)},
		{"tool without arguments", "@@TOOL t@@", tool("t", "{}")},
		{"tool on lines", "@@TOOL t\n{\n}@@", tool("t", "{\n}")},
		{"tool, bad arguments", "@@TOOL t {a}@@", reply{Text: "cannot read marker TOOL: cannot read the arguments: invalid character 'a' looking for beginning of object key string"}},
		{"tool, no object", "@@TOOL t [1]@@", reply{Text: "cannot read marker TOOL: cannot read the arguments: json: cannot unmarshal array into Go value of type map[string]interface {}"}},
		{"tool, null", "@@TOOL t null@@", reply{Text: "cannot read marker TOOL: cannot read the arguments: they are null"}},
		{"tool, braces after it", "@@TOOL t@@ {a} @@ b}@@", tool("t", "{}")},
		{"tool, another one after braces", `use @@TOOL ping@@ {foo} and @@TOOL read {"a":1}@@`, tool("read", `{"a":1}`)},
		{"tool, no end of the arguments", "@@TOOL t {@@", reply{Text: "cannot read marker TOOL: cannot read the arguments: unexpected end of JSON input"}},
		{"tool, no name", "@@TOOL@@", reply{Text: "cannot read marker TOOL: no tool name"}},
		{"think", "@@THINK@@", reply{Thinking: "pondering", Text: "pong"}},
		{"slow", "@@SLOW 3 20@@", slow(3, 20*time.Millisecond)},
		{"slow, default", "@@SLOW@@", slow(60, 250*time.Millisecond)},
		{"slow, default pause", "@@SLOW 2@@", slow(2, 250*time.Millisecond)},
		{"slow, not a number", "@@SLOW x 1@@", reply{Text: `cannot read marker SLOW: "x" is not a whole number`}},
		{"slow, negative", "@@SLOW -1 1@@", reply{Text: `cannot read marker SLOW: "-1" is not a whole number`}},
		{"slow, too many", "@@SLOW 1 2 3@@", reply{Text: `cannot read marker SLOW: 3 numbers where at most 2 belong`}},
		{"slow, most chunks", "@@SLOW 100000 0@@", slow(100_000, 0)},
		{"slow, more chunks", "@@SLOW 100001 0@@", reply{Text: "cannot read marker SLOW: more than 100000 chunks"}},
		{"endless", "@@ENDLESS 5@@", endless(5 * time.Millisecond)},
		{"endless, default", "@@ENDLESS@@", endless(100 * time.Millisecond)},
		{"endless, too many", "@@ENDLESS 1 2@@", reply{Text: `cannot read marker ENDLESS: 2 numbers where at most 1 belong`}},
		{"error", "@@ERR 400@@", status(400)},
		{"error without a space", "@@ERR503@@", status(503)},
		{"error, not one", "@@ERR 200@@", reply{Text: "cannot read marker ERR: the status is not one of 400 to 599"}},
		{"big", "@@BIG 12@@", reply{Text: "0 1 2 3 4 5 "}},
		{"big, too much", "@@BIG 99999999@@", reply{Text: "cannot read marker BIG: more than 67108864 bytes"}},
		{"hang", "@@HANG@@", reply{Kind: fakemodel.KindHang}},
		{"empty reply", "@@EMPTY@@", reply{}},
		{"the last one counts", "@@HANG@@ then @@TEXT b@@ and more", reply{Text: "b"}},
		{"not a marker", "@@NOPE@@ a@@b @@TEXT", pong},
		{"one more at sign", "@@@EMPTY@@", reply{}},
		{"longer word", "@@TEXTURE a@@", pong},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := fakemodel.DefaultReply(fakemodel.Request{Messages: []message{user(tt.text)}, Tools: []string{"t"}})
			assert.Equal(t, tt.want, got)
		})
	}
}

// TestDefaultReplyTakesOnePass has texts that take hours if the end is searched
// for from every beginning of a marker.
func TestDefaultReplyTakesOnePass(t *testing.T) {
	asked := func(text string) fakemodel.Request { return fakemodel.Request{Messages: []message{user(text)}} }
	for _, again := range []string{"@@TOOL x {@@ ", "@@TOOL x {", "@@TOOL x ", "@@TOOL", "@@TEXT", "@@ERR1 ", "@@", "@@TOOL x {}"} {
		want := fakemodel.DefaultReply(asked(strings.Repeat(again, 3)))
		assert.Equal(t, want, fakemodel.DefaultReply(asked(strings.Repeat(again, 1<<20/len(again)))), again)
	}
}

func TestDefaultReplyBigNeverRepeats(t *testing.T) {
	got := fakemodel.DefaultReply(fakemodel.Request{Messages: []message{user("@@BIG@@")}})
	assert.Len(t, got.Text, 300_000)
	seen := map[string]bool{}
	words := strings.Fields(got.Text)
	words = words[:len(words)-1] // the last one may be cut
	for _, word := range words {
		seen[word] = true
	}
	assert.Len(t, seen, len(words))
}

func TestDefaultReplyConversations(t *testing.T) {
	result := message{Role: "tool", Text: strings.Repeat("é", 100)}
	tests := []struct {
		name     string
		messages []message
		want     string
	}{
		{"no messages", nil, "pong"},
		{
			"after a tool result",
			[]message{user("@@TOOL t {}@@"), {Role: "assistant"}, result},
			"done after tool: " + strings.Repeat("é", 80),
		},
		{
			"short result",
			[]message{user("@@TOOL t {}@@"), {Role: "assistant"}, {Role: "tool", Text: "ok"}},
			"done after tool: ok",
		},
		{
			"a reminder after the result",
			[]message{user("@@TOOL t {}@@"), {Role: "assistant"}, {Role: "tool", Text: "ok"}, user("<system-reminder>\nx\n</system-reminder>")},
			"done after tool: ok",
		},
		{
			"a new prompt after the result",
			[]message{user("@@TOOL t {}@@"), {Role: "assistant"}, result, {Role: "assistant"}, user("hello")},
			"pong",
		},
		{
			"injected context and blanks are passed over",
			[]message{user("@@TEXT a@@"), user("<environment_context>\n<cwd>/</cwd>\n</environment_context>"), user("  ")},
			"a",
		},
		{
			"a marker inside an element counts",
			[]message{user("@@TEXT a@@"), user("<user_query>@@TEXT b@@</user_query>")},
			"b",
		},
		{
			"a marker after the result starts over",
			[]message{user("@@TOOL t {}@@"), {Role: "assistant"}, result, user("@@TEXT a@@")},
			"a",
		},
		{
			"a failed prompt is not obeyed again",
			[]message{user("@@ERR 400@@"), user("hello"), user("<system-reminder>x</system-reminder>")},
			"pong",
		},
		{
			"what was answered is not answered again",
			[]message{user("@@TEXT a@@"), {Role: "assistant", Text: "a"}, user("<system-reminder>x</system-reminder>")},
			"pong",
		},
		{
			"several elements are passed over",
			[]message{user("@@TEXT a@@"), user("<one>x</one>\n<two a='b'>\n<one>y</one></two>")},
			"a",
		},
		{
			"a text between elements is not",
			[]message{user("@@TEXT a@@"), user("<one>x</one>hello<one>y</one>")},
			"pong",
		},
		{
			"nor is one after an element without an end",
			[]message{user("@@TEXT a@@"), user("<br>hello</b>")},
			"pong",
		},
		{
			"a diff in an element is no marker",
			[]message{user("@@TEXT a@@"), user("<diff>\n@@ -1 +1 @@\n</diff>")},
			"a",
		},
		{
			"markers of others do not count",
			[]message{{Role: "system", Text: "@@TEXT a@@"}, user("hello"), {Role: "assistant", Text: "@@TEXT b@@"}},
			"pong",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, reply{Text: tt.want}, fakemodel.DefaultReply(fakemodel.Request{Messages: tt.messages}))
		})
	}
}

func TestSplit(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty", "", nil},
		{"one word", "pong", []string{"pong"}},
		{"words", "a bc d", []string{"a ", "bc ", "d"}},
		{"lines", "a\nb\n", []string{"a\n", "b\n"}},
		{"no space", strings.Repeat("é", 50), []string{strings.Repeat("é", 50)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, fakemodel.Split(tt.text))
		})
	}

	long := strings.Repeat("word and ", 1000)
	pieces := fakemodel.Split(long)
	assert.Equal(t, long, strings.Join(pieces, ""))
	assert.Len(t, pieces, 8)
}
