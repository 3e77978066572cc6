package acp

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/acpharness/acpharness/internal/ndjson"
)

// Transport opens the stream to one agent. It serves one Connect.
type Transport interface {
	// Connect opens the stream; ctx bounds the opening only.
	Connect(ctx context.Context, opts *StreamOptions) (Stream, error)
}

// StreamOptions is what a connection asks of its stream.
type StreamOptions struct {
	MaxFrame   int               // bytes of the longest frame, 0 means 64 MiB
	WriteStall time.Duration     // the longest a write may go without progress, 0 means 10 s
	Stderr     func(line []byte) // receives the lines of the agent's standard error, may be nil
}

// Stream carries frames, each one JSON value on one line. One goroutine reads and another writes.
type Stream interface {
	// ReadFrame returns the next line, valid until the next call. A *FrameTooLongError is not final.
	ReadFrame() ([]byte, error)
	// WriteFrame writes a frame, which ends in its newline, whole. An error is final.
	WriteFrame(frame []byte) error
	// CloseWrite says that nothing more will be written; the peer sees the end of its input.
	CloseWrite() error
	// Close ends both directions and makes calls under way return. It is idempotent.
	Close() error
}

// FrameTooLongError reports a line above StreamOptions.MaxFrame that was skipped whole.
type FrameTooLongError struct {
	Length int    // bytes of the line
	Max    int    // the cap
	Head   []byte // its beginning
}

func (e *FrameTooLongError) Error() string {
	return (&ndjson.LineTooLongError{Length: e.Length, Max: e.Max}).Error()
}

// IOTransport speaks over a reader and a writer that are open already.
type IOTransport struct {
	Reader io.ReadCloser
	Writer io.WriteCloser
}

// Connect implements Transport.
func (t *IOTransport) Connect(_ context.Context, opts *StreamOptions) (Stream, error) {
	if t.Reader == nil || t.Writer == nil {
		return nil, errors.New("cannot connect: IOTransport needs a Reader and a Writer")
	}
	return newLineStream(t.Reader, t.Writer, opts), nil
}

// lineStream frames a pair of byte streams.
type lineStream struct {
	r      io.ReadCloser
	w      io.WriteCloser
	lines  *ndjson.Reader
	frames *ndjson.Writer

	closeWrite sync.Once
	closeRead  sync.Once
}

func newLineStream(r io.ReadCloser, w io.WriteCloser, opts *StreamOptions) *lineStream {
	if opts == nil {
		opts = &StreamOptions{}
	}
	return &lineStream{
		r: r, w: w,
		lines:  ndjson.NewReader(r, opts.MaxFrame),
		frames: ndjson.NewWriter(w, opts.WriteStall),
	}
}

func (s *lineStream) ReadFrame() ([]byte, error) {
	line, err := s.lines.Next()
	if long, ok := errors.AsType[*ndjson.LineTooLongError](err); ok {
		return nil, &FrameTooLongError{Length: long.Length, Max: long.Max, Head: long.Head}
	}
	return line, err
}

func (s *lineStream) WriteFrame(frame []byte) error { return s.frames.WriteFrame(frame) }

func (s *lineStream) CloseWrite() error {
	s.closeWrite.Do(func() { _ = s.w.Close() })
	return nil
}

func (s *lineStream) Close() error {
	_ = s.CloseWrite()
	s.closeRead.Do(func() { _ = s.r.Close() })
	return nil
}
