package ndjson_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/ndjson"
)

const bom = "\xef\xbb\xbf"

func TestLines(t *testing.T) {
	tests := []struct {
		name  string
		input string
		want  []string
	}{
		{"NoInput", "", nil},
		{"OneLine", "{}\n", []string{"{}"}},
		{"CRLF_pythonsdk2433", "{\"a\":1}\r\n\r\n{\"b\":2}\r\n", []string{`{"a":1}`, `{"b":2}`}},
		{"BlankLines", "\n \n\t\r\n\n{}\n\n", []string{"{}"}},
		{"BOMFirst_typescriptsdk2790", bom + "{\"id\":1}\n{}\n", []string{`{"id":1}`, "{}"}},
		{"BOMLater_typescriptsdk2790", "{}\n" + bom + "{\"id\":1}\n", []string{"{}", `{"id":1}`}},
		{"BOMAlone", bom + "\n" + bom + "\r\n{}\n", []string{"{}"}},
		{"OneBOMOnly", bom + bom + "{}\n", []string{bom + "{}"}},
		{"BOMInside", "{\"a\":\"" + bom + "\"}\n", []string{"{\"a\":\"" + bom + "\"}"}},
		{"CarriageReturnInside", "a\rb\n", []string{"a\rb"}},
		{"LineSeparators_pi1908", "{\"t\":\"a\u2028b\u2029c\u0085d\"}\n{}\n", []string{"{\"t\":\"a\u2028b\u2029c\u0085d\"}", "{}"}},
		{"OtherControlsDoNotSplit", "a\vb\fc\x00d\n", []string{"a\vb\fc\x00d"}},
		{"BytesThatAreNoUTF8", "\"\xff\xfe\"\n", []string{"\"\xff\xfe\""}},
		{"NoNewlineAtTheEnd_acpx160", "{}\n{\"id\":3}", []string{"{}", `{"id":3}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, e := range readAll(ndjson.NewReader(strings.NewReader(tt.input), 0)) {
				if e.Err == nil {
					got = append(got, e.Line)
				} else {
					assert.Equal(t, io.EOF, e.Err)
				}
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

// TestChunking_XcodeMCPKit204 reads one corpus in every way to cut it; the verdicts must be the same.
func TestChunking_XcodeMCPKit204(t *testing.T) {
	const limit = 40
	corpus := func(tail string) []byte {
		return []byte(strings.Join([]string{
			bom + `{"id":1}`, "\r", "", `{"text":"日本語 🙂"}` + "\r",
			string(line(limit - 1)), string(line(limit)), string(line(limit + 1)), string(line(limit + 2)), string(line(limit + 3)),
			string(line(limit-1)) + "\r", string(line(limit)) + "\r",
			string(line(2 * limit)), "{}", string(line(4*limit - 1)), "{}", string(line(4 * limit)), bom + "{}",
			"a\u2028b", " ", tail,
		}, "\n"))
	}
	tails := map[string]string{
		"Clean": "", "Unterminated": `{"id":9}`, "Blank": " \r", "TooLong": string(line(limit + 1)), "Endless": string(line(4*limit+1)) + "\n{}\n",
	}
	for name, tail := range tails {
		t.Run(name, func(t *testing.T) {
			data := corpus(tail)
			want := reference(data, limit)
			for size := 1; size <= len(data)+1; size++ {
				for _, together := range []bool{false, true} {
					src := &chunks{data: data, sizes: []int{size, 0}, eofWithData: together}
					require.Equal(t, want, readAll(ndjson.NewReader(src, limit)), "chunks of %d, end with data: %v", size, together)
				}
			}
			for first := range data {
				src := io.MultiReader(bytes.NewReader(data[:first]), bytes.NewReader(data[first:]))
				require.Equal(t, want, readAll(ndjson.NewReader(src, limit)), "cut at %d", first)
			}
			assert.Equal(t, want, readAll(ndjson.NewReader(iotest.HalfReader(bytes.NewReader(data)), limit)))
			assert.Equal(t, want, readAll(ndjson.NewReader(iotest.DataErrReader(bytes.NewReader(data)), limit)))
		})
	}
}

// TestSplitRunes_codexacp345 cuts multi-byte characters apart.
func TestSplitRunes_codexacp345(t *testing.T) {
	const frame = `{"text":"日本語と絵文字 🙂👩‍👩‍👧"}`
	got := readAll(ndjson.NewReader(iotest.OneByteReader(strings.NewReader(frame+"\n")), 0))
	assert.Equal(t, []event{{Line: frame}, {Err: io.EOF}}, got)
}

func TestLineAroundTheCap_mcpgo588(t *testing.T) {
	tests := []struct {
		name    string
		length  int
		limit   int
		tooLong bool
		endless bool
	}{
		{name: "70KB_kimicli831", length: 70_000},
		{name: "64KiB-1", length: 64<<10 - 1},
		{name: "64KiB", length: 64 << 10},
		{name: "64KiB+1", length: 64<<10 + 1},
		{name: "1MiB", length: 1 << 20},
		{name: "5MiB", length: 5 << 20},
		{name: "17MiB_t3code11217", length: 17 << 20},
		{name: "Cap-1", length: 1<<20 - 1, limit: 1 << 20},
		{name: "Cap", length: 1 << 20, limit: 1 << 20},
		{name: "Cap+1", length: 1<<20 + 1, limit: 1 << 20, tooLong: true},
		{name: "FourTimesTheCap", length: 4 << 20, limit: 1 << 20, tooLong: true},
		{name: "BeyondFourTimesTheCap", length: 4<<20 + 1, limit: 1 << 20, endless: true},
		{name: "CapOfOneByte", length: 1, limit: 1},
		{name: "CapOfOneByte+1", length: 2, limit: 1, tooLong: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := append(append([]byte("a\n"), line(tt.length)...), "\nb\n"...)
			var sizes []event
			for _, e := range readAll(ndjson.NewReader(bytes.NewReader(data), tt.limit)) {
				if len(e.Line) > 1 || tt.length == 1 && e.Line == "x" {
					require.Len(t, e.Line, tt.length)
					e.Line = "long"
				}
				sizes = append(sizes, e)
			}
			want := []event{{Line: "a"}, {Line: "long"}, {Line: "b"}, {Err: io.EOF}}
			switch {
			case tt.tooLong:
				head := line(min(tt.limit, 4096))
				want[1] = event{TooLong: &ndjson.LineTooLongError{Length: tt.length, Max: tt.limit, Head: head}}
			case tt.endless:
				want = []event{{Line: "a"}, {Endless: &ndjson.EndlessLineError{Read: 4 * tt.limit, Max: tt.limit}}}
			}
			assert.Equal(t, want, sizes)
		})
	}
}

func TestErrorsStayAsTheyAre(t *testing.T) {
	broken := errors.New("the pipe broke")
	t.Run("SourceError", func(t *testing.T) {
		r := ndjson.NewReader(io.MultiReader(strings.NewReader("{}\n{\"half"), iotest.ErrReader(broken)), 0)
		want := []event{{Line: "{}"}, {Line: `{"half`, Unterminated: true}, {Err: broken}}
		assert.Equal(t, want, readAll(r))
		_, err := r.Next()
		assert.Equal(t, broken, err)
	})
	t.Run("WhileSkipping", func(t *testing.T) {
		r := ndjson.NewReader(io.MultiReader(bytes.NewReader(line(20)), iotest.ErrReader(broken)), 10)
		events := readAll(r)
		require.Len(t, events, 2)
		assert.NotNil(t, events[0].TooLong)
		assert.True(t, r.Unterminated())
		assert.Equal(t, broken, events[1].Err)
	})
	t.Run("EndlessLineIsFinal", func(t *testing.T) {
		r := ndjson.NewReader(bytes.NewReader(append(line(1000), "\n{}\n"...)), 10)
		_, first := r.Next()
		_, second := r.Next()
		var endless *ndjson.EndlessLineError
		require.ErrorAs(t, first, &endless)
		assert.Equal(t, first, second)
		assert.Equal(t, "cannot find the end of a line: 40 bytes without a newline, the cap is 10", endless.Error())
	})
	t.Run("SourceThatGivesNothing", func(t *testing.T) {
		_, err := ndjson.NewReader(&chunks{data: []byte("{}"), sizes: []int{0}}, 0).Next()
		assert.ErrorIs(t, err, io.ErrNoProgress)
	})
}

func TestUnterminated_acpx160(t *testing.T) {
	r := ndjson.NewReader(strings.NewReader("{\"id\":1}\n{\"id\":2}"), 0)
	_, err := r.Next()
	require.NoError(t, err)
	assert.False(t, r.Unterminated())
	got, err := r.Next()
	require.NoError(t, err)
	assert.Equal(t, `{"id":2}`, string(got))
	assert.True(t, r.Unterminated())
}

// TestKeep reads lines of all sizes and looks at them again when all is read.
func TestKeep(t *testing.T) {
	sizes := []int{1, 10, 1000, 64<<10 - 1, 64 << 10, 64<<10 + 1, 100_000, 3, 1 << 20, 2, 200_000, 200_000, 5 << 20, 1, 40_000, 9 << 20, 7}
	var data []byte
	var want [][]byte
	for i, size := range sizes {
		content := bytes.Repeat([]byte{byte('a' + i)}, size)
		want = append(want, content)
		data = append(append(data, content...), '\n')
	}
	for _, chunk := range []int{999, 64 << 10, 1 << 20, len(data)} {
		r := ndjson.NewReader(&chunks{data: data, sizes: []int{chunk}}, 10<<20)
		var kept [][]byte
		for {
			got, err := r.Next()
			if err != nil {
				require.Equal(t, io.EOF, err)
				break
			}
			kept = append(kept, r.Keep(got))
		}
		require.Len(t, kept, len(want))
		for i := range want {
			assert.True(t, bytes.Equal(want[i], kept[i]), "chunks of %d: line %d changed", chunk, i)
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("{}\n"), []byte{1}, uint16(10), true)
	f.Add([]byte(bom+"{\"id\":1}\r\n\r\nxxxxxxxxxxxxxxxxx\n{}"), []byte{3, 0, 7}, uint16(8), false)
	f.Add(append(line(41), "\nabc"...), []byte{40, 1}, uint16(10), true)
	f.Add(append(line(40), "\nabc"...), []byte{13}, uint16(10), true)
	f.Fuzz(func(t *testing.T, data, cuts []byte, limit uint16, keep bool) {
		limit = max(limit, 1)
		sizes := []int{1 + len(data)/2}
		for _, c := range cuts {
			sizes = append(sizes, int(c))
		}
		src := &chunks{data: data, sizes: sizes, eofWithData: keep}
		if strings.Trim(string(cuts), "\x00") == "" {
			src.sizes = sizes[:1] // nothing but empty reads is another test
		}
		r := ndjson.NewReader(src, int(limit))
		want := reference(data, int(limit))
		if keep {
			for i := 0; i < len(want) && want[i].Err == nil && want[i].TooLong == nil && want[i].Endless == nil; i++ {
				got, err := r.Next()
				require.NoError(t, err)
				require.Equal(t, want[i].Line, string(r.Keep(got)))
				want = want[1:]
				i--
			}
		}
		require.Equal(t, want, readAll(r))
	})
}
