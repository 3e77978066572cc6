package fakemodel

import (
	"encoding/json"
	"iter"
	"net/http"
)

// anthropic answers one messages request.
type anthropic struct {
	server *Server
	id     string
	model  string
}

type anthropicMessage struct {
	ID           string           `json:"id"`
	Type         string           `json:"type"`
	Role         string           `json:"role"`
	Model        string           `json:"model"`
	Content      []anthropicBlock `json:"content"`
	StopReason   *string          `json:"stop_reason"`
	StopSequence *string          `json:"stop_sequence"`
	Usage        anthropicUsage   `json:"usage"`
}

// anthropicBlock is a block of an answer; what does not belong to its type is
// left out.
type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text,omitempty"`
	Thinking  *string         `json:"thinking,omitempty"`
	Signature *string         `json:"signature,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
}

type anthropicUsage struct {
	InputTokens         int `json:"input_tokens"`
	CacheCreationTokens int `json:"cache_creation_input_tokens"`
	CacheReadTokens     int `json:"cache_read_input_tokens"`
	OutputTokens        int `json:"output_tokens"`
}

// newAnthropicUsage counts what was cached apart from the input, as this API
// does.
func newAnthropicUsage(output int) anthropicUsage {
	return anthropicUsage{
		InputTokens: usagePrompt - usageCached, CacheReadTokens: usageCached, OutputTokens: output,
	}
}

// signature vouches for thinking; clients only hand it back.
const signature = "c2lnbmF0dXJl"

func textBlock(text string) anthropicBlock { return anthropicBlock{Type: "text", Text: &text} }

func thinkingBlock(thinking, signature string) anthropicBlock {
	return anthropicBlock{Type: "thinking", Thinking: &thinking, Signature: &signature}
}

func (d *anthropic) toolBlock(name string, input json.RawMessage) anthropicBlock {
	return anthropicBlock{Type: "tool_use", ID: d.server.nextID("toolu_"), Name: name, Input: input}
}

func (d *anthropic) message(blocks []anthropicBlock, stop *string, output int) anthropicMessage {
	return anthropicMessage{
		ID: d.id, Type: "message", Role: roleAssistant, Model: d.model,
		Content: blocks, StopReason: stop, Usage: newAnthropicUsage(output),
	}
}

// stopReason returns the stop_reason of a reply.
func (d *anthropic) stopReason(r Reply) *string {
	if r.Kind == KindTool {
		return new("tool_use")
	}
	return new("end_turn")
}

func (d *anthropic) whole(w http.ResponseWriter, r Reply, text string) {
	var blocks []anthropicBlock
	if r.Thinking != "" {
		blocks = append(blocks, thinkingBlock(r.Thinking, signature))
	}
	if r.hasText(text) {
		blocks = append(blocks, textBlock(text))
	}
	if r.Kind == KindTool {
		blocks = append(blocks, d.toolBlock(r.Tool.Name, r.Tool.Args))
	}
	writeJSON(w, http.StatusOK, d.message(blocks, d.stopReason(r), usageCompletion))
}

func (d *anthropic) stream(e *events, r Reply, pieces iter.Seq2[string, error]) error {
	s := &anthropicStream{anthropic: d, events: e}
	// An error of the first sends is kept by e and comes back from the last.
	_ = s.send(anthropicEvent{Type: "message_start", Message: new(d.message([]anthropicBlock{}, nil, 1))})
	if r.Thinking != "" {
		s.think(r.Thinking)
	}
	if err := s.say(r, pieces); err != nil {
		return err
	}
	if r.Kind == KindTool {
		s.begin(d.toolBlock(r.Tool.Name, json.RawMessage("{}")))
		for piece := range split(string(r.Tool.Args)) {
			_ = s.delta(anthropicDelta{Type: "input_json_delta", PartialJSON: &piece})
		}
		s.end()
	}
	_ = s.send(anthropicEvent{
		Type: "message_delta", Delta: anthropicStop{StopReason: d.stopReason(r)},
		Usage: new(newAnthropicUsage(usageCompletion)),
	})
	return s.send(anthropicEvent{Type: "message_stop"})
}

// failAnthropic writes an error in the form of Anthropic.
func failAnthropic(w http.ResponseWriter, status int, message string) {
	kinds := map[int]string{
		http.StatusUnauthorized:          "authentication_error",
		http.StatusPaymentRequired:       "billing_error",
		http.StatusForbidden:             "permission_error",
		http.StatusNotFound:              "not_found_error",
		http.StatusRequestEntityTooLarge: "request_too_large",
		http.StatusTooManyRequests:       "rate_limit_error",
		http.StatusGatewayTimeout:        "timeout_error",
		529:                              "overloaded_error",
	}
	kind := kinds[status]
	switch {
	case kind != "":
	case status >= http.StatusInternalServerError:
		kind = "api_error"
	default:
		kind = "invalid_request_error"
	}
	type details struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	writeJSON(w, status, struct {
		Type  string  `json:"type"`
		Error details `json:"error"`
	}{"error", details{kind, message}})
}
