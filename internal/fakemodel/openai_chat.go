package fakemodel

import (
	"encoding/json"
	"fmt"
)

func chatAPI() api { return api{name: APIChat, decode: decodeChat, fail: failOpenAI} }

// chatBody is what is read of a chat completions request.
type chatBody struct {
	Model         string `json:"model"`
	Stream        bool   `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Messages []struct {
		Role    string  `json:"role"`
		Content content `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
	ResponseFormat struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

func decodeChat(s *Server, data []byte) (Request, dialect, error) {
	var body chatBody
	if err := json.Unmarshal(data, &body); err != nil {
		return Request{}, nil, fmt.Errorf("cannot read the chat completions request: %w", err)
	}
	req := Request{
		Model: body.Model, Stream: body.Stream,
		JSON: demandsJSON(body.ResponseFormat.Type), Schema: body.ResponseFormat.JSONSchema.Schema,
	}
	for _, m := range body.Messages {
		req.Messages = append(req.Messages, Message{Role: m.Role, Text: m.Content.text()})
	}
	for _, t := range body.Tools {
		req.Tools = append(req.Tools, t.Function.Name)
	}
	return req, &chat{
		server: s, id: s.nextID("chatcmpl-"), model: body.Model,
		includeUsage: body.StreamOptions.IncludeUsage,
	}, nil
}
