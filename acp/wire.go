package acp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// wire is JSON-RPC over one connection: calls and their answers, requests of the agent and ours. The library keeps the
// books of both; wire holds the bytes, the mapping of ids, and the one cause with which everything fails in the end.
type wire struct {
	out    *writeQueue
	stream *translator
	lib    *jsonrpc2.Conn
	ctx    context.Context // ends with the connection
	serve  func(*inbound)  // called by the library's reader, must not wait

	mu      sync.Mutex
	closed  error // set once, then no call can be registered
	lastOut uint64
	lastIn  uint64
	calls   map[uint64]*call
	dead    map[uint64]*call // calls given up whose late answer is still wanted
	inbound map[uint64]*inbound
	answers map[uint64]*frame
}

// answer settles a call: a result, an error of the agent, or the cause for which there is neither.
type answer struct {
	result []byte
	err    error
}

// call is a request of ours under way.
type call struct {
	id      uint64
	method  string
	frame   *frame
	waiter  jsonrpc2.Waiter
	settle  func(answer) // runs on the reader, in the order of the frames; may be nil
	late    func(answer) // runs on the reader if the answer comes after the call was given up; may be nil
	session SessionID    // that it names, empty if it names none
	settled bool
	answer  answer
	over    chan struct{} // closed when it has been settled, settle included, or given up
}

// inbound is a request of the agent.
type inbound struct {
	number   uint64
	id       []byte // as the agent wrote it
	method   string
	params   []byte
	ctx      context.Context // ends with the request's cancellation, or the connection
	cancel   context.CancelFunc
	answered bool // guarded by wire.mu
	visit    *visit
}

func newWire(ctx context.Context, serve func(*inbound)) *wire {
	w := &wire{
		out: newWriteQueue(), ctx: ctx, serve: serve,
		calls: map[uint64]*call{}, dead: map[uint64]*call{},
		inbound: map[uint64]*inbound{}, answers: map[uint64]*frame{},
	}
	w.stream = newTranslator(w.out)
	w.lib = jsonrpc2.NewConn(context.WithoutCancel(ctx), w.stream, libraryHandler{w},
		jsonrpc2.OnSend(w.onSend), jsonrpc2.SetLogger(log.New(io.Discard, "", 0)))
	return w
}

// onSend runs just before WriteObject, under the library's lock for sending.
func (w *wire) onSend(req *jsonrpc2.Request, resp *jsonrpc2.Response) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stream.sending = nil
	switch {
	case req != nil:
		if c := w.calls[req.ID.Num]; c != nil {
			w.stream.sending = c.frame
		}
	case resp != nil:
		w.stream.sending = w.answers[resp.ID.Num]
		delete(w.answers, resp.ID.Num)
	}
}

// libraryHandler takes requests of the agent from the library, in order.
type libraryHandler struct{ w *wire }

func (h libraryHandler) Handle(_ context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) {
	h.w.mu.Lock()
	in := h.w.inbound[req.ID.Num]
	h.w.mu.Unlock()
	if in != nil {
		h.w.serve(in)
	}
}

// errUnwanted says that a call was not sent because its condition did not hold any more.
var errUnwanted = errors.New("it is not wanted any more")

// start sends a request. It returns once the frame is queued; ctx bounds the wait for room. settle and late may be nil.
func (w *wire) start(ctx context.Context, method string, params any, settle, late func(answer)) (*call, error) {
	c := &call{method: method, settle: settle, late: late, over: make(chan struct{})}
	if err := w.launch(ctx, c, params, nil); err != nil {
		return nil, err
	}
	return c, nil
}

// startIf is start for a call that nobody waits for, and that is sent only if a condition holds; else the error is
// errUnwanted. settle may run before it returns.
func (w *wire) startIf(ctx context.Context, method string, params any, settle func(answer), wanted *condition) error {
	return w.launch(ctx, &call{method: method, settle: settle, over: make(chan struct{})}, params, wanted)
}

