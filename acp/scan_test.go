package acp

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scanCorpus holds texts on the edge of JSON.
func scanCorpus() []string {
	corpus := []string{
		``, ` `, `null`, `true`, `false`, `nul`, `nulll`, `True`, `tru e`, ` null `, "\tnull\r\n", "\vnull", "\u00a0null", "\ufeffnull", "null\x00",
		`0`, `-0`, `-`, `01`, `-01`, `1.`, `.1`, `1.0`, `1.0e`, `1e5`, `1E+5`, `1e-5`, `1e+`, `1e`, `--1`, `+1`, `1 2`, `1,2`, `0x10`, `1_000`, `NaN`, `Infinity`,
		`9007199254740993`, `-9223372036854775809`, `1e400`, `123456789012345678901234567890`, `0.0000000000000000000001`, `0e0`, `-0.0E-0`, `1a`, `-a`,
		`""`, `"`, `"a`, `"a"b`, `"\"`, `"\""`, `"\\"`, `"\/\b\f\n\r\t"`, `"\a"`, `"\'"`, `"\u0041"`, `"\u004"`, `"\u00zz"`, `"\uD83D\uDE42"`, `"\ud83d"`, `"\ude42\ud83d"`, `"\U0041"`, `"\u"`, `"\`,
		"\"\t\"", "\"\n\"", "\"\x00\"", "\"\x1f\"", "\"\x20\"", "\"\x7f\"", "\"\x80\"", "\"\xff\xfe\"", "\"\xc3\"", "\"\xed\xa0\x80\"", "\"日本語 🙂\"", "\"a\u2028b\"", "'a'",
		`[]`, `[ ]`, `[1]`, `[1,]`, `[,1]`, `[1 2]`, `[1,2`, `[`, `]`, `[[]`, `[[],[]]`, `[1]]`, `[ 1 , "a" , null ]`,
		`{}`, `{ }`, `{"a":1}`, `{"a":1,}`, `{,"a":1}`, `{"a"}`, `{"a":}`, `{a:1}`, `{1:1}`, `{"a":1 "b":2}`, `{"a":1,"a":2}`, `{"a":1`, `{"a"`, `{"a`, `{`, `}`, `{"a":1}}`, `{}{}`, `{} {}`, `{"":""}`,
		`{ "a" : { "b" : [ { } ] } }`, `{"\u0061":1}`, "{\"\xff\":1}", `{"a":1}//c`, `{"a":1/*c*/}`, `{null:1}`, `{"a":tru}`, `[1}`, `{"a":1]`,
	}
	for n := range 20 { // every place in a word of eight bytes
		for _, special := range []string{`"`, `\`, `\n`, "\x1f", "\x00", "\x80", `\u0041`, "é", "!", "\x7f"} {
			corpus = append(corpus, `"`+strings.Repeat("a", n)+special+`b"`, `"`+strings.Repeat("\xff", n)+special+`"`)
		}
	}
	for _, depth := range []int{100, maxDepth - 1, maxDepth, maxDepth + 1, 3 * maxDepth} {
		corpus = append(corpus,
			strings.Repeat("[", depth)+strings.Repeat("]", depth),
			strings.Repeat(`{"a":`, depth)+"1"+strings.Repeat("}", depth),
			strings.Repeat(`[{"a":`, depth/2)+"1"+strings.Repeat("}]", depth/2),
			strings.Repeat("[", depth))
	}
	return corpus
}

func TestScanAgreesWithStandardLibrary(t *testing.T) {
	corpus := scanCorpus()
	valid := 0
	for _, text := range corpus {
		want := json.Valid([]byte(text))
		if want {
			valid++
		}
		assert.Equal(t, want, checkJSON([]byte(text)) == nil, "%.80q", text)
	}
	assert.Greater(t, valid, len(corpus)/4, "the corpus must hold both")
	assert.Less(t, valid, 3*len(corpus)/4, "the corpus must hold both")
}

// TestScanOfMutations changes valid texts at random.
func TestScanOfMutations(t *testing.T) {
	seeds := []string{
		`{"jsonrpc":"2.0","id":1,"result":{"a":[1,-2.5e3,true,false,null,"x\u00e9\n"]}}`,
		`[{"k":"v","long":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\\""},[[],{}],0]`,
	}
	const alphabet = "{}[]\",:\\ \n\t0123456789-+.eEtruefalsn\x00\x1f\x80\xff"
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		text := []byte(seeds[random.IntN(len(seeds))])
		for range 1 + random.IntN(3) {
			at := random.IntN(len(text))
			switch random.IntN(3) {
			case 0:
				text[at] = alphabet[random.IntN(len(alphabet))]
			case 1:
				text = slices.Delete(text, at, at+1)
			case 2:
				text = slices.Insert(text, at, alphabet[random.IntN(len(alphabet))])
			}
		}
		require.Equal(t, json.Valid(text), checkJSON(text) == nil, "%q", text)
	}
}

func TestPlainPrefixAgreesWithLoop(t *testing.T) {
	naive := func(b []byte, i int) int {
		for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= 0x20 {
			i++
		}
		return i
	}
	// Bytes beside the special ones are where a borrow would show.
	edges := []byte{0x00, 0x01, 0x1f, 0x20, 0x21, '"', '#', '[', '\\', ']', 0x7f, 0x80, 0x81, 0xa0, 0xa2, 0xdc, 0xff}
	random := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		b := make([]byte, random.IntN(40))
		plain := random.IntN(4)
		for i := range b {
			switch {
			case random.IntN(4) < plain:
				b[i] = byte(0x20 + random.IntN(0xe0))
			default:
				b[i] = edges[random.IntN(len(edges))]
			}
		}
		from := random.IntN(len(b) + 1)
		require.Equal(t, naive(b, from), plainPrefix(b, from), "%q from %d", b, from)
	}
}

func TestEachMember(t *testing.T) {
	type member struct{ key, value string }
	tests := []struct {
		name   string
		raw    string
		want   []member
		object bool
	}{
		{"Empty", `{}`, nil, true},
		{"Order", ` { "b" : 1 , "a" : [ 2 ] } `, []member{{"b", "1"}, {"a", "[ 2 ]"}}, true},
		{"Duplicates", `{"a":1,"a":2}`, []member{{"a", "1"}, {"a", "2"}}, true},
		{"EscapedKey", `{"\u0061\n":null}`, []member{{"a\n", "null"}}, true},
		{"UnpairedSurrogateInKey", `{"\ud800":1}`, []member{{`\ud800`, "1"}}, true},
		{"Array", `[1]`, nil, false},
		{"String", `"a"`, nil, false},
		{"Nothing", ``, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []member
			object := eachMember([]byte(tt.raw), func(key, value []byte) { got = append(got, member{string(key), string(value)}) })
			assert.Equal(t, tt.object, object)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestEachElement(t *testing.T) {
	var got []string
	assert.True(t, eachElement([]byte(` [ 1 , {"a":2} ,"," , [] ] `), func(value []byte) { got = append(got, string(value)) }))
	assert.Equal(t, []string{"1", `{"a":2}`, `","`, "[]"}, got)
	for _, raw := range []string{`{}`, `1`, ``, `[1`, `null`} {
		assert.False(t, eachElement([]byte(raw), func([]byte) {}), raw)
	}
}

func TestDecodeString(t *testing.T) {
	tests := []struct {
		name  string
		token string
		want  string
		fails bool
	}{
		{"Plain", `"abc"`, "abc", false},
		{"Empty", `""`, "", false},
		{"Escapes", `"\"\\\/\b\f\n\r\t\u0041"`, "\"\\/\b\f\n\r\tA", false},
		{"Surrogates", `"\ud83d\ude42"`, "🙂", false},
		{"Multibyte_codexacp345", `"日本語 🙂"`, "日本語 🙂", false},
		{"LineSeparator_pi1908", "\"a\u2028b\"", "a\u2028b", false},
		{"UnpairedSurrogate", `"a\ud83db"`, "a\ufffdb", true},
		{"BytesThatAreNoUTF8", "\"a\xffb\"", "a\ufffdb", true},
		{"Number", `7`, "", true},
		{"Null", `null`, "", true},
		{"Nothing", ``, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := decodeString([]byte(tt.token))
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.fails, err != nil, "%v", err)
		})
	}
}

func FuzzScan(f *testing.F) {
	for _, text := range scanCorpus() {
		if len(text) < 200 {
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		err := checkJSON(text)
		if err == nil != json.Valid(text) {
			t.Fatalf("checkJSON(%q) is %v, json.Valid says %v", text, err, json.Valid(text))
		}
		if err != nil {
			return
		}
		var members map[string]json.RawMessage
		if json.Unmarshal(text, &members) == nil && members != nil {
			got := map[string]string{}
			require.True(t, eachMember(text, func(key, value []byte) { got[string(key)] = string(value) }))
			for key, value := range members {
				if !strings.Contains(key, "\ufffd") {
					require.Equal(t, string(value), got[key], "member %s of %q", strconv.Quote(key), text)
				}
			}
		}
	})
}

func BenchmarkScan(b *testing.B) {
	text := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` +
		strings.Repeat("lorem ipsum ", 50) + `"}}}}`)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if err := checkJSON(text); err != nil {
			b.Fatal(err)
		}
	}
}
