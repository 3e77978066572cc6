// Package ui is how acpctl talks to a person or to a program: terminals get aligned and coloured text, pipes get
// something to parse.
package ui

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Streams are the three streams of a command.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	InTTY  bool // In is a terminal
	OutTTY bool // Out is a terminal
	ErrTTY bool // Err is a terminal
	Width  int  // columns of the terminal, 0 if Out is none
	Color  bool // colours are wanted on Out
}

// System returns the streams of the process. Colours follow NO_COLOR, CLICOLOR_FORCE and TERM.
func System() *Streams {
	s := &Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTTY:  term.IsTerminal(int(os.Stdin.Fd())),
		OutTTY: term.IsTerminal(int(os.Stdout.Fd())),
		ErrTTY: term.IsTerminal(int(os.Stderr.Fd())),
	}
	if s.OutTTY {
		s.Width, _, _ = term.GetSize(int(os.Stdout.Fd()))
	}
	s.Color = wantsColor(s.OutTTY, os.Getenv)
	return s
}

func wantsColor(tty bool, getenv func(string) string) bool {
	switch {
	case getenv("NO_COLOR") != "":
		return false
	case getenv("CLICOLOR_FORCE") != "" && getenv("CLICOLOR_FORCE") != "0":
		return true
	default:
		return tty && getenv("TERM") != "dumb"
	}
}

// Style is a way to show text on a terminal.
type Style string

// The styles.
const (
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
)

// Paint returns text in a style, if there is one and colours are wanted.
func (s *Streams) Paint(style Style, text string) string {
	if !s.Color || style == "" || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[0m"
}

// Plain returns text without what a terminal would act on, such as control characters and those that turn the direction of writing
// around. Line ends and tabs stay.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x20 && r != '\n' && r != '\t', r == 0x7f, r >= 0x80 && r < 0xa0,
			r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
			return -1
		}
		return r
	}, text)
}

// OneLine returns the beginning of text on one line.
func OneLine(text string, most int) string {
	text = strings.Join(strings.Fields(Plain(text)), " ")
	if runes := []rune(text); most > 1 && len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
