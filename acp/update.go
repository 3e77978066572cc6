package acp

import "encoding/json"

// UpdateKind is the discriminator of a session update (sessionUpdate). It is open.
type UpdateKind string

// The update kinds of the protocol (SessionUpdate).
const (
	KindUserMessageChunk    UpdateKind = "user_message_chunk"
	KindAgentMessageChunk   UpdateKind = "agent_message_chunk"
	KindAgentThoughtChunk   UpdateKind = "agent_thought_chunk"
	KindToolCall            UpdateKind = "tool_call"
	KindToolCallUpdate      UpdateKind = "tool_call_update"
	KindPlan                UpdateKind = "plan"
	KindAvailableCommands   UpdateKind = "available_commands_update"
	KindCurrentMode         UpdateKind = "current_mode_update"
	KindConfigOption        UpdateKind = "config_option_update"
	KindSessionInfo         UpdateKind = "session_info_update"
	KindUsage               UpdateKind = "usage_update"
	KindNotice              UpdateKind = "notice"
	KindCompaction          UpdateKind = "compaction_update"
	KindCompactionSummary   UpdateKind = "compaction_summary_chunk"
	KindPlanUpdate          UpdateKind = "plan_update"
	KindPlanRemoved         UpdateKind = "plan_removed"
	KindSubagent            UpdateKind = "subagent_update"
	KindSessionMessage      UpdateKind = "session_message"
	KindSessionMessageChunk UpdateKind = "session_message_chunk"
)

// updateKind returns the kind without a new string for those of the protocol.
func updateKind(variant []byte) UpdateKind {
	for _, kind := range [...]UpdateKind{
		KindAgentMessageChunk, KindAgentThoughtChunk, KindToolCallUpdate, KindToolCall, KindPlan, KindUserMessageChunk,
		KindUsage, KindSessionInfo, KindAvailableCommands, KindCurrentMode, KindConfigOption, KindNotice, KindCompaction,
		KindCompactionSummary, KindPlanUpdate, KindPlanRemoved, KindSubagent, KindSessionMessage, KindSessionMessageChunk,
	} {
		if string(variant) == string(kind) {
			return kind
		}
	}
	return UpdateKind(variant)
}

// Update is one change that an agent reports of a session. It mirrors SessionUpdate of the protocol. The variants are
// pointers to the types of this package that have this method and, for everything else, [*Unknown].
type Update interface {
	// UpdateKind returns the discriminator; for an Unknown it is what was sent.
	UpdateKind() UpdateKind
	isUpdate()
}

// KindGap is the kind of a Gap; no agent sends it.
const KindGap UpdateKind = "_gap"

// Gap stands in a stream for updates that were lost: the consumer did not keep up and the buffers of the connection were
// used up (see Buffers). It has no counterpart in the protocol.
type Gap struct {
	From  uint64 // Seq of the first update that is missing
	Count int    // how many are missing
}

// UpdateKind implements Update.
func (*Gap) UpdateKind() UpdateKind { return KindGap }

func (*Gap) isUpdate() {}

// SessionNotification is one session/update as it was read. It mirrors SessionNotification of the protocol.
type SessionNotification struct {
	SessionID SessionID
	Update    Update
	Raw       json.RawMessage // the update object, byte for byte
	Params    json.RawMessage // all params of the notification, which Raw is a part of
	Seq       uint64          // counts the updates of the session from 1 in the order they were read
	Late      bool            // read when no turn was open: before the first, between two, or after the last
	Replayed  bool            // history that LoadSession brought; it is late, too
	Echo      bool            // the user's own message, sent back in the turn that it began (opencode#22468)
	// Unsolicited says that the agent does something that no prompt asked for: it is part of a conversation, came when no turn
	// was open, and too long after the last one to be its end. It is late, too.
	Unsolicited bool
	Warnings    []Warning // parts that could not be decoded
}

