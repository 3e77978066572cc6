package backends

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// filler puts values for placeholders by their names.
type filler map[string]string

// text fills the placeholders of a text.
func (f filler) text(s string) (string, error) {
	var fault error
	filled := regexp.MustCompile(`\$\{[^}]*\}?`).ReplaceAllStringFunc(s, func(found string) string {
		value, ok := f[strings.TrimSuffix(found[2:], "}")]
		switch {
		case !regexp.MustCompile(`^\$\{[a-z]+\}$`).MatchString(found):
			fault = errors.New("a placeholder is malformed") // not shown: it may be the end of a secret
		case !ok:
			fault = fmt.Errorf("unknown placeholder %s", found)
		}
		return value
	})
	if fault != nil {
		return "", fault
	}
	return filled, nil
}

// value fills the strings of a JSON value.
func (f filler) value(v any) (any, error) {
	var err error
	switch v := v.(type) {
	case string:
		return f.text(v)
	case []any:
		for i := range v {
			if v[i], err = f.value(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key := range v {
			if v[key], err = f.value(v[key]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// file fills the content of a file: an object becomes JSON again, a list of strings the lines of a text.
func (f filler) file(content json.RawMessage) ([]byte, error) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(content))
	dec.UseNumber() // numbers stay as they are written
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	filled, err := f.value(v)
	if err != nil {
		return nil, err
	}
	switch v := filled.(type) {
	case map[string]any:
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		err := enc.Encode(v)
		return text.Bytes(), err
	case []any:
		var text strings.Builder
		for _, line := range v {
			s, ok := line.(string)
			if !ok {
				return nil, errors.New("a line is no string")
			}
			text.WriteString(s + "\n")
		}
		return []byte(text.String()), nil
	default:
		return nil, errors.New("it is neither an object nor a list of lines")
	}
}
