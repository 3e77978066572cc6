package terminal

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"
)

const replacement = "\uFFFD"

// ring keeps the end of an output as UTF-8, at most limit bytes of it. It has what strings.ToValidUTF8 makes of the whole
// output: one replacement character for each run of bytes that are no UTF-8. It is safe for concurrent use.
type ring struct {
	limit int

	mu      sync.Mutex
	buf     []byte // valid UTF-8 but for a character that is cut at its beginning
	next    int    // where the next byte goes once buf is full
	dropped bool
	freed   bool
	pending []byte // the beginning of a character, whose rest has not come yet
	broken  bool   // what came before pending ended with bytes that are no UTF-8
}

func newRing(limit int) *ring { return &ring{limit: limit} }

// write adds to the output. It keeps no reference to b.
func (r *ring) write(b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.freed {
		return
	}
	if len(r.pending) > 0 {
		b = append(r.pending, b...)
	}
	whole := wholeCharacters(b)
	r.pending = bytes.Clone(b[whole:])
	b = b[:whole]
	if len(b) == 0 {
		return
	}
	last, size := utf8.DecodeLastRune(b)
	clean := b
	if !utf8.Valid(b) {
		clean = bytes.ToValidUTF8(b, []byte(replacement))
		if first, size := utf8.DecodeRune(b); r.broken && first == utf8.RuneError && size == 1 {
			clean = clean[len(replacement):] // the run has its replacement already
		}
	}
	r.broken = last == utf8.RuneError && size == 1
	r.keep(clean)
}

// wholeCharacters is the length of b without a character at its end whose rest is missing.
func wholeCharacters(b []byte) int {
	for i := len(b) - 1; i >= max(0, len(b)-utf8.UTFMax+1); i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return i
			}
			break
		}
	}
	return len(b)
}

func (r *ring) keep(b []byte) {
	r.dropped = r.dropped || len(r.buf)+len(b) > r.limit
	b = b[max(0, len(b)-r.limit):]
	if n := min(len(b), r.limit-len(r.buf)); n > 0 {
		r.buf = append(r.buf, b[:n]...)
		b = b[n:]
	}
	for len(b) > 0 {
		n := copy(r.buf[r.next:], b)
		r.next = (r.next + n) % r.limit
		b = b[n:]
	}
}

// text returns what is kept, and whether there was more before it. At the end of the output, a character that is not
// complete will never be.
func (r *ring) text(end bool) (text string, dropped bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	b.Grow(len(r.buf) + len(replacement))
	b.Write(r.buf[r.next:])
	b.Write(r.buf[:r.next])
	if end && len(r.pending) > 0 && !r.broken {
		b.WriteString(replacement)
	}
	text, dropped = b.String(), r.dropped
	if len(text) > r.limit {
		text, dropped = text[len(text)-r.limit:], true
	}
	for text != "" && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return text, dropped
}

// free drops everything, also what comes later.
func (r *ring) free() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.freed = true
	r.dropped = r.dropped || len(r.buf)+len(r.pending) > 0
	r.buf, r.next, r.pending = nil, 0, nil
}
