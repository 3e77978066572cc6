package fakemcp

import (
	"io"
	"os"
	"time"
)

// interruptRead makes a blocked Read return, by a deadline where r has them,
// else by closing r. It reports false if neither is possible, as with the
// standard streams of a process. The function returned takes the deadline back.
func interruptRead(r io.Reader) (undo func(), ok bool) {
	if d, is := r.(interface{ SetReadDeadline(time.Time) error }); is {
		return interrupt(r, d.SetReadDeadline)
	}
	return interrupt(r, nil)
}

// interruptWrite does for w what interruptRead does for r. A w that can only
// write is taken to return by itself.
func interruptWrite(w io.Writer) (undo func(), ok bool) {
	if d, is := w.(interface{ SetWriteDeadline(time.Time) error }); is {
		return interrupt(w, d.SetWriteDeadline)
	}
	if _, is := w.(io.Closer); !is {
		return func() {}, true
	}
	return interrupt(w, nil)
}

// grace is how long answers may take to be written once the server is ending.
const grace = 500 * time.Millisecond

// joinWriter returns when done is closed by what may be writing to w. After
// grace nobody seems to read, so it interrupts that, and gives up if it cannot.
func joinWriter(w io.Writer, done <-chan struct{}) {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-done:
		return
	case <-timer.C:
	}
	if undo, ok := interruptWrite(w); ok {
		<-done
		undo()
	}
}

func interrupt(stream any, setDeadline func(time.Time) error) (undo func(), ok bool) {
	if setDeadline != nil && setDeadline(time.Unix(1, 0)) == nil {
		return func() { _ = setDeadline(time.Time{}) }, true
	}
	if _, is := stream.(*os.File); is {
		return func() {}, false // to close it would not wake it
	}
	if c, is := stream.(io.Closer); is {
		_ = c.Close()
		return func() {}, true
	}
	return func() {}, false
}
