package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// floorClient does the least that can be done with the lines of an agent: it finds where they end and, with check,
// whether they are JSON. It sends requests back as they are. Lines have one form, so it knows them by their beginning.
type floorClient struct {
	tally    *tally
	agent    []string
	check    bool
	child    *child
	in       *lineReader
	sessions int
	id       int
	frame    []byte
	quoted   []byte // the text of all prompts as JSON
}

func (c *floorClient) open(sessions int) error {
	var err error
	if c.child, err = spawn(c.agent); err != nil {
		return err
	}
	c.in, c.sessions = newLineReader(c.child.out), sessions
	err = c.call("initialize", []byte(`{"protocolVersion":1}`))
	for range sessions {
		err = errors.Join(err, c.call("session/new", []byte(`{"cwd":"/","mcpServers":[]}`)))
	}
	return err
}

func (c *floorClient) call(method string, params []byte) error {
	if err := c.send(method, params); err != nil {
		return err
	}
	_, err := c.in.next()
	return err
}

func (c *floorClient) send(method string, params []byte) error {
	c.id++
	c.frame = append(c.frame[:0], `{"jsonrpc":"2.0","id":`...)
	c.frame = strconv.AppendInt(c.frame, int64(c.id), 10)
	c.frame = append(c.frame, `,"method":"`+method+`","params":`...)
	c.frame = append(append(c.frame, params...), "}\n"...)
	_, err := c.child.in.Write(c.frame)
	return err
}

func (c *floorClient) turn(text string) error {
	for i := range c.sessions {
		if err := c.prompt(i, text); err != nil {
			return err
		}
	}
	for answers := 0; answers < c.sessions; {
		line, err := c.in.next()
		if err != nil {
			return err
		}
		if c.check && !json.Valid(line) {
			return fmt.Errorf("not JSON: %.200s", line)
		}
		switch head := line[:min(60, len(line))]; {
		case bytes.HasPrefix(head, []byte(`{"jsonrpc":"2.0","method"`)):
			c.tally.update()
		case bytes.Contains(head, []byte(`"method"`)):
			c.tally.asked.Add(1)
			c.frame = append(append(c.frame[:0], line...), '\n')
			if _, err := c.child.in.Write(c.frame); err != nil {
				return err
			}
		default:
			answers++
		}
	}
	return nil
}

func (c *floorClient) prompt(session int, text string) error {
	if c.quoted == nil {
		var err error
		if c.quoted, err = json.Marshal(text); err != nil {
			return err
		}
	}
	params := []byte(`{"sessionId":"` + sessionID(session) + `","prompt":[{"type":"text","text":`)
	return c.send("session/prompt", append(append(params, c.quoted...), "}]}"...))
}

func (c *floorClient) close() {
	if c.child != nil {
		c.child.close()
	}
}
