package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"unicode/utf16"
)

// stream is everything that the agent will send, made beforehand.
type stream struct {
	buf  []byte
	ends []int // where each line ends
	text text  // of the measured items
}

// text counts what a client must have seen: bytes of UTF-8, and units of UTF-16 for clients whose strings are made of
// those.
type text struct{ bytes, units int64 }

// word is a piece of text as it stands in JSON, with what it decodes to.
type word struct{ raw, plain string }

// plainWords are most of the text.
var plainWords = []string{
	"the", "file", "function", "returns", "an", "error", "when", "context", "is", "cancelled", "before", "first", "line",
	"read", "so", "we", "should", "check", "test", "again", "and", "update", "handler", "which", "called", "from", "server",
	"package", "with", "new", "options", "value",
}

// oddWords are one word in sixteen: escapes as agents in different languages write them, and text beyond ASCII.
var oddWords = []word{
	{`\n`, "\n"},
	{`\"name\"`, `"name"`},
	{`caf\u00e9`, "café"},
	{"größer", "größer"},
	{"日本語", "日本語"},
	{`a\\b`, `a\b`},
	{`\ud83d\ude80`, "🚀"},
	{"→", "→"},
	{`\n\n`, "\n\n"},
	{`\t`, "\t"},
}

// generator writes the lines of a stream, always the same ones.
type generator struct {
	rng   *rand.Rand
	out   []byte
	text  text
	calls int
}

func newGenerator() *generator { return &generator{rng: rand.New(rand.NewPCG(20_260_601, 7))} }

// sessionID is the id of the n-th session of a connection.
func sessionID(n int) string { return fmt.Sprintf("0198c2f4-7c1e-7b2d-9e3f-%012d", n) }

// makeStream makes the updates of a workload, those for warming up first.
func makeStream(s *spec) *stream {
	g := newGenerator()
	ids := make([]string, s.Sessions)
	for i := range ids {
		ids[i] = sessionID(i)
	}
	st := &stream{ends: make([]int, 0, s.Warm+s.Items)}
	for i := range s.Warm + s.Items {
		if i == s.Warm {
			g.text = text{}
		}
		g.line(ids[g.rng.IntN(len(ids))], s.Size)
		st.ends = append(st.ends, len(g.out))
	}
	st.buf, st.text = g.out, g.text
	return st
}

// lines returns the bytes of the updates from, inclusive, to, exclusive.
func (st *stream) lines(from, to int) []byte {
	begin := 0
	if from > 0 {
		begin = st.ends[from-1]
	}
	if to == from {
		return nil
	}
	return st.buf[begin:st.ends[to-1]]
}

func (g *generator) put(s string) { g.out = append(g.out, s...) }

func (g *generator) line(id string, size int) {
	g.put(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"`)
	g.put(id)
	g.put(`","update":{"sessionUpdate":"`)
	if size > 0 {
		g.toolUpdate(0, size)
	} else {
		g.mixed()
	}
	g.put("}}}\n")
}

// mixed writes one update of the mix.
func (g *generator) mixed() {
	switch k := g.rng.IntN(100); {
	case k < 70:
		g.put(`agent_message_chunk","content":{"type":"text","text":"`)
		g.words(6, 0)
		g.put(`"}`)
	case k < 85:
		g.put(`agent_thought_chunk","content":{"type":"text","text":"`)
		g.words(12, 0)
		g.put(`"}`)
	case k < 90:
		g.calls++
		g.put(`tool_call","toolCallId":"call_` + strconv.Itoa(g.calls) + `","title":"`)
		g.words(4, 0)
		g.put(`","kind":"read","status":"pending","locations":[{"path":"/home/me/project/internal/server/handler.go","line":` +
			strconv.Itoa(g.rng.IntN(900)) + `}],"rawInput":{"path":"/home/me/project/internal/server/handler.go","offset":0,"limit":200}`)
	case k < 95:
		g.toolUpdate(120, 0)
	default:
		g.put(`plan","entries":[{"content":"`)
		g.words(5, 0)
		g.put(`","priority":"medium","status":"in_progress"},{"content":"`)
		g.words(5, 0)
		g.put(`","priority":"low","status":"pending"}]`)
	}
}

func (g *generator) toolUpdate(words, size int) {
	g.put(`tool_call_update","toolCallId":"call_` + strconv.Itoa(g.calls) +
		`","status":"completed","content":[{"type":"content","content":{"type":"text","text":"`)
	g.words(words, size)
	g.put(`"}}]`)
}

// words writes n words, or as many as make size bytes.
func (g *generator) words(n, size int) {
	begin := g.text.bytes
	for i := 0; i < n || g.text.bytes-begin < int64(size); i++ {
		if i > 0 {
			g.put(" ")
			g.text.bytes++
			g.text.units++
		}
		w := g.word()
		g.put(w.raw)
		g.text.bytes += int64(len(w.plain))
		g.text.units += int64(len(utf16.Encode([]rune(w.plain))))
	}
}

func (g *generator) word() word {
	if g.rng.IntN(16) == 0 {
		return oddWords[g.rng.IntN(len(oddWords))]
	}
	w := plainWords[g.rng.IntN(len(plainWords))]
	return word{w, w}
}

// longText makes a text of at least size bytes, as it is and as it stands in JSON.
func longText(size int) (plain, raw []byte) {
	g := newGenerator()
	for len(plain) < size {
		w := g.word()
		plain = append(append(plain, w.plain...), ' ')
		raw = append(append(raw, w.raw...), ' ')
	}
	return plain, raw
}
