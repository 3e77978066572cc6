package fakemcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ToolsFile is the content of a tools file, which is JSON.
type ToolsFile struct {
	// Instructions are those of the server; every initialize gets the latest.
	Instructions string `json:"instructions,omitempty"`
	// Tools are the tools on offer.
	Tools []Tool `json:"tools"`
}

// Tool is one tool and what a call of it is answered.
type Tool struct {
	// Name is required and unique.
	Name string `json:"name"`
	// Description is for the model.
	Description string `json:"description,omitempty"`
	// InputSchema is a JSON schema of type "object". Default: any object. It is
	// shown and not enforced, so that wrong arguments get into the journal.
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	// Text is what a call is answered. Default: label, tool and arguments.
	Text string `json:"text,omitempty"`
	// IsError makes that answer an error of the tool.
	IsError bool `json:"isError,omitempty"`
	// Delay is how long an answer takes, such as "200ms".
	Delay Duration `json:"delay,omitempty"`
}

// Duration is a time.Duration that JSON has as a string.
type Duration time.Duration

// MarshalText writes what time.Duration.String does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText takes what time.ParseDuration does, unless it is negative.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err == nil && parsed < 0 {
		err = fmt.Errorf("duration %q is negative", text)
	}
	if err != nil {
		return err
	}
	*d = Duration(parsed)
	return nil
}

// parseTools reads the text of a tools file. Unknown members are errors.
func parseTools(text []byte) (*ToolsFile, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	file := &ToolsFile{}
	if err := dec.Decode(file); err != nil {
		return nil, fmt.Errorf("cannot read the tools: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("cannot read the tools: more data after the JSON object")
	}
	if file.Tools == nil {
		return nil, errors.New("cannot read the tools: there is no list of them")
	}
	seen := map[string]bool{}
	for i := range file.Tools {
		t := &file.Tools[i]
		if t.Name == "" || seen[t.Name] {
			return nil, fmt.Errorf("cannot read the tools: tool %d has no name of its own (%q)", i+1, t.Name)
		}
		seen[t.Name] = true
		if t.InputSchema == nil {
			t.InputSchema = json.RawMessage(`{"type":"object"}`)
		}
		t.InputSchema = json.RawMessage(compact(t.InputSchema)) // white space is no change
		if err := usable(t.offer()); err != nil {
			return nil, fmt.Errorf("cannot read the tools: %w", err)
		}
	}
	return file, nil
}

// offer is the tool as clients see it.
func (t *Tool) offer() *mcp.Tool {
	return &mcp.Tool{Name: t.Name, Description: t.Description, InputSchema: t.InputSchema}
}

// usable asks a server made for that whether it takes a tool; it panics if not.
func usable(t *mcp.Tool) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("tool %q: %v", t.Name, reason)
		}
	}()
	mcp.NewServer(&mcp.Implementation{}, nil).AddTool(t, nil)
	return nil
}

func (f *ToolsFile) names() []string {
	names := make([]string, len(f.Tools))
	for i, t := range f.Tools {
		names[i] = t.Name
	}
	return names
}

// defaultTools are those of a server without a file.
func defaultTools() *ToolsFile {
	file := &ToolsFile{}
	for _, name := range []string{"alpha", "beta"} {
		file.Tools = append(file.Tools, Tool{
			Name:        name,
			Description: "Gives back x. A tool of a test server.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{"x":{"type":"string"}}}`),
		})
	}
	return file
}
