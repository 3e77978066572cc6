package ndjson_test

import (
	"bytes"
	"errors"
	"io"

	"github.com/acpharness/acpharness/internal/ndjson"
)

// event is one result of a reader, in a form that can be compared.
type event struct {
	Line         string
	Unterminated bool
	TooLong      *ndjson.LineTooLongError
	Endless      *ndjson.EndlessLineError
	Err          error
}

// readAll reads until an error that is final.
func readAll(r *ndjson.Reader) []event {
	var events []event
	for {
		line, err := r.Next()
		var long *ndjson.LineTooLongError
		var endless *ndjson.EndlessLineError
		switch {
		case err == nil:
			events = append(events, event{Line: string(line), Unterminated: r.Unterminated()})
		case errors.As(err, &long):
			events = append(events, event{TooLong: long})
		case errors.As(err, &endless):
			return append(events, event{Endless: endless})
		default:
			return append(events, event{Err: err})
		}
	}
}

// chunks gives data in reads of the given sizes, over and over. A size of 0 is a read of nothing. If eofWithData is set,
// the end comes together with the last bytes.
type chunks struct {
	data        []byte
	sizes       []int
	eofWithData bool
	next        int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	size := c.sizes[c.next%len(c.sizes)]
	c.next++
	n := copy(p[:min(len(p), size)], c.data)
	c.data = c.data[n:]
	if c.eofWithData && len(c.data) == 0 {
		return n, io.EOF
	}
	return n, nil
}

// repeated is a stream of one byte, size times or for ever if size is negative.
type repeated struct {
	fill byte
	size int
	read int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.size >= 0 {
		if r.read == r.size {
			return 0, io.EOF
		}
		p = p[:min(len(p), r.size-r.read)]
	}
	if len(p) > 0 {
		p[0] = r.fill
		for n := 1; n < len(p); n *= 2 {
			copy(p[n:], p[:n])
		}
	}
	r.read += len(p)
	return len(p), nil
}

// line returns a line of n bytes without its newline.
func line(n int) []byte { return bytes.Repeat([]byte("x"), n) }

// reference is the obvious splitter: it has the whole stream in hand.
func reference(data []byte, limit int) []event {
	var events []event
	for len(data) > 0 {
		raw, rest, ended := bytes.Cut(data, []byte("\n"))
		data = rest
		trimmed := bytes.Trim(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")), " \t\r")
		switch {
		case len(raw) > 4*limit:
			return append(events, event{Endless: &ndjson.EndlessLineError{Read: 4 * limit, Max: limit}})
		case len(raw) > limit:
			head := bytes.Clone(raw[:min(limit, 4096)])
			events = append(events, event{TooLong: &ndjson.LineTooLongError{Length: len(raw), Max: limit, Head: head}})
		case len(trimmed) > 0:
			events = append(events, event{Line: string(trimmed), Unterminated: !ended})
		}
	}
	return append(events, event{Err: io.EOF})
}
