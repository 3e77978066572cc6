package fakemodel

import (
	"encoding/json"
	"iter"
	"net/http"
)

// responses answers one responses request.
type responses struct {
	server *Server
	id     string
	model  string
	tools  map[string]responsesOffer // by the names in Request.Tools
}

type responsesDocument struct {
	ID                string          `json:"id"`
	Object            string          `json:"object"`
	CreatedAt         int             `json:"created_at"`
	Status            string          `json:"status"`
	Error             *struct{}       `json:"error"`
	IncompleteDetails *struct{}       `json:"incomplete_details"`
	Model             string          `json:"model"`
	Output            []any           `json:"output"`
	Usage             *responsesUsage `json:"usage"`
}

type responsesUsage struct {
	InputTokens  int `json:"input_tokens"`
	InputDetails struct {
		CachedTokens int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	OutputTokens  int `json:"output_tokens"`
	OutputDetails struct {
		ReasoningTokens int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	TotalTokens int `json:"total_tokens"`
}

// responsesMessage is an output item with the text of the answer.
type responsesMessage struct {
	Type    string          `json:"type"`
	ID      string          `json:"id"`
	Status  string          `json:"status"`
	Role    string          `json:"role"`
	Content []responsesPart `json:"content"`
}

// responsesPart is a part of a message or of a reasoning's summary.
type responsesPart struct {
	Type        string    `json:"type"`
	Text        string    `json:"text"`
	Annotations *[]string `json:"annotations,omitempty"` // in messages only, and empty
}

type responsesReasoning struct {
	Type    string          `json:"type"`
	ID      string          `json:"id"`
	Summary []responsesPart `json:"summary"`
}

// responsesCall is a call of a tool: with arguments, or with the input of a
// custom tool.
type responsesCall struct {
	Type      string  `json:"type"`
	ID        string  `json:"id"`
	CallID    string  `json:"call_id"`
	Status    string  `json:"status"`
	Namespace string  `json:"namespace,omitempty"`
	Name      string  `json:"name"`
	Arguments *string `json:"arguments,omitempty"`
	Input     *string `json:"input,omitempty"`
}

// The states of a response and its items.
const (
	inProgress = "in_progress"
	completed  = "completed"
)

func (d *responses) document(status string, output []any) responsesDocument {
	doc := responsesDocument{
		ID: d.id, Object: "response", CreatedAt: created, Status: status,
		Model: d.model, Output: output,
	}
	if status == completed {
		u := &responsesUsage{
			InputTokens: usagePrompt, OutputTokens: usageCompletion,
			TotalTokens: usagePrompt + usageCompletion,
		}
		u.InputDetails.CachedTokens = usageCached
		doc.Usage = u
	}
	return doc
}

func outputPart(text string) responsesPart {
	return responsesPart{Type: "output_text", Text: text, Annotations: new([]string{})}
}

func summaryPart(text string) responsesPart { return responsesPart{Type: "summary_text", Text: text} }

func (d *responses) message(id, status string, parts ...responsesPart) responsesMessage {
	return responsesMessage{
		Type: "message", ID: id, Status: status, Role: roleAssistant,
		Content: append([]responsesPart{}, parts...),
	}
}

func (d *responses) reasoning(id string, parts ...responsesPart) responsesReasoning {
	return responsesReasoning{Type: "reasoning", ID: id, Summary: append([]responsesPart{}, parts...)}
}

// call returns a finished call and its arguments or input.
func (d *responses) call(t ToolCall) (item responsesCall, argument string) {
	item = responsesCall{
		Type: "function_call", ID: d.server.nextID("fc_"), CallID: d.server.nextID("call_"),
		Status: completed, Name: t.Name,
	}
	offer, ok := d.tools[t.Name]
	if ok {
		item.Namespace, item.Name = offer.namespace, offer.name
	}
	argument = string(t.Args)
	if offer.custom {
		argument = customInput(t.Args)
		item.Type, item.Input = "custom_tool_call", &argument
		return item, argument
	}
	item.Arguments = &argument
	return item, argument
}

// customInput is the text for a tool that takes no JSON.
func customInput(args json.RawMessage) string {
	var wrapped struct {
		Input *string `json:"input"`
	}
	if json.Unmarshal(args, &wrapped) == nil && wrapped.Input != nil {
		return *wrapped.Input
	}
	return string(args)
}

func (d *responses) whole(w http.ResponseWriter, r Reply, text string) {
	output := []any{}
	if r.Thinking != "" {
		output = append(output, d.reasoning(d.server.nextID("rs_"), summaryPart(r.Thinking)))
	}
	if r.hasText(text) {
		output = append(output, d.message(d.server.nextID("msg_"), completed, outputPart(text)))
	}
	if r.Kind == KindTool {
		item, _ := d.call(r.Tool)
		output = append(output, item)
	}
	writeJSON(w, http.StatusOK, d.document(completed, output))
}

func (d *responses) stream(e *events, r Reply, pieces iter.Seq2[string, error]) error {
	s := &responsesStream{responses: d, events: e, output: []any{}}
	// An error of the first sends is kept by e and comes back from the last.
	for _, name := range []string{"response.created", "response.in_progress"} {
		_ = s.send(responsesEvent{Type: name, Response: d.document(inProgress, []any{})})
	}
	if r.Thinking != "" {
		s.think(r.Thinking)
	}
	if err := s.say(r, pieces); err != nil {
		return err
	}
	if r.Kind == KindTool {
		s.callTool(r.Tool)
	}
	return s.send(responsesEvent{Type: "response.completed", Response: d.document(completed, s.output)})
}
