package fakemodel

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
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
	Tools    []struct {
		Functions []struct {
			Name string `json:"name"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
	Config struct {
		MIMEType   string          `json:"responseMimeType"`
		Schema     json.RawMessage `json:"responseSchema"`
		JSONSchema json.RawMessage `json:"responseJsonSchema"`
	} `json:"generationConfig"`
}

type geminiInput struct {
	Role  string `json:"role"`
	Parts []struct {
		Text     *string `json:"text"`
		Thought  bool    `json:"thought"`
		Response *struct {
			Response json.RawMessage `json:"response"`
		} `json:"functionResponse"`
	} `json:"parts"`
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
	for _, part := range in.Parts {
		switch {
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
	var body geminiBody
	if err := json.Unmarshal(data, &body); err != nil {
		return Request{}, nil, fmt.Errorf("cannot read the Gemini request: %w", err)
	}
	req := Request{
		Model: model, Stream: form == geminiEvents,
		JSON: body.Config.MIMEType == "application/json", Schema: body.Config.JSONSchema,
	}
	if len(req.Schema) == 0 {
		req.Schema = body.Config.Schema
	}
	if len(body.System.Parts) > 0 {
		body.System.Role = roleSystem // clients write anything here
		req.Messages = body.System.messages()
	}
	for _, in := range body.Contents {
		req.Messages = append(req.Messages, in.messages()...)
	}
	for _, t := range body.Tools {
		for _, function := range t.Functions {
			req.Tools = append(req.Tools, function.Name)
		}
	}
	return req, &gemini{id: s.nextID("resp_"), model: model, array: form == geminiArray}, nil
}

// gemini answers one generateContent request.
type gemini struct {
	id    string
	model string
	array bool
}

type geminiResponse struct {
	Candidates []geminiCandidate `json:"candidates"`
	Usage      *geminiUsage      `json:"usageMetadata,omitempty"`
	Model      string            `json:"modelVersion"`
	ID         string            `json:"responseId"`
}

type geminiCandidate struct {
	Content struct {
		Role  string       `json:"role"`
		Parts []geminiPart `json:"parts"`
	} `json:"content"`
	FinishReason string `json:"finishReason,omitempty"`
	Index        int    `json:"index"`
}

type geminiPart struct {
	Text    *string     `json:"text,omitempty"`
	Thought bool        `json:"thought,omitempty"`
	Call    *geminiCall `json:"functionCall,omitempty"`
}

type geminiCall struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type geminiUsage struct {
	Prompt     int `json:"promptTokenCount"`
	Candidates int `json:"candidatesTokenCount"`
	Total      int `json:"totalTokenCount"`
	Cached     int `json:"cachedContentTokenCount"`
}

func thoughtPart(thinking string) geminiPart { return geminiPart{Text: &thinking, Thought: true} }

func callPart(t ToolCall) geminiPart { return geminiPart{Call: &geminiCall{t.Name, t.Args}} }

func (d *gemini) chunk(parts ...geminiPart) geminiResponse {
	var one geminiCandidate
	one.Content.Role, one.Content.Parts = "model", parts
	return geminiResponse{Candidates: []geminiCandidate{one}, Model: d.model, ID: d.id}
}

// last is a chunk that ends the answer.
func (d *gemini) last(parts ...geminiPart) geminiResponse {
	c := d.chunk(parts...)
	c.Candidates[0].FinishReason = "STOP"
	c.Usage = &geminiUsage{
		Prompt: usagePrompt, Candidates: usageCompletion,
		Total: usagePrompt + usageCompletion, Cached: usageCached,
	}
	return c
}

func (d *gemini) whole(w http.ResponseWriter, r Reply, text string) {
	var parts []geminiPart
	if r.Thinking != "" {
		parts = append(parts, thoughtPart(r.Thinking))
	}
	if r.Kind != KindTool || text != "" {
		parts = append(parts, geminiPart{Text: &text})
	}
	if r.Kind == KindTool {
		parts = append(parts, callPart(r.Tool))
	}
	var document any = d.last(parts...)
	if d.array {
		document = []any{document}
	}
	writeJSON(w, http.StatusOK, document)
}

func (d *gemini) stream(e *events, r Reply, pieces iter.Seq2[string, error]) error {
	for piece := range split(r.Thinking) {
		_ = e.json(d.chunk(thoughtPart(piece)))
	}
	for piece, err := range pieces {
		if err != nil {
			return err
		}
		if err := e.json(d.chunk(geminiPart{Text: &piece})); err != nil {
			return err
		}
	}
	if r.Kind == KindTool {
		return e.json(d.last(callPart(r.Tool)))
	}
	// An empty text: some clients ignore a chunk without parts, end and all.
	return e.json(d.last(geminiPart{Text: new("")}))
}

// failGemini writes an error in the form of Gemini.
func failGemini(w http.ResponseWriter, status int, message string) {
	words := map[int]string{
		http.StatusUnauthorized:        "UNAUTHENTICATED",
		http.StatusForbidden:           "PERMISSION_DENIED",
		http.StatusNotFound:            "NOT_FOUND",
		http.StatusConflict:            "ABORTED",
		http.StatusTooManyRequests:     "RESOURCE_EXHAUSTED",
		499:                            "CANCELLED",
		http.StatusNotImplemented:      "UNIMPLEMENTED",
		http.StatusServiceUnavailable:  "UNAVAILABLE",
		http.StatusGatewayTimeout:      "DEADLINE_EXCEEDED",
		http.StatusInternalServerError: "INTERNAL",
		http.StatusBadRequest:          "INVALID_ARGUMENT",
	}
	word := words[status]
	switch {
	case word != "":
	case status > http.StatusInternalServerError:
		word = "INTERNAL"
	default:
		word = "INVALID_ARGUMENT"
	}
	type details struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Status  string `json:"status"`
	}
	writeJSON(w, status, struct {
		Error details `json:"error"`
	}{details{status, message, word}})
}
