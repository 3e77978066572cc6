package fakemodel

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Names of the APIs a request may use.
const (
	// APIChat is OpenAI chat completions.
	APIChat = "openai-chat"
	// APIResponses is OpenAI responses.
	APIResponses = "openai-responses"
	// APIAnthropic is Anthropic messages.
	APIAnthropic = "anthropic-messages"
	// APIGemini is Gemini generateContent, streamed or not.
	APIGemini = "gemini"
	// APITokens is the counting of tokens, in the form of any API.
	APITokens = "count-tokens"
	// APIModels is the list of models.
	APIModels = "models"
	// APIUnknown is any request this server has no answer for.
	APIUnknown = "unknown"
)

// Roles with a meaning here. Others are passed on as the client wrote them.
const (
	roleSystem    = "system"
	roleDeveloper = "developer"
	roleUser      = "user"
	roleAssistant = "assistant"
	roleTool      = "tool"
)

// Request is what a client asked, in the same form for every API.
type Request struct {
	// API is one of the API constants.
	API string
	// Model is the model asked for, as written; it need not be on offer.
	Model string
	// Stream says that the answer goes out as an event stream.
	Stream bool
	// Messages is the conversation, oldest first.
	Messages []Message
	// Tools are the names of the tools offered to the model.
	Tools []string
	// JSON says that the answer must be JSON, and Schema which, if it says so.
	JSON   bool
	Schema json.RawMessage
	// UserAgent is the header of that name.
	UserAgent string
}

// Message is one message of a conversation, reduced to its text.
type Message struct {
	// Role is "system", "developer", "user", "assistant", "tool" or whatever
	// the client wrote. A tool result has the role "tool" in every API, and a
	// tool call is of the role "assistant" and without a text.
	Role string
	// Text is the text of all parts, a line each; other parts are left out. In
	// APIAnthropic each part of a user is a Message of its own, because agents
	// put prompts and what they have to say themselves side by side.
	Text string
}

// LastUser returns the last user text that a person may have written, "" if
// there is none. Blank texts and blocks an agent injects, such as
// <environment_context>…</environment_context>, are passed over.
func (r Request) LastUser() string {
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == roleUser && !injected(m.Text) {
			return m.Text
		}
	}
	return ""
}

// LastTool returns the text of the last tool result, "" if there is none.
func (r Request) LastTool() string {
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == roleTool {
			return m.Text
		}
	}
	return ""
}

// latest returns the tool result or user text the model is to answer. There is
// none if the model has spoken since: what it answered already, or what made it
// fail, stays in the history and must not be obeyed again.
func (r Request) latest() (Message, bool) {
	for _, m := range slices.Backward(r.Messages) {
		switch {
		case m.Role == roleAssistant:
			return Message{}, false
		case m.Role == roleTool, m.Role == roleUser && !injected(m.Text):
			return m, true
		}
	}
	return Message{}, false
}

// injected reports whether a text is blank or elements from end to end, none of
// which has a marker.
func injected(text string) bool {
	if _, _, marked := lastMarker(text); marked {
		return false
	}
	element := regexp.MustCompile(`^<([A-Za-z][\w-]*)[^>]*>`)
	for {
		text = strings.TrimSpace(text)
		if text == "" {
			return true
		}
		open := element.FindStringSubmatch(text)
		if open == nil {
			return false
		}
		_, after, closed := strings.Cut(text[len(open[0]):], "</"+open[1]+">")
		if !closed {
			return false
		}
		text = after
	}
}
