package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	modesOffered  = `"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"auto","name":"Auto"}]}`
	modelsOffered = `"models":{"currentModelId":"small","availableModels":[{"modelId":"small","name":"S"},{"modelId":"big","name":"B"}]}`
)

// selects is the list of options with current values, each name=current:choice,choice and category of the same name.
func selects(options ...string) string {
	var list []string
	for _, o := range options {
		name, rest, _ := strings.Cut(o, "=")
		current, choices, isSelect := strings.Cut(rest, ":")
		if !isSelect {
			list = append(list, fmt.Sprintf(`{"id":%q,"type":"boolean","currentValue":%s}`, name, current))
			continue
		}
		var values []string
		for c := range strings.SplitSeq(choices, ",") {
			values = append(values, fmt.Sprintf(`{"value":%q,"name":%q}`, c, strings.ToUpper(c)))
		}
		list = append(list, fmt.Sprintf(`{"id":"the-%s","category":%q,"type":"select","currentValue":%q,"options":[%s]}`, name, name, current, strings.Join(values, ",")))
	}
	return `"configOptions":[` + strings.Join(list, ",") + `]`
}

func updateFrame(update string) string {
	return `{"method":"session/update","params":{"sessionId":"s1","update":` + update + `}}`
}

func modeUpdate(id string) string {
	return updateFrame(`{"sessionUpdate":"current_mode_update","currentModeId":"` + id + `"}`)
}

func optionUpdate(options ...string) string {
	return updateFrame(`{"sessionUpdate":"config_option_update",` + selects(options...) + `}`)
}

// standing renders the settings: name=value for each.
func standing(s *Session) string {
	var all []string
	for _, o := range s.Settings() {
		all = append(all, o.ID+"="+o.Current())
	}
	return strings.Join(all, " ")
}

