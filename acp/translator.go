package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/jsonrpc2"
)

// skeleton is what the JSON-RPC library is shown of a frame: whether it is a request or a response, its id as we
// number it, and its method. Everything else stays beside it, byte for byte.
type skeleton struct {
	id      uint64
	request bool
	method  string // of a request, may be empty
}

// bytes renders the skeleton as the library wants to read it.
func (s skeleton) bytes() []byte {
	b := make([]byte, 0, 64)
	b = append(b, `{"id":`...)
	b = strconv.AppendUint(b, s.id, 10)
	if !s.request {
		return append(b, `,"result":null}`...) // the least that the library takes for an answer
	}
	b = append(b, `,"method":`...)
	b, _ = jsontext.AppendQuote(b, s.method)
	return append(b, '}')
}

// translator is the jsonrpc2.ObjectStream beneath the library. Incoming skeletons come from the reader of the
// connection and, when a call is given up, from the caller, so that the library never keeps a pending call; outgoing
// ones are replaced by the frame that was prepared for them. Nothing here waits for the peer.
type translator struct {
	out *writeQueue

	mu     sync.Mutex
	wake   sync.Cond
	in     []skeleton
	closed bool

	// sending is the frame of the message that the library is about to write. The library calls OnSend and
	// WriteObject under one lock of its own, which guards it.
	sending *frame
}

func newTranslator(out *writeQueue) *translator {
	t := &translator{out: out}
	t.wake.L = &t.mu
	return t
}

// push shows the library one more frame.
func (t *translator) push(s skeleton) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.in = append(t.in, s)
		t.wake.Signal()
	}
}

// end lets the library read what is there and then the end of the stream.
func (t *translator) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.wake.Broadcast()
}

// ReadObject implements jsonrpc2.ObjectStream.
func (t *translator) ReadObject(v any) error {
	t.mu.Lock()
	for len(t.in) == 0 && !t.closed {
		t.wake.Wait()
	}
	if len(t.in) == 0 {
		t.mu.Unlock()
		return io.EOF
	}
	s := t.in[0]
	t.in = t.in[1:]
	if len(t.in) == 0 {
		t.in = nil
	}
	t.mu.Unlock()
	message, ok := v.(json.Unmarshaler)
	if !ok {
		return fmt.Errorf("cannot hand a frame to the JSON-RPC library: %T does not decode itself", v)
	}
	return message.UnmarshalJSON(s.bytes())
}

// WriteObject implements jsonrpc2.ObjectStream. The object is a skeleton; its frame was named by OnSend.
func (t *translator) WriteObject(any) error {
	f := t.sending
	t.sending = nil
	if f == nil {
		return errors.New("cannot send: the message was withdrawn")
	}
	if !t.out.push(f) {
		return jsonrpc2.ErrClosed
	}
	return nil
}

// Close implements jsonrpc2.ObjectStream.
func (t *translator) Close() error {
	t.end()
	return nil
}
