package fakemodel

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The forms of an answer of Gemini, which the URL asks for.
type geminiForm int

const (
	geminiWhole  geminiForm = iota
	geminiEvents            // an event stream
	geminiArray             // a JSON array of what the events would be, here one
)

func geminiAPI(model string, form geminiForm) api {
	return api{
		name: APIGemini,
		decode: func(s *Server, data []byte) (Request, dialect, error) {
			return decodeGemini(s, data, model, form)
		},
		fail: failGemini,
	}
}

// geminiPath takes a path such as /v1beta/models/MODEL:METHOD apart. Both are
// "" if it is no such path.
func geminiPath(path string) (model, method string) {
	start := strings.LastIndex(path, "/models/")
	colon := strings.LastIndex(path, ":")
	if start < 0 || colon < start {
		return "", ""
	}
	return path[start+len("/models/") : colon], path[colon+1:]
}

// geminiBody is what is read of a generateContent request.
type geminiBody struct {
	System   geminiInput   `json:"systemInstruction"`
	Contents []geminiInput `json:"contents"`
	Tools    geminiTools   `json:"tools"`
	Config   spelled[struct {
		MIMEType   string          `json:"responseMimeType"`
		Schema     json.RawMessage `json:"responseSchema"`
		JSONSchema json.RawMessage `json:"responseJsonSchema"`
	}] `json:"generationConfig"`
}

// geminiTools is a list of groups of tools; one group may come without a list.
type geminiTools []spelled[geminiGroup]

type geminiGroup struct {
	Functions []struct {
		Name string `json:"name"`
	} `json:"functionDeclarations"`
}

func (t *geminiTools) UnmarshalJSON(data []byte) error {
	if data[0] == '{' {
		*t = make(geminiTools, 1)
		return json.Unmarshal(data, &(*t)[0])
	}
	return json.Unmarshal(data, (*[]spelled[geminiGroup])(t))
}

type geminiInput struct {
	Role  string `json:"role"`
	Parts []spelled[struct {
		Text     *string `json:"text"`
		Thought  bool    `json:"thought"`
		Response *struct {
			Response json.RawMessage `json:"response"`
		} `json:"functionResponse"`
	}] `json:"parts"`
}

// messages returns the tool results, and after them the texts as one message.
func (in geminiInput) messages() []Message {
	role := in.Role
	switch role {
	case "":
		role = roleUser
	case "model":
		role = roleAssistant
	}
	var all []Message
	var said content
	for _, p := range in.Parts {
		switch part := p.is; {
		case part.Response != nil:
			all = append(all, Message{Role: roleTool, Text: geminiResult(part.Response.Response)})
		case part.Text != nil && !part.Thought:
			said = append(said, *part.Text)
		}
	}
	if len(all) == 0 || len(said) > 0 {
		all = append(all, Message{Role: role, Text: said.text()})
	}
	return all
}

// geminiResult is the text of a tool result: what stands under the name most
// tools use, or all of it.
func geminiResult(response json.RawMessage) string {
	var wrapped struct {
		Output *string `json:"output"`
	}
	if json.Unmarshal(response, &wrapped) == nil && wrapped.Output != nil {
		return *wrapped.Output
	}
	return compactJSON(response)
}

func decodeGemini(s *Server, data []byte, model string, form geminiForm) (Request, dialect, error) {
	var either spelled[geminiBody]
	if err := json.Unmarshal(data, &either); err != nil {
		return Request{}, nil, fmt.Errorf("cannot read the Gemini request: %w", err)
	}
	body, config := either.is, either.is.Config.is
	req := Request{
		Model: model, Stream: form == geminiEvents,
		JSON: config.MIMEType == "application/json", Schema: config.JSONSchema,
	}
	if len(req.Schema) == 0 {
		req.Schema = config.Schema
	}
	if len(body.System.Parts) > 0 {
		body.System.Role = roleSystem // clients write anything here
		req.Messages = body.System.messages()
	}
	for _, in := range body.Contents {
		req.Messages = append(req.Messages, in.messages()...)
	}
	for _, group := range body.Tools {
		for _, function := range group.is.Functions {
			req.Tools = append(req.Tools, function.Name)
		}
	}
	return req, &gemini{id: s.nextID("resp_"), model: model, array: form == geminiArray}, nil
}