var settingsTests = []struct {
	name        string
	offer       string   // members of the answer to session/new
	set, to     string   // what is set
	sent        string   // the method and params; empty if nothing is to be sent
	before      []string // frames of the agent before its answer
	answer      string   // the result; "error …" is an error
	after       []string // frames that come right after it
	err         string
	is          error
	notApplied  *NotAppliedError
	want        string // how the settings stand in the end
	mode, model string // of Modes and Models
}{
	{
		name: "a mode of an agent that says nothing more", offer: modesOffered, set: "mode", to: "auto",
		sent: `session/set_mode {"sessionId":"s1","modeId":"auto"}`, answer: `{}`, want: "mode=auto", mode: "auto",
	},
	{
		name: "a mode that is confirmed by an update", offer: modesOffered, set: "mode", to: "auto", sent: "session/set_mode",
		before: []string{modeUpdate("auto")}, answer: `{}`, want: "mode=auto", mode: "auto",
	},
	{
		name: "a mode that the agent does not take, pingdotgg/t3code#9242", offer: modesOffered, set: "mode", to: "auto", sent: "session/set_mode",
		before: []string{modeUpdate("ask")}, answer: `{}`, notApplied: &NotAppliedError{Name: "mode", Want: "auto", Have: "ask"}, want: "mode=ask", mode: "ask",
	},
	{
		name: "a mode that the agent leaves at once", offer: modesOffered, set: "mode", to: "auto", sent: "session/set_mode",
		answer: `{}`, after: []string{modeUpdate("ask")}, want: "mode=ask", mode: "ask",
	},
	{
		name: "a mode that is not offered", offer: modesOffered, set: "mode", to: "yolo", is: ErrNotOffered,
		err: `cannot set mode "yolo": the session does not offer it: it has ask, auto`, want: "mode=ask", mode: "ask",
	},
	{
		name: "a refusal, we-are-singular/aml#23", offer: modesOffered, set: "mode", to: "auto", sent: "session/set_mode",
		answer: `error {"code":-32603,"message":"service unavailable"}`, err: "service unavailable", want: "mode=ask", mode: "ask",
	},
	{
		name: "a model in the old way, mcpc-tech/mcpc#61", offer: modelsOffered, set: "model", to: "big",
		sent: `session/set_model {"sessionId":"s1","modelId":"big"}`, answer: `{}`, want: "model=big", model: "big",
	},
	{
		name:  "options come first, mcpc-tech/mcpc#61",
		offer: modelsOffered + "," + modesOffered + "," + selects("model=small:small,big", "mode=ask:ask,auto"), set: "model", to: "big",
		sent:   `session/set_config_option {"sessionId":"s1","configId":"the-model","value":"big"}`,
		answer: `{` + selects("model=big:small,big", "mode=auto:ask,auto") + `}`, want: "the-model=big the-mode=auto", model: "big", mode: "auto",
	},
	{
		name: "an option by its id", offer: selects("model=small:small,big"), set: "the-model", to: "big", sent: "session/set_config_option",
		answer: `{` + selects("model=big:small,big") + `}`, want: "the-model=big",
	},
	{
		name: "an option that stays as it was, pingdotgg/t3code#9242", offer: selects("model=small:small,big"), set: "model", to: "big", sent: "session/set_config_option",
		answer: `{` + selects("model=small:small,big") + `}`, notApplied: &NotAppliedError{Name: "the-model", Want: "big", Have: "small"}, want: "the-model=small",
	},
	{
		name: "an option that vanishes", offer: selects("model=small:small,big"), set: "model", to: "big", sent: "session/set_config_option",
		answer: `{"configOptions":[]}`, notApplied: &NotAppliedError{Name: "the-model", Want: "big"}, want: "",
	},
	{
		name: "an answer without the list", offer: selects("model=small:small,big", "turbo=false"), set: "model", to: "big", sent: "session/set_config_option",
		answer: `{}`, want: "the-model=big turbo=false",
	},
	{
		name: "an answer with a list that is none", offer: selects("model=small:small,big"), set: "model", to: "big", sent: "session/set_config_option",
		answer: `{"configOptions":{}}`, want: "the-model=big",
	},
	{
		name: "an answer without the list, after an update that has it", offer: selects("model=small:small,big"), set: "model", to: "big", sent: "session/set_config_option",
		before: []string{optionUpdate("model=small:small,big")}, answer: `{}`,
		notApplied: &NotAppliedError{Name: "the-model", Want: "big", Have: "small"}, want: "the-model=small",
	},
	{
		name: "what comes last counts", offer: selects("model=small:small,big"), set: "model", to: "big", sent: "session/set_config_option",
		before: []string{optionUpdate("model=small:small,big")}, answer: `{` + selects("model=big:small,big") + `}`,
		after: []string{optionUpdate("model=small:small,big")}, want: "the-model=small",
	},
	{
		name: "one option changes another", offer: selects("model=small:small,big", "thought_level=low:low"), set: "model", to: "big", sent: "session/set_config_option",
		answer: `{` + selects("model=big:small,big", "thought_level=high:high,max") + `}`, want: "the-model=big the-thought_level=high",
	},
	{
		name: "a boolean", offer: selects("turbo=false"), set: "turbo", to: "true",
		sent:   `session/set_config_option {"sessionId":"s1","configId":"turbo","type":"boolean","value":true}`,
		answer: `{` + selects("turbo=true") + `}`, want: "turbo=true",
	},
	{name: "a boolean is true or false", offer: selects("turbo=false"), set: "turbo", to: "yes", is: ErrNotOffered, err: "it is true or false", want: "turbo=false"},
	{
		name: "an option of an unknown type", offer: `"configOptions":[{"id":"v","type":"slider","currentValue":1}]`, set: "v", to: "2", is: ErrNotOffered,
		err: `of type "slider"`, want: "v=",
	},
	{name: "no options at all", set: "model", to: "big", is: ErrNotOffered, err: "it has no options", want: ""},
	{
		name: "an option of the same name is meant", offer: modesOffered + `,"configOptions":[{"id":"mode","category":"theme","type":"select","currentValue":"a","options":[{"value":"a"},{"value":"auto"}]}]`,
		set: "mode", to: "auto", sent: "session/set_mode", answer: `{}`, want: "mode=auto mode=a", mode: "auto",
	},
	{
		name: "a mode update moves the option along, and the other way", offer: modesOffered + "," + selects("mode=ask:ask,auto"), set: "mode", to: "auto",
		sent: "session/set_config_option", answer: `{` + selects("mode=auto:ask,auto") + `}`, after: []string{modeUpdate("ask")}, want: "the-mode=ask", mode: "ask",
	},
	{
		name: "models as URLs and with brackets, qwen", offer: selects("model=$runtime|x(y):$runtime|x(y),fake-model[medium]"), set: "model", to: "fake-model[medium]",
		sent:   `session/set_config_option {"sessionId":"s1","configId":"the-model","value":"fake-model[medium]"}`,
		answer: `{` + selects("model=fake-model[medium]:$runtime|x(y),fake-model[medium]") + `}`, want: "the-model=fake-model[medium]",
	},
}

