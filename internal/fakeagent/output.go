package fakeagent

import (
	"context"
	"fmt"
	"io"
)

// output is the agent's standard output. Its lock is a channel, not a mutex, so that waiting for it ends with ctx and
// counts as idle in a synctest bubble.
type output struct {
	w     io.Writer
	chunk int
	lock  chan struct{} // holds one token while somebody writes
	bom   bool          // still to be written in front of the first frame; guarded by lock
	fail  func(error)   // told the first write error
}

func newOutput(w io.Writer, script *Script, fail func(error)) *output {
	return &output{w: w, chunk: script.Chunk, lock: make(chan struct{}, 1), bom: script.BOM, fail: fail}
}

// frames writes dressed frames. The optional hooks run under the lock, before the first byte and after the last.
func (o *output) frames(ctx context.Context, data []byte, before, after func()) error {
	return o.locked(ctx, func() error {
		if before != nil {
			before()
		}
		if o.bom {
			o.bom = false
			data = append(append([]byte{}, byteOrderMark...), data...)
		}
		if err := o.write(ctx, data); err != nil {
			return err
		}
		if after != nil {
			after()
		}
		return nil
	})
}

// raw writes bytes that are no frame.
func (o *output) raw(ctx context.Context, data []byte) error {
	return o.locked(ctx, func() error { return o.write(ctx, data) })
}

func (o *output) locked(ctx context.Context, do func() error) error {
	select {
	case o.lock <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-o.lock }()
	return do()
}

func (o *output) write(ctx context.Context, data []byte) error {
	for len(data) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n := len(data)
		if o.chunk > 0 {
			n = min(n, o.chunk)
		}
		if _, err := o.w.Write(data[:n]); err != nil {
			err = fmt.Errorf("cannot write to the client: %w", err)
			o.fail(err)
			return err
		}
		data = data[n:]
	}
	return nil
}
