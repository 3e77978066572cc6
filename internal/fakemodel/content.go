package fakemodel

import (
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
