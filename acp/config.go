package acp

// SessionModes is the set of modes that a session offers (SessionModeState); nil if the agent has none.
type SessionModes struct {
	Current   string // currentModeId
	Available []SessionMode
}

// SessionMode is one way for an agent to work, such as planning only. An id is opaque and may be a URL.
type SessionMode struct {
	ID          string
	Name        string
	Description string
}

// ConfigOption is one setting of a session (SessionConfigOption). The variant is open: a select has Value and Choices, a
// boolean has Bool, any other type has neither.
type ConfigOption struct {
	ID          string
	Name        string
	Description string
	Category    string // open: mode, model, model_config, thought_level
	Type        string // open: select, boolean
	Value       string // the current value of a select
	Bool        bool   // the current value of a boolean
	Choices     []ConfigChoice
}

// ConfigChoice is one value of a select. Group is the name of the group it stands in, empty if the list is flat.
type ConfigChoice struct {
	Value       string
	Name        string
	Description string
	Group       string
}

func (d *decoder) sessionModes(name string, raw []byte) *SessionModes {
	m := &SessionModes{}
	ok := d.object(name, raw, func(key, value []byte) {
		switch string(key) {
		case "currentModeId":
			d.str("currentModeId", value, &m.Current)
		case "availableModes":
			d.list("availableModes", value, func(value []byte) {
				var mode SessionMode
				ok := d.item(value, func(key, value []byte) {
					switch string(key) {
					case "id":
						d.str("id", value, &mode.ID)
					case "name":
						d.str("name", value, &mode.Name)
					case "description":
						d.str("description", value, &mode.Description)
					}
				})
				if ok {
					m.Available = append(m.Available, mode)
				}
			})
		}
	})
	if !ok {
		return nil
	}
	return m
}

func (d *decoder) configOptions(name string, raw []byte) []ConfigOption {
	var options []ConfigOption
	d.list(name, raw, func(value []byte) {
		var o ConfigOption
		var current []byte
		ok := d.item(value, func(key, value []byte) {
			switch string(key) {
			case "id":
				d.str("id", value, &o.ID)
			case "name":
				d.str("name", value, &o.Name)
			case "description":
				d.str("description", value, &o.Description)
			case "category":
				d.str("category", value, &o.Category)
			case "type":
				d.str("type", value, &o.Type)
			case "currentValue":
				current = value
			case "options":
				o.Choices = d.choices("options", value, "")
			}
		})
		if !ok {
			return
		}
		switch {
		case current == nil:
		case o.Type == "boolean":
			d.boolean("currentValue", current, &o.Bool)
		case o.Type == "select" || o.Type == "":
			d.str("currentValue", current, &o.Value)
		}
		options = append(options, o)
	})
	return options
}

// choices reads a flat list of values or a list of groups of them.
func (d *decoder) choices(name string, raw []byte, group string) []ConfigChoice {
	var choices []ConfigChoice
	d.list(name, raw, func(value []byte) {
		c := ConfigChoice{Group: group}
		var nested []byte
		ok := d.item(value, func(key, value []byte) {
			switch string(key) {
			case "value":
				d.str("value", value, &c.Value)
			case "name":
				d.str("name", value, &c.Name)
			case "description":
				d.str("description", value, &c.Description)
			case "options":
				if !isNull(value) {
					nested = value
				}
			}
		})
		switch {
		case !ok:
		case nested != nil && group == "":
			choices = append(choices, d.choices("options", nested, c.Name)...)
		default:
			choices = append(choices, c)
		}
	})
	return choices
}
