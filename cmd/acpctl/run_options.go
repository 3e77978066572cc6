package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/permission"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/parity/probe"
)

// runFlags are the flags of run as they were given.
type runFlags struct {
	backend, cwd, policy, recipe, session string
	resume, orNew, json                   bool
	timeout                               time.Duration
}

// runOptions are what is made of them.
type runOptions struct {
	prompt  string
	subject probe.Subject
	demo    bool
	again   []string // the words of a command line that finds the agent's sessions again, empty if there is none
	command []string // after --
	cwd     string
	stored  storedChoice
	recipe  *backends.Recipe // nil without --recipe
	policy  permission.Policy
	json    bool
	timeout time.Duration
}

// check makes sure of everything that can be known before an agent is started.
func (f *runFlags) check(cmd *cobra.Command, args []string, in io.Reader) (*runOptions, error) {
	words, command := splitDash(cmd, args)
	if len(words) != 1 {
		return nil, usageError("want one prompt, have %d: quote it, or use - to read it from stdin", len(words))
	}
	o := &runOptions{
		command: command, json: f.json, timeout: f.timeout,
		stored: storedChoice{id: acp.SessionID(f.session), newest: f.resume, orNew: f.orNew},
	}
	var err error
	if o.policy, err = permission.Parse(f.policy); err != nil {
		return nil, &exitError{exitUsage, err}
	}
	if f.timeout < 0 {
		return nil, usageError("--timeout must not be negative")
	}
	if err := f.checkStored(cmd.Flags().Changed("session")); err != nil {
		return nil, err
	}
	if f.cwd != "" || f.recipe == "" {
		if o.cwd, err = directory(f.cwd); err != nil {
			return nil, &exitError{exitUsage, err}
		}
	}
	if err := f.choose(o, cmd); err != nil {
		return nil, err
	}
	o.prompt, err = readPrompt(cmd.Context(), words[0], in)
	return o, err
}

// checkStored looks whether the flags about stored sessions go together.
func (f *runFlags) checkStored(given bool) error {
	switch {
	case given && f.session == "":
		return usageError("--session is empty")
	case given && f.resume:
		return usageError("--session and --resume exclude each other")
	case f.orNew && !given && !f.resume:
		return usageError("--or-new needs --session or --resume")
	case f.recipe != "" && (given || f.resume):
		return usageError("--recipe makes a fresh home, in which there is no session to continue")
	}
	return nil
}

// choose finds the agent.
func (f *runFlags) choose(o *runOptions, cmd *cobra.Command) error {
	var chosen bool
	var err error
	if o.subject, chosen, err = chosenSubject(cmd, f.backend, o.command); err != nil {
		return err
	}
	if !chosen {
		o.demo = true
		if o.subject, err = backendSubject("builtin", nil); err != nil {
			return err
		}
	}
	d := o.subject.Descriptor
	if f.recipe == "" && (d == nil || !d.Builtin || len(o.command) > 0) { // the built-in agent stores nothing
		o.again = []string{"acpctl", "run"}
		if d != nil {
			o.again = append(o.again, "--backend", d.ID)
		}
		if f.cwd != "" {
			o.again = append(o.again, "--cwd", o.cwd)
		}
	}
	if f.recipe != "" {
		o.recipe, err = recipeOf(f.recipe, o.subject)
	}
	return err
}

func readPrompt(ctx context.Context, prompt string, in io.Reader) (string, error) {
	if prompt == "-" {
		var err error
		if prompt, err = readAll(ctx, in); err != nil {
			return "", fmt.Errorf("cannot read the prompt: %w", err)
		}
	}
	switch {
	case strings.TrimSpace(prompt) == "":
		return "", usageError("the prompt is empty")
	case !utf8.ValidString(prompt):
		return "", usageError("the prompt is not UTF-8")
	}
	return prompt, nil
}

// readAll reads until the end of in or of ctx. A read of a terminal cannot be interrupted: then its goroutine lasts until
// the process ends, which is next.
func readAll(ctx context.Context, in io.Reader) (string, error) {
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		text, err := io.ReadAll(in)
		done <- read{text, err}
	}()
	select {
	case r := <-done:
		return string(r.text), r.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func directory(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("cannot use --cwd %s: %w", path, err)
	}
	info, err := os.Stat(abs)
	switch {
	case err != nil:
		return "", fmt.Errorf("cannot use --cwd: %w", err)
	case !info.IsDir():
		return "", fmt.Errorf("cannot use --cwd %s: it is not a folder", path)
	}
	return abs, nil
}