// launch gives a call its id, and has the library send it.
func (w *wire) launch(ctx context.Context, c *call, params any, wanted *condition) error {
	w.mu.Lock()
	w.lastOut++
	c.id = w.lastOut
	w.mu.Unlock()
	c.session = sessionNamedBy(params)
	data, err := encodeRequest(c.id, c.method, params)
	if err != nil {
		return err
	}
	if c.frame, err = w.reserve(ctx, data); err != nil {
		return err
	}
	if !wanted.met(func() { err = w.enter(ctx, c) }) {
		err = errUnwanted
	}
	if err == nil {
		return nil
	}
	w.mu.Lock()
	delete(w.calls, c.id)
	cause := w.closed
	w.mu.Unlock()
	w.out.withdraw(c.frame) // unless it got as far as the queue
	switch {
	case errors.Is(err, errUnwanted):
		return err
	case cause != nil:
		return cause
	case errors.Is(err, jsonrpc2.ErrClosed):
		return w.awaitCause(ctx)
	}
	return err
}

// enter registers a call and hands it to the library. It waits for nobody: there is room.
func (w *wire) enter(ctx context.Context, c *call) error {
	w.mu.Lock()
	if err := w.closed; err != nil {
		w.mu.Unlock()
		return err
	}
	w.calls[c.id] = c
	w.mu.Unlock()
	var err error
	c.waiter, err = w.lib.DispatchCall(ctx, c.method, nil, jsonrpc2.PickID(jsonrpc2.ID{Num: c.id}))
	return err
}

// awaitCause returns why nothing can be sent any more. When the writer has given up, the cause is known a moment later:
// the process is asked first.
func (w *wire) awaitCause(ctx context.Context) error {
	select {
	case <-w.ctx.Done():
	case <-ctx.Done():
	}
	if cause := w.cause(); cause != nil {
		return cause
	}
	return noAnswer(ctx)
}

// reserve waits for room in the write queue until ctx or the connection ends.
func (w *wire) reserve(ctx context.Context, data []byte) (*frame, error) {
	if f := w.out.tryReserve(data); f != nil {
		return f, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(w.ctx, cancel)
	defer stop()
	f, err := w.out.reserve(ctx, data)
	if err != nil {
		if cause := w.cause(); cause != nil {
			return nil, cause
		}
		return nil, fmt.Errorf("cannot send, the agent does not read: %w", context.Cause(ctx))
	}
	return f, nil
}

func (w *wire) cause() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closed
}

// wait returns the answer to c. An answer that was read before ctx ended wins; otherwise the call is given up.
func (w *wire) wait(ctx context.Context, c *call) ([]byte, error) {
	err := c.waiter.Wait(ctx, nil)
	w.mu.Lock()
	if c.settled {
		w.mu.Unlock()
		<-c.over // the reader may be at it with the answer
		return c.answer.result, c.answer.err
	}
	if w.closed != nil {
		defer w.mu.Unlock()
		return nil, w.closed
	}
	delete(w.calls, c.id)
	close(c.over)
	withdrawn := w.out.withdraw(c.frame)
	if !withdrawn && c.late != nil {
		w.dead[c.id] = c
	}
	w.mu.Unlock()
	w.stream.push(skeleton{id: c.id}) // the library forgets the call
	if !withdrawn && c.method != methodInitialize {
		w.tell(methodCancelRequest, map[string]uint64{"requestId": c.id})
	}
	switch {
	case ctx.Err() != nil:
		err = noAnswer(ctx)
	case err == nil: // the library thinks that the call was answered, and we know better
		err = fmt.Errorf("%w: no answer to %s", ErrProtocol, c.method)
	}
	return nil, err
}

// call sends a request and waits for its result.
func (w *wire) call(ctx context.Context, method string, params any) ([]byte, error) {
	c, err := w.start(ctx, method, params, nil, nil)
	if err != nil {
		return nil, err
	}
	return w.wait(ctx, c)
}

// notify sends a notification; ctx bounds the wait for room.
func (w *wire) notify(ctx context.Context, method string, params any) error {
	return w.notifyIf(ctx, method, params, nil)
}

// notifyIf is notify for one that is sent only if a condition holds. It is no error that it does not.
func (w *wire) notifyIf(ctx context.Context, method string, params any, wanted *condition) error {
	data, err := encodeRequest(0, method, params)
	if err != nil {
		return err
	}
	f, err := w.reserve(ctx, data)
	if err != nil {
		return err
	}
	pushed := false
	switch {
	case !wanted.met(func() { pushed = w.out.push(f) }):
		w.out.withdraw(f)
	case !pushed:
		return w.awaitCause(ctx)
	}
	return nil
}

// tell sends a notification if there is room for it now.
func (w *wire) tell(method string, params any) {
	now, cancel := context.WithCancel(context.Background())
	cancel()
	_ = w.notify(now, method, params)
}

