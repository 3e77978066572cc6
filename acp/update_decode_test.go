package acp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// decodeWire decodes an update the way a consumer gets it: the kind is what the reader found.
func decodeWire(t *testing.T, raw string) (Update, []Warning) {
	t.Helper()
	line := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":` + raw + `}}`)
	e := parseEnvelope(line)
	require.Equal(t, frameNotification, e.kind, raw)
	require.Equal(t, raw, string(e.update))
	return new(decoder).decode(UpdateKind(e.variant), e.update)
}

func TestUpdateKinds_agentclientprotocol1694(t *testing.T) {
	tests := []struct {
		kind UpdateKind
		raw  string // without sessionUpdate
		want Update
	}{
		{KindUserMessageChunk, `"messageId":"m1","content":{"type":"text","text":"say hi"}`, &UserMessageChunk{&TextContent{"say hi", nil}, "m1"}},
		{KindAgentMessageChunk, `"content":{"type":"text","text":"po"},"_meta":{"x":1}`, &AgentMessageChunk{&TextContent{"po", nil}, ""}},
		{KindAgentThoughtChunk, `"content":{"type":"text","text":""}`, &AgentThoughtChunk{&TextContent{"", nil}, ""}},
		{
			KindToolCall, `"toolCallId":"t1","name":"Write","title":"Preparing file…","kind":"edit","status":"pending","rawInput":{},"content":[],"locations":[]`,
			&ToolCallStart{ToolCall{
				ID: "t1", Name: new("Write"), Title: new("Preparing file…"), Kind: ToolEdit, Status: ToolPending,
				RawInput: json.RawMessage(`{}`), Content: []ToolCallContent{}, Locations: []ToolCallLocation{},
			}},
		},
		{
			KindToolCallUpdate, `"toolCallId":"t1","status":"completed","rawOutput":"done","locations":[{"path":"/a","line":3},{"path":"/b"}],"content":[` +
				`{"type":"content","content":{"type":"text","text":"(no output)"}},{"type":"diff","path":"/a","oldText":null,"newText":"x"},` +
				`{"type":"diff","path":"/a","oldText":"","newText":"x"},{"type":"terminal","terminalId":"term1"}]`,
			&ToolCallUpdate{ToolCall{
				ID: "t1", Status: ToolCompleted, RawOutput: json.RawMessage(`"done"`),
				Locations: []ToolCallLocation{{"/a", new(int64(3))}, {"/b", nil}},
				Content: []ToolCallContent{
					&ToolContent{&TextContent{"(no output)", nil}}, &Diff{"/a", nil, "x"}, &Diff{"/a", new(""), "x"}, &Terminal{"term1"},
				},
			}},
		},
		{KindToolCallUpdate, `"toolCallId":"t1","status":"in_progress"`, &ToolCallUpdate{ToolCall{ID: "t1", Status: ToolInProgress}}},
		{KindToolCallUpdate, `"status":"failed"`, &ToolCallUpdate{ToolCall{Status: ToolFailed}}},
		{
			KindPlan, `"entries":[{"content":"a","priority":"high","status":"pending"},{"content":"b","priority":"urgent","status":"x"}]`,
			&Plan{[]PlanEntry{{"a", "high", "pending"}, {"b", "urgent", "x"}}},
		},
		{KindPlan, `"entries":[]`, &Plan{}},
		{
			KindAvailableCommands, `"availableCommands":[{"name":"init","description":"set up","input":{"hint":"what"}},{"name":"quit","description":"","input":null}]`,
			&AvailableCommandsUpdate{[]AvailableCommand{{"init", "set up", "what"}, {"quit", "", ""}}},
		},
		{KindCurrentMode, `"currentModeId":"plan"`, &CurrentModeUpdate{"plan"}},
		{KindCurrentMode, `"modeId":"plan"`, &CurrentModeUpdate{"plan"}},
		{KindCurrentMode, `"currentModeId":"plan","modeId":"old"`, &CurrentModeUpdate{"plan"}},
		{
			KindConfigOption, `"configOptions":[{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"ro","options":[{"value":"ro","name":"Read only","description":"d"}]}]`,
			&ConfigOptionUpdate{[]ConfigOption{{ID: "mode", Name: "Mode", Category: "mode", Type: "select", Value: "ro", Choices: []ConfigChoice{{Value: "ro", Name: "Read only", Description: "d"}}}}},
		},
		{KindSessionInfo, `"title":"say hi","updatedAt":"2026-01-02T03:04:05Z"`, &SessionInfoUpdate{new("say hi"), new("2026-01-02T03:04:05Z")}},
		{KindSessionInfo, `"_meta":{"codex":{}}`, &SessionInfoUpdate{}},
		{KindUsage, `"used":2290,"size":1000000,"cost":{"amount":0.018768,"currency":"USD"}`, &UsageUpdate{2290, 1_000_000, &Cost{0.018768, "USD"}}},
		{KindUsage, `"used":1290,"size":2.584e5`, &UsageUpdate{1290, 258_400, nil}},
		{KindNotice, `"severity":"warning","title":"t","description":"d"`, &Notice{"warning", "t", "d"}},
		{
			KindCompaction, `"compactionId":"c1","status":"completed","summary":[{"type":"text","text":"s"}],"error":null`,
			&CompactionUpdate{"c1", "completed", []ContentBlock{&TextContent{"s", nil}}, ""},
		},
		{KindCompactionSummary, `"compactionId":"c1","content":{"type":"text","text":"s"}`, &CompactionSummaryChunk{"c1", &TextContent{"s", nil}}},
	}
	seen := map[UpdateKind]bool{}
	for i, tt := range tests {
		t.Run(fmt.Sprintf("%d_%s", i, tt.kind), func(t *testing.T) {
			for _, raw := range []string{
				`{"sessionUpdate":"` + string(tt.kind) + `",` + tt.raw + `}`,
				`{ ` + tt.raw + ` , "sessionUpdate" : "` + string(tt.kind) + `", "futureMember": [1] }`,
			} {
				got, warnings := decodeWire(t, raw)
				assert.Equal(t, tt.want, got)
				assert.Equal(t, tt.kind, got.UpdateKind())
				assert.Empty(t, warnings)
			}
		})
		seen[tt.kind] = true
	}
	assert.Len(t, seen, 14, "every kind has a row")
}

