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

// The walks below are cursors and no callbacks, nested as they would be: tool calls are frequent, and the stack of a
// consumer is its memory.

// inside goes into the named member, if the name is not empty, and returns the way out.
func (d *decoder) inside(name string) func() {
	if name == "" {
		return func() {}
	}
	d.in(step{name: name})
	return d.out
}

func (d *decoder) toolCall(name string, raw []byte) ToolCall {
	var t ToolCall
	if isAbsent(raw) {
		return t
	}
	defer d.inside(name)()
	c := cursor{b: raw}
	for more := c.object(); more; more = c.next('}') {
		key := c.key()
		value := c.value()
		if isAbsent(value) {
			continue
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
			t.Content = d.toolCallContents(value)
		case "locations":
			t.Locations = d.locations(value)
		case "rawInput":
			t.RawInput = value
		case "rawOutput":
			t.RawOutput = value
		}
	}
	if c.bad {
		d.warn("", "want an object, have %s", kindOf(raw))
	}
	return t
}

// toolCallContents returns nil for what is no list: it does not replace the one before.
func (d *decoder) toolCallContents(raw []byte) []ToolCallContent {
	d.in(step{name: "content"})
	defer d.out()
	contents := make([]ToolCallContent, 0, 1)
	c := cursor{b: raw}
	for more := c.array(); more; more = c.next(']') {
		d.in(step{index: len(contents)})
		if value := c.value(); !c.bad {
			contents = append(contents, d.toolCallContent(value))
		}
		d.out()
	}
	if c.bad {
		d.warn("", "want an array, have %s", kindOf(raw))
		return nil
	}
	return contents
}

// contentMembers are the members of all the variants of tool call content, as tokens.
type contentMembers struct {
	kind, content, path, oldText, newText, terminalID []byte
}

func (m *contentMembers) read(raw []byte) bool {
	c := cursor{b: raw}
	for more := c.object(); more; more = c.next('}') {
		switch string(c.key()) {
		case "type":
			m.kind = c.value()
		case "content":
			m.content = c.value()
		case "path":
			m.path = c.value()
		case "oldText":
			m.oldText = c.value()
		case "newText":
			m.newText = c.value()
		case "terminalId":
			m.terminalID = c.value()
		default:
			c.skip()
		}
	}
	return !c.bad
}

func (d *decoder) toolCallContent(raw []byte) ToolCallContent {
	var m contentMembers
	if !m.read(raw) {
		d.warn("", "want tool call content, have %s", kindOf(raw))
		return &Unknown{Raw: raw}
	}
	kind := bareString(m.kind)
	switch string(kind) {
	case "content":
		if isAbsent(m.content) {
			d.warn("content", "missing")
			break
		}
		c := &textOutput{}
		c.Content = d.contentBlockIn("content", m.content, &c.text)
		return &c.ToolContent
	case "diff":
		c := &Diff{}
		d.str("path", m.path, &c.Path)
		if !isAbsent(m.oldText) {
			d.optStr("oldText", m.oldText, &c.OldText)
		}
		d.str("newText", m.newText, &c.NewText)
		return c
	case "terminal":
		c := &Terminal{}
		d.str("terminalId", m.terminalID, &c.ID)
		return c
	}
	return &Unknown{Kind: string(kind), Raw: raw}
}

// textOutput is the usual output of a tool, in one piece of memory.
type textOutput struct {
	ToolContent
	text TextContent
}

// locations returns nil for what is no list.
func (d *decoder) locations(raw []byte) []ToolCallLocation {
	locations := []ToolCallLocation{}
	isList := d.list("locations", raw, func(value []byte) {
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
