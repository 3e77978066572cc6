package acp

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEnvelopeKind(t *testing.T) {
	tests := []struct {
		name string
		line string
		want frameKind
	}{
		{"Request", `{"jsonrpc":"2.0","id":1,"method":"m","params":{}}`, frameRequest},
		{"Request/NoParams", `{"jsonrpc":"2.0","id":1,"method":"m"}`, frameRequest},
		{"Request/NullID", `{"jsonrpc":"2.0","id":null,"method":"m"}`, frameRequest}, // the schema's RequestId includes null
		{"Request/NullResultAndError_kotlinsdk581", `{"id":1,"method":"m","params":null,"result":null,"error":null}`, frameRequest},
		{"Request/UnknownMember", `{"id":1,"method":"m","trace":"x"}`, frameRequest},
		{"Notification", `{"jsonrpc":"2.0","method":"m","params":{}}`, frameNotification},
		{"Notification/Vendor_agenticnvim314", `{"method":"_vendor/x","params":{}}`, frameNotification},
		{"Response", `{"jsonrpc":"2.0","id":1,"result":{}}`, frameResponse},
		{"Response/NullResult_jsonrpsee1045", `{"id":6,"result":null}`, frameResponse},
		{"Response/NullResultAndNullError", `{"id":6,"result":null,"error":null}`, frameResponse},
		{"Response/NullMethod_kotlinsdk581", `{"id":6,"method":null,"params":null,"result":{}}`, frameResponse},
		{"Response/Error", `{"id":4,"error":{"code":-32603,"message":"x"}}`, frameResponse},
		{"Response/ResultNullAndError_jsonrpsee1045", `{"id":4,"result":null,"error":{"code":-32603,"message":"x"}}`, frameResponse},
		{"Response/ResultAndError", `{"id":4,"result":{},"error":{"code":-32603,"message":"x"}}`, frameResponse},
		{"Response/ResultAndNullError", `{"id":4,"result":{},"error":null}`, frameResponse},
		{"Response/ErrorThatIsText", `{"jsonrpc":"2.0","id":4,"error":"boom"}`, frameResponse},
		{"Response/ErrorNullID_toolhive6038", `{"id":null,"error":{"code":-32700,"message":"parse error"}}`, frameResponse},
		{"Response/ErrorNoID_toolhive6038", `{"error":{"code":-32700,"message":"parse error"}}`, frameResponse},
		{"Response/UnknownMember", `{"jsonrpc":"2.0","id":1,"result":{},"trace":"x"}`, frameResponse},
		{"Response/Meta", `{"jsonrpc":"2.0","id":1,"result":{},"_meta":{}}`, frameResponse},
		{"Empty_jsonrpsee1045", `{"id":5}`, frameEmpty},
		{"Empty/Version", `{"jsonrpc":"2.0","id":5}`, frameEmpty},
		{"Empty/Meta", `{"id":5,"_meta":{}}`, frameEmpty},
		{"Empty/NullError", `{"id":5,"error":null}`, frameEmpty},
		{"Empty/NullMembers", `{"id":5,"method":null,"params":null,"error":null}`, frameEmpty},
		{"Version/Missing", `{"method":"m"}`, frameNotification},
		{"Version/Null", `{"jsonrpc":null,"method":"m"}`, frameNotification},
		{"Version/One", `{"jsonrpc":"1.0","method":"m"}`, frameNoise},
		{"Version/Number", `{"jsonrpc":2.0,"id":1,"result":{}}`, frameNoise},
		{"Version/LastWins", `{"jsonrpc":"1.0","jsonrpc":"2.0","method":"m"}`, frameNotification},
		{"Space", "  { \"id\" : 1 , \"result\" : { } } \t", frameResponse},
		{"EscapedKeys", `{"\u0069d":1,"r\u0065sult":{}}`, frameResponse},
		{"DuplicateLastWins", `{"id":1,"error":{"code":1},"error":null,"result":{}}`, frameResponse},
		{"KeysAreExact", `{"ID":1,"Result":{}}`, frameNoise},

		{"Noise/NoID", `{"result":{}}`, frameNoise},
		{"Noise/EmptyObject", `{}`, frameNoise},
		{"Noise/MethodAndResult", `{"id":1,"method":"m","result":{}}`, frameNoise},
		{"Noise/MethodAndError", `{"id":1,"method":"m","error":{"code":1}}`, frameNoise},
		{"Noise/MethodIsNumber", `{"id":1,"method":7}`, frameNoise},
		{"Noise/IDIsObject", `{"id":{},"result":{}}`, frameNoise},
		{"Noise/IDIsBoolean", `{"id":true,"method":"m"}`, frameNoise},
		{"Noise/IDAndParams", `{"id":1,"params":{}}`, frameNoise},
		{"Noise/LogObject_benchflow236", `{"level":"info","id":1,"msg":"x"}`, frameNoise},
		{"Noise/LogObjectWithError_benchflow236", `{"level":"error","id":1,"error":"boom"}`, frameNoise},
		{"Noise/LogObjectWithErrorNoID_benchflow236", `{"level":"error","error":{"message":"boom"},"msg":"x"}`, frameNoise},
		{"Noise/ErrorTextNoID", `{"error":"boom"}`, frameNoise},
		{"Noise/String_benchflow236", `"ready"`, frameNoise},
		{"Noise/Number_benchflow236", `42`, frameNoise},
		{"Noise/Null_benchflow236", `null`, frameNoise},
		{"Noise/Array_benchflow236", `[1,2]`, frameNoise},
		{"Noise/ArrayOfObjects", `[{"a":1},{"id":1}]`, frameNoise},
		{"Noise/Banner_opencode13634", `running migration 3...`, frameNoise},
		{"Noise/Bracketed_acpx159", `[Agent] init step 1`, frameNoise},
		{"Noise/ControlSequence_kaganlegacy148", "\x1b[?25l", frameNoise},
		{"Noise/BoxDrawing_codexautorunner1176", `│ thinking │`, frameNoise},
		{"Noise/HalfFrame_acpx160", `{"id":3,"result":{"stopReason":"end_`, frameNoise},
		{"Noise/TrailingJunk", `{"id":1,"result":{}} done`, frameNoise},
		{"Noise/TwoFrames", `{"id":1,"result":{}}{"id":2,"result":{}}`, frameNoise},
		{"Noise/Nothing", ``, frameNoise},
		{"Noise/Braces_jsonrpc2_98", `{{{`, frameNoise},

		{"Batch", `[{"id":1,"result":{}},{"method":"m"}]`, frameBatch},
		{"Batch/OneAmongOthers", ` [1,{"a":2},{"jsonrpc":"2.0","method":"m"}] `, frameBatch},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := parseEnvelope([]byte(tt.line))
			assert.Equal(t, tt.want, e.kind)
			assert.False(t, e.repaired)
			if tt.want == frameNoise {
				assert.Equal(t, envelope{}, e, "noise carries nothing that could settle a call")
			}
		})
	}
}

