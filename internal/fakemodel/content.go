package fakemodel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// content is the texts of a content that is null, a string or a list of parts.
// Parts without a text are left out.
type content []string

func (c *content) UnmarshalJSON(data []byte) error {
	*c = nil
	var text *string
	if json.Unmarshal(data, &text) == nil {
		if text != nil {
			*c = content{*text}
		}
		return nil
	}
	var parts []struct {
		Text *string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return fmt.Errorf("cannot read a content: %w", err)
	}
	for _, part := range parts {
		if part.Text != nil {
			*c = append(*c, *part.Text)
		}
	}
	return nil
}

// text is all texts, a line each.
func (c content) text() string { return strings.Join(c, "\n") }

// outputText is the text of a tool's output, or the JSON of one in another form.
func outputText(output json.RawMessage) string {
	var said content
	if len(output) == 0 || json.Unmarshal(output, &said) == nil {
		return said.text()
	}
	return compactJSON(output)
}

// compactJSON returns JSON without the space between its tokens.
func compactJSON(data json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return string(data)
	}
	return b.String()
}

// demandsJSON reports whether a format is one of those of JSON; the other is
// text.
func demandsJSON(format string) bool { return format == "json_object" || format == "json_schema" }
