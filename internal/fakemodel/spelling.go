package fakemodel

import (
	"bytes"
	"encoding/json"
	"strings"
)

// spelled is an object whose own members may be spelled in camel case or in
// snake case, as protocol buffers have it: clients of Gemini use both.
type spelled[T any] struct{ is T }

func (s *spelled[T]) UnmarshalJSON(data []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	// The decoder pays no heed to capitals: "somename" is "someName".
	plain := make(map[string]json.RawMessage, len(members))
	for name, value := range members {
		plain[strings.ReplaceAll(name, "_", "")] = value
	}
	var again bytes.Buffer
	enc := json.NewEncoder(&again)
	enc.SetEscapeHTML(false) // values stay what they are
	if err := enc.Encode(plain); err != nil {
		return err
	}
	return json.Unmarshal(again.Bytes(), &s.is)
}