func TestEnvelopeID(t *testing.T) {
	tests := []struct{ name, id string }{
		{"Zero", `0`},
		{"Negative_agentclientprotocol138", `-1`},
		{"Above2To53_agentclientprotocol138", `9007199254740993`},
		{"Huge", `123456789012345678901234567890`},
		{"Text_agentclientprotocol138", `"perm-7f"`},
		{"DigitsAsText_bountychallenge17448", `"1"`},
		{"EmptyText", `""`},
		{"EscapedText", `"a\u0062\n"`},
		{"Fraction", `1.50`},
		{"Exponent", `1E2`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, rest := range []string{`"method":"m"`, `"result":1`, `"_meta":null`} {
				e := parseEnvelope([]byte(`{"id": ` + tt.id + ` ,` + rest + `}`))
				assert.Equal(t, tt.id, string(e.id))
				assert.NotEqual(t, frameNoise, e.kind)
			}
		})
	}
}

func TestEnvelopeRepair(t *testing.T) {
	const response = `{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s1"}}`
	tests := []struct {
		name  string
		line  string
		want  frameKind
		clean bool // the frame needs no repair
	}{
		{name: "TabTitle_ohmypi11304", line: "\x1b]0;title\a" + response, want: frameResponse},
		{name: "CursorOn_kaganlegacy148", line: "\x1b[?25h" + response, want: frameResponse},
		{name: "BracketedLog_acpx159", line: "[Agent] " + response, want: frameResponse},
		{name: "ByteOrderMark_typescriptsdk2790", line: "\xef\xbb\xbf" + response, want: frameResponse},
		{name: "ReplacedJunk", line: "\xff\xfe" + response, want: frameResponse},
		{name: "Notification", line: `loading {"method":"session/update","params":{"update":{"sessionUpdate":"plan"}}}`, want: frameNotification},
		{name: "SpaceIsNoJunk", line: " \t" + response, want: frameResponse, clean: true},
		{name: "IDAlone_ohmypi11304", line: `abc{"id":1}`, want: frameNoise},
		{name: "LogObject", line: `abc{"level":"info","id":1,"msg":"x"}`, want: frameNoise},
		{name: "ErrorOfNoCall", line: `ERROR: {"error":{"message":"boom"}}`, want: frameNoise},
		{name: "JunkBehind", line: response + "\x1b[0m", want: frameNoise},
		{name: "JunkOnBothSides", line: "a" + response + "b", want: frameNoise},
		{name: "OnlyOnce", line: "{a} " + response, want: frameNoise},
		{name: "BraceInJunk", line: "\x1b]0;{x}\a" + response, want: frameNoise},
		{name: "FrameInText", line: `"` + response, want: frameResponse},
		{name: "FrameInArray", line: `x [` + response + `]`, want: frameNoise},
		{name: "HalfFrame", line: `abc{"id":2,"result":{`, want: frameNoise},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := parseEnvelope([]byte(tt.line))
			assert.Equal(t, tt.want, e.kind)
			assert.Equal(t, tt.want != frameNoise && !tt.clean, e.repaired)
			assert.False(t, e.badUTF8, "the junk is no part of the frame")
			checkOffsets(t, []byte(tt.line), &e)
		})
	}
}

