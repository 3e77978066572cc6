package proc

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestStderrTailIsTheEndWhateverTheChunks(t *testing.T) {
	text := []byte(strings.Repeat("0123456789abcdef-", 20))
	for _, size := range []int{1, 7, 16, 64, 339, 340, 341, 1000} {
		for _, chunk := range []int{1, 3, 17, 64, 340} {
			s := newStderrSink(nil, size, nil)
			for rest := text; len(rest) > 0; {
				n := min(chunk, len(rest))
				s.keep(rest[:n])
				rest = rest[n:]
			}
			want := text[max(0, len(text)-size):]
			assert.Equal(t, string(want), s.tail(), "size %d chunk %d", size, chunk)
		}
	}
}

func TestStderrTailIsValidUTF8(t *testing.T) {
	s := newStderrSink(nil, 5, nil)
	s.keep([]byte("xx\u20ac\u20ac")) // cut inside the first euro sign
	assert.Equal(t, "\u20ac", s.tail()[len(s.tail())-3:])
	assert.Equal(t, "\u20ac", s.tail(), "the broken character is dropped")
	s.keep([]byte("a\xffb"))
	assert.True(t, utf8.ValidString(s.tail()))
	assert.True(t, strings.HasSuffix(s.tail(), "a\uFFFDb"))
}

func TestStderrLines(t *testing.T) {
	long := strings.Repeat("y", 3*maxStderrLine)
	for _, chunk := range []int{1, 5, 4096, 1 << 20} {
		var got []string
		s := newStderrSink(nil, 10, func(b []byte) { got = append(got, string(b)) })
		for part := range chunks([]byte("one\r\n\ntwo\n"+long+"\nlast\n"), chunk) {
			s.split(part)
		}
		assert.Equal(t, []string{"one", "", "two", long[:maxStderrLine], "last"}, got, "chunk %d", chunk)
	}
}

func chunks(b []byte, n int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for r := bytes.NewBuffer(b); r.Len() > 0; {
			if !yield(r.Next(n)) {
				return
			}
		}
	}
}