func TestUnknownUpdates_agentclientprotocol1694(t *testing.T) {
	tests := []struct{ name, raw, kind string }{
		{"Future", `{"sessionUpdate":"future_update","a":[1, {"b":"<&>"}]}`, "future_update"},
		{"NoKind", `{ "a" : 1 }`, ""},
		{"EmptyKind", `{"sessionUpdate":""}`, ""},
		{"KindIsNumber", `{"sessionUpdate":7}`, ""},
		{"NullKind_kotlinsdk581", `{"sessionUpdate":null}`, ""},
		{"KindsAreExact", `{"sessionUpdate":"Plan","entries":[]}`, "Plan"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings := decodeWire(t, tt.raw)
			assert.Equal(t, &Unknown{Kind: tt.kind, Raw: json.RawMessage(tt.raw)}, got)
			assert.Equal(t, UpdateKind(tt.kind), got.UpdateKind())
			assert.Empty(t, warnings, "what is new is no mistake")
			checkUnknown(t, got)
		})
	}
}

// TestUpdatesWithoutPayload has known variants that lack what makes them one. They must not pass as updates that replace
// what was there with nothing.
func TestUpdatesWithoutPayload(t *testing.T) {
	members := map[UpdateKind]string{
		KindUserMessageChunk: "content", KindAgentMessageChunk: "content", KindAgentThoughtChunk: "content", KindCompactionSummary: "content",
		KindPlan: "entries", KindAvailableCommands: "availableCommands", KindConfigOption: "configOptions", KindCurrentMode: "currentModeId",
	}
	for kind, member := range members {
		t.Run(string(kind), func(t *testing.T) {
			missing := `{"sessionUpdate":"` + string(kind) + `"}`
			null := `{"sessionUpdate":"` + string(kind) + `","` + member + `":null}`
			for _, raw := range []string{missing, null} {
				got, warnings := decodeWire(t, raw)
				assert.Equal(t, &Unknown{Kind: string(kind), Raw: json.RawMessage(raw)}, got)
				assert.Equal(t, []Warning{{member, "missing"}}, warnings)
			}
		})
	}
}

