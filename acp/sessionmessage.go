package acp

// SessionMessage is a message from one session of the agent to another, such as an errand for a subagent or what it has found
// out (session_message). It is an upsert: members that are nil stay as they were.
type SessionMessage struct {
	ID                 string // messageId
	Sender             *SessionID
	Recipient          *SessionID
	SenderMessageID    *string
	RecipientMessageID *string
	Content            []ContentBlock // nil if not sent or null; an empty list replaces what was there
}

// SessionMessageChunk is a piece of such a message (session_message_chunk).
type SessionMessageChunk struct {
	ID      string // messageId
	Content ContentBlock
}

// UpdateKind implements Update.
func (*SessionMessage) UpdateKind() UpdateKind { return KindSessionMessage }

// UpdateKind implements Update.
func (*SessionMessageChunk) UpdateKind() UpdateKind { return KindSessionMessageChunk }

func (*SessionMessage) isUpdate()      {}
func (*SessionMessageChunk) isUpdate() {}

func (d *decoder) sessionMessage(raw []byte) Update {
	u := &SessionMessage{}
	session := func(name string, value []byte, dst **SessionID) {
		var id *string
		if d.optStr(name, value, &id); id != nil {
			*dst = (*SessionID)(id)
		}
	}
	d.object("", raw, func(key, value []byte) {
		switch string(key) {
		case "messageId":
			d.str("messageId", value, &u.ID)
		case "senderSessionId":
			session("senderSessionId", value, &u.Sender)
		case "recipientSessionId":
			session("recipientSessionId", value, &u.Recipient)
		case "senderMessageId":
			d.optStr("senderMessageId", value, &u.SenderMessageID)
		case "recipientMessageId":
			d.optStr("recipientMessageId", value, &u.RecipientMessageID)
		case "content":
			u.Content = d.contentBlocks("content", value)
		}
	})
	return u
}

func (d *decoder) sessionMessageChunk(raw []byte) Update {
	u := &SessionMessageChunk{}
	d.object("", raw, func(key, value []byte) {
		switch string(key) {
		case "messageId":
			d.str("messageId", value, &u.ID)
		case "content":
			u.Content = d.optContentBlock("content", value)
		}
	})
	if u.Content == nil {
		return d.missing("content")
	}
	return u
}
