package fakemcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/acpharness/acpharness/internal/ndjson"
)

// maxMessage is how many bytes a message may have.
const maxMessage = 16 << 20

// lines is a transport of one message a line, and its only connection. The
// library has one too, but that ends at the first malformed line, drops the
// answers that are due when the input ends, and shows nobody the messages.
//
// Connect starts one goroutine, which reads, journals, sorts and answers what
// the library would not; it ends with the input or after Close, and stop joins it.
type lines struct {
	server *server
	in     io.Reader
	stream io.Writer

	incoming chan jsonrpc.Message // closed at the end of the input
	broken   error                // what ended the input too early; set before that
	closed   chan struct{}
	once     sync.Once
	read     chan struct{} // closed when the goroutine has ended

	writing sync.Mutex
	out     *ndjson.Writer

	mu      sync.Mutex
	pending map[jsonrpc.ID]bool // requests without an answer
	idle    chan struct{}       // made at the end of the input, closed when nothing is pending
}

func newLines(s *server, in io.Reader, out io.Writer) *lines {
	return &lines{
		server: s, in: in, stream: out, out: ndjson.NewWriter(out, -1),
		incoming: make(chan jsonrpc.Message), closed: make(chan struct{}), read: make(chan struct{}),
		pending: map[jsonrpc.ID]bool{},
	}
}

// Connect implements mcp.Transport.
func (l *lines) Connect(context.Context) (mcp.Connection, error) {
	go func() {
		defer close(l.read)
		defer close(l.incoming)
		l.broken = l.readAll()
	}()
	return l, nil
}

// Read implements mcp.Connection.
func (l *lines) Read(context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-l.incoming:
		switch {
		case ok:
			return m, nil
		case l.broken != nil:
			return nil, l.broken
		default:
			return nil, io.EOF
		}
	case <-l.closed:
		return nil, io.EOF
	}
}

// Write implements mcp.Connection.
func (l *lines) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return fmt.Errorf("cannot write a message: %w", err)
	}
	l.writing.Lock()
	err = l.out.WriteFrame(append(text, '\n'))
	l.writing.Unlock()
	if answer, ok := m.(*jsonrpc.Response); ok {
		l.mu.Lock()
		delete(l.pending, answer.ID)
		if l.idle != nil && len(l.pending) == 0 {
			close(l.idle)
			l.idle = nil
		}
		l.mu.Unlock()
	}
	return err
}

// Close implements mcp.Connection. It leaves the streams alone.
func (l *lines) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// SessionID implements mcp.Connection.
func (l *lines) SessionID() string { return "" }

// stop joins the goroutine unless it is in a read or write that cannot be
// interrupted.
func (l *lines) stop() {
	_ = l.Close()
	select {
	case <-l.read:
		return
	default:
	}
	if undo, ok := interruptRead(l.in); ok {
		joinWriter(l.stream, l.read)
		undo()
	}
}

// readAll returns at the end of the input, and an error if that is not where
// the client closed it.
func (l *lines) readAll() error {
	in := ndjson.NewReader(l.in, maxMessage)
	for {
		line, err := in.Next()
		if l.over() {
			return nil // whatever was read, it was not before the end
		}
		if tooLong, ok := errors.AsType[*ndjson.LineTooLongError](err); ok {
			l.server.journal.fail(tooLong)
			continue
		}
		if errors.Is(err, io.EOF) {
			l.server.journal.add(Entry{Event: EventEOF})
			l.drain()
			return nil
		}
		if err != nil {
			err = fmt.Errorf("cannot read from the client: %w", err)
			l.server.journal.fail(err)
			l.drain()
			return err
		}
		if err := l.take(in.Keep(line)); err != nil {
			return err
		}
	}
}

// take handles one line.
func (l *lines) take(line []byte) error {
	m, bad := parse(line)
	if bad != nil {
		l.server.journal.fail(bad.err)
		if bad.answer.ID.IsValid() { // else there is nothing that it would be the answer to
			return l.refuse(bad.answer)
		}
		return nil
	}
	l.server.journal.add(m.entry)
	if !m.known() {
		if answer := m.refusal(); answer != nil {
			return l.refuse(answer)
		}
		return nil
	}
	if r, ok := m.request(); ok {
		l.mu.Lock()
		l.pending[r.ID] = true
		l.mu.Unlock()
	}
	select {
	case l.incoming <- m.rpc:
	case <-l.closed:
	}
	return nil
}

// refuse writes an answer that the library has no part in.
func (l *lines) refuse(answer *jsonrpc.Response) error {
	err := l.Write(context.Background(), answer)
	if err == nil || l.over() { // then nobody waits for it
		return nil
	}
	l.server.journal.fail(err)
	return err
}

// drain returns when every request has its answer: the end of the input makes
// the library forget those that have none.
func (l *lines) drain() {
	l.server.finish()
	l.mu.Lock()
	if len(l.pending) == 0 {
		l.mu.Unlock()
		return
	}
	idle := make(chan struct{})
	l.idle = idle
	l.mu.Unlock()
	select {
	case <-idle:
	case <-l.closed:
	}
}

func (l *lines) over() bool {
	select {
	case <-l.closed:
		return true
	default:
		return false
	}
}
