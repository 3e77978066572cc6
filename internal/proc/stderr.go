package proc

import (
	"bytes"
	"math"
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

func (s *stderrSink) tail() string { return s.between(0, math.MaxInt64) }

// between returns what was read between two marks, as far as it is kept.
func (s *stderrSink) between(from, to int64) string {
	s.mu.Lock()
	b := append(bytes.Clone(s.ring[s.next:]), s.ring[:s.next]...)
	first := s.total - int64(len(b))
	s.mu.Unlock()
	cut := first > 0 || from > first
	b = b[:max(0, min(int64(len(b)), to-first))]
	b = b[max(0, min(int64(len(b)), from-first)):]
	if cut {
		// The cut may have hit the middle of a character.
		for i := 0; i < utf8.UTFMax-1 && len(b) > 0 && !utf8.RuneStart(b[0]); i++ {
			b = b[1:]
		}
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}
