package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/acpharness/acpharness/cmd/acpctl/ui"
)

// errNobody says that the person at the terminal has ended the input.
var errNobody = errors.New("the input has ended")

// person is whoever sits at the terminal. One question is asked at a time, on stderr, and only what is typed after it was shown
// answers it.
//
// Its goroutine reads the answers. It is started by the first question and cannot be interrupted while it waits for the
// terminal: then it lasts as long as the program.
type person struct {
	streams *ui.Streams
	root    string        // of the session that the questions are about
	flush   func()        // forgets what was typed and not read
	floor   chan struct{} // the right to ask

	start sync.Once
	want  chan struct{} // one line is wanted
	lines chan typed

	// With the floor:
	begun bool // a line is being read that was wanted for a question which was given up
	left  bool // the input has ended
}

type typed struct {
	line string
	err  error
}

func newPerson(streams *ui.Streams) *person {
	p := &person{
		streams: streams, flush: func() { flushInput(streams.In) },
		floor: make(chan struct{}, 1), want: make(chan struct{}), lines: make(chan typed),
	}
	p.floor <- struct{}{}
	return p
}

func (p *person) read() {
	in := bufio.NewReader(p.streams.In)
	for range p.want {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) && line != "" {
			err = nil
		}
		in.Discard(in.Buffered()) //nolint:errcheck // what is buffered can be discarded
		p.lines <- typed{strings.TrimSpace(line), err}
	}
}

// talk gives the floor to fn, which may ask any number of questions. The error is fn's, or ctx's if there was no end of another
// talk.
func (p *person) talk(ctx context.Context, fn func() error) error {
	select {
	case <-p.floor:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { p.floor <- struct{}{} }()
	return fn()
}

// tell shows a line of our own.
func (p *person) tell(format string, args ...any) {
	fmt.Fprintln(p.streams.Err, ui.Plain(fmt.Sprintf(format, args...)))
}

// quote shows text of the agent's, so that it cannot be taken for ours: every line has a bar in front.
func (p *person) quote(label, text string) {
	for i, line := range strings.Split(strings.TrimRight(ui.Plain(text), "\n"), "\n") {
		if i > 0 {
			label = strings.Repeat(" ", len(label))
		}
		fmt.Fprintf(p.streams.Err, "  %s│ %s\n", label, line)
	}
}

// line asks for one line.
func (p *person) line(ctx context.Context, question string) (string, error) {
	p.start.Do(func() { go p.read() })
	for {
		if p.left {
			return "", errNobody
		}
		p.flush()
		fmt.Fprint(p.streams.Err, p.streams.Paint(ui.Bold, ui.OneLine(question, 0))+" ")
		void := p.begun
		if !p.begun {
			p.want <- struct{}{} // the goroutine is idle
			p.begun = true
		}
		select {
		case t := <-p.lines:
			p.begun = false
			switch {
			case errors.Is(t.err, io.EOF):
				p.left = true
				fmt.Fprintln(p.streams.Err)
			case t.err != nil:
				return "", fmt.Errorf("cannot read the answer: %w", t.err)
			case void: // its beginning may have been typed for a question that was withdrawn
				p.tell("That may have been meant for the question before. Answer this one again.")
			default:
				return t.line, nil
			}
		case <-ctx.Done():
			p.tell("\nThe question was withdrawn.")
			return "", context.Cause(ctx)
		}
	}
}

// choose asks until one of the choices is named by its number: their words are the agent's.
func (p *person) choose(ctx context.Context, question string, choices []string) (int, error) {
	for i, choice := range choices {
		p.tell("  %d) %s", i+1, ui.OneLine(choice, 0))
	}
	for {
		answer, err := p.line(ctx, question)
		if err != nil {
			return 0, err
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(choices) {
			return n - 1, nil
		}
		p.tell("Answer with a number from 1 to %d.", len(choices))
	}
}

// agree asks a question of yes and no.
func (p *person) agree(ctx context.Context, question string) (bool, error) {
	for {
		answer, err := p.line(ctx, question+" [y/n]")
		if err != nil {
			return false, err
		}
		switch strings.ToLower(answer) {
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
	}
}
