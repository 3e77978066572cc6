package acp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
)

// The scanner below checks that a text is one JSON value and finds members in it, in one pass and without allocating.
// Everything that routing needs is found this way; typed decoding happens later and elsewhere.

var (
	errSyntax = errors.New("invalid JSON")
	errDepth  = errors.New("JSON nested too deep")
)

// maxDepth is the nesting that is accepted; encoding/json has the same limit.
const maxDepth = 10000

// skipSpace returns the index of the first byte at or after i that is not JSON white space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// skipValue returns the index after the value that begins at i, which must not be white space.
func skipValue(b []byte, i, depth int) (int, error) {
	if i >= len(b) {
		return i, errSyntax
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{':
		return scanObject(b, i, depth, nil)
	case '[':
		return scanArray(b, i, depth, nil)
	case 't':
		return skipLiteral(b, i, "true")
	case 'f':
		return skipLiteral(b, i, "false")
	case 'n':
		return skipLiteral(b, i, "null")
	default:
		return skipNumber(b, i)
	}
}

func skipLiteral(b []byte, i int, literal string) (int, error) {
	if len(b)-i < len(literal) || string(b[i:i+len(literal)]) != literal {
		return i, errSyntax
	}
	return i + len(literal), nil
}

// skipString skips the string whose opening quote is at i.
func skipString(b []byte, i int) (int, error) {
	i++
	for {
		i = plainPrefix(b, i)
		if i >= len(b) {
			return i, errSyntax
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, nil
		case c < 0x20:
			return i, errSyntax
		case c == '\\':
			n := escapeLen(b, i)
			if n == 0 {
				return i, errSyntax
			}
			i += n
		default:
			i++
		}
	}
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

// escapeLen returns the length of the escape sequence at i, or 0 if it is none.
func escapeLen(b []byte, i int) int {
	if i+1 >= len(b) {
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

func skipNumber(b []byte, i int) (int, error) {
	if b[i] == '-' {
		i++
	}
	if i >= len(b) || !isDigit(b[i]) {
		return i, errSyntax
	}
	if b[i] == '0' {
		i++
	} else {
		i = skipDigits(b, i)
	}
	if i < len(b) && b[i] == '.' {
		first := i + 1
		if i = skipDigits(b, first); i == first {
			return i, errSyntax
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		first := i
		if i = skipDigits(b, first); i == first {
			return i, errSyntax
		}
	}
	return i, nil
}

// scanObject checks the object at i and hands each member to fn, the key as the bytes between its quotes with any
// escapes resolved. A nil fn only checks.
func scanObject(b []byte, i, depth int, fn func(key []byte, from, to int)) (int, error) {
	if depth >= maxDepth {
		return i, errDepth
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1, nil
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return i, errSyntax
		}
		keyFrom := i + 1
		var err error
		if i, err = skipString(b, i); err != nil {
			return i, err
		}
		keyTo := i - 1
		if i = skipSpace(b, i); i >= len(b) || b[i] != ':' {
			return i, errSyntax
		}
		i = skipSpace(b, i+1)
		from := i
		if i, err = skipValue(b, i, depth+1); err != nil {
			return i, err
		}
		if fn != nil {
			key := b[keyFrom:keyTo]
			if bytes.IndexByte(key, '\\') >= 0 {
				key = unescape(b[keyFrom-1 : keyTo+1])
			}
			fn(key, from, i)
		}
		if i = skipSpace(b, i); i >= len(b) {
			return i, errSyntax
		}
		switch b[i] {
		case ',':
			i = skipSpace(b, i+1)
		case '}':
			return i + 1, nil
		default:
			return i, errSyntax
		}
	}
}

// scanArray checks the array at i and hands each element to fn. A nil fn only checks.
func scanArray(b []byte, i, depth int, fn func(from, to int)) (int, error) {
	if depth >= maxDepth {
		return i, errDepth
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1, nil
	}
	for {
		from := i
		var err error
		if i, err = skipValue(b, i, depth+1); err != nil {
			return i, err
		}
		if fn != nil {
			fn(from, i)
		}
		if i = skipSpace(b, i); i >= len(b) {
			return i, errSyntax
		}
		switch b[i] {
		case ',':
			i = skipSpace(b, i+1)
		case ']':
			return i + 1, nil
		default:
			return i, errSyntax
		}
	}
}

// checkJSON reports whether b is exactly one JSON value.
func checkJSON(b []byte) error {
	i, err := skipValue(b, skipSpace(b, 0), 0)
	if err != nil {
		return err
	}
	if skipSpace(b, i) != len(b) {
		return errSyntax
	}
	return nil
}

// eachMember hands the members of the object in raw to fn. It reports whether raw is an object.
func eachMember(raw []byte, fn func(key, value []byte)) bool {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return false
	}
	_, err := scanObject(raw, i, 0, func(key []byte, from, to int) { fn(key, raw[from:to:to]) })
	return err == nil
}

// eachElement hands the elements of the array in raw to fn. It reports whether raw is an array.
func eachElement(raw []byte, fn func(value []byte)) bool {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return false
	}
	_, err := scanArray(raw, i, 0, func(from, to int) { fn(raw[from:to:to]) })
	return err == nil
}

// unescape resolves the JSON string token (quotes included); what cannot be resolved stays as it is.
func unescape(token []byte) []byte {
	s, err := decodeString(token)
	if err != nil {
		return token[1 : len(token)-1]
	}
	return []byte(s)
}
