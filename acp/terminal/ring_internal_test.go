package terminal

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// naive is what a ring has to show of an output that was kept as a whole.
func naive(all string, limit int, end bool) (string, bool) {
	if !end {
		all = all[:wholeCharacters([]byte(all))]
	}
	text := strings.ToValidUTF8(all, replacement)
	cut := len(text) > limit
	text = text[max(0, len(text)-limit):]
	for text != "" && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return text, cut
}

func requireLikeNaive(t *testing.T, r *ring, all string) {
	t.Helper()
	for _, end := range []bool{false, true} {
		want, wantCut := naive(all, r.limit, end)
		got, cut := r.text(end)
		require.Equal(t, want, got, "%q, limit %d, end %t", all, r.limit, end)
		require.Equal(t, wantCut, cut, "%q, limit %d, end %t", all, r.limit, end)
		require.True(t, utf8.ValidString(got))
		require.LessOrEqual(t, len(got), r.limit)
	}
}

// Every limit over every text, in pieces of every size (openclaw/acpx#507).
func TestRingLikeNaive_acpx507(t *testing.T) {
	for _, text := range []string{
		"", "a", "a€😀", "😀€a", "aé€😀aé€😀", "\xff\xff\xffa", "a\xe2\x82", "\xff\xe2\x82", "\xe2\x82\xff\xff\xe2", "\xe2\x82\xe2\x82\xac",
		"\xf0\x9f\x98a\xf0\x9f\x98\x80", "\xed\xa0\x80x", "\xc0\x80", replacement + "\xff" + replacement, "\x80\x80\x80\x80\x80",
	} {
		for limit := range len(text)*3 + 2 {
			for size := 1; size <= len(text); size++ {
				r := newRing(limit)
				for i := 0; i < len(text); i += size {
					r.write([]byte(text[i:min(len(text), i+size)]))
					requireLikeNaive(t, r, text[:min(len(text), i+size)])
				}
			}
		}
	}
}

func TestRingHoldsBackHalfACharacter(t *testing.T) {
	r := newRing(100)
	for _, step := range []struct{ write, running, ended string }{
		{"a", "a", "a"},
		{"\xf0", "a", "a" + replacement},
		{"\x9f\x98", "a", "a" + replacement},
		{"\x80", "a😀", "a😀"},
		{"\xe2", "a😀", "a😀" + replacement},
		{"b", "a😀" + replacement + "b", "a😀" + replacement + "b"},
	} {
		r.write([]byte(step.write))
		running, _ := r.text(false)
		ended, _ := r.text(true)
		assert.Equal(t, step.running, running)
		assert.Equal(t, step.ended, ended)
	}
}

func TestRingWithoutRoom(t *testing.T) {
	r := newRing(0)
	text, cut := r.text(true)
	assert.Empty(t, text)
	assert.False(t, cut, "nothing was printed")
	r.write([]byte("a"))
	text, cut = r.text(true)
	assert.Empty(t, text)
	assert.True(t, cut)
}

func TestRingFreed(t *testing.T) {
	r := newRing(10)
	r.write([]byte("abc\xe2"))
	r.free()
	r.write([]byte("later"))
	text, cut := r.text(true)
	assert.Empty(t, text)
	assert.True(t, cut)
	assert.Nil(t, r.buf)
}

func TestRingMemoryIsOfItsLimit(t *testing.T) {
	const limit = 10_000
	r := newRing(limit)
	for range 1000 {
		r.write([]byte(strings.Repeat("x€", 300)))
		require.LessOrEqual(t, cap(r.buf), 2*limit)
	}
}

func FuzzRing(f *testing.F) {
	f.Add("a€😀", 5, uint64(1))
	f.Add("\xe2\x82\xff\xf0\x9f", 4, uint64(2))
	f.Fuzz(func(t *testing.T, text string, limit int, seed uint64) {
		if limit < 0 || limit > 1<<20 {
			return
		}
		text = text[:min(len(text), 256)] // all of it is looked at after each write
		r := newRing(limit)
		random := rand.New(rand.NewPCG(seed, 0))
		for i := 0; i < len(text); {
			n := min(len(text)-i, 1+random.IntN(8))
			r.write([]byte(text[i : i+n]))
			i += n
			requireLikeNaive(t, r, text[:i])
		}
	})
}
