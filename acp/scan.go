package acp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
)

// The scanner below checks that a text is one JSON value and finds members in it, in one pass and without allocating.
// Everything that routing needs is found this way; typed decoding happens later and elsewhere.

var errSyntax = errors.New("invalid JSON")

// maxDepth is the nesting that is accepted; encoding/json has the same limit.
const maxDepth = 10000

// cursor walks a JSON text in one pass, checking it on the way. The walk of an object reads
//
//	for more := c.object(); more; more = c.next('}') {
//		switch key := c.key(); string(key) {
//		case "id":
//			id = c.value()
//		default:
//			c.skip()
//		}
//	}
//
// and that of an array the same without the key. After an error every method does nothing and returns nothing, so that
// all walks end; c.bad tells.
type cursor struct {
	b     []byte
	i     int
	depth int
	bad   bool
}

// fail ends every walk.
func (c *cursor) fail() {
	c.bad = true
	c.i = len(c.b)
}

func (c *cursor) space() {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\t', '\r', '\n':
			c.i++
		default:
			return
		}
	}
}

// peek returns the next byte, 0 at the end.
func (c *cursor) peek() byte {
	if c.i < len(c.b) {
		return c.b[c.i]
	}
	return 0
}

// object enters the object at the cursor and reports whether it has a member.
func (c *cursor) object() bool { return c.open('{', '}') }

// array enters the array at the cursor and reports whether it has an element.
func (c *cursor) array() bool { return c.open('[', ']') }

func (c *cursor) open(bracket, end byte) bool {
	if c.peek() != bracket || c.depth >= maxDepth {
		c.fail()
		return false
	}
	c.i++
	c.space()
	if c.peek() == end {
		c.i++
		return false
	}
	c.depth++
	return true
}

// next goes on to the next member or element, or leaves the object or array that ends with end.
func (c *cursor) next(end byte) bool {
	c.space()
	switch c.peek() {
	case ',':
		c.i++
		c.space()
		return true
	case end:
		c.i++
		c.depth--
		return false
	}
	c.fail()
	return false
}

// key reads the key of a member, escapes resolved, and goes on to its value.
func (c *cursor) key() []byte {
	from := c.i
	if c.peek() != '"' || !c.str() {
		c.fail()
		return nil
	}
	key := c.b[from+1 : c.i-1]
	if c.i < len(c.b) && c.b[c.i] == ':' { // as everybody writes it
		c.i++
	} else {
		c.space()
		if c.peek() != ':' {
			c.fail()
			return nil
		}
		c.i++
	}
	c.space()
	if bytes.IndexByte(key, '\\') >= 0 {
		key = unescape(c.b[from : from+len(key)+2])
	}
	return key
}

// value reads the value at the cursor and returns it as it is written.
func (c *cursor) value() []byte {
	from := c.i
	c.skip()
	if c.bad {
		return nil
	}
	return c.b[from:c.i:c.i]
}

// skip reads the value at the cursor.
func (c *cursor) skip() {
	switch c.peek() {
	case '"':
		c.str()
	case '{':
		for more := c.object(); more; more = c.next('}') {
			c.skipKey()
			c.skip()
		}
	case '[':
		for more := c.array(); more; more = c.next(']') {
			c.skip()
		}
	case 't':
		c.literal("true")
	case 'f':
		c.literal("false")
	case 'n':
		c.literal("null")
	default:
		c.number()
	}
}

func (c *cursor) skipKey() {
	if c.peek() != '"' || !c.str() {
		c.fail()
		return
	}
	c.space()
	if c.peek() != ':' {
		c.fail()
		return
	}
	c.i++
	c.space()
}

func (c *cursor) literal(text string) {
	if len(c.b)-c.i < len(text) || string(c.b[c.i:c.i+len(text)]) != text {
		c.fail()
		return
	}
	c.i += len(text)
}

// str reads the string whose opening quote is at the cursor.
func (c *cursor) str() bool {
	i := c.i + 1
	for {
		i = plainPrefix(c.b, i)
		if i >= len(c.b) {
			break
		}
		if c.b[i] == '"' {
			c.i = i + 1
			return true
		}
		n := escapeLen(c.b, i)
		if n == 0 { // a control character, or a backslash before something else
			break
		}
		i += n
	}
	c.fail()
	return false
}

// plainPrefix returns the index of the first byte at or after i that ends a string, escapes, or is a control character.
func plainPrefix(b []byte, i int) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	for i+8 <= len(b) {
		w := binary.LittleEndian.Uint64(b[i:])
		quote := w ^ ('"' * ones)
		slash := w ^ ('\\' * ones)
		// A byte is marked when it is zero after the XOR, or below 0x20; a borrow can only mark a byte above a true hit,
		// and only the lowest mark is used.
		hit := ((quote - ones) &^ quote) | ((slash - ones) &^ slash) | ((w - 0x20*ones) &^ w)
		if hit &= highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
		i += 8
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= 0x20 {
		i++
	}
	return i
}

// escapeLen returns the length of the escape sequence at i, or 0 if there is none.
func escapeLen(b []byte, i int) int {
	if b[i] != '\\' || i+1 >= len(b) {
		return 0
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if i+6 > len(b) {
			return 0
		}
		for _, c := range b[i+2 : i+6] {
			if !isHex(c) {
				return 0
			}
		}
		return 6
	}
	return 0
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func skipDigits(b []byte, i int) int {
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	return i
}

// number reads the number at the cursor.
func (c *cursor) number() {
	b, i := c.b, c.i
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	case i < len(b) && isDigit(b[i]):
		i = skipDigits(b, i)
	default:
		c.fail()
		return
	}
	if i < len(b) && b[i] == '.' {
		first := i + 1
		if i = skipDigits(b, first); i == first {
			c.fail()
			return
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		first := i
		if i = skipDigits(b, first); i == first {
			c.fail()
			return
		}
	}
	c.i = i
}

// atEnd reports whether a value was read without an error and nothing but white space follows.
func (c *cursor) atEnd() bool {
	c.space()
	return !c.bad && c.i == len(c.b)
}

// checkJSON reports whether b is exactly one JSON value.
func checkJSON(b []byte) error {
	c := cursor{b: b}
	c.space()
	c.skip()
	if !c.atEnd() {
		return errSyntax
	}
	return nil
}

// eachMember hands the members of the object in raw to fn. It reports whether raw is an object.
func eachMember(raw []byte, fn func(key, value []byte)) bool {
	c := cursor{b: raw}
	c.space()
	for more := c.object(); more; more = c.next('}') {
		key := c.key()
		if value := c.value(); !c.bad {
			fn(key, value)
		}
	}
	return !c.bad
}

// eachElement hands the elements of the array in raw to fn. It reports whether raw is an array.
func eachElement(raw []byte, fn func(value []byte)) bool {
	c := cursor{b: raw}
	c.space()
	for more := c.array(); more; more = c.next(']') {
		if value := c.value(); !c.bad {
			fn(value)
		}
	}
	return !c.bad
}

// unescape resolves the JSON string token (quotes included); what cannot be resolved stays as it is.
func unescape(token []byte) []byte {
	s, err := decodeString(token)
	if err != nil {
		return token[1 : len(token)-1]
	}
	return []byte(s)
}
