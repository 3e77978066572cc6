package fakeagent_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/acpharness/acpharness/internal/fakeagent"
)

func TestMain(m *testing.M) {
	if label := os.Getenv(serverLabel); label != "" {
		os.Exit(beServer(label))
	}
	goleak.VerifyTestMain(m)
}

const patience = 20 * time.Second

// frame is one line from the agent; raw is the line without its line feed.
type frame struct {
	ID     json.RawMessage
	Method string
	Params struct {
		SessionID string
		Update    update
		Options   []struct{ OptionID, Kind string }
		ToolCall  struct{ ToolCallID, Kind string }
		// Of notifications about servers.
		ServerName, Name, Error string
	}
	Result json.RawMessage
	Error  *fakeagent.RPCError
	raw    string
	err    error // why raw is no JSON object
}

type update struct {
	SessionUpdate string
	Content       json.RawMessage
	MessageID     string
	ToolCallID    string
	Kind, Status  string
	CurrentModeID string
	SessionID     string // of a child
	State         json.RawMessage
}

func (f frame) text() string {
	var c struct{ Text string }
	if json.Unmarshal(f.Params.Update.Content, &c) != nil {
		return ""
	}
	return c.Text
}

// writes keeps what every single Write of the agent contained.
type writes struct {
	net.Conn
	mu   sync.Mutex
	each []string
}

func (w *writes) Write(p []byte) (int, error) {
	w.mu.Lock()
	w.each = append(w.each, string(p))
	w.mu.Unlock()
	return w.Conn.Write(p)
}

func (w *writes) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string{}, w.each...)
}

// client is a raw line client. Its reading goroutine ends at the end of the agent's output and is joined by cleanup.
type client struct {
	t      *testing.T
	conn   net.Conn
	writes *writes
	stderr *bytes.Buffer // read it after the agent has ended
	lines  chan frame
	result chan error
	stop   context.CancelFunc
	nextID int
	// notices are the names of servers that the client was told of, with a "!" behind those that failed, and told are
	// the frames.
	notices []string
	told    []frame

	mu     sync.Mutex
	events []fakeagent.Event
}

func dial(t *testing.T, script *fakeagent.Script) *client {
	t.Helper()
	return dialWith(t, fakeagent.Options{Script: script})
}

func dialWith(t *testing.T, opts fakeagent.Options) *client {
	t.Helper()
	ours, theirs := net.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	c := &client{
		t: t, conn: ours, writes: &writes{Conn: theirs}, stderr: &bytes.Buffer{},
		lines: make(chan frame, 10_000), result: make(chan error, 1), stop: cancel,
	}
	served, read := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(served)
		opts.Version, opts.Stderr, opts.Journal = "1.2.3", c.stderr, c.record
		err := fakeagent.Serve(ctx, theirs, c.writes, &opts)
		_ = theirs.Close()
		c.result <- err
	}()
	go func() {
		defer close(read)
		defer close(c.lines)
		c.read()
	}()
	t.Cleanup(func() {
		cancel()
		<-served
		_ = ours.Close()
		<-read
	})
	return c
}

func (c *client) record(ev fakeagent.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, ev)
}

func (c *client) journal(kind fakeagent.EventKind) []fakeagent.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []fakeagent.Event
	for _, ev := range c.events {
		if ev.Kind == kind {
			found = append(found, ev)
		}
	}
	return found
}

func (c *client) read() {
	lines := bufio.NewReader(c.conn)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			c.lines <- parse(strings.TrimSuffix(line, "\n"))
		}
		if err != nil {
			return
		}
	}
}

func parse(line string) frame {
	f := frame{}
	f.err = json.Unmarshal([]byte(line), &f)
	f.raw = line
	return f
}

func (c *client) send(format string, args ...any) {
	c.t.Helper()
	_, err := fmt.Fprintf(c.conn, format+"\n", args...)
	require.NoError(c.t, err)
}

// next returns the next line, ok false at the end of the agent's output.
func (c *client) next() (frame, bool) {
	c.t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case f, ok := <-c.lines:
		return f, ok
	case <-timer.C:
		require.FailNow(c.t, "the agent is silent")
		return frame{}, false
	}
}