// TestNullIsAbsent_kotlinsdk581 sets every optional member to null.
func TestNullIsAbsent_kotlinsdk581(t *testing.T) {
	tests := []struct {
		kind    UpdateKind
		present string
		null    []string
	}{
		{KindAgentMessageChunk, `"content":{"type":"text","text":"a","annotations":null}`, []string{"messageId", "_meta"}},
		{KindAgentMessageChunk, `"content":{"type":"image","data":"","mimeType":"image/png","uri":null}`, []string{"messageId"}},
		{KindAgentMessageChunk, `"content":{"type":"resource_link","uri":"u","name":"n","title":null,"description":null,"mimeType":null,"size":null}`, nil},
		{KindAgentMessageChunk, `"content":{"type":"resource","resource":{"uri":"u","mimeType":null,"text":null,"blob":null}}`, nil},
		{KindToolCall, `"toolCallId":"t"`, []string{"title", "name", "kind", "status", "content", "locations", "rawInput", "rawOutput", "_meta"}},
		{KindToolCallUpdate, `"toolCallId":"t"`, []string{"title", "name", "kind", "status", "content", "locations", "rawInput", "rawOutput"}},
		{KindToolCallUpdate, `"locations":[{"path":"/a","line":null}]`, nil},
		{KindPlan, `"entries":[{"content":"a","priority":null,"status":null}]`, nil},
		{KindAvailableCommands, `"availableCommands":[{"name":"a","description":null,"input":null}]`, nil},
		{KindConfigOption, `"configOptions":[{"id":"a","description":null,"category":null,"type":"select","currentValue":null,"options":null}]`, nil},
		{KindConfigOption, `"configOptions":[{"id":"a","type":"boolean","currentValue":null}]`, nil},
		{KindConfigOption, `"configOptions":[{"id":"a","type":"select","options":[{"value":"v","description":null,"options":null,"group":null}]}]`, nil},
		{KindSessionInfo, `"sessionUpdate":"session_info_update"`, []string{"title", "updatedAt"}},
		{KindUsage, `"used":1`, []string{"size", "cost"}},
		{KindUsage, `"cost":{"x":1,"amount":null,"currency":null}`, nil},
		{KindNotice, `"title":"t"`, []string{"severity", "description"}},
		{KindCompaction, `"compactionId":"c"`, []string{"status", "summary", "error"}},
	}
	for i, tt := range tests {
		t.Run(fmt.Sprintf("%d_%s", i, tt.kind), func(t *testing.T) {
			begin := `{"sessionUpdate":"` + string(tt.kind) + `",`
			nulls := begin + tt.present
			if len(tt.null) > 0 {
				nulls += `,"` + strings.Join(tt.null, `":null,"`) + `":null`
			}
			withNulls, warnings := decodeWire(t, nulls+"}")
			assert.Empty(t, warnings)
			// Without the members that are null, here and deeper, the same comes out.
			bare := begin + tt.present + "}"
			for strings.Contains(bare, ":null") {
				at := strings.Index(bare, ":null")
				from := strings.LastIndexByte(bare[:at], ',')
				bare = bare[:from] + bare[at+len(":null"):]
			}
			absent, warnings := decodeWire(t, bare)
			assert.Empty(t, warnings)
			assert.Equal(t, absent, withNulls)
			assert.Equal(t, tt.kind, withNulls.UpdateKind())
			if _, unknown := withNulls.(*Unknown); unknown {
				assert.Fail(t, "decoded as unknown")
			}
		})
	}
}

