package fakeagent

import (
	"io"
	"os"
	"time"
)

// interruptRead makes a blocked Read return: by a deadline where r has them, else by closing r. It reports false if r
// offers neither, or is a file whose Read cannot be interrupted, such as a standard stream. The function returned
// takes the deadline back.
func interruptRead(r io.Reader) (done func(), ok bool) {
	if d, is := r.(interface{ SetReadDeadline(t time.Time) error }); is {
		return interrupt(r, d.SetReadDeadline)
	}
	return interrupt(r, nil)
}

// interruptWrite does for w what interruptRead does for r. A w that can only write is taken to return by itself.
func interruptWrite(w io.Writer) (done func(), ok bool) {
	if d, is := w.(interface{ SetWriteDeadline(t time.Time) error }); is {
		return interrupt(w, d.SetWriteDeadline)
	}
	if _, is := w.(io.Closer); !is {
		return func() {}, true
	}
	return interrupt(w, nil)
}

// interruptOutput makes blocked writes of the agent return, those of its log included.
func (s *server) interruptOutput() (done func(), ok bool) {
	outDone, outOK := interruptWrite(s.out.w)
	if s.script.Stderr == 0 {
		return outDone, outOK
	}
	logDone, logOK := interruptWrite(s.stderr)
	return func() {
		outDone()
		logDone()
	}, outOK && logOK
}

func interrupt(stream any, setDeadline func(time.Time) error) (done func(), ok bool) {
	if setDeadline != nil && setDeadline(time.Unix(1, 0)) == nil {
		return func() { _ = setDeadline(time.Time{}) }, true
	}
	if _, is := stream.(*os.File); is {
		return func() {}, false
	}
	if c, is := stream.(io.Closer); is {
		_ = c.Close()
		return func() {}, true
	}
	return func() {}, false
}