func (c *client) must() frame {
	c.t.Helper()
	f, ok := c.next()
	require.True(c.t, ok, "the agent has closed its output")
	if name := f.notice(); name != "" {
		c.notices, c.told = append(c.notices, name), append(c.told, f)
	}
	return f
}

// notice is the name of the server that a frame tells of, "" if it is about something else.
func (f frame) notice() string {
	switch f.Method {
	case "_kiro.dev/mcp/server_initialized":
		return f.Params.ServerName + f.Params.Name
	case "_kiro.dev/mcp/server_init_failure":
		return f.Params.ServerName + f.Params.Name + "!"
	default:
		return ""
	}
}

func (c *client) request(method, params string) string {
	c.t.Helper()
	c.nextID++
	c.send(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.nextID, method, params)
	return fmt.Sprint(c.nextID)
}

// until returns the frames up to and including the first that stop accepts.
func (c *client) until(stop func(frame) bool) []frame {
	c.t.Helper()
	var all []frame
	for {
		f := c.must()
		all = append(all, f)
		if stop(f) {
			return all
		}
	}
}

func answers(id string) func(frame) bool {
	return func(f frame) bool { return f.Method == "" && string(f.ID) == id }
}

func calls(method string) func(frame) bool {
	return func(f frame) bool { return f.Method == method && f.ID != nil }
}

func says(text string) func(frame) bool {
	return func(f frame) bool { return strings.Contains(f.text(), text) }
}

// call returns the answer and what came before it.
func (c *client) call(method, params string) (frame, []frame) {
	c.t.Helper()
	all := c.until(answers(c.request(method, params)))
	return all[len(all)-1], all[:len(all)-1]
}

const (
	initParams = `{"protocolVersion":1,"clientCapabilities":{}}`
	newParams  = `{"cwd":"/work","mcpServers":[]}`
)

// open shakes hands and opens a session.
func (c *client) open() string {
	c.t.Helper()
	f, _ := c.call("initialize", initParams)
	require.Nil(c.t, f.Error)
	return c.openAnother()
}

func (c *client) openAnother() string {
	c.t.Helper()
	f, _ := c.call("session/new", newParams)
	require.Nil(c.t, f.Error)
	c.until(func(f frame) bool { return f.Params.Update.SessionUpdate == "available_commands_update" })
	var r struct{ SessionID string }
	require.NoError(c.t, json.Unmarshal(f.Result, &r))
	return r.SessionID
}

func promptParams(session, text string) string {
	return fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}`, session, text)
}

func (c *client) cancel(session string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, session)
}

// prompt plays a turn in which the client answers requests with the given member, such as `"result":{}`.
func (c *client) prompt(session, text, reply string) (answer frame, before []frame) {
	c.t.Helper()
	id := c.request("session/prompt", promptParams(session, text))
	all := c.until(func(f frame) bool {
		if f.Method != "" && f.ID != nil {
			c.send(`{"jsonrpc":"2.0","id":%s,%s}`, f.ID, reply)
		}
		return answers(id)(f)
	})
	return all[len(all)-1], all[:len(all)-1]
}

// wait returns the result of Serve.
func (c *client) wait() error {
	c.t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case err := <-c.result:
		return err
	case <-timer.C:
		require.FailNow(c.t, "Serve does not return")
		return io.ErrNoProgress
	}
}

func kinds(frames []frame) []string {
	var all []string
	for _, f := range frames {
		if kind := f.Params.Update.SessionUpdate; kind != "" {
			all = append(all, kind)
		}
	}
	return all
}

func said(frames []frame) string {
	var b strings.Builder
	for _, f := range frames {
		if f.Params.Update.SessionUpdate == "agent_message_chunk" {
			b.WriteString(f.text())
		}
	}
	return b.String()
}

func stopReason(t *testing.T, f frame) string {
	t.Helper()
	require.Nil(t, f.Error)
	var r struct{ StopReason string }
	require.NoError(t, json.Unmarshal(f.Result, &r))
	return r.StopReason
}
