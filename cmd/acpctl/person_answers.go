package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/permission"
)

// RequestPermission implements acp.PermissionHandler: the person chooses among the options. Who leaves without an answer
// rejects.
func (p *person) RequestPermission(ctx context.Context, req *acp.PermissionRequest) (outcome acp.PermissionOutcome, err error) {
	if len(req.Options) == 0 {
		return req.Reject(), nil
	}
	err = p.talk(ctx, func() error {
		p.tell("\nThe agent asks for permission: %s%s", toolTitle(&req.ToolCall), describe(&req.ToolCall))
		var choices []string
		for _, o := range req.Options {
			choices = append(choices, fmt.Sprintf("%s (%s)", o.Name, o.Kind))
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

// describe tells what a tool call is about: its title is the agent's word only.
func describe(call *acp.ToolCall) string {
	subject := permission.Inspect(call, "")
	lines := []string{""}
	if call.Kind != "" {
		lines = append(lines, "kind: "+string(call.Kind))
	}
	for _, command := range subject.Commands {
		lines = append(lines, "command: "+command)
	}
	for _, l := range call.Locations {
		lines = append(lines, "file: "+l.Path)
	}
	return strings.Join(lines, "\n  ")
}

// ElicitURL implements acp.URLHandler. Nothing is opened from here: the person is shown the address.
func (p *person) ElicitURL(ctx context.Context, req *acp.URLRequest) (acp.ElicitationAction, error) {
	action := acp.ElicitationCancel
	err := p.talk(ctx, func() error {
		p.tell("\nThe agent asks you to visit an address: %s\n  %s", req.Message, req.URL)
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
		p.tell("\nThe agent asks: %s", req.Message)
		if text := strings.TrimSpace(req.Form.Title + " " + req.Form.Description); text != "" {
			p.tell("  %s", text)
		}
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
		p.tell("  %s", f.Description)
	}
	for i, c := range f.Choices {
		text := c.Title
		if text == "" {
			text = c.Value
		}
		p.tell("  %d) %s", i+1, text)
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

// choiceValue is the choice of a number, or the text as it is.
func choiceValue(f *acp.FormField, text string) string {
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
