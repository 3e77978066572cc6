package fakemodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Kind says what sort of reply a model gives.
type Kind string

// The kinds of reply.
const (
	// KindText is text, after thinking if there is any. The zero Kind means it.
	KindText Kind = "text"
	// KindTool is one tool call, after text if there is any.
	KindTool Kind = "tool"
	// KindError is an HTTP error instead of a reply.
	KindError Kind = "error"
	// KindSlow is text in numbered chunks with pauses between them.
	KindSlow Kind = "slow"
	// KindEndless is text in numbered chunks with pauses between them until the
	// client or the server goes away. An answer that is not streamed hangs.
	KindEndless Kind = "endless"
	// KindHang is no answer until the client or the server goes away.
	KindHang Kind = "hang"
)

// Reply is what the model says. The zero Reply is an answer without text.
type Reply struct {
	// Kind selects which of the other fields count. One that is not among the
	// constants becomes an HTTP error 500 that says so.
	Kind Kind
	// Thinking goes out before everything else, in the API's own form.
	Thinking string
	// Text is the answer of KindText, the preface of KindTool and the message
	// of KindError (default "fake error STATUS").
	Text string
	// Tool is the call of KindTool.
	Tool ToolCall
	// Status is the HTTP status of KindError, 500 if it is not one of 400 to 599.
	Status int
	// Chunks is how many chunks KindSlow sends.
	Chunks int
	// Every is the pause before each chunk of KindSlow and KindEndless but the
	// first.
	Every time.Duration
}

// ToolCall asks the client to run a tool.
type ToolCall struct {
	// Name is the tool, offered or not.
	Name string
	// Args is a JSON object, {} if empty. Anything else makes the reply an HTTP
	// error 500 that says so.
	Args json.RawMessage
}

// normal fills in the defaults the fields document.
func (r Reply) normal() Reply {
	switch r.Kind {
	case KindText, KindTool, KindError, KindSlow, KindEndless, KindHang:
	case "":
		r.Kind = KindText
	default:
		r = Reply{Kind: KindError, Text: fmt.Sprintf("the fake model has no reply kind %q", r.Kind)}
	}
	if len(r.Tool.Args) == 0 {
		r.Tool.Args = json.RawMessage("{}")
	}
	if r.Kind == KindTool {
		if err := checkObject(r.Tool.Args); err != nil {
			r = Reply{Kind: KindError, Text: fmt.Sprintf("cannot read the arguments of the tool call: %v", err)}
		}
	}
	if r.Kind == KindError && (r.Status < 400 || r.Status > 599) {
		r.Status = 500
	}
	return r
}

// checkObject reports what is wrong with arguments that are no JSON object.
func checkObject(args json.RawMessage) error {
	var object map[string]any
	if err := json.Unmarshal(args, &object); err != nil {
		return err
	}
	if object == nil {
		return errors.New("they are null")
	}
	return nil
}

// hasText reports whether an answer with this text has a text at all. A tool
// call may go without, everything else has one, be it empty.
func (r Reply) hasText(text string) bool { return r.Kind != KindTool || text != "" }

// hangs reports whether nothing is ever sent.
func (r Reply) hangs(stream bool) bool {
	return r.Kind == KindHang || (r.Kind == KindEndless && !stream)
}

// Usage is the same for every reply: two unequal parts and a third inside the
// first make it visible how a client adds them up.
const (
	usagePrompt     = 1234
	usageCached     = 1000 // of usagePrompt
	usageCompletion = 56
)
