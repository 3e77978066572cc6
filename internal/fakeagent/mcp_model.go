package fakeagent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// chatMessage is a message in the form of chat completions.
type chatMessage struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"` // null beside a bare tool call
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// arguments is an object whatever the model wrote.
func (f chatFunction) arguments() json.RawMessage {
	if _, err := rawMembers(json.RawMessage(f.Arguments)); err != nil {
		return json.RawMessage("{}")
	}
	return json.RawMessage(f.Arguments)
}

// askModel sends the conversation and the tools on offer, and returns what the model says to that. A model that fails
// makes the turn fail, with an error that is for the client.
func (t *turn) askModel() (chatMessage, []mcpOffer, error) {
	offers, err := t.offers()
	if err != nil {
		return chatMessage{}, nil, err
	}
	t.server.mu.Lock()
	talk := t.session.rec.snapshot().Talk
	t.server.mu.Unlock()
	body, err := encode(object{"model": "mock", "messages": talk, "tools": modelTools(offers)})
	if err != nil {
		return chatMessage{}, nil, err
	}
	said, err := t.post(body)
	if t.ctx.Err() != nil {
		return chatMessage{}, nil, t.ctx.Err()
	}
	if err != nil {
		return chatMessage{}, nil, rpcErrorf(codeInternal, "Internal error: model: %v", err)
	}
	return said, offers, nil
}

func modelTools(offers []mcpOffer) []any {
	tools := []any{}
	for _, o := range offers {
		schema := o.tool.InputSchema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object"}`)
		}
		tools = append(tools, object{"type": "function", "function": object{
			"name": o.name(), "description": o.tool.Description, "parameters": schema,
		}})
	}
	return tools
}

func (t *turn) post(body []byte) (chatMessage, error) {
	const limit = 64 << 20
	url := strings.TrimSuffix(t.server.mcp.model(), "/") + "/v1/chat/completions"
	req, err := http.NewRequestWithContext(t.ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return chatMessage{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	// No proxy, which would not find a model on loopback, and no connection that outlives the turn.
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	res, err := transport.RoundTrip(req)
	if err != nil {
		return chatMessage{}, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, limit))
	if err != nil {
		return chatMessage{}, err
	}
	if res.StatusCode != http.StatusOK {
		return chatMessage{}, fmt.Errorf("status %d", res.StatusCode)
	}
	var answer struct {
		Choices []struct {
			Message chatMessage `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return chatMessage{}, err
	}
	if len(answer.Choices) == 0 {
		return chatMessage{}, errors.New("an answer without a choice")
	}
	said := answer.Choices[0].Message
	said.Role = "assistant"
	return said, nil
}
