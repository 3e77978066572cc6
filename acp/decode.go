package acp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
)

// Decoding never fails a message. A member of the wrong type keeps its zero value, a bad item of a list becomes an
// Unknown, and both leave a warning; null is the same as absent (the schema's own leniency, python-sdk#117).

// Warning tells of a part of a message that could not be decoded and kept its zero value. The raw bytes still have it.
type Warning struct {
	Path string // where, such as "content[2].text"
	Text string // what was wrong
}

func (w Warning) String() string { return w.Path + ": " + w.Text }

// maxWarnings bounds the warnings of one message: a long list can hold millions of bad items.
const maxWarnings = 100

// decoder gathers the warnings of one message. It knows where in the message it is; a path is made for a warning only.
type decoder struct {
	warnings []Warning
	path     []step
	room     [8]step // of path, enough for what is nested in updates

	lastMessage string // the message id of the chunk decoded last
}

// step leads into a member or, if that has no name, into an element.
type step struct {
	name  string
	index int
}

func (d *decoder) in(s step) {
	if d.path == nil {
		d.path = d.room[:0]
	}
	d.path = append(d.path, s)
}

func (d *decoder) out() { d.path = d.path[:len(d.path)-1] }

// at renders the path to a member of where the decoder is, to that itself if name is empty.
func (d *decoder) at(name string) string {
	var b strings.Builder
	member := func(name string) {
		if b.Len() > 0 && name != "" {
			b.WriteByte('.')
		}
		b.WriteString(name)
	}
	for _, s := range d.path {
		if s.name == "" {
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		} else {
			member(s.name)
		}
	}
	member(name)
	return b.String()
}

// warn tells of the member name of where the decoder is, or of that itself if name is empty.
func (d *decoder) warn(name, format string, args ...any) {
	path := d.at(name)
	switch len(d.warnings) {
	case maxWarnings:
		return
	case maxWarnings - 1:
		path, format, args = "", "more than %d parts cannot be decoded", []any{maxWarnings - 1}
	}
	d.warnings = append(d.warnings, Warning{Path: path, Text: fmt.Sprintf(format, args...)})
}

// decodeString returns the text of a JSON string token. Bytes that are not UTF-8 are replaced and reported.
func decodeString(token []byte) (string, error) {
	if len(token) < 2 || token[0] != '"' {
		return "", fmt.Errorf("want a string, have %s", kindOf(token))
	}
	if text := token[1 : len(token)-1]; bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text) {
		return string(text), nil
	}
	text, err := jsontext.AppendUnquote(make([]byte, 0, len(token)), token)
	return unsafe.String(unsafe.SliceData(text), len(text)), err // nobody else has the bytes
}

// str decodes a string member into dst, which keeps its value for null.
func (d *decoder) str(name string, token []byte, dst *string) {
	if isAbsent(token) {
		return
	}
	text, err := decodeString(token)
	if err != nil {
		d.warn(name, "%v", err)
	}
	if token[0] == '"' {
		*dst = text
	}
}

// optStr leaves dst alone for a token of the wrong type: an empty text would overwrite what is known.
func (d *decoder) optStr(name string, token []byte, dst **string) {
	var text string
	d.str(name, token, &text)
	if token[0] == '"' {
		*dst = &text
	}
}

func (d *decoder) boolean(name string, token []byte, dst *bool) {
	switch string(token) {
	case "true", "false":
		*dst = token[0] == 't'
	case "null":
	default:
		d.warn(name, "want a boolean, have %s", kindOf(token))
	}
}

func (d *decoder) integer(name string, token []byte, dst *int64) {
	if isNull(token) {
		return
	}
	n, ok := parseInteger(token)
	if !ok {
		d.warn(name, "want a 64-bit integer, have %s", kindOf(token))
		return
	}
	*dst = n
}

func (d *decoder) optInt(name string, token []byte, dst **int64) {
	if isAbsent(token) {
		return
	}
	n, ok := parseInteger(token)
	if !ok {
		d.warn(name, "want a 64-bit integer, have %s", kindOf(token))
		return
	}
	*dst = &n
}

// parseInteger reads any JSON number that is a whole number, such as 1.0 and 1e3.
func parseInteger(token []byte) (int64, bool) {
	if n, err := strconv.ParseInt(string(token), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(token), 64)
	if err != nil || f != math.Trunc(f) || f < math.MinInt64 || f >= math.MaxInt64 {
		return 0, false
	}
	return int64(f), true
}

func (d *decoder) number(name string, token []byte, dst *float64) {
	if isNull(token) {
		return
	}
	f, err := strconv.ParseFloat(string(token), 64)
	if err != nil {
		d.warn(name, "want a number, have %s", kindOf(token))
		return
	}
	*dst = f
}

// object hands the members of an object to fn; anything but an object or null is a warning. An empty name is the value
// that the decoder is at.
func (d *decoder) object(name string, token []byte, fn func(key, value []byte)) bool {
	if isAbsent(token) {
		return false
	}
	if name != "" {
		d.in(step{name: name})
		defer d.out()
	}
	if !eachMember(token, fn) {
		d.warn("", "want an object, have %s", kindOf(token))
		return false
	}
	return true
}

// item is object for an element of a list, where null is no absence but a bad item.
func (d *decoder) item(token []byte, fn func(key, value []byte)) bool {
	if isNull(token) {
		d.warn("", "want an object, have null")
		return false
	}
	return d.object("", token, fn)
}

// list hands the elements of an array to fn; anything but an array or null is a warning. It reports whether token is an
// array.
func (d *decoder) list(name string, token []byte, fn func(value []byte)) bool {
	if isNull(token) {
		return false
	}
	if name != "" {
		d.in(step{name: name})
		defer d.out()
	}
	index := 0
	ok := eachElement(token, func(value []byte) {
		d.in(step{index: index})
		fn(value)
		d.out()
		index++
	})
	if !ok {
		d.warn("", "want an array, have %s", kindOf(token))
	}
	return ok
}

// marker decodes an object marker of the protocol: {} is yes, null is no. Booleans are taken as well.
func (d *decoder) marker(name string, token []byte, dst *bool) {
	switch {
	case string(token) == "true" || token[0] == '{':
		*dst = true
	case string(token) == "false" || isNull(token):
		*dst = false
	default:
		d.warn(name, "want an object, have %s", kindOf(token))
	}
}

// isAbsent reports whether a member was not sent or is null.
func isAbsent(token []byte) bool { return len(token) == 0 || isNull(token) }

// kindOf names the kind of a JSON value, for errors; it never shows the value.
func kindOf(token []byte) string {
	if len(token) == 0 {
		return "nothing"
	}
	switch token[0] {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}

// discriminator returns the string member that selects the variant of a union.
func discriminator(raw []byte, member string) string {
	var kind string
	eachMember(raw, func(key, value []byte) {
		if string(key) == member {
			kind = string(bareString(value))
		}
	})
	return kind
}

// Meta returns the _meta member of raw, such as the Raw of a [SessionNotification] or of an [Unknown]; nil if absent.
func Meta(raw json.RawMessage) json.RawMessage {
	var meta json.RawMessage
	eachMember(raw, func(key, value []byte) {
		if string(key) == "_meta" && !isNull(value) {
			meta = value
		}
	})
	return meta
}