// TestBadItems_pythonsdk117 has one bad item in every kind of list: the good ones stay and a warning says where.
func TestBadItems_pythonsdk117(t *testing.T) {
	text := func(s string) *ToolContent { return &ToolContent{&TextContent{s, nil}} }
	tests := []struct {
		name  string
		raw   string
		want  Update
		warns []string // paths
	}{
		{
			"ToolContent", `{"sessionUpdate":"tool_call_update","content":[{"type":"content","content":{"type":"text","text":"a"}},7,null,{"type":"content"},{"type":"content","content":{"type":"text","text":"b"}}]}`,
			&ToolCallUpdate{ToolCall{Content: []ToolCallContent{
				text("a"), &Unknown{Raw: json.RawMessage("7")}, &Unknown{Raw: json.RawMessage("null")},
				&Unknown{Kind: "content", Raw: json.RawMessage(`{"type":"content"}`)}, text("b"),
			}}},
			[]string{"content[1]", "content[2]", "content[3].content"},
		},
		{
			"UnknownContent", `{"sessionUpdate":"tool_call","content":[{"type":"hologram","x":1},{"type":"content","content":{"type":"smell"}}]}`,
			&ToolCallStart{ToolCall{Content: []ToolCallContent{
				&Unknown{"hologram", json.RawMessage(`{"type":"hologram","x":1}`)}, &ToolContent{&Unknown{"smell", json.RawMessage(`{"type":"smell"}`)}},
			}}},
			nil,
		},
		{
			"Locations", `{"sessionUpdate":"tool_call_update","locations":[{"path":"/a"},"/b",null,{"path":"/c","line":"3"}]}`,
			&ToolCallUpdate{ToolCall{Locations: []ToolCallLocation{{Path: "/a"}, {Path: "/c"}}}},
			[]string{"locations[1]", "locations[2]", "locations[3].line"},
		},
		{
			"Plan", `{"sessionUpdate":"plan","entries":[{"content":"a"},"b",null,{"content":{"c":1},"status":"pending"}]}`,
			&Plan{[]PlanEntry{{Content: "a"}, {Status: "pending"}}},
			[]string{"entries[1]", "entries[2]", "entries[3].content"},
		},
		{
			"Commands", `{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a","input":"x"},null,[],{"name":"b"}]}`,
			&AvailableCommandsUpdate{[]AvailableCommand{{Name: "a"}, {Name: "b"}}},
			[]string{"availableCommands[0].input", "availableCommands[1]", "availableCommands[2]"},
		},
		{
			"ConfigOptions", `{"sessionUpdate":"config_option_update","configOptions":[null,{"id":"a","type":"select","currentValue":1,"options":[3,{"value":"v"}]},false]}`,
			&ConfigOptionUpdate{[]ConfigOption{{ID: "a", Type: "select", Choices: []ConfigChoice{{Value: "v"}}}}},
			[]string{"configOptions[0]", "configOptions[1].options[0]", "configOptions[1].currentValue", "configOptions[2]"},
		},
		{
			"Summary", `{"sessionUpdate":"compaction_update","summary":[{"type":"text","text":"a"},"b"]}`,
			&CompactionUpdate{Summary: []ContentBlock{&TextContent{"a", nil}, &Unknown{Raw: json.RawMessage(`"b"`)}}},
			[]string{"summary[1]"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings := decodeWire(t, tt.raw)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.warns, paths(warnings))
		})
	}
}

func paths(warnings []Warning) []string {
	var paths []string
	for _, w := range warnings {
		paths = append(paths, w.Path)
	}
	return paths
}

