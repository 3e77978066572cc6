package fakemodel

import (
	"encoding/json"
	"fmt"
)

func anthropicAPI() api {
	return api{name: APIAnthropic, decode: decodeAnthropic, fail: failAnthropic}
}

// anthropicBody is what is read of a messages request.
type anthropicBody struct {
	Model    string  `json:"model"`
	Stream   bool    `json:"stream"`
	System   content `json:"system"`
	Messages []struct {
		Role    string           `json:"role"`
		Content anthropicContent `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name string `json:"name"`
	} `json:"tools"`
	OutputConfig struct {
		Format anthropicFormat `json:"format"`
	} `json:"output_config"`
	OutputFormat anthropicFormat `json:"output_format"` // its former place
}

type anthropicFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

// anthropicContent is a list of blocks; a mere string is one block of text.
type anthropicContent []anthropicInputBlock

type anthropicInputBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Content json.RawMessage `json:"content"` // of a tool result; other types have their own
}

func (c *anthropicContent) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = anthropicContent{{Type: "text", Text: text}}
		return nil
	}
	var blocks []anthropicInputBlock
	if err := json.Unmarshal(data, &blocks); err != nil {
		return fmt.Errorf("cannot read a content: %w", err)
	}
	*c = blocks
	return nil
}

// messages returns the tool results, and after them the texts: those of a user
// one by one, those of others as one message.
func (c anthropicContent) messages(role string) []Message {
	var results, texts []Message
	var said content
	for _, block := range c {
		switch block.Type {
		case "tool_result":
			results = append(results, Message{Role: roleTool, Text: outputText(block.Content)})
		case "text":
			texts = append(texts, Message{Role: role, Text: block.Text})
			said = append(said, block.Text)
		}
	}
	if role != roleUser || len(results)+len(texts) == 0 {
		texts = []Message{{Role: role, Text: said.text()}}
	}
	return append(results, texts...)
}

func decodeAnthropic(s *Server, data []byte) (Request, dialect, error) {
	var body anthropicBody
	if err := json.Unmarshal(data, &body); err != nil {
		return Request{}, nil, fmt.Errorf("cannot read the messages request: %w", err)
	}
	format := body.OutputConfig.Format
	if format.Type == "" {
		format = body.OutputFormat
	}
	req := Request{
		Model: body.Model, Stream: body.Stream,
		JSON: demandsJSON(format.Type), Schema: format.Schema,
	}
	if len(body.System) > 0 {
		req.Messages = append(req.Messages, Message{Role: roleSystem, Text: body.System.text()})
	}
	for _, m := range body.Messages {
		req.Messages = append(req.Messages, m.Content.messages(m.Role)...)
	}
	for _, t := range body.Tools {
		req.Tools = append(req.Tools, t.Name)
	}
	return req, &anthropic{server: s, id: s.nextID("msg_"), model: body.Model}, nil
}
