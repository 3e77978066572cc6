package proc

import (
	"fmt"
	"os"
	"time"
)

// pipes are the three pipe pairs of a child, or what a console has instead.
type pipes struct {
	in, out, err                *os.File // our ends
	console                     *os.File // our end of both outputs
	childIn, childOut, childErr *os.File
}

func openPipes(c *Console) (*pipes, error) {
	pp := &pipes{}
	var err error
	if c != nil {
		err = pp.openConsole(c)
	} else if pp.childIn, pp.in, err = os.Pipe(); err == nil {
		if pp.out, pp.childOut, err = os.Pipe(); err == nil {
			pp.err, pp.childErr, err = os.Pipe()
		}
	}
	if err != nil {
		pp.closeChild()
		pp.closeOurs()
		return nil, fmt.Errorf("cannot open pipes: %w", err)
	}
	return pp, nil
}

// Closing a nil *os.File is harmless, so both work on a half-opened set.

func (pp *pipes) closeChild() {
	for _, f := range []*os.File{pp.childIn, pp.childOut, pp.childErr} {
		_ = f.Close()
	}
}

func (pp *pipes) closeOurs() {
	for _, f := range []*os.File{pp.in, pp.out, pp.err, pp.console} {
		_ = f.Close()
	}
}

// unblock makes present and future reads fail.
func unblock(f *os.File) {
	if f.SetReadDeadline(time.Unix(1, 0)) != nil {
		_ = f.Close() // no deadlines on this platform's pipes
	}
}