func TestSettings(t *testing.T) {
	for _, tt := range settingsTests {
		t.Run(tt.name, func(t *testing.T) {
			conn, p := puppeteer(t, nil)
			session := openPuppetAs(t, conn, p, tt.offer)
			done := make(chan error, 1)
			go func() { done <- session.Set(context.Background(), tt.set, tt.to) }()
			if tt.sent != "" {
				frame := p.hear(t)
				method, params, _ := strings.Cut(tt.sent, " ")
				assert.Equal(t, method, frame.Method)
				if params != "" {
					assert.JSONEq(t, params, string(frame.Params))
				}
				for _, line := range tt.before {
					p.say(t, line)
				}
				if rpc, refused := strings.CutPrefix(tt.answer, "error "); refused {
					p.say(t, fmt.Sprintf(`{"id":%s,"error":%s}`, frame.ID, rpc))
				} else {
					p.say(t, fmt.Sprintf(`{"id":%s,"result":%s}`, frame.ID, tt.answer))
				}
			}
			err := <-done
			for _, line := range tt.after {
				p.say(t, line)
			}
			switch {
			case tt.notApplied != nil:
				have, ok := errors.AsType[*NotAppliedError](err)
				require.True(t, ok, "%v", err)
				assert.Equal(t, tt.notApplied, have)
			case tt.err != "" || tt.is != nil:
				require.ErrorContains(t, err, tt.err)
				if tt.is != nil {
					require.ErrorIs(t, err, tt.is)
				}
			default:
				require.NoError(t, err)
			}
			p.flush(t, conn)
			assert.Equal(t, tt.want, standing(session))
			if tt.mode != "" {
				assert.Equal(t, tt.mode, session.Modes().Current)
			}
			if tt.model != "" {
				assert.Equal(t, tt.model, session.Models().Current)
			}
		})
	}
}

// openPuppetAs opens a session that the agent answers with further members.
func openPuppetAs(t *testing.T, conn *Conn, p *puppet, offer string) *Session {
	t.Helper()
	opened := make(chan *Session, 1)
	go func() {
		s, err := conn.NewSession(context.Background(), "/", nil)
		assert.NoError(t, err)
		opened <- s
	}()
	if offer != "" {
		offer = "," + offer
	}
	p.say(t, fmt.Sprintf(`{"id":%s,"result":{"sessionId":"s1"%s}}`, p.hear(t).ID, offer))
	session := <-opened
	require.NotNil(t, session)
	return session
}

// flush returns when the client has read everything that was said.
func (p *puppet) flush(t *testing.T, conn *Conn) {
	t.Helper()
	id, outcome := p.call(t, conn)
	p.say(t, `{"id":`+id+`,"result":{}}`)
	require.NoError(t, <-outcome)
}

// What was told before the answer of a load is not lost when the answer leaves it out (mattapperson/noetic#99).
func TestSettingsOfALoadedSession(t *testing.T) {
	for _, tt := range []struct{ name, before, answer, want string }{
		{"the answer has them", optionUpdate("model=small:small,big"), `{` + selects("model=big:small,big") + `}`, "the-model=big"},
		{"an update has them", optionUpdate("model=big:small,big"), `{}`, "the-model=big"},
		{"the answer has the mode, which is newer", modeUpdate("auto"), `{` + modesOffered + `}`, "mode=ask"},
		{"the answer has the mode, an update the options", optionUpdate("model=big:small,big"), `{` + modesOffered + `}`, "mode=ask the-model=big"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn, p := puppeteerOf(t, nil, `{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}`)
			loaded := make(chan *Session, 1)
			go func() {
				s, err := conn.LoadSession(context.Background(), "s1", "/", &SessionOptions{ReplayGrace: -1})
				assert.NoError(t, err)
				loaded <- s
			}()
			id := p.hear(t).ID
			p.say(t, tt.before)
			p.say(t, fmt.Sprintf(`{"id":%s,"result":%s}`, id, tt.answer))
			session := <-loaded
			require.NotNil(t, session)
			assert.Equal(t, tt.want, standing(session))
		})
	}
}

// Settings that are wanted are set when the session has been opened; one that cannot be had closes it again (claude-agent-acp#845).
func TestSettingsAtOpening(t *testing.T) {
	type outcome struct {
		session *Session
		err     error
	}
	for _, tt := range []struct {
		name   string
		wanted []Setting
		calls  []string // "method value" of each call after session/new
		err    string
	}{
		{"all", []Setting{{Name: "model", Value: "big"}, {Name: "mode", Value: "auto"}}, []string{"session/set_model big", "session/set_mode auto"}, ""},
		{"one that is not offered", []Setting{{Name: "model", Value: "huge"}}, []string{"session/close "}, `cannot set model "huge"`},
		{"one that nobody needs", []Setting{{Name: "effort", Value: "max", Optional: true}, {Name: "mode", Value: "auto"}}, []string{"session/set_mode auto"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn, p := puppeteerOf(t, nil, `{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"close":{}}}}`)
			opened := make(chan outcome, 1)
			go func() {
				s, err := conn.NewSession(context.Background(), "/", &SessionOptions{Settings: tt.wanted})
				opened <- outcome{s, err}
			}()
			p.say(t, fmt.Sprintf(`{"id":%s,"result":{"sessionId":"s1",%s,%s}}`, p.hear(t).ID, modesOffered, modelsOffered))
			for _, call := range tt.calls {
				frame := p.hear(t)
				var params struct{ ModeID, ModelID string }
				require.NoError(t, json.Unmarshal(frame.Params, &params))
				assert.Equal(t, call, frame.Method+" "+params.ModeID+params.ModelID)
				p.say(t, fmt.Sprintf(`{"id":%s,"result":{}}`, frame.ID))
			}
			got := <-opened
			if tt.err != "" {
				require.ErrorContains(t, got.err, tt.err)
				assert.Nil(t, got.session)
				return
			}
			require.NoError(t, got.err)
		})
	}
}

