package proc

import (
	"errors"
	"os"
	"time"
)

// ErrNoPTY is wrapped by the error of a start for which the system has no terminal to give. Windows never has.
var ErrNoPTY = errors.New("no pseudo-terminal is available")

// Console is for a command that is watched and not talked to. Its stdin is the null device, stdout and stderr are one
// stream in the order of writing, and the rest of its group lives until Stop even if the leader has exited. Nothing is
// kept for StderrTail.
type Console struct {
	// Output gets what is written, one call at a time, from one goroutine, until Stop has returned. The slice is valid
	// only during the call. It must not block and must not call Stop.
	Output func([]byte)
	// Terminal, if set, makes both outputs a terminal of this size, which controls a session of its own. Its modes are
	// the system's: lines end in "\r\n". When the leader exits, the rest of its group gets SIGHUP. Unix only.
	Terminal *WindowSize
}

// WindowSize is the size of a terminal in characters.
type WindowSize struct{ Columns, Rows uint16 }

// console reads the output of a Console. It belongs to a Process, which starts read, calls settle once, and closes file.
type console struct {
	file   *os.File
	output func([]byte)
	done   chan struct{} // closed when reading has ended
	caught chan struct{} // closed when that was read which was there when settle asked
}

func newConsole(file *os.File, c *Console) *console {
	return &console{file: file, output: c.Output, done: make(chan struct{}), caught: make(chan struct{})}
}

// openConsole opens what the child of a Console gets.
func (pp *pipes) openConsole(c *Console) (err error) {
	// An inherited stdin would let the command read what is meant for us (getsigit/sigit#71).
	if pp.childIn, err = os.Open(os.DevNull); err != nil {
		return err
	}
	if c.Terminal != nil {
		pp.console, pp.childOut, err = openTerminal(c.Terminal)
	} else {
		pp.console, pp.childOut, err = os.Pipe()
	}
	pp.childErr = pp.childOut
	return err
}

// read runs until end of file, which of a terminal is EIO, or close.
func (c *console) read() {
	defer close(c.done)
	counting, left := false, 0
	for buf := make([]byte, 32<<10); ; {
		n, err := c.file.Read(buf)
		if n > 0 {
			c.output(buf[:n])
		}
		left -= n
		if errors.Is(err, os.ErrDeadlineExceeded) { // settle asks
			counting, left = true, unread(c.file)
			err = c.file.SetReadDeadline(time.Time{})
		}
		if counting && left <= 0 {
			counting = false
			close(c.caught)
		}
		if err != nil {
			return
		}
	}
}

// settle waits until all that was written before was given out: for the end of the output, which a grandchild may hold up
// for ever (golang/go#23019), at most d, and then for what is in the stream. A stream without deadlines has only d.
func (c *console) settle(d time.Duration, closing <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c.done:
		return
	case <-closing:
		return
	case <-t.C:
	}
	if c.file.SetReadDeadline(time.Unix(1, 0)) != nil {
		return
	}
	t.Reset(maxDrain)
	select {
	case <-c.caught:
	case <-c.done:
	case <-closing:
	case <-t.C:
	}
}
