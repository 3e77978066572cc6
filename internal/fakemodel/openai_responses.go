package fakemodel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

func responsesAPI() api { return api{name: APIResponses, decode: decodeResponses, fail: failOpenAI} }

// responsesBody is what is read of a responses request.
type responsesBody struct {
	Model        string          `json:"model"`
	Stream       bool            `json:"stream"`
	Instructions content         `json:"instructions"`
	Input        responsesInput  `json:"input"`
	Tools        []responsesTool `json:"tools"`
	Text         struct {
		Format struct {
			Type   string          `json:"type"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"text"`
}

// responsesInput is a list of items; a mere string is a user message.
type responsesInput []responsesInputItem

// responsesInputItem is an item of any type. Not all have a content or an
// output, and those that have write different things into them.
type responsesInputItem struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Output  json.RawMessage `json:"output"`
}

func (in *responsesInput) UnmarshalJSON(data []byte) error {
	var text string
	if data[0] == '"' && json.Unmarshal(data, &text) == nil {
		*in = responsesInput{{Type: "message", Role: roleUser, Content: bytes.Clone(data)}}
		return nil
	}
	var items []responsesInputItem
	if err := json.Unmarshal(data, &items); err != nil {
		return fmt.Errorf("cannot read an input: %w", err)
	}
	*in = items
	return nil
}

// message returns what an item says, and false if it is none of the
// conversation.
func (item responsesInputItem) message() (Message, bool, error) {
	switch {
	case item.Type == "message", item.Type == "" && item.Role != "":
		var said content
		if len(item.Content) > 0 {
			if err := json.Unmarshal(item.Content, &said); err != nil {
				return Message{}, false, err
			}
		}
		return Message{Role: item.Role, Text: said.text()}, true, nil
	case strings.HasSuffix(item.Type, "_output"):
		return Message{Role: roleTool, Text: outputText(item.Output)}, true, nil
	case strings.HasSuffix(item.Type, "_call"), item.Type == "reasoning":
		return Message{Role: roleAssistant}, true, nil
	default:
		return Message{}, false, nil
	}
}

// responsesTool is a tool on offer. One of the type "namespace" has others
// inside; a built-in one has a type and no name.
type responsesTool struct {
	Type  string          `json:"type"`
	Name  string          `json:"name"`
	Tools []responsesTool `json:"tools"`
}

// responsesOffer is how a call names a tool on offer.
type responsesOffer struct {
	namespace, name string
	custom          bool // it takes a text instead of JSON
}

func decodeResponses(s *Server, data []byte) (Request, dialect, error) {
	var body responsesBody
	if err := json.Unmarshal(data, &body); err != nil {
		return Request{}, nil, fmt.Errorf("cannot read the responses request: %w", err)
	}
	format := body.Text.Format
	req := Request{
		Model: body.Model, Stream: body.Stream,
		JSON: demandsJSON(format.Type), Schema: format.Schema,
	}
	if len(body.Instructions) > 0 {
		req.Messages = append(req.Messages, Message{Role: roleSystem, Text: body.Instructions.text()})
	}
	for _, item := range body.Input {
		m, ok, err := item.message()
		if err != nil {
			return Request{}, nil, fmt.Errorf("cannot read the responses request: %w", err)
		}
		if ok {
			req.Messages = append(req.Messages, m)
		}
	}
	d := &responses{server: s, id: s.nextID("resp_"), model: body.Model, tools: map[string]responsesOffer{}}
	offer := func(name string, o responsesOffer) {
		req.Tools = append(req.Tools, name)
		d.tools[name] = o
	}
	for _, t := range body.Tools {
		switch {
		case t.Type == "namespace":
			for _, inner := range t.Tools {
				offer(t.Name+"/"+inner.Name, responsesOffer{t.Name, inner.Name, inner.Type == "custom"})
			}
		case t.Name == "":
			offer(t.Type, responsesOffer{name: t.Type})
		default:
			offer(t.Name, responsesOffer{name: t.Name, custom: t.Type == "custom"})
		}
	}
	return req, d, nil
}