func TestEnvelopeUTF8_codexacp345(t *testing.T) {
	tests := []struct {
		name string
		line string
		want bool
	}{
		{"Clean", `{"id":1,"result":"日本語 🙂"}`, false},
		{"Escaped", `{"id":1,"result":"\ud83d"}`, false},
		{"BadByte", "{\"id\":1,\"result\":\"a\xffb\"}", true},
		{"CutRune", "{\"id\":1,\"result\":\"\xe6\x97\"}", true},
		{"BadKey", "{\"method\":\"m\",\"params\":{\"\xff\":1}}", true},
		{"BehindJunk", "abc{\"id\":1,\"result\":\"a\xffb\"}", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := parseEnvelope([]byte(tt.line))
			require.NotEqual(t, frameNoise, e.kind, "it is reported and not fatal")
			assert.Equal(t, tt.want, e.badUTF8)
		})
	}
}

func TestEnvelopeRoute(t *testing.T) {
	tests := []struct {
		name                             string
		line                             string
		method, session, variant, update string
	}{
		{
			"Update", `{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"plan","entries":[]}}}`,
			"session/update", "s1", "plan", `{"sessionUpdate":"plan","entries":[]}`,
		},
		{
			"MembersInAnyOrder", `{"params": {"update": {"x":{"sessionUpdate":"no"},"sessionUpdate":"plan"} ,"sessionId":"s1"},"method":"m"}`,
			"m", "s1", "plan", `{"x":{"sessionUpdate":"no"},"sessionUpdate":"plan"}`,
		},
		{"Escapes", `{"method":"a\u0062","params":{"sessionId":"\u0073\"1","update":{"session\u0055pdate":"pl\u0061n"}}}`, "ab", `s"1`, "plan", `{"session\u0055pdate":"pl\u0061n"}`},
		{"LastDuplicateWins", `{"method":"m","params":{"sessionId":"a","update":{},"sessionId":"b","update":{"sessionUpdate":"x"}}}`, "m", "b", "x", `{"sessionUpdate":"x"}`},
		{"NoVariant_agentclientprotocol1694", `{"method":"m","params":{"sessionId":"a","update":{"x":1}}}`, "m", "a", "", `{"x":1}`},
		{"VariantIsNumber", `{"method":"m","params":{"sessionId":"a","update":{"sessionUpdate":7}}}`, "m", "a", "", `{"sessionUpdate":7}`},
		{"UpdateIsText", `{"method":"m","params":{"sessionId":"a","update":"x"}}`, "m", "a", "", `"x"`},
		{"NullUpdate_kotlinsdk581", `{"method":"m","params":{"sessionId":null,"update":null}}`, "m", "", "", ""},
		{"SessionIsNumber", `{"method":"m","params":{"sessionId":1}}`, "m", "", "", ""},
		{"ParamsAreList", `{"method":"m","params":[1]}`, "m", "", "", ""},
		{"NullParams_kotlinsdk581", `{"method":"m","params":null}`, "m", "", "", ""},
		{"NestedSession", `{"method":"m","params":{"a":{"sessionId":"no"}}}`, "m", "", "", ""},
		{"EmptyMethod", `{"method":""}`, "", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, junk := range []string{"", "  ", "\x1b[0m"} {
				line := []byte(junk + tt.line)
				e := parseEnvelope(line)
				require.Equal(t, frameNotification, e.kind)
				assert.Equal(t, tt.method, string(e.method))
				assert.Equal(t, tt.session, string(e.session))
				assert.Equal(t, tt.variant, string(e.variant))
				assert.Equal(t, tt.update, string(e.update))
				checkOffsets(t, line, &e)
			}
		})
	}
}

