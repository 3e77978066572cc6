package fakeagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// setup are the members of an answer that opens a session.
func (s *server) setup(rec *record) object {
	o := object{"modes": modes(rec.Mode)}
	if s.script.ConfigOptions != nil {
		o["configOptions"] = rec.Options
	}
	if s.script.Models != nil {
		o["models"] = s.models(rec.Model)
	}
	return o
}

// models is Script.Models with the current one.
func (s *server) models(current string) object {
	var models object
	_ = json.Unmarshal(s.script.Models, &models) // it was read once already
	if current != "" {
		models["currentModelId"] = current
	}
	return models
}

// validateSettings refuses settings that no client could read.
func (s *Script) validateSettings() error {
	var options []struct{ ID, Type string }
	var models struct{ AvailableModels []any }
	var err error
	if s.ConfigOptions != nil && json.Unmarshal(s.ConfigOptions, &options) != nil {
		err = errors.Join(err, errors.New("configOptions: want a list of options"))
	}
	if s.Models != nil && json.Unmarshal(s.Models, &models) != nil {
		err = errors.Join(err, errors.New("models: want an object"))
	}
	if (s.SignIn != "") != (s.SignInFile != "") {
		err = errors.Join(err, errors.New("signIn, signInFile: one needs the other"))
	}
	return err
}

// options returns Script.ConfigOptions for a new session.
func (s *Script) options() []object {
	var options []object
	_ = json.Unmarshal(s.ConfigOptions, &options)
	return options
}

func (s *server) setOption(ctx context.Context, req request) {
	sess, e := s.lookup(req.params)
	var p struct {
		ConfigID string `json:"configId"`
		Value    any    `json:"value"`
	}
	if e == nil {
		e = decodeParams(req.params, &p)
	}
	if e != nil {
		s.refuse(ctx, req, e)
		return
	}
	s.mu.Lock()
	at := slices.IndexFunc(sess.rec.Options, func(o object) bool { return o["id"] == p.ConfigID })
	if at >= 0 && !s.script.IgnoreSet {
		options := slices.Clone(sess.rec.Options)
		changed := maps.Clone(options[at])
		changed["currentValue"] = p.Value
		options[at] = changed
		sess.rec.Options = options
		sess.rec.touch()
	}
	options := sess.rec.Options
	s.mu.Unlock()
	if at < 0 {
		s.refuse(ctx, req, rpcErrorf(codeInvalidParams, "Invalid params: unknown option %q", p.ConfigID))
		return
	}
	s.save(sess)
	s.respond(ctx, req, object{"configOptions": options})
}

func (s *server) setModel(ctx context.Context, req request) {
	if s.script.Models == nil {
		s.refuse(ctx, req, noMethod(req.method))
		return
	}
	sess, e := s.lookup(req.params)
	var p struct {
		ModelID string `json:"modelId"`
	}
	if e == nil {
		e = decodeParams(req.params, &p)
	}
	if e != nil {
		s.refuse(ctx, req, e)
		return
	}
	if !s.script.IgnoreSet { // agents take any value here (copilot)
		s.mu.Lock()
		sess.rec.Model = p.ModelID
		sess.rec.touch()
		s.mu.Unlock()
		s.save(sess)
	}
	s.respond(ctx, req, object{})
}

// settingsWord is the prompt that asks how the session is set.
const settingsWord = "settings"

// playSettings shows what has been set.
func (t *turn) playSettings() error {
	t.server.mu.Lock()
	rec := t.session.rec.snapshot()
	t.server.mu.Unlock()
	text := []string{"settings: mode " + rec.Mode}
	if rec.Model != "" {
		text = append(text, "model "+rec.Model)
	}
	for _, o := range rec.Options {
		text = append(text, fmt.Sprintf("%v %v", o["id"], o["currentValue"]))
	}
	return t.say(strings.Join(text, ", "))
}