// However many updates nobody looks at, they do not pile up.
func TestUnreadSettingsDoNotPileUp(t *testing.T) {
	var s settings
	s.offered(&SessionModes{Available: []SessionMode{{ID: "m"}}}, nil, nil)
	for i := range 1000 {
		mode := fmt.Appendf(nil, `{"currentModeId":"m%d"}`, i)
		s.note(&letter{kind: KindCurrentMode, params: mode, to: uint32(len(mode))})
		options := fmt.Appendf(nil, `{"configOptions":[{"id":"o","currentValue":"%d"}]}`, i)
		s.note(&letter{kind: KindConfigOption, params: options, to: uint32(len(options))})
		require.LessOrEqual(t, len(s.news), maxSettingsNews)
	}
	s.read()
	assert.Equal(t, "m999", s.modes.Current)
	assert.Equal(t, "999", s.options[0].Value)
}

// What was read before the answer of session/new is older than what that tells of.
func TestSettingsBeforeTheAnswer(t *testing.T) {
	conn, p := puppeteer(t, nil)
	opened := make(chan *Session, 1)
	go func() {
		s, err := conn.NewSession(context.Background(), "/", nil)
		assert.NoError(t, err)
		opened <- s
	}()
	id := p.hear(t).ID
	p.say(t, optionUpdate("model=big:small,big"))
	p.say(t, fmt.Sprintf(`{"id":%s,"result":{"sessionId":"s1",%s}}`, id, selects("model=small:small,big")))
	session := <-opened
	p.flush(t, conn)
	assert.Equal(t, "the-model=small", standing(session))
}

// An answer that is read when the caller gives up is taken over all the same, before the call returns.
func TestSettingsOfAnAnswerInTheLastMoment(t *testing.T) {
	conn, p := puppeteer(t, nil)
	session := openPuppetAs(t, conn, p, selects("model=small:small,big"))
	ctx, giveUp := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- session.Set(ctx, "model", "big") }()
	frame := p.hear(t)
	read, proceed := make(chan struct{}), make(chan struct{})
	conn.wire.mu.Lock()
	for _, c := range conn.wire.calls { // the reader is held up right before it takes the answer over
		settle := c.settle
		c.settle = func(a answer) {
			close(read)
			<-proceed
			settle(a)
		}
	}
	conn.wire.mu.Unlock()
	p.say(t, fmt.Sprintf(`{"id":%s,"result":{%s}}`, frame.ID, selects("model=big:small,big")))
	<-read
	giveUp()
	close(proceed)
	require.NoError(t, <-done)
	assert.Equal(t, "the-model=big", standing(session))
}

// A stored session that is there is not given up for a setting that cannot be had.
func TestRestoreStopsAtSettings(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		want         LoadErrorKind
	}{
		{"not offered", `"result":{}`, LoadNotSet},
		{"refused", `"error":{"code":-32603,"message":"no"}`, LoadNotSet},
		{"a sign-in is wanted", `"error":{"code":-32000,"message":"sign in"}`, LoadAuth},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn, p := puppeteerOf(t, nil, `{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"resume":{}}}}`)
			done := make(chan error, 1)
			go func() {
				_, _, err := conn.RestoreSession(context.Background(), "s1", "/", &RestoreOptions{
					OrNew: true, Session: SessionOptions{Settings: []Setting{{Name: "model", Value: "big"}}},
				})
				done <- err
			}()
			offer := "{}"
			if tt.name != "not offered" {
				offer = "{" + modelsOffered + "}"
			}
			p.say(t, fmt.Sprintf(`{"id":%s,"result":%s}`, p.hear(t).ID, offer))
			if tt.name != "not offered" {
				p.say(t, fmt.Sprintf(`{"id":%s,%s}`, p.hear(t).ID, tt.answer))
			}
			err := <-done
			failed, ok := errors.AsType[*LoadError](err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, tt.want, failed.Kind)
		})
	}
}

// The errors of settings are short, whatever is offered.
func TestLongOffers(t *testing.T) {
	conn, p := puppeteer(t, nil)
	session := openPuppetAs(t, conn, p, `"models":{"currentModelId":"a","availableModels":[{"modelId":"`+strings.Repeat("x", 1<<20)+`"}]}`)
	assert.Less(t, len(session.SetModel(t.Context(), "no").Error()), 500)
}
