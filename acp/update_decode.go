package acp

// decodeUpdate decodes an update object. The variant is chosen by its discriminator alone; a known variant without the
// payload that makes it one is an Unknown with a warning.
func decodeUpdate(kind UpdateKind, raw []byte) (Update, []Warning) {
	var d decoder
	u := d.update(kind, raw)
	if u == nil {
		u = &Unknown{Kind: string(kind), Raw: raw}
	}
	return u, d.warnings
}

// update returns nil for what it does not know.
func (d *decoder) update(kind UpdateKind, raw []byte) Update {
	switch kind {
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
		d.object("", raw, func(key string, value []byte) {
			switch key {
			case "title":
				d.optStr(key, value, &u.Title)
			case "updatedAt":
				d.optStr(key, value, &u.UpdatedAt)
			}
		})
		return u
	case KindUsage:
		return d.usageUpdate(raw)
	case KindNotice:
		u := &Notice{}
		d.object("", raw, func(key string, value []byte) {
			switch key {
			case "severity":
				d.str(key, value, &u.Severity)
			case "title":
				d.str(key, value, &u.Title)
			case "description":
				d.str(key, value, &u.Description)
			}
		})
		return u
	case KindCompaction:
		return d.compaction(raw)
	case KindCompactionSummary:
		u := &CompactionSummaryChunk{}
		d.object("", raw, func(key string, value []byte) {
			switch key {
			case "compactionId":
				d.str(key, value, &u.ID)
			case "content":
				u.Content = d.optContentBlock(key, value)
			}
		})
		if u.Content == nil {
			return d.missing("content")
		}
		return u
	}
	return nil
}

// missing warns that a known variant lacks the payload that makes it one. Such an update must not pass as one that
// replaces what was there with nothing.
func (d *decoder) missing(member string) Update {
	d.warn(member, "missing")
	return nil
}

func (d *decoder) chunk(kind UpdateKind, raw []byte) Update {
	var content ContentBlock
	var messageID string
	d.object("", raw, func(key string, value []byte) {
		switch key {
		case "content":
			content = d.optContentBlock(key, value)
		case "messageId":
			d.str(key, value, &messageID)
		}
	})
	if content == nil {
		return d.missing("content")
	}
	switch kind {
	case KindUserMessageChunk:
		return &UserMessageChunk{content, messageID}
	case KindAgentThoughtChunk:
		return &AgentThoughtChunk{content, messageID}
	default:
		return &AgentMessageChunk{content, messageID}
	}
}

func (d *decoder) plan(raw []byte) Update {
	u := &Plan{}
	sent := false
	d.object("", raw, func(key string, value []byte) {
		if key != "entries" {
			return
		}
		u.Entries = nil
		sent = d.list(key, value, func(path string, value []byte) {
			var e PlanEntry
			ok := d.item(path, value, func(key string, value []byte) {
				switch key {
				case "content":
					d.str(path+".content", value, &e.Content)
				case "priority":
					d.str(path+".priority", value, &e.Priority)
				case "status":
					d.str(path+".status", value, &e.Status)
				}
			})
			if ok {
				u.Entries = append(u.Entries, e)
			}
		})
	})
	if !sent {
		return d.missing("entries")
	}
	return u
}

func (d *decoder) availableCommands(raw []byte) Update {
	u := &AvailableCommandsUpdate{}
	sent := false
	d.object("", raw, func(key string, value []byte) {
		if key != "availableCommands" {
			return
		}
		u.Commands = nil
		sent = d.list(key, value, func(path string, value []byte) {
			var c AvailableCommand
			ok := d.item(path, value, func(key string, value []byte) {
				switch key {
				case "name":
					d.str(path+".name", value, &c.Name)
				case "description":
					d.str(path+".description", value, &c.Description)
				case "input":
					d.object(path+".input", value, func(key string, value []byte) {
						if key == "hint" {
							d.str(path+".input.hint", value, &c.Hint)
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
	d.object("", raw, func(key string, value []byte) {
		if key == "currentModeId" || key == "modeId" && u.ModeID == "" {
			d.str(key, value, &u.ModeID)
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
	d.object("", raw, func(key string, value []byte) {
		if key == "configOptions" {
			sent = len(value) > 0 && value[0] == '['
			u.Options = d.configOptions(key, value)
		}
	})
	if !sent {
		return d.missing("configOptions")
	}
	return u
}

func (d *decoder) usageUpdate(raw []byte) Update {
	u := &UsageUpdate{}
	d.object("", raw, func(key string, value []byte) {
		switch key {
		case "used":
			d.integer(key, value, &u.Used)
		case "size":
			d.integer(key, value, &u.Size)
		case "cost":
			cost := &Cost{}
			ok := d.object(key, value, func(key string, value []byte) {
				switch key {
				case "amount":
					d.number("cost.amount", value, &cost.Amount)
				case "currency":
					d.str("cost.currency", value, &cost.Currency)
				}
			})
			if ok {
				u.Cost = cost
			}
		}
	})
	return u
}

func (d *decoder) compaction(raw []byte) Update {
	u := &CompactionUpdate{}
	d.object("", raw, func(key string, value []byte) {
		switch key {
		case "compactionId":
			d.str(key, value, &u.ID)
		case "status":
			d.str(key, value, &u.Status)
		case "summary":
			u.Summary = d.contentBlocks(key, value)
		case "error":
			d.str(key, value, &u.Error)
		}
	})
	return u
}
