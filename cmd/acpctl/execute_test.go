package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/cmd/acpctl/ui"
)

// terminalView is a run's view with a terminal on both outputs.
func terminalView() (*textView, *bytes.Buffer) {
	var screen bytes.Buffer
	return newTextView(&ui.Streams{Out: &screen, Err: &screen, OutTTY: true, ErrTTY: true}, false), &screen
}

// TestInterruptEndsTheWaitForAPrompt is about "acpctl run -" on a terminal where nobody types.
func TestInterruptEndsTheWaitForAPrompt(t *testing.T) {
	t.Parallel()
	in, typing := io.Pipe()
	defer typing.Close() // ends the goroutine that reads, which otherwise lasts as long as the process
	ctx, interrupt := context.WithCancel(t.Context())
	reading := make(chan struct{})
	go func() {
		<-reading
		interrupt()
	}()
	var out, errs bytes.Buffer
	code := execute(ctx, neverHard(), &ui.Streams{In: &signalReader{in, reading}, Out: &out, Err: &errs}, []string{"run", "-"})
	assert.Equal(t, exitInterrupted, code)
	assert.Empty(t, out.String())
	assert.Contains(t, errs.String(), "cannot read the prompt")
	assert.NotContains(t, errs.String(), "demo agent", "nothing was started")
}

// signalReader tells of its first read.
type signalReader struct {
	io.Reader
	reading chan struct{}
}

func (r *signalReader) Read(b []byte) (int, error) {
	if r.reading != nil {
		close(r.reading)
		r.reading = nil
	}
	return r.Reader.Read(b)
}

// TestAnswerOnATerminal covers kagan#148: what an agent says cannot move the cursor, and what is told meanwhile gets a
// line of its own.
func TestAnswerOnATerminal(t *testing.T) {
	t.Parallel()
	view, screen := terminalView()
	view.answer("half a \x1b[2Jline")
	view.tell("[tool] %s", "x\x1b]0;title\x07\ny")
	view.answer(" and the rest")
	require.NoError(t, view.outcome(&runResult{err: io.ErrUnexpectedEOF, stderr: "one\n\x1b[31mtwo\n"}))
	assert.Equal(t, ""+
		"half a [2Jline\n"+
		"[tool] x]0;title y\n"+
		" and the rest\n"+
		"acpctl: unexpected EOF\n"+
		"acpctl: the agent's standard error ended:\none\n[31mtwo\n", screen.String())
}

func TestAnswerInAPipeIsExact(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	view := newTextView(&ui.Streams{Out: &out, Err: &errs}, false)
	view.answer("\x1b[2J\r\nhalf")
	view.tell("told")
	view.answer("")
	view.answer(" a line")
	require.NoError(t, view.outcome(&runResult{err: io.EOF}))
	assert.Equal(t, "\x1b[2J\r\nhalf a line\n", out.String())
	assert.Equal(t, "told\nacpctl: EOF\n", errs.String())
}

func TestAnswerIntoABrokenPipe(t *testing.T) {
	t.Parallel()
	read, write := io.Pipe()
	require.NoError(t, read.Close())
	view := newTextView(&ui.Streams{Out: write, Err: io.Discard}, false)
	view.answer("hello\n")
	assert.ErrorIs(t, view.outcome(&runResult{err: io.EOF}), io.ErrClosedPipe)
	events := newJSONView(write)
	events.emit("event")
	assert.ErrorIs(t, events.outcome(&runResult{err: io.EOF}), io.ErrClosedPipe)
}

func TestLastLines(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("line\n", 20) + "end"
	assert.Equal(t, "line\nline\nend", lastLines(text, 3))
	assert.Equal(t, text, lastLines(text, 100))
	assert.Empty(t, lastLines("", 3))
}
