package transcript

import (
	"encoding/json"

	"github.com/acpharness/acpharness/acp"
)

// Entry is one record of a transcript: [*Message], [*ToolCall], [*Plan], [*Note] or [*Gap]. It is a snapshot that never
// changes, to be read only.
type Entry interface {
	// Info returns what all entries have.
	Info() Head
	head() *Head
}

// Head is what all entries have.
type Head struct {
	Index    uint64 // counts the entries from 1 without holes; an entry keeps it for life
	Turn     int    // counts the turns from 1; 0 for what was replayed or came before the first
	Replayed bool   // history that was replayed
	Late     bool   // some of it was read while no turn was open; history is not called late
	Seq      uint64 // of the last update that went into it, 0 if none did

	// Unsolicited says that it began without any prompt. Its Turn is the last one all the same.
	Unsolicited bool

	round int // user messages so far, in the history or live: what a turn is where nobody says so
	size  int // bytes kept, roughly
}

// Info implements Entry.
func (h *Head) Info() Head { return *h }

func (h *Head) head() *Head { return h }

// Role says who speaks in a message.
type Role string

// The roles.
const (
	RoleUser    Role = "user"    // user_message_chunk, and the prompt of BeginTurn
	RoleAgent   Role = "agent"   // agent_message_chunk
	RoleThought Role = "thought" // agent_thought_chunk
)

// ToolCall is everything known of one tool call. It mirrors ToolCall of the protocol.
type ToolCall struct {
	Head
	acp.ToolCall

	// End is set if the agent never said how the call ended. It gives way to a status that says so.
	End End
	// Placeholder says that the call was not announced (yet): a patch or a permission request is all there is.
	Placeholder bool
	// Cut is the number of bytes of content, input and output that were left out, see Options.MaxText.
	Cut int
	// Raw is the update that came last; nil if there is none or it is longer than Options.MaxText.
	Raw json.RawMessage

	cuts [3]int // of the content, the input and the output that are kept
}

// End is the state of a tool call whose turn is over and whose status is not final. Agents never send it.
type End string

// The ends.
const (
	EndUnknown   End = "unknown"   // whether it ran, and how it went, cannot be told; this is no failure
	EndCancelled End = "cancelled" // the turn was cancelled
)

// Open reports whether the call may still be at work.
func (c *ToolCall) Open() bool { return c.End == "" && !c.Status.Final() }

// Plan is a plan of the agent's in a turn, as it was sent last; a plan of a later turn is an entry of its own. It mirrors Plan,
// PlanUpdate and PlanRemoved of the protocol. One of Entries, URI and Text is what it consists of.
type Plan struct {
	Head
	ID      string // empty for the one plan of an agent that has no more
	Entries []acp.PlanEntry
	URI     string          // of a plan that stands in a file
	Text    string          // of a plan that is Markdown
	Removed bool            // the agent has taken it back
	Cut     int             // entries, or bytes of the text, left out at the end, see Options.MaxText
	Raw     json.RawMessage // the update that came last; nil if it is longer than Options.MaxText
}

// Note is something that the agent itself has to say: a notice or a compaction of the context. It mirrors Notice,
// CompactionUpdate and CompactionSummaryChunk of the protocol.
type Note struct {
	Head
	Kind   acp.UpdateKind // notice or compaction_update
	ID     string         // of the compaction
	Status string         // the severity of a notice, the status of a compaction; open
	Title  string         // of the notice
	Text   string         // its description, or the text of the compaction's summary
	Error  string         // of the compaction
	Cut    int            // bytes left out, see Options.MaxText
	Raw    json.RawMessage

	text text
}

// Gap stands for updates that were lost before they got here. It mirrors [acp.Gap].
type Gap struct {
	Head
	From  uint64 // Seq of the first update that is missing
	Count int    // how many are missing
}
