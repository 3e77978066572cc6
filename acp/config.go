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

// SessionModels is the set of models that a session offers; nil if the agent has none, or offers them as an option. It is of an
// older draft of the protocol, and still the only way of many agents.
type SessionModels struct {
	Current   string // currentModelId
	Available []SessionModel
}

// SessionModel is a model that an agent can work with. An id is opaque.
type SessionModel struct {
	ID          string // modelId
	Name        string
	Description string
}

// ConfigOption is one setting of a session (SessionConfigOption). The variant is open: a select has Value and Choices, a
// boolean has Bool, any other type has neither.
type ConfigOption struct {
	ID          string
	Name        string
	Description string
	Category    ConfigCategory
	Type        ConfigType
	Value       string // the current value of a select
	Bool        bool   // the current value of a boolean
	Choices     []ConfigChoice

	method string // that sets it
}

// ConfigCategory says what an option is about (SessionConfigOptionCategory). It is open.
type ConfigCategory string

// The categories of the protocol.
const (
	CategoryMode         ConfigCategory = "mode"
	CategoryModel        ConfigCategory = "model"
	CategoryModelConfig  ConfigCategory = "model_config"
	CategoryThoughtLevel ConfigCategory = "thought_level"
)

// ConfigType says what values an option has (the variants of SessionConfigOption). It is open.
type ConfigType string

// The types of the protocol.
const (
	ConfigSelect  ConfigType = "select"
	ConfigBoolean ConfigType = "boolean"
)

// ConfigChoice is one value of a select.
type ConfigChoice struct {
	Value       string
	Name        string
	Description string
	Group       string // the name of the group it stands in, empty if the list is flat
	GroupID     string // that group's id
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

func (d *decoder) sessionModels(name string, raw []byte) *SessionModels {
	m := &SessionModels{}
	ok := d.object(name, raw, func(key, value []byte) {
		switch string(key) {
		case "currentModelId":
			d.str("currentModelId", value, &m.Current)
		case "availableModels":
			d.list("availableModels", value, func(value []byte) {
				var model SessionModel
				ok := d.item(value, func(key, value []byte) {
					switch string(key) {
					case "modelId":
						d.str("modelId", value, &model.ID)
					case "name":
						d.str("name", value, &model.Name)
					case "description":
						d.str("description", value, &model.Description)
					}
				})
				if ok {
					m.Available = append(m.Available, model)
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
				d.str("category", value, (*string)(&o.Category))
			case "type":
				d.str("type", value, (*string)(&o.Type))
			case "currentValue":
				current = value
			case "options":
				o.Choices = d.choices("options", value, ConfigChoice{})
			}
		})
		if !ok {
			return
		}
		switch {
		case current == nil:
		case o.Type == ConfigBoolean:
			d.boolean("currentValue", current, &o.Bool)
		case o.Type == ConfigSelect || o.Type == "":
			d.str("currentValue", current, &o.Value)
		}
		options = append(options, o)
	})
	return options
}

// choices reads a flat list of values or a list of groups of them.
func (d *decoder) choices(name string, raw []byte, group ConfigChoice) []ConfigChoice {
	var choices []ConfigChoice
	d.list(name, raw, func(value []byte) {
		c := ConfigChoice{Group: group.Name, GroupID: group.GroupID}
		var nested []byte
		ok := d.item(value, func(key, value []byte) {
			switch string(key) {
			case "value":
				d.str("value", value, &c.Value)
			case "name":
				d.str("name", value, &c.Name)
			case "description":
				d.str("description", value, &c.Description)
			case "group":
				d.str("group", value, &c.GroupID)
			case "options":
				if !isNull(value) {
					nested = value
				}
			}
		})
		switch {
		case !ok:
		case nested != nil && group == (ConfigChoice{}):
			choices = append(choices, d.choices("options", nested, c)...)
		default:
			choices = append(choices, c)
		}
	})
	return choices
}
