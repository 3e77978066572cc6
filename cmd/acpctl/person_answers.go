package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/permission"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
)

// RequestPermission implements acp.PermissionHandler: the person chooses among the options. Who leaves without an answer
// rejects.
func (p *person) RequestPermission(ctx context.Context, req *acp.PermissionRequest) (outcome acp.PermissionOutcome, err error) {
	if len(req.Options) == 0 {
		return req.Reject(), nil
	}
	err = p.talk(ctx, func() error {
		p.tell("\nThe agent asks for permission%s:", map[bool]string{true: ", and acpctl would do it"}[permission.ByGate(ctx)])
		p.describe(&req.ToolCall)
		var choices []string
		for _, o := range req.Options {
			choices = append(choices, fmt.Sprintf("%s: %s", o.Kind, o.Name)) // the name is the agent's word
		}
		i, err := p.choose(ctx, "Your choice:", choices)
		if err == nil {
			outcome.OptionID = req.Options[i].ID
		}
		return err
	})
	if errors.Is(err, errNobody) {
		return req.Reject(), nil
	}
	return outcome, err
}

// describe tells what a tool call is about, as far as its input says. The title is the agent's word only.
func (p *person) describe(call *acp.ToolCall) {
	subject := permission.Inspect(call, p.root)
	p.quote("title   ", toolTitle(call))
	p.quote("kind    ", string(subject.Kind))
	for _, command := range subject.Commands {
		p.quote("command ", command)
	}
	for _, path := range subject.Paths {
		label := "path    "
		if slices.Contains(subject.Dirs, path) {
			label = "in      "
		}
		p.quote(label, path)
	}
	for _, content := range call.Content {
		if diff, ok := content.(*acp.Diff); ok {
			p.quote("writes  ", beginning(diff.NewText))
		}
	}
	switch {
	case subject.Unclear:
		p.quote("input   ", beginning(string(call.RawInput)))
		p.tell("  It may do something else than it looks like.")
	case len(subject.Commands)+len(subject.Paths) == 0:
		p.quote("input   ", beginning(string(call.RawInput)))
	}
}

// beginning is the beginning of a text that may be long.
func beginning(text string) string {
	const most, lines = 2000, 30
	cut := false
	if len(text) > most {
		text, cut = strings.ToValidUTF8(text[:most], ""), true
	}
	if all := strings.Split(text, "\n"); len(all) > lines {
		text, cut = strings.Join(all[:lines], "\n"), true
	}
	if cut {
		text += "\n…"
	}
	return text
}

// ElicitURL implements acp.URLHandler. Nothing is opened from here: the person is shown the address.
func (p *person) ElicitURL(ctx context.Context, req *acp.URLRequest) (acp.ElicitationAction, error) {
	action := acp.ElicitationCancel
	err := p.talk(ctx, func() error {
		p.tell("\nThe agent asks you to visit an address:")
		p.quote("because ", req.Message)
		p.quote("address ", req.URL)
		yes, err := p.agree(ctx, "Open it in your browser, if you trust it. Do you?")
		switch {
		case err != nil:
			return err
		case yes:
			action = acp.ElicitationAccept
		default:
			action = acp.ElicitationDecline
		}
		return nil
	})
	if errors.Is(err, errNobody) {
		return acp.ElicitationCancel, nil
	}
	return action, err
}

// ElicitForm implements acp.FormHandler.
func (p *person) ElicitForm(ctx context.Context, req *acp.FormRequest) (acp.FormAnswer, error) {
	answer := acp.FormAnswer{Action: acp.ElicitationCancel}
	err := p.talk(ctx, func() error {
		p.tell("\nThe agent asks you:")
		p.quote("", strings.TrimSpace(req.Message+"\n"+strings.TrimSpace(req.Form.Title+"\n"+req.Form.Description)))
		yes, err := p.agree(ctx, "Do you want to answer?")
		if err != nil {
			return err
		}
		if !yes {
			answer.Action = acp.ElicitationDecline
			return nil
		}
		content := map[string]any{}
		for i := range req.Form.Fields {
			field := &req.Form.Fields[i]
			value, filled, err := p.field(ctx, field)
			if err != nil {
				return err
			}
			if filled {
				content[field.Name] = value
			}
		}
		answer = acp.FormAnswer{Action: acp.ElicitationAccept, Content: content}
		return nil
	})
	if errors.Is(err, errNobody) {
		return acp.FormAnswer{Action: acp.ElicitationCancel}, nil
	}
	return answer, err
}

// field asks until the field allows the answer. An empty one is the default or, where there is none, no answer.
func (p *person) field(ctx context.Context, f *acp.FormField) (value any, filled bool, err error) {
	name := f.Title
	if name == "" {
		name = f.Name
	}
	if f.Description != "" {
		p.quote("", f.Description)
	}
	for i, c := range f.Choices {
		text := c.Title
		if text == "" {
			text = c.Value
		}
		p.tell("  %d) %s", i+1, ui.OneLine(text, 0))
	}
	for {
		text, err := p.line(ctx, question(f, name))
		if err != nil {
			return nil, false, err
		}
		if text == "" && (f.Default != nil || !f.Required) {
			return f.Default, f.Default != nil, nil
		}
		value, err := fieldValue(f, text)
		if err == nil {
			err = f.Check(value)
		}
		if err == nil {
			return value, true, nil
		}
		p.tell("  %v", err)
	}
}

func question(f *acp.FormField, name string) string {
	hint := map[acp.FormFieldType]string{
		acp.FieldBoolean: "y/n", acp.FieldArray: "numbers, with commas between", acp.FieldInteger: "a whole number", acp.FieldNumber: "a number",
	}[f.Type]
	switch {
	case f.Default != nil:
		hint = strings.TrimPrefix(hint+fmt.Sprintf(", empty for %v", f.Default), ", ")
	case !f.Required:
		hint = strings.TrimPrefix(hint+", may be empty", ", ")
	}
	if hint != "" {
		name += " (" + hint + ")"
	}
	return name + ":"
}

// fieldValue reads what was typed as a field wants it.
func fieldValue(f *acp.FormField, text string) (any, error) {
	switch f.Type {
	case acp.FieldBoolean:
		switch strings.ToLower(text) {
		case "y", "yes", "true":
			return true, nil
		case "n", "no", "false":
			return false, nil
		}
		return nil, errors.New("answer with y or n")
	case acp.FieldInteger:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, nil
		}
		return nil, errors.New("answer with a whole number")
	case acp.FieldNumber:
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return n, nil
		}
		return nil, errors.New("answer with a number")
	case acp.FieldArray:
		items := []string{}
		for item := range strings.SplitSeq(text, ",") {
			items = append(items, choiceValue(f, strings.TrimSpace(item)))
		}
		return items, nil
	case acp.FieldString:
	}
	return choiceValue(f, text), nil
}

// choiceValue is the choice that is named by itself, by its number or by its title, or the text as it is.
func choiceValue(f *acp.FormField, text string) string {
	if slices.ContainsFunc(f.Choices, func(c acp.FormChoice) bool { return c.Value == text }) {
		return text
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(f.Choices) {
		return f.Choices[n-1].Value
	}
	for _, c := range f.Choices {
		if c.Title != "" && strings.EqualFold(c.Title, text) {
			return c.Value
		}
	}
	return text
}
