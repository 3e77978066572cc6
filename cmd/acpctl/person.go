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

// person is whoever sits at the terminal. One question is asked at a time, on stderr.
//
// Its goroutine reads the answers. It is started by the first question and cannot be interrupted while it waits for the
// terminal: then it lasts as long as the program.
type person struct {
	streams *ui.Streams
	floor   chan struct{} // the right to ask

	start sync.Once
	want  chan struct{} // one line is wanted
	lines chan typed
}

type typed struct {
	line string
	err  error
}

func newPerson(streams *ui.Streams) *person {
	p := &person{streams: streams, floor: make(chan struct{}, 1), want: make(chan struct{}, 1), lines: make(chan typed)}
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
		p.lines <- typed{strings.TrimSpace(line), err}
		if err != nil {
			close(p.lines)
			return
		}
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

// tell shows a line of text that may come from the agent.
func (p *person) tell(format string, args ...any) {
	fmt.Fprintln(p.streams.Err, ui.Plain(fmt.Sprintf(format, args...)))
}

// line asks for one line.
func (p *person) line(ctx context.Context, question string) (string, error) {
	p.start.Do(func() { go p.read() })
	fmt.Fprint(p.streams.Err, p.streams.Paint(ui.Bold, ui.Plain(question))+" ")
	select {
	case p.want <- struct{}{}:
	default: // the line of a question that was given up is still to come, and answers this one
	}
	select {
	case t, ok := <-p.lines:
		switch {
		case !ok || errors.Is(t.err, io.EOF):
			fmt.Fprintln(p.streams.Err)
			return "", errNobody
		case t.err != nil:
			return "", fmt.Errorf("cannot read the answer: %w", t.err)
		}
		return t.line, nil
	case <-ctx.Done():
		fmt.Fprintln(p.streams.Err)
		return "", context.Cause(ctx)
	}
}

// choose asks until one of the choices is named, by its number, or by its beginning if that is no other's.
func (p *person) choose(ctx context.Context, question string, choices []string) (int, error) {
	for i, choice := range choices {
		p.tell("  %d) %s", i+1, ui.OneLine(choice, 0))
	}
	for {
		answer, err := p.line(ctx, question)
		if err != nil {
			return 0, err
		}
		if i, ok := chosen(answer, choices); ok {
			return i, nil
		}
		p.tell("Answer with a number from 1 to %d.", len(choices))
	}
}

func chosen(answer string, choices []string) (int, bool) {
	if n, err := strconv.Atoi(answer); err == nil {
		return n - 1, n >= 1 && n <= len(choices)
	}
	found := -1
	for i, choice := range choices {
		if answer == "" || !strings.HasPrefix(strings.ToLower(choice), strings.ToLower(answer)) {
			continue
		}
		if found >= 0 {
			return 0, false
		}
		found = i
	}
	return found, found >= 0
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
