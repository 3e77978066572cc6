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
// Connect starts one goroutine, which reads, journals and sorts; it ends with
// the input or after Close, and stop joins it.
type lines struct {
	server *server
	in     io.Reader
	stream io.Writer

	incoming chan jsonrpc.Message // closed at the end of the input
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
		l.readAll()
	}()
	return l, nil
}

// Read implements mcp.Connection.
func (l *lines) Read(context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-l.incoming:
		if !ok {
			return nil, io.EOF
		}
		return m, nil
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

// stop joins the goroutine unless it is in a read that cannot be interrupted.
func (l *lines) stop() {
	_ = l.Close()
	select {
	case <-l.read:
		return
	default:
	}
	if undo, ok := interruptRead(l.in); ok {
		<-l.read
		undo()
	}
}

func (l *lines) readAll() {
	in := ndjson.NewReader(l.in, maxMessage)
	for {
		line, err := in.Next()
		if l.over() {
			return // whatever was read, it was not before the end
		}
		if tooLong, ok := errors.AsType[*ndjson.LineTooLongError](err); ok {
			l.server.journal.fail(tooLong)
			continue
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				l.server.journal.fail(fmt.Errorf("cannot read from the client: %w", err))
			}
			l.server.journal.add(Entry{Event: EventEOF})
			l.drain()
			return
		}
		if !l.take(in.Keep(line)) {
			return
		}
	}
}

// take handles one line. It returns false when the connection is closed.
func (l *lines) take(line []byte) bool {
	m, err := parse(line)
	if err != nil {
		l.server.journal.fail(err) // no answer: there is nothing that it would be the answer to
		return true
	}
	l.server.journal.add(m.entry)
	if !m.known() {
		if answer := m.refusal(); answer != nil {
			if err := l.Write(context.Background(), answer); err != nil {
				l.server.journal.fail(err)
				return false
			}
		}
		return true
	}
	if r, ok := m.request(); ok {
		l.mu.Lock()
		l.pending[r.ID] = true
		l.mu.Unlock()
	}
	select {
	case l.incoming <- m.rpc:
		return true
	case <-l.closed:
		return false
	}
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
