package fakemodel

import (
	"regexp"
	"slices"
	"strings"
)

// Names of the APIs a request may use.
const (
	// APIChat is OpenAI chat completions.
	APIChat = "openai-chat"
	// APIModels is the list of models.
	APIModels = "models"
	// APIUnknown is any request this server has no answer for.
	APIUnknown = "unknown"
)

// Roles with a meaning here. Others are passed on as the client wrote them.
const (
	roleUser = "user"
	roleTool = "tool"
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
	// UserAgent is the header of that name.
	UserAgent string
}

// Message is one message of a conversation, reduced to its text.
type Message struct {
	// Role is "system", "developer", "user", "assistant", "tool" or whatever
	// the client wrote. A tool result has the role "tool" in every API.
	Role string
	// Text is the text of all parts, a line each; other parts are left out.
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

// toolResult returns the tool result the model is to answer: there is one if no
// user text came after it.
func (r Request) toolResult() (string, bool) {
	for _, m := range slices.Backward(r.Messages) {
		switch {
		case m.Role == roleTool:
			return m.Text, true
		case m.Role == roleUser && !injected(m.Text):
			return "", false
		}
	}
	return "", false
}

// injected reports whether a text is blank or one element from end to end.
func injected(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" {
		return true
	}
	open := regexp.MustCompile(`^<([A-Za-z][\w-]*)[^>]*>`).FindStringSubmatch(text)
	return open != nil && !strings.Contains(text, "@@") && strings.HasSuffix(text, "</"+open[1]+">")
}

// Utility reports whether the request looks like an errand of the agent itself,
// such as a title for the conversation: it offers no tools, and its
// instructions speak of such an errand. Agents make such calls when they like,
// so never count calls without leaving these out.
func (r Request) Utility() bool {
	if len(r.Tools) > 0 {
		return false
	}
	for _, m := range r.Messages {
		if m.Role != "system" && m.Role != "developer" {
			continue
		}
		text := strings.ToLower(m.Text)
		for _, word := range []string{"title", "summar", "topic", "classif", "next speaker", "next_speaker", "reviewer"} {
			if strings.Contains(text, word) {
				return true
			}
		}
	}
	return false
}
