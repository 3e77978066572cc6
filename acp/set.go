package acp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Setting is a value that is wanted for one of a session's options.
type Setting struct {
	// Name is the id of an option or, if there is none, a category, such as model: then the first option of it is meant.
	Name string
	// Value is one of the choices of a select, or true or false for a boolean.
	Value string
	// Optional says that it is no failure if the agent does not offer or apply it.
	Optional bool
}

// NotAppliedError tells of a setting that the agent has accepted and not applied.
type NotAppliedError struct {
	Name string
	Want string
	Have string // what the agent says the value is
}

func (e *NotAppliedError) Error() string {
	return fmt.Sprintf("the agent has not applied %s %q: it is %q", e.Name, e.Want, e.Have)
}

// Settings returns everything that can be set of the session, as it stands now: the session's options and, unless one of them
// is of that category, the modes and the models of agents that offer those in the older ways, as the options "mode" and
// "model".
func (s *Session) Settings() []ConfigOption {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings.read()
	return s.settings.all()
}

// Set sets an option of the session by its id, or by its category, to one of the values that the agent offers. It returns when
// the agent says that it is so: what it says last counts, and if that is something else, the error is a *NotAppliedError. What
// the agent does not offer is refused without asking it, and the error, an ErrNotOffered, says what there is. Of the agent's
// own refusal the error wraps its *Error. It mirrors session/set_config_option, session/set_mode and, of agents from before
// there were options, session/set_model.
func (s *Session) Set(ctx context.Context, name, value string) error {
	if err := s.set(ctx, name, value); err != nil {
		return fmt.Errorf("cannot set %s %q: %w", name, value, err)
	}
	return nil
}

// SetMode is Set for the mode that the agent works in.
func (s *Session) SetMode(ctx context.Context, mode string) error {
	return s.Set(ctx, string(CategoryMode), mode)
}

// SetModel is Set for the model that the agent works with.
func (s *Session) SetModel(ctx context.Context, model string) error {
	return s.Set(ctx, string(CategoryModel), model)
}

// apply sets what is wanted of a session that has just been opened. On an error the session is closed.
func (s *Session) apply(ctx context.Context, wanted []Setting) error {
	for _, w := range wanted {
		err := s.Set(ctx, w.Name, w.Value)
		if err != nil && w.Optional {
			s.conn.diagnose(Diagnostic{Kind: DiagnosticProtocol, Session: s.id, Text: err.Error()})
			continue
		}
		if err != nil {
			return errors.Join(err, s.Close(context.WithoutCancel(ctx)))
		}
	}
	return nil
}

func (s *Session) set(ctx context.Context, name, value string) error {
	option, err := s.offered(name, value)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.settings.read()
	before := s.settings.said[option.method]
	s.mu.Unlock()
	// The answer is taken over by the reader: an update that comes right after it is newer.
	err = s.conn.controlSettled(ctx, option.method, setParams{s.id, option, value}, func(a answer) {
		if a.err == nil {
			s.accepted(&option, value, before, a.result)
		}
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings.read()
	if now, _ := s.settings.find(option.ID); now.Current() != value {
		return &NotAppliedError{Name: option.ID, Want: value, Have: now.Current()}
	}
	return nil
}

// accepted takes over what the answer says. An answer that says nothing means that it is as wanted, unless the agent has said
// otherwise since it was asked.
func (s *Session) accepted(option *ConfigOption, value string, before uint64, result []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := &s.settings
	g.read()
	if option.method == methodSetOption {
		var d decoder
		eachMember(result, func(key, value []byte) {
			if string(key) == "configOptions" && value[0] == '[' {
				g.optionsAre(d.configOptions("configOptions", value))
				g.heard(methodSetOption)
			}
		})
		s.conn.warnings(s.id, d.warnings)
	}
	if g.said[option.method] != before {
		return
	}
	switch option.method {
	case methodSetMode:
		g.modeIs(value)
	case methodSetModel:
		g.modelIs(value)
	default:
		g.optionIs(option.ID, value)
	}
}

// offered returns the option of a name, or an error that says what there is.
func (s *Session) offered(name, value string) (ConfigOption, error) {
	if s.parent != nil {
		return ConfigOption{}, ErrChildSession
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != sessionOpen {
		return ConfigOption{}, ErrSessionClosed
	}
	s.settings.read()
	option, ok := s.settings.find(name)
	if !ok {
		var names []string
		for _, o := range s.settings.all() {
			names = append(names, o.ID)
		}
		return option, fmt.Errorf("%w: it has %s", ErrNotOffered, listing(names, "no options"))
	}
	switch option.Type {
	case ConfigBoolean:
		if value != "true" && value != "false" {
			return option, fmt.Errorf("%w: it is true or false", ErrNotOffered)
		}
	case ConfigSelect, "":
		if !option.offers(value) {
			var values []string
			for _, c := range option.Choices {
				values = append(values, c.Value)
			}
			return option, fmt.Errorf("%w: it has %s", ErrNotOffered, listing(values, "no values"))
		}
	default:
		return option, fmt.Errorf("%w: the option is of type %q, which is not known here", ErrNotOffered, option.Type)
	}
	return option, nil
}

// listing joins the first words of a list that may be long.
func listing(words []string, none string) string {
	const most = 20
	count := len(words)
	words = slices.Clone(words[:min(len(words), most+1)])
	for i, word := range words {
		if len(word) > 80 {
			words[i] = strings.ToValidUTF8(word[:80], "") + "…"
		}
	}
	switch {
	case count == 0:
		return none
	case count > most:
		return strings.Join(words[:most], ", ") + " and " + strconv.Itoa(count-most) + " more"
	}
	return strings.Join(words, ", ")
}

// setParams are the params of the three methods.
type setParams struct {
	session SessionID
	option  ConfigOption
	value   string
}

func (p setParams) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"sessionId":`...)
	dst = appendString(dst, string(p.session))
	switch p.option.method {
	case methodSetMode:
		dst = appendRequired(dst, "modeId", p.value)
	case methodSetModel:
		dst = appendRequired(dst, "modelId", p.value)
	default:
		dst = appendRequired(dst, "configId", p.option.ID)
		if p.option.Type == ConfigBoolean {
			dst = append(append(dst, `,"type":"boolean","value":`...), p.value...)
		} else {
			dst = appendRequired(dst, "value", p.value)
		}
	}
	return append(dst, '}')
}
