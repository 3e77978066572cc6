package acp

// decode decodes an update object. The variant is chosen by its discriminator alone; a known variant without the payload
// that makes it one is an Unknown with a warning. A decoder may be used again for the next update.
func (d *decoder) decode(kind UpdateKind, raw []byte) (Update, []Warning) {
	d.warnings = nil
	u := d.update(kind, raw)
	if u == nil {
		u = &Unknown{Kind: string(kind), Raw: raw}
	}
	return u, d.warnings
}

// update returns nil for what it does not know.
func (d *decoder) update(kind UpdateKind, raw []byte) Update {
	switch kind {
	case KindGap: // ours, and not to be had from an agent
	case KindUserMessageChunk, KindAgentMessageChunk, KindAgentThoughtChunk:
		return d.chunk(kind, raw)
	case KindToolCall:
		return &ToolCallStart{d.toolCall("", raw)}
	case KindToolCallUpdate:
		return &ToolCallUpdate{d.toolCall("", raw)}
	case KindPlan:
		return d.plan(raw)
	case KindAvailableCommands:
		return d.availableCommands(raw)
	case KindCurrentMode:
		return d.currentMode(raw)
	case KindConfigOption:
		return d.configOptionUpdate(raw)
	case KindSessionInfo:
		u := &SessionInfoUpdate{}
		d.object("", raw, func(key, value []byte) {
			switch string(key) {
			case "title":
				d.optStr("title", value, &u.Title)
			case "updatedAt":
				d.optStr("updatedAt", value, &u.UpdatedAt)
			}
		})
		return u
	case KindSubagent:
		return d.subagent(raw)
	case KindUsage:
		return d.usageUpdate(raw)
	case KindNotice:
		return d.notice(raw)
	case KindCompaction:
		return d.compaction(raw)
	case KindCompactionSummary:
		return d.compactionSummary(raw)
	case KindPlanUpdate:
		return d.planUpdate(raw)
	case KindPlanRemoved:
		return d.planRemoved(raw)
	case KindSessionMessage:
		return d.sessionMessage(raw)
	case KindSessionMessageChunk:
		return d.sessionMessageChunk(raw)
	}
	return nil
}

// missing warns that a known variant lacks the payload that makes it one. Such an update must not pass as one that
// replaces what was there with nothing.
func (d *decoder) missing(member string) Update {
	d.warn(member, "missing")
	return nil
}

// The chunks of messages are most of what an agent sends: a chunk and its text are one piece of memory.
type (
	userChunk struct {
		UserMessageChunk
		text TextContent
	}
	messageChunk struct {
		AgentMessageChunk
		text TextContent
	}
	thoughtChunk struct {
		AgentThoughtChunk
		text TextContent
	}
)

func (d *decoder) chunk(kind UpdateKind, raw []byte) Update {
	var update Update
	var content *ContentBlock
	var messageID *string
	var text *TextContent
	switch kind {
	case KindUserMessageChunk:
		c := &userChunk{}
		update, content, messageID, text = &c.UserMessageChunk, &c.Content, &c.MessageID, &c.text
	case KindAgentThoughtChunk:
		c := &thoughtChunk{}
		update, content, messageID, text = &c.AgentThoughtChunk, &c.Content, &c.MessageID, &c.text
	default:
		c := &messageChunk{}
		update, content, messageID, text = &c.AgentMessageChunk, &c.Content, &c.MessageID, &c.text
	}
	c := cursor{b: raw}
	for more := c.object(); more; more = c.next('}') {
		switch string(c.key()) {
		case "content":
			*content = nil
			if token := c.value(); !isNull(token) {
				*content = d.contentBlockIn("content", token, text)
			}
		case "messageId":
			*messageID = d.messageID(c.value())
		default:
			c.skip()
		}
	}
	if *content == nil {
		return d.missing("content")
	}
	return update
}

// messageID decodes the id of a message, which is that of the chunk before in most cases.
func (d *decoder) messageID(token []byte) string {
	if last := d.lastMessage; len(token) == len(last)+2 && last != "" && token[0] == '"' && string(token[1:len(token)-1]) == last {
		return last
	}
	var id string
	d.str("messageId", token, &id)
	d.lastMessage = id
	return id
}

func (d *decoder) availableCommands(raw []byte) Update {
	u := &AvailableCommandsUpdate{}
	sent := false
	d.object("", raw, func(key, value []byte) {
		if string(key) != "availableCommands" {
			return
		}
		u.Commands = nil
		sent = d.list("availableCommands", value, func(value []byte) {
			var c AvailableCommand
			ok := d.item(value, func(key, value []byte) {
				switch string(key) {
				case "name":
					d.str("name", value, &c.Name)
				case "description":
					d.str("description", value, &c.Description)
				case "input":
					d.object("input", value, func(key, value []byte) {
						if string(key) == "hint" {
							d.str("hint", value, &c.Hint)
						}
					})
				}
			})
			if ok {
				u.Commands = append(u.Commands, c)
			}
		})
	})
	if !sent {
		return d.missing("availableCommands")
	}
	return u
}

// currentMode reads the schema's member and the one that the protocol's documentation shows.
func (d *decoder) currentMode(raw []byte) Update {
	u := &CurrentModeUpdate{}
	d.object("", raw, func(key, value []byte) {
		if string(key) == "currentModeId" || string(key) == "modeId" && u.ModeID == "" {
			d.str("currentModeId", value, &u.ModeID)
		}
	})
	if u.ModeID == "" {
		return d.missing("currentModeId")
	}
	return u
}

func (d *decoder) configOptionUpdate(raw []byte) Update {
	u := &ConfigOptionUpdate{}
	sent := false
	d.object("", raw, func(key, value []byte) {
		if string(key) == "configOptions" {
			sent = len(value) > 0 && value[0] == '['
			u.Options = d.configOptions("configOptions", value)
		}
	})
	if !sent {
		return d.missing("configOptions")
	}
	return u
}

func (d *decoder) usageUpdate(raw []byte) Update {
	u := &UsageUpdate{}
	d.object("", raw, func(key, value []byte) {
		switch string(key) {
		case "used":
			d.integer("used", value, &u.Used)
		case "size":
			d.integer("size", value, &u.Size)
		case "cost":
			cost := &Cost{}
			ok := d.object("cost", value, func(key, value []byte) {
				switch string(key) {
				case "amount":
					d.number("amount", value, &cost.Amount)
				case "currency":
					d.str("currency", value, &cost.Currency)
				}
			})
			if ok {
				u.Cost = cost
			}
		}
	})
	return u
}
