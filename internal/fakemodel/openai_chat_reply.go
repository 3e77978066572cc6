package fakemodel

import (
	"iter"
	"net/http"
)

// chat answers one chat completions request.
type chat struct {
	server       *Server
	id           string
	model        string
	includeUsage bool
}

type chatCompletion struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`
	Created int          `json:"created"`
	Model   string       `json:"model"`
	Choices []chatChoice `json:"choices"`
	Usage   *chatUsage   `json:"usage,omitempty"`
}

type chatChoice struct {
	Index        int          `json:"index"`
	Message      *chatMessage `json:"message,omitempty"`
	Delta        *chatDelta   `json:"delta,omitempty"`
	FinishReason *string      `json:"finish_reason"`
}

type chatMessage struct {
	Role      string         `json:"role"`
	Content   *string        `json:"content"` // null beside a bare tool call
	Reasoning string         `json:"reasoning_content,omitempty"`
	ToolCalls []chatToolCall `json:"tool_calls,omitempty"`
}

// chatDelta is what one chunk adds to a message.
type chatDelta struct {
	Role      string         `json:"role,omitempty"`
	Content   *string        `json:"content,omitempty"`
	Reasoning string         `json:"reasoning_content,omitempty"`
	ToolCalls []chatToolCall `json:"tool_calls,omitempty"`
}

type chatToolCall struct {
	Index    *int         `json:"index,omitempty"` // in deltas only
	ID       string       `json:"id,omitempty"`
	Type     string       `json:"type,omitempty"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

type chatUsage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
	Details          struct {
		CachedTokens int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

func newChatUsage() *chatUsage {
	u := &chatUsage{
		PromptTokens: usagePrompt, CompletionTokens: usageCompletion,
		TotalTokens: usagePrompt + usageCompletion,
	}
	u.Details.CachedTokens = usageCached
	return u
}

// finish returns the finish_reason of a reply.
func (c *chat) finish(r Reply) *string {
	if r.Kind == KindTool {
		return new("tool_calls")
	}
	return new("stop")
}

func (c *chat) whole(w http.ResponseWriter, r Reply, text string) {
	m := &chatMessage{Role: roleAssistant, Reasoning: r.Thinking}
	if r.hasText(text) {
		m.Content = &text
	}
	if r.Kind == KindTool {
		m.ToolCalls = []chatToolCall{{
			ID: c.server.nextID("call_"), Type: "function",
			Function: chatFunction{Name: r.Tool.Name, Arguments: string(r.Tool.Args)},
		}}
	}
	writeJSON(w, http.StatusOK, chatCompletion{
		ID: c.id, Object: "chat.completion", Created: created, Model: c.model,
		Choices: []chatChoice{{Message: m, FinishReason: c.finish(r)}},
		Usage:   newChatUsage(),
	})
}

func (c *chat) chunk(choices []chatChoice, usage *chatUsage) chatCompletion {
	return chatCompletion{
		ID: c.id, Object: "chat.completion.chunk", Created: created, Model: c.model,
		Choices: choices, Usage: usage,
	}
}

func (c *chat) delta(d chatDelta) chatCompletion {
	return c.chunk([]chatChoice{{Delta: &d}}, nil)
}

func (c *chat) stream(e *events, r Reply, pieces iter.Seq2[string, error]) error {
	// An error of the first sends is kept by e and comes back from the last.
	_ = e.json(c.delta(chatDelta{Role: roleAssistant, Content: new("")}))
	for piece := range split(r.Thinking) {
		_ = e.json(c.delta(chatDelta{Reasoning: piece}))
	}
	for piece, err := range pieces {
		if err != nil {
			return err
		}
		if err := e.json(c.delta(chatDelta{Content: &piece})); err != nil {
			return err
		}
	}
	if r.Kind == KindTool {
		c.streamTool(e, r.Tool)
	}
	// Asked for or not, the usage comes last: in a chunk of its own for those
	// who know that form, else with the finish reason.
	last := newChatUsage()
	finish := []chatChoice{{Delta: &chatDelta{}, FinishReason: c.finish(r)}}
	if c.includeUsage {
		_ = e.json(c.chunk(finish, nil))
		_ = e.json(c.chunk([]chatChoice{}, last))
	} else {
		_ = e.json(c.chunk(finish, last))
	}
	return e.text("[DONE]")
}

// streamTool sends the call first and its arguments after it, in pieces, as
// models do.
func (c *chat) streamTool(e *events, t ToolCall) {
	index := 0
	_ = e.json(c.delta(chatDelta{ToolCalls: []chatToolCall{{
		Index: &index, ID: c.server.nextID("call_"), Type: "function",
		Function: chatFunction{Name: t.Name},
	}}}))
	for piece := range split(string(t.Args)) {
		_ = e.json(c.delta(chatDelta{ToolCalls: []chatToolCall{{
			Index: &index, Function: chatFunction{Arguments: piece},
		}}}))
	}
}
