package fakemodel

import (
	"encoding/json"
	"iter"
	"net/http"
)

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
	if r.hasText(text) {
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
