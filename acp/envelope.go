package acp

import (
	"bytes"
	"unicode/utf8"
)

// frameKind says what a line turned out to be.
type frameKind int

const (
	frameNoise        frameKind = iota // no frame of the protocol
	frameRequest                       // a method and an id
	frameNotification                  // a method alone
	frameResponse                      // an id and exactly one of a result and a non-null error
	frameEmpty                         // an id and nothing to settle its call with
	frameBatch                         // an array that holds an envelope
)

// envelope is what one pass over a line finds. All slices are parts of the line.
type envelope struct {
	kind     frameKind
	id       []byte // as written, nil if absent
	method   []byte // without quotes, escapes resolved
	params   []byte
	result   []byte
	rpcErr   []byte
	session  []byte // params.sessionId, without quotes
	update   []byte // params.update
	variant  []byte // params.update.sessionUpdate, without quotes
	paramsAt int    // where params begins in the line
	updateAt int    // where update begins in the line
	repaired bool   // junk in front of the frame was cut off
	badUTF8  bool   // some string holds bytes that are not UTF-8
}

var jsonNullToken = []byte("null")

// parseEnvelope classifies a line. A line that is not one whole JSON value gets one strict repair: what stands in front
// of its first brace is cut off if the rest is a whole frame that calls something or answers a call (oh-my-pi#11304).
func parseEnvelope(line []byte) envelope {
	e, ok := scanEnvelope(line)
	if !ok {
		cut := bytes.IndexByte(line, '{')
		if cut <= 0 {
			return envelope{}
		}
		if e, ok = scanEnvelope(line[cut:]); !ok || e.kind == frameNoise || e.kind == frameEmpty || e.method == nil && e.id == nil {
			return envelope{}
		}
		e.repaired = true
		e.badUTF8 = !utf8.Valid(line[cut:]) // what the junk holds is no string of the frame
		e.paramsAt += cut
		e.updateAt += cut
		return e
	}
	if e.kind != frameNoise {
		e.badUTF8 = !utf8.Valid(line)
	}
	return e
}

// scanEnvelope reports false if line is not one whole JSON value.
func scanEnvelope(line []byte) (envelope, bool) {
	c := cursor{b: line}
	c.space()
	switch c.peek() {
	case '{':
		e := scanFrame(&c)
		return e, c.atEnd()
	case '[':
		e := scanBatch(&c)
		return e, c.atEnd()
	default:
		c.skip()
		return envelope{}, c.atEnd()
	}
}

// scanFrame reads the object at the cursor. If the text turns out to be broken, what it returns means nothing.
func scanFrame(c *cursor) envelope {
	var e envelope
	var foreign, version bool
	for more := c.object(); more; more = c.next('}') {
		switch string(c.key()) {
		case "jsonrpc":
			value := c.value()
			version = string(value) != `"2.0"` && !isNull(value)
		case "id":
			e.id = c.value()
		case "method":
			e.method = notNull(c.value()) // null is absent: some peers write every member of one struct (kotlin-sdk#581)
		case "params":
			e.scanParams(c)
		case "result":
			e.result = c.value()
		case "error":
			e.rpcErr = c.value()
		case "_meta":
			c.skip()
		default:
			foreign = true
			c.skip()
		}
	}
	if version {
		return envelope{}
	}
	switch e.kind = e.classify(foreign); e.kind {
	case frameNoise:
		return envelope{}
	case frameNotification, frameRequest:
		e.method = bareString(e.method)
	default:
		e.params, e.paramsAt, e.session, e.update, e.updateAt, e.variant = nil, 0, nil, nil, 0, nil
	}
	return e
}

// scanParams reads params and finds in them what the reader needs to hand the frame over.
func (e *envelope) scanParams(c *cursor) {
	from := c.i
	e.session, e.update, e.updateAt, e.variant = nil, nil, 0, nil
	if c.peek() != '{' {
		e.params, e.paramsAt = notNull(c.value()), from
		return
	}
	for more := c.object(); more; more = c.next('}') {
		switch string(c.key()) {
		case "sessionId":
			e.session = bareString(c.value())
		case "update":
			e.scanUpdate(c)
		default:
			c.skip()
		}
	}
	e.params, e.paramsAt = c.b[from:c.i:c.i], from
}

func (e *envelope) scanUpdate(c *cursor) {
	from := c.i
	e.variant = nil
	if c.peek() != '{' {
		e.update, e.updateAt = notNull(c.value()), from
		return
	}
	for more := c.object(); more; more = c.next('}') {
		if string(c.key()) == "sessionUpdate" {
			e.variant = bareString(c.value())
		} else {
			c.skip()
		}
	}
	e.update, e.updateAt = c.b[from:c.i:c.i], from
}

func notNull(value []byte) []byte {
	if isNull(value) {
		return nil
	}
	return value
}

// classify decides by the members alone, so that a log object with a matching id never settles a call
// (benchflow#236) and an object with nothing but an id does not leave its call hanging (jsonrpsee#1045).
func (e *envelope) classify(foreign bool) frameKind {
	hasError := e.rpcErr != nil && !isNull(e.rpcErr)
	validID := e.id != nil && (isNull(e.id) || e.id[0] == '"' || e.id[0] == '-' || isDigit(e.id[0]))
	switch {
	case e.id != nil && !validID:
		return frameNoise
	case e.method != nil && (e.method[0] != '"' || e.result != nil && !isNull(e.result) || hasError):
		return frameNoise
	case e.method != nil && e.id != nil:
		return frameRequest
	case e.method != nil:
		return frameNotification
	case hasError && (e.id == nil || isNull(e.id)) && (foreign || e.rpcErr[0] != '{'):
		return frameNoise
	case hasError && (e.rpcErr[0] == '{' || !foreign):
		return frameResponse // with a null or no id as well: it settles nothing, but it is no noise (toolhive#6038)
	case hasError || e.id == nil:
		return frameNoise
	case e.result != nil:
		return frameResponse
	case foreign || e.params != nil:
		return frameNoise
	default:
		return frameEmpty
	}
}

// scanBatch finds out whether an array holds an envelope: such a batch is answered once, any other array is noise.
func scanBatch(c *cursor) envelope {
	kind := frameNoise
	for more := c.array(); more; more = c.next(']') {
		if c.peek() != '{' {
			c.skip()
			continue
		}
		if e := scanFrame(c); e.kind != frameNoise && e.kind != frameEmpty {
			kind = frameBatch
		}
	}
	return envelope{kind: kind}
}

func isNull(token []byte) bool { return bytes.Equal(token, jsonNullToken) }

// bareString returns the text of a string token, nil for any other token.
func bareString(token []byte) []byte {
	if len(token) < 2 || token[0] != '"' {
		return nil
	}
	if bytes.IndexByte(token, '\\') >= 0 {
		return unescape(token)
	}
	return token[1 : len(token)-1]
}
