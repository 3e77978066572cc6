package ndjson

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// DefaultStall is how long a write may go without any progress unless the caller says otherwise.
const DefaultStall = 10 * time.Second

// writeStep is how much is written under one deadline: small enough that a slow reader shows progress, large enough
// that an ordinary frame is one system call.
const writeStep = 64 << 10

// StallError reports a peer that took no byte of a frame for the whole stall time. A part of the frame may have been
// written, so the stream is unusable.
type StallError struct {
	Stall   time.Duration // the limit
	Written int           // bytes of the frame that the peer took
	Total   int           // bytes of the frame
}

func (e *StallError) Error() string {
	return fmt.Sprintf("cannot write: the peer took no byte for %v (%d of %d bytes of the frame written)", e.Stall, e.Written, e.Total)
}

// Writer writes frames. Only one goroutine may use it at a time.
type Writer struct {
	dst      io.Writer
	deadline func(time.Time) error
	stall    time.Duration
}

// NewWriter returns a writer of frames to dst. When dst has deadlines (pipes, sockets), a write without progress for
// stall fails; 0 means DefaultStall, a negative stall waits for ever.
func NewWriter(dst io.Writer, stall time.Duration) *Writer {
	w := &Writer{dst: dst, stall: stall}
	if stall == 0 {
		w.stall = DefaultStall
	}
	if d, ok := dst.(interface{ SetWriteDeadline(time.Time) error }); ok && w.stall > 0 {
		w.deadline = d.SetWriteDeadline
	}
	return w
}

// WriteFrame writes frame, which ends in its newline, whole. After any error the stream is broken: the peer may have
// seen a part of the frame.
func (w *Writer) WriteFrame(frame []byte) error {
	written := 0
	for written < len(frame) {
		if w.deadline != nil {
			// Without a deadline the write goes on; on a closed file its error is os.ErrClosed, which that of the deadline is not.
			_ = w.deadline(time.Now().Add(w.stall))
		}
		n, err := w.dst.Write(frame[written:min(len(frame), written+writeStep)])
		written += n
		if n == 0 && err == nil {
			err = io.ErrShortWrite
		}
		switch {
		case err == nil:
		case n > 0 && errors.Is(err, os.ErrDeadlineExceeded):
			// Some bytes went through before the deadline: that is progress.
		case errors.Is(err, os.ErrDeadlineExceeded):
			return &StallError{Stall: w.stall, Written: written, Total: len(frame)}
		default:
			return fmt.Errorf("cannot write a frame of %d bytes (%d written): %w", len(frame), written, err)
		}
	}
	return nil
}
