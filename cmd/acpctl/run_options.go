package main

import (
	"context"
	"errors"
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
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/parity/probe"
)

// runFlags are the flags of run as they were given.
type runFlags struct {
	backend, cwd, policy, policyFile, recipe, session, model, mode string
	settings, allowDirs                                            []string
	resume, orNew, json, interactive, grants, terminal             bool
	timeout                                                        time.Duration
}

// runOptions are what is made of them.
type runOptions struct {
	prompt  string
	subject probe.Subject
	demo    bool
	again   []string // the words of a command line that finds the agent's sessions again, empty if there is none
	command []string // after --
	file    string   // of --backend-file
	cwd     string
	stored  storedChoice
	recipe  *backends.Recipe // nil without --recipe
	json    bool
	timeout time.Duration

	policy   permission.Policy
	rules    *permission.Rules // nil without --permission-policy
	person   *person           // nil without --interactive
	once     *permission.Once  // in front of whoever is asked, nil if nobody is
	grants   bool
	settings []acp.Setting
	mode     string   // of --mode, or the recipe's
	dirs     []string // of --allow-dir
	terminal bool
}

// check makes sure of everything that can be known before an agent is started.
func (f *runFlags) check(cmd *cobra.Command, args []string, streams *ui.Streams) (*runOptions, error) {
	words, command := splitDash(cmd, args)
	if len(words) != 1 {
		return nil, usageError("want one prompt, have %d: quote it, or use - to read it from stdin", len(words))
	}
	o := &runOptions{
		command: command, json: f.json, timeout: f.timeout,
		stored: storedChoice{id: acp.SessionID(f.session), newest: f.resume, orNew: f.orNew},
	}
	var err error
	if f.policyFile != "" && cmd.Flags().Changed("permission") {
		return nil, usageError("--permission and --permission-policy exclude each other")
	}
	if f.timeout < 0 {
		return nil, usageError("--timeout must not be negative")
	}
	if err := f.checkStored(cmd.Flags().Changed("session")); err != nil {
		return nil, err
	}
	if f.cwd != "" || f.recipe == "" {
		if o.cwd, err = directory(f.cwd); err != nil {
			return nil, usageError("cannot use --cwd %s: %w", f.cwd, err)
		}
	}
	if err := f.choose(o, cmd); err != nil {
		return nil, err
	}
	for _, name := range []string{"model", "mode", "permission-policy"} {
		if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
			return nil, usageError("--%s is empty", name)
		}
	}
	if err := f.checkServices(o, streams, words[0]); err != nil {
		return nil, &exitError{exitUsage, err}
	}
	mode := f.mode
	if mode == "" && o.recipe != nil {
		mode = o.recipe.Mode
	}
	if mode != "" {
		o.settings = append([]acp.Setting{{Name: string(acp.CategoryMode), Value: mode}}, o.settings...)
		if o.mode == "" {
			o.mode = mode
		}
	}
	o.prompt, err = readPrompt(cmd.Context(), words[0], streams.In)
	return o, err
}

// checkServices makes sure of who decides, what is set, and what is served.
func (f *runFlags) checkServices(o *runOptions, streams *ui.Streams, prompt string) error {
	var err error
	if o.policy, err = permission.Parse(f.policy); err != nil {
		return err
	}
	if f.policyFile != "" {
		if o.rules, err = permission.Load(f.policyFile); err != nil {
			return err
		}
	}
	if f.interactive {
		switch {
		case prompt == "-":
			return errors.New("--interactive needs stdin for the answers: give the prompt as an argument")
		case !streams.InTTY || !streams.ErrTTY:
			return errors.New("--interactive needs a terminal on stdin and stderr, where it asks")
		}
		o.person = newPerson(streams)
	}
	// What was allowed to one command is not allowed to another, and there is no telling them apart.
	own := o.subject.Descriptor != nil && len(o.command) == 0 && o.file == ""
	if f.grants && !own {
		return errors.New("--grants needs a backend with its own command: nothing is remembered for commands after -- and for --backend-file")
	}
	o.grants = own && (f.grants || f.interactive)
	if f.model != "" {
		o.settings = append(o.settings, acp.Setting{Name: string(acp.CategoryModel), Value: f.model})
	}
	for _, s := range f.settings {
		name, value, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return fmt.Errorf("--option %q is not NAME=VALUE", s)
		}
		o.settings = append(o.settings, acp.Setting{Name: name, Value: value})
		if name == string(acp.CategoryMode) {
			o.mode = value
		}
	}
	for _, dir := range f.allowDirs {
		if dir == "" {
			return errors.New("--allow-dir is empty")
		}
		abs, err := directory(dir)
		if err != nil {
			return fmt.Errorf("cannot use --allow-dir %s: %w", dir, err)
		}
		o.dirs = append(o.dirs, abs)
	}
	o.terminal = f.terminal
	return nil
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
	o.file, _ = backendFile(cmd)
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
		if o.file != "" {
			o.again = append(o.again, "--backend-file", o.file)
		} else if d != nil {
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
		return "", err
	}
	info, err := os.Stat(abs)
	switch {
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", errors.New("it is not a folder")
	}
	return abs, nil
}
