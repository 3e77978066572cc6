package ndjson

import (
	"bytes"
	"fmt"
	"io"
)

const (
	// DefaultMaxLine is the line length in bytes that is accepted unless the caller says otherwise.
	DefaultMaxLine = 64 << 20

	// skipFactor bounds how far an overlong line is skipped: beyond this multiple of the cap the stream is given up.
	skipFactor = 4

	// headKept is how much of an overlong line is handed out, enough for a reader of envelopes to find an id.
	headKept = 4 << 10

	// emptyReads is how many reads in a row may return nothing before the source counts as broken.
	emptyReads = 100

	// largestMax keeps the multiples of a cap within an int on every platform.
	largestMax = 1<<28 - 1

	initialBuffer = 64 << 10
	// growDirect is the buffer size above which a line gets the whole cap at once: doubling further would hold twice
	// the line while it is copied, whereas untouched pages of one large buffer cost nothing.
	growDirect = 8 << 20
)

var utf8BOM = []byte("\xef\xbb\xbf")

// LineTooLongError reports a line above the cap that was skipped whole; reading may go on.
type LineTooLongError struct {
	Length int    // bytes without the newline, a carriage return included
	Max    int    // the cap
	Head   []byte // the first bytes of the line, at most 4 KiB
}

func (e *LineTooLongError) Error() string {
	return fmt.Sprintf("cannot take a line of %d bytes: the cap is %d", e.Length, e.Max)
}

// EndlessLineError reports a line that did not end within four times the cap; the stream cannot be read any further.
type EndlessLineError struct {
	Read int // bytes of the line after which it was given up
	Max  int // the cap
}

func (e *EndlessLineError) Error() string {
	return fmt.Sprintf("cannot find the end of a line: %d bytes without a newline, the cap is %d", e.Read, e.Max)
}

// Reader splits a stream into lines. It is not safe for concurrent use.
type Reader struct {
	src   io.Reader
	max   int
	buf   []byte
	start int // first unread byte
	scan  int // first byte not yet searched for a newline
	end   int // end of what was read
	err   error
	raw   []byte
	part  bool
}

// NewReader returns a reader of the lines of src. A maxLine of 0 means DefaultMaxLine; 256 MiB is the most.
func NewReader(src io.Reader, maxLine int) *Reader {
	if maxLine <= 0 {
		maxLine = DefaultMaxLine
	}
	maxLine = min(maxLine, largestMax)
	return &Reader{src: src, max: maxLine, buf: make([]byte, min(initialBuffer, maxLine+2))}
}

// Next returns the next line that is not blank, without its newline, a carriage return before it, or a byte order mark
// in front. The slice is valid until the next call, see [Reader.Keep].
//
// After the last line it returns the error of the source, io.EOF at a clean end. A *LineTooLongError is not final;
// every other error is.
func (r *Reader) Next() ([]byte, error) {
	for {
		line, err := r.next()
		if err != nil {
			return nil, err
		}
		r.raw = line
		line = trim(line)
		if len(line) > 0 {
			return line, nil
		}
	}
}

// Raw returns the line last returned as it was read: without its newline but with what Next trims.
func (r *Reader) Raw() []byte { return r.raw }

// Buffered reports whether something that was read has not been returned yet.
func (r *Reader) Buffered() bool { return r.start < r.end }

// Unterminated tells whether the line last returned ended with the stream and not with a newline.
func (r *Reader) Unterminated() bool { return r.part }

// Keep returns line, as last returned by Next, in memory that stays valid. A long line is handed over with its buffer
// instead of being copied.
func (r *Reader) Keep(line []byte) []byte {
	if len(line) >= initialBuffer && len(line) > len(r.buf)/2 {
		rest := r.buf[r.start:r.end]
		r.buf = make([]byte, max(initialBuffer, len(rest)))
		r.scan -= r.start
		r.end = copy(r.buf, rest)
		r.start = 0
		return line
	}
	return bytes.Clone(line)
}

func (r *Reader) next() ([]byte, error) {
	for {
		if i := bytes.IndexByte(r.buf[r.scan:r.end], '\n'); i >= 0 {
			line := r.buf[r.start : r.scan+i]
			r.start = r.scan + i + 1
			r.scan = r.start
			if len(line) > r.max {
				return nil, r.tooLong(line, len(line))
			}
			return line, nil
		}
		r.scan = r.end
		if r.err != nil {
			return r.last()
		}
		if r.end-r.start > r.max {
			return nil, r.skip()
		}
		r.fill()
	}
}

// last returns what stands after the final newline, once, and then the error of the source.
func (r *Reader) last() ([]byte, error) {
	if r.start == r.end {
		return nil, r.err
	}
	line := r.buf[r.start:r.end]
	r.start, r.scan, r.part = r.end, r.end, true
	if len(line) > r.max {
		return nil, r.tooLong(line, len(line))
	}
	return line, nil
}

// tooLong reports a line of length bytes that begins with head. How much of head is kept depends on the cap alone: head
// may have been cut anywhere above it.
func (r *Reader) tooLong(head []byte, length int) *LineTooLongError {
	return &LineTooLongError{Length: length, Max: r.max, Head: bytes.Clone(head[:min(r.max, headKept)])}
}

// skip reads to the end of a line that is over the cap, keeping only its head.
func (r *Reader) skip() error {
	long := r.tooLong(r.buf[r.start:r.end], r.end-r.start)
	limit := skipFactor * r.max
	r.buf = make([]byte, min(initialBuffer, r.max+2))
	r.start, r.scan, r.end = 0, 0, 0
	ended := false
	for !ended && r.err == nil && long.Length <= limit {
		n := r.read(r.buf)
		if i := bytes.IndexByte(r.buf[:n], '\n'); i >= 0 {
			r.start, r.scan, r.end = i+1, i+1, n
			n, ended = i, true
		}
		long.Length += n
	}
	if long.Length > limit {
		r.err = &EndlessLineError{Read: limit, Max: r.max}
		r.start, r.scan, r.end = 0, 0, 0
		return r.err
	}
	r.part = !ended
	return long
}

// fill reads once, after making room.
func (r *Reader) fill() {
	if r.start > 0 && (r.start == r.end || r.end == len(r.buf)) {
		r.end = copy(r.buf, r.buf[r.start:r.end])
		r.start, r.scan = 0, r.end
	}
	if r.start == r.end && len(r.buf) > growDirect {
		r.buf = make([]byte, min(initialBuffer, r.max+2)) // one huge line must not pin its buffer for ever
	}
	if r.end == len(r.buf) {
		r.grow()
	}
	r.end += r.read(r.buf[r.end:])
}

// read reads once, over a few empty reads if need be, and notes the error.
func (r *Reader) read(into []byte) int {
	for range emptyReads {
		n, err := r.src.Read(into)
		if n > 0 || err != nil {
			r.err = err
			return n
		}
	}
	r.err = io.ErrNoProgress
	return 0
}

func (r *Reader) grow() {
	limit := r.max + 2 // room for a line at the cap with its newline, and to see that a line is over it
	size := 2 * len(r.buf)
	if size > growDirect {
		size = limit
	}
	grown := make([]byte, max(min(size, limit), len(r.buf)+1))
	r.end = copy(grown, r.buf[:r.end])
	r.buf = grown
}

// trim removes what may stand around a frame without being part of it: a byte order mark (typescript-sdk#2790), a carriage
// return (python-sdk#2433), and blanks.
func trim(line []byte) []byte {
	line = bytes.TrimPrefix(line, utf8BOM)
	return bytes.Trim(line, " \t\r")
}
