package acp

import "encoding/json"

// ToolKind says what a tool call does, for policies and icons. It is open: see [ToolKind.Known].
type ToolKind string

// The kinds of the protocol (ToolKind).
const (
	ToolRead       ToolKind = "read"
	ToolEdit       ToolKind = "edit"
	ToolDelete     ToolKind = "delete"
	ToolMove       ToolKind = "move"
	ToolSearch     ToolKind = "search"
	ToolExecute    ToolKind = "execute"
	ToolThink      ToolKind = "think"
	ToolFetch      ToolKind = "fetch"
	ToolSwitchMode ToolKind = "switch_mode"
	ToolOther      ToolKind = "other"
)

// Known reports whether k is a kind that the protocol defines.
func (k ToolKind) Known() bool {
	switch k {
	case ToolRead, ToolEdit, ToolDelete, ToolMove, ToolSearch, ToolExecute, ToolThink, ToolFetch, ToolSwitchMode, ToolOther:
		return true
	}
	return false
}

// ToolCallStatus is how far a tool call is. It is open.
type ToolCallStatus string

// The statuses of the protocol (ToolCallStatus).
const (
	ToolPending    ToolCallStatus = "pending"
	ToolInProgress ToolCallStatus = "in_progress"
	ToolCompleted  ToolCallStatus = "completed"
	ToolFailed     ToolCallStatus = "failed"
)

// Final reports whether a tool call with this status is over.
func (s ToolCallStatus) Final() bool { return s == ToolCompleted || s == ToolFailed }

// ToolCall holds the members of a tool call that were sent: a whole call in a [ToolCallStart], a patch in a
// [ToolCallUpdate], or everything known of a call. It mirrors ToolCall and ToolCallUpdate of the protocol; nil and
// empty members were not sent.
type ToolCall struct {
	ID        string // toolCallId, may be empty if the agent left it out
	Title     *string
	Name      *string // the tool's name
	Kind      ToolKind
	Status    ToolCallStatus
	Content   []ToolCallContent // nil if not sent
	Locations []ToolCallLocation
	RawInput  json.RawMessage
	RawOutput json.RawMessage
}

// ToolCallLocation is a file that a tool call works on.
type ToolCallLocation struct {
	Path string
	Line *int64 // as sent, nil if absent
}

// ToolCallContent is what a tool call shows: [*ToolContent], [*Diff], [*Terminal] or [*Unknown].
type ToolCallContent interface {
	isToolCallContent()
}

// ToolContent is an ordinary content block as a tool call's output.
type ToolContent struct {
	Content ContentBlock
}

// Diff is a change of one file. OldText is nil for a new file.
type Diff struct {
	Path    string
	OldText *string
	NewText string
}

// Terminal refers to a terminal that the client runs.
type Terminal struct {
	ID string // terminalId
}

func (*ToolContent) isToolCallContent() {}
func (*Diff) isToolCallContent()        {}
func (*Terminal) isToolCallContent()    {}
func (*Unknown) isToolCallContent()     {}

// merge takes over the members that patch has; null and absent members change nothing (opencode#7368).
func (t *ToolCall) merge(patch *ToolCall) {
	if patch.Title != nil {
		t.Title = patch.Title
	}
	if patch.Name != nil {
		t.Name = patch.Name
	}
	if patch.Kind != "" {
		t.Kind = patch.Kind
	}
	if patch.Status != "" {
		t.Status = patch.Status
	}
	if patch.Content != nil {
		t.Content = patch.Content
	}
	if patch.Locations != nil {
		t.Locations = patch.Locations
	}
	if patch.RawInput != nil {
		t.RawInput = patch.RawInput
	}
	if patch.RawOutput != nil {
		t.RawOutput = patch.RawOutput
	}
}

func (d *decoder) toolCall(name string, raw []byte) ToolCall {
	var t ToolCall
	d.object(name, raw, func(key, value []byte) {
		if isNull(value) {
			return
		}
		switch string(key) {
		case "toolCallId":
			d.str("toolCallId", value, &t.ID)
		case "title":
			d.optStr("title", value, &t.Title)
		case "name":
			d.optStr("name", value, &t.Name)
		case "kind":
			d.str("kind", value, (*string)(&t.Kind))
		case "status":
			d.str("status", value, (*string)(&t.Status))
		case "content":
			t.Content = d.toolCallContents("content", value)
		case "locations":
			t.Locations = d.locations("locations", value)
		case "rawInput":
			t.RawInput = value
		case "rawOutput":
			t.RawOutput = value
		}
	})
	return t
}

func (d *decoder) toolCallContents(name string, raw []byte) []ToolCallContent {
	contents := []ToolCallContent{}
	ok := d.list(name, raw, func(value []byte) {
		contents = append(contents, d.toolCallContent("", value))
	})
	if !ok {
		return nil // what is no list does not replace the one before
	}
	return contents
}

func (d *decoder) toolCallContent(name string, raw []byte) ToolCallContent {
	kind := discriminator(raw, "type")
	switch kind {
	case "content":
		c := &ToolContent{}
		d.object(name, raw, func(key, value []byte) {
			if string(key) == "content" {
				c.Content = d.optContentBlock("content", value)
			}
		})
		if c.Content != nil {
			return c
		}
	case "diff":
		c := &Diff{}
		d.object(name, raw, func(key, value []byte) {
			switch string(key) {
			case "path":
				d.str("path", value, &c.Path)
			case "oldText":
				d.optStr("oldText", value, &c.OldText)
			case "newText":
				d.str("newText", value, &c.NewText)
			}
		})
		return c
	case "terminal":
		c := &Terminal{}
		d.object(name, raw, func(key, value []byte) {
			if string(key) == "terminalId" {
				d.str("terminalId", value, &c.ID)
			}
		})
		return c
	default:
		if len(raw) > 0 && raw[0] == '{' {
			return &Unknown{Kind: kind, Raw: raw}
		}
	}
	d.warn(name, "want tool call content, have %s", kindOf(raw))
	return &Unknown{Kind: kind, Raw: raw}
}

func (d *decoder) locations(name string, raw []byte) []ToolCallLocation {
	locations := []ToolCallLocation{}
	isList := d.list(name, raw, func(value []byte) {
		var l ToolCallLocation
		ok := d.item(value, func(key, value []byte) {
			switch string(key) {
			case "path":
				d.str("path", value, &l.Path)
			case "line":
				d.optInt("line", value, &l.Line)
			}
		})
		if ok {
			locations = append(locations, l)
		}
	})
	if !isList {
		return nil
	}
	return locations
}