// TestWrongTypes has members of the wrong type: they keep their zero value, so that a patch changes nothing.
func TestWrongTypes(t *testing.T) {
	tests := []struct {
		name  string
		raw   string
		want  Update
		warns []string
	}{
		{
			"ToolCall", `{"sessionUpdate":"tool_call_update","toolCallId":1,"title":2,"name":{},"kind":[],"status":true,"content":"x","locations":{}}`,
			&ToolCallUpdate{},
			[]string{"toolCallId", "title", "name", "kind", "status", "content", "locations"},
		},
		{"Text", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":5},"messageId":6}`, &AgentMessageChunk{Content: &TextContent{}}, []string{"content.text", "messageId"}},
		{"TextForBlock", `{"sessionUpdate":"agent_message_chunk","content":"hi"}`, &AgentMessageChunk{Content: &Unknown{Raw: json.RawMessage(`"hi"`)}}, []string{"content"}},
		{"Size", `{"sessionUpdate":"agent_message_chunk","content":{"type":"resource_link","size":1.5}}`, &AgentMessageChunk{Content: &ResourceLink{}}, []string{"content.size"}},
		{"Resource", `{"sessionUpdate":"agent_message_chunk","content":{"type":"resource","resource":[]}}`, &AgentMessageChunk{Content: &EmbeddedResource{}}, []string{"content.resource"}},
		{"Usage", `{"sessionUpdate":"usage_update","used":"12","size":1e300,"cost":7}`, &UsageUpdate{}, []string{"used", "size", "cost"}},
		{"UsageEdge", `{"sessionUpdate":"usage_update","used":9223372036854775808,"size":-9223372036854775808}`, &UsageUpdate{Size: -1 << 63}, []string{"used"}},
		{"Amount", `{"sessionUpdate":"usage_update","cost":{"amount":"1","currency":2}}`, &UsageUpdate{Cost: &Cost{}}, []string{"cost.amount", "cost.currency"}},
		{"Info", `{"sessionUpdate":"session_info_update","title":1,"updatedAt":2}`, &SessionInfoUpdate{}, []string{"title", "updatedAt"}},
		{"Plan", `{"sessionUpdate":"plan","entries":"a"}`, &Unknown{"plan", json.RawMessage(`{"sessionUpdate":"plan","entries":"a"}`)}, []string{"entries", "entries"}},
		{"Mode", `{"sessionUpdate":"current_mode_update","currentModeId":1}`, &Unknown{"current_mode_update", json.RawMessage(`{"sessionUpdate":"current_mode_update","currentModeId":1}`)}, []string{"currentModeId", "currentModeId"}},
		{"UTF8_codexacp345", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a` + "\xff" + `b"}}`, &AgentMessageChunk{Content: &TextContent{"a\ufffdb", nil}}, []string{"content.text"}},
		{"LoneSurrogate", `{"sessionUpdate":"tool_call_update","title":"a\ud83db"}`, &ToolCallUpdate{ToolCall{Title: new("a\ufffdb")}}, []string{"title"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings := decodeWire(t, tt.raw)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.warns, paths(warnings))
		})
	}
}

// TestWrongTypesDoNotOverwrite_opencode7368 merges a patch of which nothing can be decoded.
func TestWrongTypesDoNotOverwrite_opencode7368(t *testing.T) {
	start, _ := decodeWire(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","name":"N","kind":"read","status":"pending","content":[{"type":"terminal","terminalId":"x"}],"locations":[{"path":"/a"}],"rawInput":1,"rawOutput":2}`)
	patch, warnings := decodeWire(t, `{"sessionUpdate":"tool_call_update","toolCallId":"t","title":1,"name":1,"kind":1,"status":1,"content":1,"locations":1,"rawInput":null}`)
	require.Len(t, warnings, 6)
	call := start.(*ToolCallStart).ToolCall
	call.merge(&patch.(*ToolCallUpdate).ToolCall)
	assert.Equal(t, start.(*ToolCallStart).ToolCall, call)
}

// TestWarningsAreBounded sends a list with nothing but bad items.
func TestWarningsAreBounded(t *testing.T) {
	_, warnings := decodeWire(t, `{"sessionUpdate":"plan","entries":[`+strings.Repeat("0,", 100_000)+`0]}`)
	require.Len(t, warnings, maxWarnings)
	assert.Equal(t, Warning{"entries[98]", "want an object, have a number"}, warnings[maxWarnings-2])
	assert.Equal(t, "more than 99 parts cannot be decoded", warnings[maxWarnings-1].Text)
}

// TestWarningsShowNoValues: what an agent sent may be secret.
func TestWarningsShowNoValues(t *testing.T) {
	_, warnings := decodeWire(t, `{"sessionUpdate":"tool_call","toolCallId":{"k":"hunter2"},"title":["hunter2"],"content":"hunter2","locations":[{"path":"/a","line":"hunter2"}]}`)
	require.Len(t, warnings, 4)
	for _, w := range warnings {
		assert.NotContains(t, w.String(), "hunter2")
		assert.True(t, strings.HasPrefix(w.String(), w.Path+": "))
	}
}

func TestMeta(t *testing.T) {
	tests := []struct{ name, raw, want string }{
		{"There", `{"sessionUpdate":"usage_update","_meta":{"claudeCode":{"toolName":"Bash"}}}`, `{"claudeCode":{"toolName":"Bash"}}`},
		{"OfUnknown", `{"sessionUpdate":"future","_meta":{"a": 1}}`, `{"a": 1}`},
		{"Absent", `{"sessionUpdate":"plan"}`, ""},
		{"Null_kotlinsdk581", `{"_meta":null}`, ""},
		{"Deeper", `{"content":{"_meta":{}}}`, ""},
		{"NoObject", `[1]`, ""},
		{"Nothing", ``, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, string(Meta(json.RawMessage(tt.raw))))
		})
	}
}

