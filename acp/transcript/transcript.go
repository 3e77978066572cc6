package transcript

import (
	"slices"
	"sync"

	"github.com/acpharness/acpharness/acp"
)

// Options bound a transcript. The zero value works.
type Options struct {
	// MaxEntries is how many entries are kept; the oldest go first. 0 means 4096.
	MaxEntries int
	// MaxText is how many bytes one text, one tool output or one raw update may have; 0 means 4 MiB. Texts are cut at
	// their end, between characters; what cannot be cut, such as an image or a diff, is left out.
	MaxText int
	// MaxBytes is how many bytes all entries may have; beyond, the oldest go, but for the last. 0 means 64 MiB.
	MaxBytes int
}

const (
	defaultMaxEntries = 4096
	defaultMaxText    = 4 << 20
	defaultMaxBytes   = 64 << 20
)

// Transcript is the record of one session. Its methods may be called from any goroutine; one of them should be the
// writer, since the order of updates is what it is about.
type Transcript struct {
	maxEntries, maxText, maxBytes int

	mu       sync.Mutex
	entries  []Entry
	bytes    int // of all entries
	added    uint64
	turn     int
	turnOpen bool
	prompt   prompt
	live     lane
	replayed lane
	others   []Other
}

// lane is where new updates may join in: the history and what is live have one each.
type lane struct {
	round    int
	messages map[messageKey]uint64 // those with an id since the last tool call, by index
	calls    map[string]uint64     // the newest of each id, by index
	notes    map[string]uint64     // compactions, by index
	plans    map[string]uint64     // those of the turn, by index; the one without an id has the empty one
}

func newLane() lane {
	return lane{messages: map[messageKey]uint64{}, calls: map[string]uint64{}, notes: map[string]uint64{}, plans: map[string]uint64{}}
}

// begin separates what follows a message of the user from all before.
func (l *lane) begin() {
	l.round++
	clear(l.plans)
	clear(l.messages)
}

// New returns an empty transcript; opts may be nil.
func New(opts *Options) *Transcript {
	if opts == nil {
		opts = &Options{}
	}
	or := func(value, standard int) int {
		if value <= 0 {
			return standard
		}
		return value
	}
	return &Transcript{
		maxEntries: or(opts.MaxEntries, defaultMaxEntries),
		maxText:    or(opts.MaxText, defaultMaxText),
		maxBytes:   or(opts.MaxBytes, defaultMaxBytes),
		live:       newLane(),
		replayed:   newLane(),
	}
}

// Change says what an update did to a transcript. Entries that had to go for it are those up to [Transcript.Dropped].
type Change struct {
	Entry Entry // as it is now; nil if no entry changed
	Added bool  // the entry is new
}

// Add applies an update of the session. Nothing runs in history that is replayed: a tool call in it that has no final
// status is not open, its End is EndUnknown.
func (t *Transcript) Add(n acp.SessionNotification) Change {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.apply(&n)
}

func (t *Transcript) apply(n *acp.SessionNotification) Change {
	switch u := n.Update.(type) {
	case *acp.UserMessageChunk:
		return t.chunk(n, messageKey{RoleUser, u.MessageID}, u.Content)
	case *acp.AgentMessageChunk:
		return t.chunk(n, messageKey{RoleAgent, u.MessageID}, u.Content)
	case *acp.AgentThoughtChunk:
		return t.chunk(n, messageKey{RoleThought, u.MessageID}, u.Content)
	case *acp.ToolCallStart:
		return t.announce(n, &u.ToolCall)
	case *acp.ToolCallUpdate:
		return t.patch(n, &u.ToolCall)
	case *acp.Plan:
		return t.plan(n, "", &acp.PlanItems{Entries: u.Entries})
	case *acp.PlanUpdate:
		return t.plan(n, u.ID, u.Plan)
	case *acp.PlanRemoved:
		return t.planRemoved(n, u)
	case *acp.Notice:
		return t.notice(n, u)
	case *acp.CompactionUpdate:
		return t.compaction(n, u)
	case *acp.CompactionSummaryChunk:
		return t.summary(n, u)
	case *acp.Gap:
		return t.gap(n, u)
	default:
		return t.other(n)
	}
}

// Entries returns what is kept, oldest first.
func (t *Transcript) Entries() []Entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.entries)
}

// Dropped returns how many entries had to go, which are those with the lowest Index; see Options.
func (t *Transcript) Dropped() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return int(t.added) - len(t.entries)
}

func (t *Transcript) lane(replayed bool) *lane {
	if replayed {
		return &t.replayed
	}
	return &t.live
}

// newHead returns the head of an entry that n begins.
func (t *Transcript) newHead(n *acp.SessionNotification) Head {
	h := Head{Replayed: n.Replayed, Unsolicited: n.Unsolicited, round: t.lane(n.Replayed).round}
	if !n.Replayed {
		h.Turn = t.turn
	}
	h.note(n)
	return h
}

// note records that n goes into the entry.
func (h *Head) note(n *acp.SessionNotification) {
	h.Seq = n.Seq
	h.Late = h.Late || n.Late && !h.Replayed
}