// settleCall is called by the reader with an answer. It reports whether a call was waiting for it.
func (w *wire) settleCall(id uint64, a answer) bool {
	w.mu.Lock()
	c := w.calls[id]
	if c == nil {
		given := w.dead[id]
		delete(w.dead, id)
		w.mu.Unlock()
		if given != nil {
			given.late(a)
		}
		return given != nil
	}
	delete(w.calls, id)
	c.settled, c.answer = true, a
	w.mu.Unlock()
	if c.settle != nil {
		c.settle(a)
	}
	close(c.over)
	w.stream.push(skeleton{id: id})
	return true
}

// request is called by the reader with a request of the agent.
func (w *wire) request(in *inbound) {
	w.mu.Lock()
	w.lastIn++
	in.number = w.lastIn
	w.inbound[in.number] = in
	w.mu.Unlock()
	w.stream.push(skeleton{id: in.number, request: true, method: in.method})
}

// isEcho reports whether a request is one of our own that came back.
func (w *wire) isEcho(id []byte, method string) bool {
	n, err := strconv.ParseUint(string(id), 10, 64)
	if err != nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.calls[n]
	return c != nil && c.method == method
}

// underWay returns the call under way with an id, nil if there is none.
func (w *wire) underWay(id uint64) *call {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls[id]
}

// sessionNamedBy returns the session that params name.
func sessionNamedBy(params any) SessionID {
	switch p := params.(type) {
	case promptParams:
		return p.SessionID
	case sessionParams:
		return p.SessionID
	case setParams:
		return p.session
	}
	return ""
}

// cancelInbound ends the context of the request with this id.
func (w *wire) cancelInbound(id []byte) {
	w.mu.Lock()
	var cancel context.CancelFunc
	for _, in := range w.inbound {
		if bytes.Equal(in.id, id) {
			cancel = in.cancel
		}
	}
	w.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// reply answers a request of the agent, once: whoever comes second is ignored. It waits for room in the write queue.
func (w *wire) reply(in *inbound, result any, rpc *Error) {
	w.mu.Lock()
	open := w.closed == nil && w.claim(in)
	w.mu.Unlock()
	if open {
		w.answer(w.ctx, in, result, rpc)
	}
}

// claim takes the right to answer a request. The lock is held.
func (w *wire) claim(in *inbound) bool {
	if in.answered {
		return false
	}
	in.answered = true
	delete(w.inbound, in.number)
	return true
}

// answer hands an answer to the library, which has the translator write it. ctx bounds the wait for room.
func (w *wire) answer(ctx context.Context, in *inbound, result any, rpc *Error) {
	f, err := w.reserve(ctx, encodeAnswer(in.id, result, rpc))
	if err != nil {
		return
	}
	w.mu.Lock()
	w.answers[in.number] = f
	w.mu.Unlock()
	empty := jsonrpcEmpty
	_ = w.lib.SendResponse(w.ctx, &jsonrpc2.Response{ID: jsonrpc2.ID{Num: in.number}, Result: &empty})
}

// refuse answers a request that the end of the connection cuts short, if there is room now.
func (w *wire) refuse(in *inbound) {
	now, cancel := context.WithCancel(context.Background())
	cancel()
	switch in.method {
	case methodRequestPermission:
		w.answer(now, in, permissionResult{}, nil)
	case methodCreateElicitation:
		w.answer(now, in, elicitationResult{Action: ElicitationCancel}, nil)
	default:
		w.answer(now, in, nil, &Error{Code: CodeInternalError, Message: "the client is closing"})
	}
}

// shut fails every call with cause, lets no other begin, and refuses the requests that are open. It reports false if that was done before.
func (w *wire) shut(cause error) bool {
	w.mu.Lock()
	if w.closed != nil {
		w.mu.Unlock()
		return false
	}
	w.closed = cause
	failed := w.calls
	w.calls = map[uint64]*call{}
	for _, c := range failed {
		c.settled, c.answer = true, answer{err: cause}
	}
	open := slices.Collect(maps.Values(w.inbound))
	open = slices.DeleteFunc(open, func(in *inbound) bool { return !w.claim(in) })
	w.mu.Unlock()
	for _, c := range failed {
		if c.settle != nil {
			c.settle(answer{err: cause})
		}
		close(c.over)
	}
	for _, in := range open {
		w.refuse(in) // while there is still a writer
	}
	w.stream.end()
	return true
}

// join waits until the library has ended.
func (w *wire) join() { <-w.lib.DisconnectNotify() }