// UserMessageChunk is a piece of a user's message, in a replay or as an echo of the prompt.
type UserMessageChunk struct {
	Content   ContentBlock
	MessageID string // empty if not sent
}

// AgentMessageChunk is a piece of the agent's answer.
type AgentMessageChunk struct {
	Content   ContentBlock
	MessageID string // empty if not sent
}

// AgentThoughtChunk is a piece of the agent's reasoning.
type AgentThoughtChunk struct {
	Content   ContentBlock
	MessageID string // empty if not sent
}

// ToolCallStart announces a tool call (tool_call).
type ToolCallStart struct{ ToolCall }

// ToolCallUpdate patches a tool call (tool_call_update); it may be the first that is heard of the call.
type ToolCallUpdate struct{ ToolCall }

// AvailableCommandsUpdate lists the commands that a prompt may begin with.
type AvailableCommandsUpdate struct {
	Commands []AvailableCommand
}

// AvailableCommand is invoked by a prompt of the form "/name input".
type AvailableCommand struct {
	Name        string
	Description string
	Hint        string // what the input should be, empty if it takes none
}

// CurrentModeUpdate says which mode the session is in now.
type CurrentModeUpdate struct {
	ModeID string
}

// ConfigOptionUpdate carries the session's whole list of options.
type ConfigOptionUpdate struct {
	Options []ConfigOption
}

// SessionInfoUpdate changes what is shown of a session; nil members did not change or, if sent as null, were cleared.
type SessionInfoUpdate struct {
	Title     *string
	UpdatedAt *string
}

// UsageUpdate tells how full the context window is, in tokens.
type UsageUpdate struct {
	Used int64
	Size int64
	Cost *Cost // nil if not sent
}

// Cost is what the session has cost so far. Currency is what the agent says and need not be an ISO code.
type Cost struct {
	Amount   float64
	Currency string
}

// UpdateKind implements Update.
func (*UserMessageChunk) UpdateKind() UpdateKind { return KindUserMessageChunk }

// UpdateKind implements Update.
func (*AgentMessageChunk) UpdateKind() UpdateKind { return KindAgentMessageChunk }

// UpdateKind implements Update.
func (*AgentThoughtChunk) UpdateKind() UpdateKind { return KindAgentThoughtChunk }

// UpdateKind implements Update.
func (*ToolCallStart) UpdateKind() UpdateKind { return KindToolCall }

// UpdateKind implements Update.
func (*ToolCallUpdate) UpdateKind() UpdateKind { return KindToolCallUpdate }

// UpdateKind implements Update.
func (*AvailableCommandsUpdate) UpdateKind() UpdateKind { return KindAvailableCommands }

// UpdateKind implements Update.
func (*CurrentModeUpdate) UpdateKind() UpdateKind { return KindCurrentMode }

// UpdateKind implements Update.
func (*ConfigOptionUpdate) UpdateKind() UpdateKind { return KindConfigOption }

// UpdateKind implements Update.
func (*SessionInfoUpdate) UpdateKind() UpdateKind { return KindSessionInfo }

// UpdateKind implements Update.
func (*UsageUpdate) UpdateKind() UpdateKind { return KindUsage }

// UpdateKind implements Update.
func (u *Unknown) UpdateKind() UpdateKind { return UpdateKind(u.Kind) }

func (*UserMessageChunk) isUpdate()        {}
func (*AgentMessageChunk) isUpdate()       {}
func (*AgentThoughtChunk) isUpdate()       {}
func (*ToolCallStart) isUpdate()           {}
func (*ToolCallUpdate) isUpdate()          {}
func (*AvailableCommandsUpdate) isUpdate() {}
func (*CurrentModeUpdate) isUpdate()       {}
func (*ConfigOptionUpdate) isUpdate()      {}
func (*SessionInfoUpdate) isUpdate()       {}
func (*UsageUpdate) isUpdate()             {}
func (*Unknown) isUpdate()                 {}