// TestNotificationKeepsRaw goes by way of a letter: the raw bytes are reachable beside the decoded update.
func TestNotificationKeepsRaw(t *testing.T) {
	const update = `{"sessionUpdate":"agent_message_chunk" ,"content":{"type":"text","text":"` + "a\xffb" + `"},"_meta":{"k":"v"}}`
	line := []byte("\x1b[0m" + `{"method":"session/update","params": {"sessionId":"s1","update":` + update + `,"_meta":{"p":1}} }`)
	e := parseEnvelope(line)
	l := newLetter(line, &e)
	n := newMailbox("s1", nil).open(new(decoder), &l)
	for want, got := range map[string]json.RawMessage{update: n.Raw, `{"k":"v"}`: Meta(n.Raw), `{"p":1}`: Meta(n.Params)} {
		assert.Equal(t, want, string(got))
	}
	assert.Equal(t, &AgentMessageChunk{Content: &TextContent{"a\ufffdb", nil}}, n.Update)
	assert.Len(t, n.Warnings, 2, "the text and the frame")
}

// checkUnknown makes sure that what is not known marshals back byte for byte.
func checkUnknown(t *testing.T, u any) {
	t.Helper()
	unknown, ok := u.(*Unknown)
	if !ok {
		return
	}
	raw, err := unknown.MarshalJSON()
	require.NoError(t, err)
	require.Equal(t, string(unknown.Raw), string(raw))
}

func FuzzUpdateDecode(f *testing.F) {
	for _, seed := range []string{
		`{"sessionUpdate":"tool_call","content":[{"type":"diff","path":1},{"type":"content","content":{"type":"resource","resource":{"blob":""}}},null]}`,
		`{"sessionUpdate":"tool_call_update","locations":[{"line":1e3},null,7]}`,
		`{"sessionUpdate":"config_option_update","configOptions":[{"type":"boolean","currentValue":1,"options":[{"options":[{"options":[]}]}]}]}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":[{"input":{"hint":null}}]}`,
		`{"sessionUpdate":"usage_update","used":1e999,"size":-0.0,"cost":{"amount":-1}}`,
		`{"sessionUpdate":"compaction_update","summary":[{"type":"audio"}]}`, `{"sessionUpdate":"plan","entries":{}}`, `{"sessionUpdate":"\ud800"}`, `{`, ``, `null`,
	} {
		f.Add([]byte(seed), "")
	}
	f.Add([]byte(`"x"`), "plan")
	f.Add([]byte(`{"content":{"type":"text","text":"\ud800"`), "agent_message_chunk")
	f.Fuzz(func(t *testing.T, raw []byte, kind string) {
		if kind == "" {
			kind = discriminator(raw, "sessionUpdate")
		}
		update, warnings := new(decoder).decode(UpdateKind(kind), raw)
		require.NotNil(t, update)
		require.Equal(t, UpdateKind(kind), update.UpdateKind())
		require.LessOrEqual(t, len(warnings), maxWarnings)
		if unknown, ok := update.(*Unknown); ok {
			require.Equal(t, string(raw), string(unknown.Raw))
		}
		if json.Valid(raw) {
			checkUnknown(t, update)
			checkBlocks(t, update)
		}
	})
}

// checkBlocks marshals every content block of an update and decodes it again.
func checkBlocks(t *testing.T, update Update) {
	t.Helper()
	var blocks []ContentBlock
	switch u := update.(type) {
	case *AgentMessageChunk:
		blocks = append(blocks, u.Content)
	case *UserMessageChunk:
		blocks = append(blocks, u.Content)
	case *AgentThoughtChunk:
		blocks = append(blocks, u.Content)
	case *CompactionSummaryChunk:
		blocks = append(blocks, u.Content)
	case *CompactionUpdate:
		blocks = u.Summary
	case *ToolCallStart:
		for _, content := range u.Content {
			checkUnknown(t, content)
			if c, ok := content.(*ToolContent); ok {
				blocks = append(blocks, c.Content)
			}
		}
	}
	for _, block := range blocks {
		require.NotNil(t, block)
		if _, unknown := block.(*Unknown); unknown {
			checkUnknown(t, block)
			continue
		}
		raw, err := json.Marshal(block)
		require.NoError(t, err)
		var d decoder
		require.Equal(t, block, d.contentBlock("", raw))
		require.Empty(t, d.warnings)
	}
}