// checkOffsets makes sure that what an envelope names is where it says.
func checkOffsets(t *testing.T, line []byte, e *envelope) {
	t.Helper()
	if e.params != nil {
		require.Equal(t, string(e.params), string(line[e.paramsAt:e.paramsAt+len(e.params)]))
	}
	if e.update != nil {
		require.Equal(t, string(e.update), string(line[e.updateAt:e.updateAt+len(e.update)]))
		require.GreaterOrEqual(t, e.updateAt, e.paramsAt)
	}
	for _, part := range [][]byte{e.id, e.params, e.result, e.rpcErr, e.update} {
		require.Equal(t, len(part), cap(part), "appending to a part must not write over the line")
		require.True(t, bytes.Contains(line, part))
	}
}

// naiveKind classifies one whole JSON value by way of encoding/json.
func naiveKind(line []byte) frameKind {
	var list []json.RawMessage
	if json.Unmarshal(line, &list) == nil && list != nil {
		for _, item := range list {
			if item[0] == '{' {
				if kind := naiveKind(item); kind != frameNoise && kind != frameEmpty {
					return frameBatch
				}
			}
		}
		return frameNoise
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(line, &members) != nil {
		return frameNoise
	}
	id, hasID := members["id"]
	present := func(key string) bool { return len(members[key]) > 0 && string(members[key]) != "null" }
	foreign := false
	for key := range members {
		foreign = foreign || !strings.Contains(" jsonrpc id method params result error _meta ", " "+key+" ") || strings.Contains(key, " ")
	}
	isText := func(key string) bool { return present(key) && members[key][0] == '"' }
	isObject := func(key string) bool { return present(key) && members[key][0] == '{' }
	if present("jsonrpc") && string(members["jsonrpc"]) != `"2.0"` {
		return frameNoise
	}
	if hasID && strings.ContainsAny(string(id[:1]), "{[tf") {
		return frameNoise
	}
	realID := present("id")
	_, hasResult := members["result"]
	switch {
	case present("method"):
		if !isText("method") || present("result") || present("error") {
			return frameNoise
		}
		if hasID {
			return frameRequest
		}
		return frameNotification
	case present("error") && !realID:
		if isObject("error") && !foreign {
			return frameResponse
		}
		return frameNoise
	case present("error"):
		if isObject("error") || !foreign {
			return frameResponse
		}
		return frameNoise
	case !hasID:
		return frameNoise
	case hasResult:
		return frameResponse
	case foreign || present("params"):
		return frameNoise
	}
	return frameEmpty
}

func FuzzEnvelope(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}`,
		`{"id":1,"result":null,"error":{"code":1}}`, `{"id":1,"error":"x","_meta":{}}`, `{"id":null,"error":{}}`, `{"error":{}}`, `{"id":5}`, `{}`,
		`{"id":1,"method":null,"params":null,"result":1}`, `{"jsonrpc":"1.0","id":1,"id":2,"method":"a"}`, `{"\u0069d":1,"result":2}`,
		`[{"method":"m"}]`, `[1,{"id":1}]`, `abc{"id":1,"result":{}}`, "\x1b]0;t\a{\"method\":\"m\",\"params\":{\"update\":{}}}", "{\"id\":1,\"result\":\"\xff\"}",
		`{"level":"info","id":1,"msg":"x"}`, `{"method":"m","params":{"update":1,"update":null}}`, `{"id":-0,"foo":1,"error":"x"}`, `{" ":1,"id":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		before := bytes.Clone(line)
		e := parseEnvelope(line)
		require.Equal(t, before, line, "the line is read only")
		checkOffsets(t, line, &e)
		frame := line
		if e.repaired {
			require.False(t, json.Valid(line))
			require.NotEqual(t, frameEmpty, e.kind)
			require.NotEqual(t, frameNoise, e.kind)
			frame = line[bytes.IndexByte(line, '{'):]
		}
		if !json.Valid(frame) {
			require.Equal(t, envelope{}, e)
			return
		}
		require.Equal(t, naiveKind(frame), e.kind)
		if e.kind == frameNoise {
			require.Equal(t, envelope{}, e)
			return
		}
		require.Equal(t, !utf8.Valid(frame), e.badUTF8)
		if e.kind != frameBatch {
			checkParts(t, frame, &e)
		}
	})
}

// checkParts compares what an envelope names with what encoding/json finds.
func checkParts(t *testing.T, frame []byte, e *envelope) {
	t.Helper()
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(frame, &members))
	text := func(raw json.RawMessage) string {
		if string(raw) == "null" {
			return ""
		}
		return string(raw)
	}
	require.Equal(t, string(members["id"]), string(e.id))
	require.Equal(t, string(members["result"]), string(e.result))
	require.Equal(t, string(members["error"]), string(e.rpcErr))
	require.Equal(t, text(members["params"]), string(e.params))
	if e.kind != frameRequest && e.kind != frameNotification {
		return
	}
	var method string
	require.NoError(t, json.Unmarshal(members["method"], &method))
	if utf8.Valid(frame) && !bytes.Contains(members["method"], []byte(`\u`)) {
		require.Equal(t, method, string(e.method))
	}
	var params map[string]json.RawMessage
	if json.Unmarshal(e.params, &params) == nil {
		require.Equal(t, text(params["update"]), string(e.update))
	}
}

func BenchmarkEnvelope(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hello"}}}}`)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if e := parseEnvelope(line); e.kind != frameNotification {
			b.Fatal(e.kind)
		}
	}
}
