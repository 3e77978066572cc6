package proc

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"unicode/utf8"
)

// maxStderrLine is how much of one stderr line is passed on.
const maxStderrLine = 8 << 10

// stderrSink reads stderr to its end, whether or not anybody is interested: a child blocks once the pipe is full
// (mark3labs/mcp-go#956). What is kept is bounded.
type stderrSink struct {
	file   *os.File
	onLine func([]byte)
	line   []byte        // owned by the reading goroutine
	done   chan struct{} // closed when reading has ended

	mu    sync.Mutex
	total int64 // bytes read
	ring  []byte
	size  int
	next  int // where the next byte goes once ring is full
}

func newStderrSink(file *os.File, size int, onLine func([]byte)) *stderrSink {
	return &stderrSink{file: file, size: size, onLine: onLine, done: make(chan struct{})}
}

// read runs until end of file, a passed deadline or close.
func (s *stderrSink) read() {
	defer close(s.done)
	buf := make([]byte, 32<<10)
	for {
		n, err := s.file.Read(buf)
		s.keep(buf[:n])
		s.split(buf[:n])
		if err != nil {
			break
		}
	}
	if len(s.line) > 0 {
		s.emit()
	}
}

func (s *stderrSink) keep(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total += int64(len(b))
	if n := min(len(b), s.size-len(s.ring)); n > 0 {
		s.ring = append(s.ring, b[:n]...)
		b = b[n:]
	}
	for len(b) > 0 {
		n := copy(s.ring[s.next:], b)
		s.next = (s.next + n) % s.size
		b = b[n:]
	}
}

func (s *stderrSink) split(b []byte) {
	if s.onLine == nil {
		return
	}
	for {
		part, rest, found := bytes.Cut(b, []byte("\n"))
		s.line = append(s.line, part[:min(len(part), maxStderrLine-len(s.line))]...)
		if !found {
			return
		}
		s.emit()
		b = rest
	}
}

func (s *stderrSink) emit() {
	s.onLine(bytes.TrimSuffix(s.line, []byte("\r")))
	s.line = s.line[:0]
}

// mark is how many bytes were read so far.
func (s *stderrSink) mark() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// lines returns the lines that were read between two marks, as far as they are kept: the line that a mark is in is the
// first's as a whole and not the second's, unless nothing came after that.
func (s *stderrSink) lines(from, to int64) string {
	s.mu.Lock()
	b := append(bytes.Clone(s.ring[s.next:]), s.ring[:s.next]...)
	first := s.total - int64(len(b))
	s.mu.Unlock()
	end := max(0, min(int64(len(b)), to-first))
	if end < int64(len(b)) {
		end = int64(bytes.LastIndexByte(b[:end], '\n') + 1)
	}
	begin := max(0, from-first)
	switch {
	case begin >= end:
		return ""
	case begin > 0 || first == 0:
		begin = int64(bytes.LastIndexByte(b[:begin], '\n') + 1)
	}
	if begin == 0 && first > 0 { // the ring begins in the middle of a line
		begin = int64(bytes.IndexByte(b, '\n') + 1)
	}
	if begin >= end {
		return ""
	}
	return strings.ToValidUTF8(string(b[begin:end]), "\uFFFD")
}

// tail is what is kept.
func (s *stderrSink) tail() string {
	s.mu.Lock()
	b := append(bytes.Clone(s.ring[s.next:]), s.ring[:s.next]...)
	cut := s.total > int64(len(b))
	s.mu.Unlock()
	if cut {
		// The cut may have hit the middle of a character.
		for i := 0; i < utf8.UTFMax-1 && len(b) > 0 && !utf8.RuneStart(b[0]); i++ {
			b = b[1:]
		}
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}
