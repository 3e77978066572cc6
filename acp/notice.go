package acp

// Notice is a message of the agent's own, not of the model.
type Notice struct {
	Severity    NoticeSeverity
	Title       string
	Description string
}

// NoticeSeverity is how serious a notice is. It is open.
type NoticeSeverity string

// The severities of the protocol.
const (
	NoticeInfo    NoticeSeverity = "info"
	NoticeWarning NoticeSeverity = "warning"
	NoticeError   NoticeSeverity = "error"
)

// CompactionUpdate tells of a compaction of the context.
type CompactionUpdate struct {
	ID      string
	Status  CompactionStatus
	Summary []ContentBlock
	Error   string
}

// CompactionStatus is how far a compaction is. It is open.
type CompactionStatus string

// The statuses of the protocol.
const (
	CompactionInProgress CompactionStatus = "in_progress"
	CompactionCompleted  CompactionStatus = "completed"
	CompactionFailed     CompactionStatus = "failed"
	CompactionCancelled  CompactionStatus = "cancelled"
)

// CompactionSummaryChunk is a piece of the summary that replaces compacted context.
type CompactionSummaryChunk struct {
	ID      string
	Content ContentBlock
}

// UpdateKind implements Update.
func (*Notice) UpdateKind() UpdateKind { return KindNotice }

// UpdateKind implements Update.
func (*CompactionUpdate) UpdateKind() UpdateKind { return KindCompaction }

// UpdateKind implements Update.
func (*CompactionSummaryChunk) UpdateKind() UpdateKind { return KindCompactionSummary }

func (*Notice) isUpdate()                 {}
func (*CompactionUpdate) isUpdate()       {}
func (*CompactionSummaryChunk) isUpdate() {}

func (d *decoder) notice(raw []byte) Update {
	u := &Notice{}
	d.object("", raw, func(key, value []byte) {
		switch string(key) {
		case "severity":
			d.str("severity", value, (*string)(&u.Severity))
		case "title":
			d.str("title", value, &u.Title)
		case "description":
			d.str("description", value, &u.Description)
		}
	})
	return u
}

func (d *decoder) compaction(raw []byte) Update {
	u := &CompactionUpdate{}
	d.object("", raw, func(key, value []byte) {
		switch string(key) {
		case "compactionId":
			d.str("compactionId", value, &u.ID)
		case "status":
			d.str("status", value, (*string)(&u.Status))
		case "summary":
			u.Summary = d.contentBlocks("summary", value)
		case "error":
			d.str("error", value, &u.Error)
		}
	})
	return u
}

func (d *decoder) compactionSummary(raw []byte) Update {
	u := &CompactionSummaryChunk{}
	d.object("", raw, func(key, value []byte) {
		switch string(key) {
		case "compactionId":
			d.str("compactionId", value, &u.ID)
		case "content":
			u.Content = d.optContentBlock("content", value)
		}
	})
	if u.Content == nil {
		return d.missing("content")
	}
	return u
}
