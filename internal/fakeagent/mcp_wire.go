package fakeagent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
)

var errServerGone = errors.New("the server is gone")

// mcpWire is JSON-RPC with a server, a message on each line. Whoever made it runs read on a goroutine of its own.
type mcpWire struct {
	in     io.Writer // the server's standard input
	notice func(method string)
	gone   chan struct{} // closed at the end of what the server says

	writing sync.Mutex // keeps lines whole; held while a write blocks

	mu      sync.Mutex
	nextID  int
	pending map[string]chan mcpAnswer // by id; each has room for its one answer
}

type mcpAnswer struct {
	result json.RawMessage
	err    *RPCError
}

func newMCPWire(in io.Writer, notice func(method string)) *mcpWire {
	return &mcpWire{in: in, notice: notice, gone: make(chan struct{}), pending: map[string]chan mcpAnswer{}}
}

// read ends with out.
func (w *mcpWire) read(out io.Reader) {
	defer close(w.gone)
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			w.take(line)
		}
		if err != nil {
			return
		}
	}
}

func (w *mcpWire) take(line []byte) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Result json.RawMessage `json:"result"`
		Error  *RPCError       `json:"error"`
	}
	if json.Unmarshal(line, &m) != nil {
		return // servers print banners
	}
	switch {
	case m.Method != "" && m.ID == nil:
		w.notice(m.Method)
	case m.Method == "ping":
		_ = w.write(m.ID, "", "result", object{})
	case m.Method != "":
		_ = w.write(m.ID, "", "error", noMethod(m.Method))
	default:
		w.mu.Lock()
		answer := w.pending[string(m.ID)]
		delete(w.pending, string(m.ID))
		w.mu.Unlock()
		if answer != nil {
			answer <- mcpAnswer{m.Result, m.Error}
		}
	}
}

func (w *mcpWire) write(id json.RawMessage, method, member string, value any) error {
	line, err := envelope(id, method, member, value)
	if err != nil {
		return err
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	if _, err := w.in.Write(append(line, '\n')); err != nil {
		return errServerGone
	}
	return nil
}

// call sends a request and reads its result into result.
func (w *mcpWire) call(ctx context.Context, method string, params, result any) error {
	answer := make(chan mcpAnswer, 1)
	w.mu.Lock()
	w.nextID++
	id := json.RawMessage(strconv.Itoa(w.nextID))
	w.pending[string(id)] = answer
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.pending, string(id))
		w.mu.Unlock()
	}()
	if err := w.write(id, method, "params", params); err != nil {
		return err
	}
	var a mcpAnswer
	select {
	case a = <-answer:
	case <-w.gone:
		select { // it may have answered before it went
		case a = <-answer:
		default:
			return errServerGone
		}
	case <-ctx.Done():
		if method != methodInitialize { // which must not be cancelled
			_ = w.write(nil, "notifications/cancelled", "params", object{"requestId": id})
		}
		return context.Cause(ctx)
	}
	if a.err != nil {
		return a.err
	}
	if err := json.Unmarshal(a.result, result); err != nil {
		return fmt.Errorf("%s: cannot read the result: %w", method, err)
	}
	return nil
}
