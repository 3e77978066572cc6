package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
)

// producer is the agent. It does next to nothing but read lines and write what it has made before.
type producer struct {
	spec    *spec
	in      *lineReader
	out     io.Writer
	stream  *stream
	raw     []byte   // text for requests, as it stands in JSON
	credits net.Conn // nil if the stream is not paced
	credit  int      // half windows that the client has handled
	sent    int      // updates or requests
	opened  int      // sessions
}

// produce serves one client until its input ends.
func produce(s *spec, in io.Reader, out io.Writer) error {
	p := &producer{spec: s, in: newLineReader(in), out: out}
	switch s.Kind {
	case kindStream:
		p.stream = makeStream(s)
	case kindAsk:
		_, p.raw = longText(s.Size)
	}
	if s.Paced {
		conn, err := net.Dial("unix", s.Credit)
		if err != nil {
			return fmt.Errorf("cannot connect for credits: %w", err)
		}
		defer conn.Close()
		p.credits = conn
	}
	var prompts []string
	for {
		line, err := p.in.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		method, id := envelope(line)
		switch method {
		case "initialize":
			err = p.answer(id, `{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"bench","version":"1.0.0"},"authMethods":[]}`)
		case "session/new":
			err = p.answer(id, `{"sessionId":"`+sessionID(p.opened)+`"}`)
			p.opened++
		case "session/prompt":
			if s.Kind == kindPrompt && len(line) < s.Size {
				return fmt.Errorf("prompt of %d bytes, want %d", len(line), s.Size)
			}
			if prompts = append(prompts, id); len(prompts) == s.Sessions {
				err = p.turn(prompts)
				prompts = prompts[:0]
			}
		}
		if err != nil {
			return err
		}
	}
}

// turn does what the prompts ask for, once all sessions have one, and answers them.
func (p *producer) turn(prompts []string) error {
	n := p.spec.Items
	if p.sent < p.spec.Warm {
		n = p.spec.Warm
	}
	var err error
	switch {
	case p.spec.Kind == kindAsk:
		err = p.ask(n)
	case p.spec.Kind == kindStream && p.spec.Paced:
		err = p.paced(n)
	case p.spec.Kind == kindStream:
		_, err = p.out.Write(p.stream.lines(p.sent, p.sent+n))
		p.sent += n
	}
	if err != nil {
		return err
	}
	var answers []byte
	for _, id := range prompts {
		answers = append(answers, `{"jsonrpc":"2.0","id":`+id+`,"result":{"stopReason":"end_turn"}}`+"\n"...)
	}
	_, err = p.out.Write(answers)
	return err
}

// paced writes n updates in halves of the window. A half is written when the one before the last has been handled.
func (p *producer) paced(n int) error {
	const half = window / 2
	got := make([]byte, 256)
	for end := p.sent + n; p.sent < end; {
		block := p.sent / half
		for p.credit < block-1 {
			k, err := p.credits.Read(got)
			if err != nil {
				return fmt.Errorf("cannot read credits: %w", err)
			}
			p.credit += k
		}
		next := min(end, (block+1)*half)
		if _, err := p.out.Write(p.stream.lines(p.sent, next)); err != nil {
			return err
		}
		p.sent = next
	}
	return nil
}

// ask sends n permission requests, each after the answer to the one before.
func (p *producer) ask(n int) error {
	tail := append([]byte(`,"method":"session/request_permission","params":{"sessionId":"`+sessionID(0)+
		`","toolCall":{"toolCallId":"call_1","title":"Run the tests","kind":"execute","status":"pending","rawInput":{"command":"`), p.raw...)
	tail = append(tail, `"}},"options":[{"optionId":"allow","name":"Allow","kind":"allow_once"},{"optionId":"reject","name":"Reject","kind":"reject_once"}]}}`+"\n"...)
	line := []byte(`{"jsonrpc":"2.0","id":`)
	head := len(line)
	for range n {
		p.sent++
		id := strconv.Itoa(p.sent)
		line = append(append(line[:head], id...), tail...)
		if _, err := p.out.Write(line); err != nil {
			return err
		}
		answer, err := p.in.next()
		if err != nil {
			return err
		}
		if _, got := envelope(answer); got != id || !bytes.Contains(answer, []byte(`"allow"`)) {
			return fmt.Errorf("answer to request %s: %.200s", id, answer)
		}
	}
	return nil
}

func (p *producer) answer(id, result string) error {
	_, err := io.WriteString(p.out, `{"jsonrpc":"2.0","id":`+id+`,"result":`+result+"}\n")
	return err
}

// envelope finds the method and the id of a line. Both must stand near its beginning or its end, since the lines that
// clients write may be long and must not cost time here.
func envelope(line []byte) (method, id string) {
	const near = 200
	for _, part := range [][]byte{line[:min(near, len(line))], line[max(0, len(line)-near):]} {
		if _, rest, ok := bytes.Cut(part, []byte(`"method":"`)); ok && method == "" {
			name, _, _ := bytes.Cut(rest, []byte(`"`))
			method = string(name)
		}
		if _, rest, ok := bytes.Cut(part, []byte(`"id":`)); ok && id == "" {
			id = string(rest[:max(0, bytes.IndexAny(rest, ",}"))])
		}
	}
	return method, id
}
