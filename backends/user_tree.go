package backends

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// node is a JSON value as it was written: a member that is there twice is there twice, so that it can be told.
type node struct {
	kind    jsontext.Kind
	text    string // of a string, or the literal of a number
	members []member
	elems   []node
}

type member struct {
	name  string
	value node
}

// String never shows what a value is: it may be a secret in the wrong place.
func (n node) String() string {
	switch n.kind {
	case jsontext.KindBeginObject:
		return "an object"
	case jsontext.KindBeginArray:
		return "a list"
	case jsontext.KindString:
		return "a string"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindNull:
		return "null"
	default:
		return "a boolean"
	}
}

// readTree reads one JSON value and nothing after it. Its errors quote nothing of the text.
func readTree(text []byte) (node, error) {
	switch {
	case len(text) > maxUserFile:
		return node{}, errors.New("it is larger than 1 MiB")
	case bytes.HasPrefix(text, []byte("\xef\xbb\xbf")):
		return node{}, errors.New("it begins with a byte order mark: save it as UTF-8 without one")
	case bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")):
		return node{}, errors.New("it is UTF-16: save it as UTF-8")
	case !utf8.Valid(text):
		return node{}, errors.New("it is not UTF-8")
	case len(bytes.TrimSpace(text)) == 0:
		return node{}, errors.New("it is empty")
	}
	dec := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
	n, err := readNode(dec)
	if err != nil {
		return node{}, syntaxFault(text, err)
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return node{}, errors.New("there is more after the object")
	}
	return n, nil
}

func readNode(dec *jsontext.Decoder) (node, error) {
	token, err := dec.ReadToken()
	if err != nil {
		return node{}, err
	}
	n := node{kind: token.Kind()}
	switch n.kind {
	case jsontext.KindString, jsontext.KindNumber:
		n.text = token.String()
	case jsontext.KindBeginObject:
		for dec.PeekKind() != jsontext.KindEndObject {
			name, err := dec.ReadToken()
			if err != nil {
				return n, err
			}
			m := member{name: name.String()} // before the token's memory is used again
			if m.value, err = readNode(dec); err != nil {
				return n, err
			}
			n.members = append(n.members, m)
		}
		_, err = dec.ReadToken()
	case jsontext.KindBeginArray:
		for dec.PeekKind() != jsontext.KindEndArray {
			elem, err := readNode(dec)
			if err != nil {
				return n, err
			}
			n.elems = append(n.elems, elem)
		}
		_, err = dec.ReadToken()
	default:
	}
	return n, err
}

// syntaxFault says where the text is no JSON. What is there is not said: it may be within a secret.
func syntaxFault(text []byte, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("it ends in the middle of the JSON")
	}
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return errors.New("it is not JSON")
	}
	offset := min(max(syntax.ByteOffset, 0), int64(len(text)))
	line := 1 + bytes.Count(text[:offset], []byte("\n"))
	for _, mark := range []string{"//", "/*", "#"} {
		if bytes.HasPrefix(bytes.TrimLeft(text[offset:], " \t\r\n,"), []byte(mark)) {
			return fmt.Errorf("line %d is not JSON: there are no comments", line)
		}
	}
	return fmt.Errorf("line %d is not JSON", line)
}
