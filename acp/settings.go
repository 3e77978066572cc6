package acp

import (
	"bytes"
	"slices"
	"strconv"
)

// Three methods of the protocol set how a session works, each with an offer of its own. Options are the newest and come
// first: what they offer is not looked for elsewhere.
const (
	methodSetOption = "session/set_config_option"
	methodSetMode   = "session/set_mode"
	methodSetModel  = "session/set_model" // gone from the protocol, and still the only one of many agents
)

// settings are what can be set of a session, and how it stands: what the agent has said last counts, be it an answer or an
// update. The reader only keeps the updates; whoever looks at the settings decodes them.
type settings struct {
	modes   *SessionModes
	models  *SessionModels
	options []ConfigOption

	news   []settingsNews
	said   map[string]uint64   // counts what the agent has said of each method's settings
	spoken map[UpdateKind]bool // what the answer that opened the session has told of
}

// settingsNews is one update that was not decoded yet.
type settingsNews struct {
	kind UpdateKind
	raw  []byte
}

// maxSettingsNews is how many updates wait for somebody to look.
const maxSettingsNews = 8

// offered takes over what the answer says that opened the session. What it tells of is newer than the updates that came before.
func (s *settings) offered(modes *SessionModes, models *SessionModels, options []ConfigOption) {
	s.spoken = map[UpdateKind]bool{KindCurrentMode: modes != nil, KindConfigOption: options != nil}
	s.news = slices.DeleteFunc(s.news, func(n settingsNews) bool { return s.spoken[n.kind] })
	s.modes, s.models = modes, models
	s.optionsAre(options)
}

// note keeps an update about settings. It runs on the reader.
func (s *settings) note(l *letter) {
	if l.kind != KindCurrentMode && l.kind != KindConfigOption || l.held && s.spoken[l.kind] {
		return
	}
	if l.kind == KindConfigOption { // it replaces all options, but not the modes
		s.news = slices.DeleteFunc(s.news, func(n settingsNews) bool { return n.kind == KindConfigOption })
	}
	s.news = append(s.news, settingsNews{l.kind, bytes.Clone(l.update())})
	if len(s.news) > maxSettingsNews {
		s.read()
	}
}

// read takes over what the updates say.
func (s *settings) read() {
	news := s.news
	s.news = nil
	for _, n := range news {
		var d decoder
		switch u := d.update(n.kind, n.raw).(type) {
		case *CurrentModeUpdate:
			s.modeIs(u.ModeID)
			s.heard(methodSetMode)
		case *ConfigOptionUpdate:
			s.optionsAre(u.Options)
			s.heard(methodSetOption)
		}
	}
}

// heard counts what the agent says.
func (s *settings) heard(method string) {
	if s.said == nil {
		s.said = map[string]uint64{}
	}
	s.said[method]++
}

// modeIs takes over the mode, and has the option of the same meaning say the same.
func (s *settings) modeIs(id string) {
	if s.modes != nil {
		modes := *s.modes
		modes.Current = id
		s.modes = &modes
	}
	for i := range s.options {
		if o := &s.options[i]; o.Category == CategoryMode && o.offers(id) {
			s.options = slices.Clone(s.options)
			s.options[i].Value = id
			return
		}
	}
}

func (s *settings) modelIs(id string) {
	if s.models != nil {
		models := *s.models
		models.Current = id
		s.models = &models
	}
}

func (s *settings) optionIs(id, value string) {
	options := slices.Clone(s.options)
	for i := range options {
		switch o := &options[i]; {
		case o.ID != id:
		case o.Type == ConfigBoolean:
			o.Bool = value == "true"
		default:
			o.Value = value
		}
	}
	s.optionsAre(options)
}

// optionsAre takes over the options, and has modes and models of the same meaning say the same.
func (s *settings) optionsAre(options []ConfigOption) {
	s.options = options
	if o := s.ofCategory(CategoryMode); o != nil && s.modes != nil && s.modes.has(o.Value) {
		modes := *s.modes
		modes.Current = o.Value
		s.modes = &modes
	}
	if o := s.ofCategory(CategoryModel); o != nil && s.models != nil && s.models.has(o.Value) {
		s.modelIs(o.Value)
	}
}

// ofCategory returns the first option of a category, which is the one that the agent finds most important.
func (s *settings) ofCategory(category ConfigCategory) *ConfigOption {
	for i := range s.options {
		if s.options[i].Category == category {
			return &s.options[i]
		}
	}
	return nil
}

// all returns the options, and the modes and models as options if there are none of their category. Each has the method that
// sets it.
func (s *settings) all() []ConfigOption {
	all := make([]ConfigOption, 0, len(s.options)+2)
	if s.modes != nil && s.ofCategory(CategoryMode) == nil {
		all = append(all, s.modes.option())
	}
	if s.models != nil && s.ofCategory(CategoryModel) == nil {
		all = append(all, s.models.option())
	}
	for _, o := range s.options {
		o.method = methodSetOption
		all = append(all, o)
	}
	return all
}

// find returns what is set under a name: the option of that id, else the first of that category.
func (s *settings) find(name string) (ConfigOption, bool) {
	all := s.all()
	for _, is := range []func(ConfigOption) bool{
		func(o ConfigOption) bool { return o.ID == name },
		func(o ConfigOption) bool { return string(o.Category) == name },
	} {
		if i := slices.IndexFunc(all, is); i >= 0 {
			return all[i], true
		}
	}
	return ConfigOption{}, false
}

// option returns the modes as an option.
func (m *SessionModes) option() ConfigOption {
	o := ConfigOption{ID: "mode", Name: "Mode", Category: CategoryMode, Type: ConfigSelect, Value: m.Current, method: methodSetMode}
	for _, mode := range m.Available {
		o.Choices = append(o.Choices, ConfigChoice{Value: mode.ID, Name: mode.Name, Description: mode.Description})
	}
	return o
}

func (m *SessionModes) has(id string) bool {
	return slices.ContainsFunc(m.Available, func(mode SessionMode) bool { return mode.ID == id })
}

// option returns the models as an option.
func (m *SessionModels) option() ConfigOption {
	o := ConfigOption{ID: "model", Name: "Model", Category: CategoryModel, Type: ConfigSelect, Value: m.Current, method: methodSetModel}
	for _, model := range m.Available {
		o.Choices = append(o.Choices, ConfigChoice{Value: model.ID, Name: model.Name, Description: model.Description})
	}
	return o
}

func (m *SessionModels) has(id string) bool {
	return slices.ContainsFunc(m.Available, func(model SessionModel) bool { return model.ID == id })
}

// offers reports whether a value is one of the choices.
func (o *ConfigOption) offers(value string) bool {
	return slices.ContainsFunc(o.Choices, func(c ConfigChoice) bool { return c.Value == value })
}

// Current returns the current value as text: that of a select, or true or false. Of another type it is empty.
func (o *ConfigOption) Current() string {
	if o.Type == ConfigBoolean {
		return strconv.FormatBool(o.Bool)
	}
	return o.Value
}
