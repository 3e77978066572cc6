package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/parity/probe"
	"github.com/acpharness/acpharness/provider"
)

// userBackendsDir is where a user describes agents of their own.
func userBackendsDir() (string, error) {
	// The specification of XDG wants relative paths to be ignored.
	if dir := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "acpharness", "backends.d"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("cannot find the configuration directory: %w", err)
	}
	return filepath.Join(home, ".config", "acpharness", "backends.d"), nil
}

// userBackends returns the user's descriptions, and what is wrong with those that cannot be used.
func userBackends() ([]backends.UserBackend, []*backends.UserError) {
	dir, err := userBackendsDir()
	if err != nil {
		return nil, nil // who has no home has described nothing
	}
	return backends.LoadUser(dir)
}

// lookupBackend finds a backend by id or alias. A description of the user's comes after the table, which it cannot shadow: user is set
// for one. What is wrong with other descriptions is told on stderr.
func lookupBackend(id string) (d backends.Descriptor, user *backends.UserBackend, err error) {
	users, broken := userBackends()
	defer func() {
		used, _ := errors.AsType[*backends.UserError](err) // is told as the error
		others := make([]*backends.UserError, 0, len(broken))
		for _, fault := range broken {
			if fault != used {
				others = append(others, fault)
			}
		}
		warnOfUsers(others)
	}()
	if d, err = backends.Lookup(id); err == nil {
		return d, nil, nil
	}
	u, err := backends.LookupUser(id, users, broken)
	if err == nil {
		return u.Descriptor, &u, nil
	}
	if unknown, ok := errors.AsType[*backends.UnknownError](err); ok && len(unknown.Nearest) == 0 && len(users) > 0 {
		own := make([]string, len(users))
		for i, u := range users {
			own[i] = u.Descriptor.ID
		}
		err = fmt.Errorf("%w, and yours are %s", err, strings.Join(own, ", "))
	}
	return d, nil, &exitError{exitUsage, err}
}

// toldOfUsers: a command that names several backends warns once.
var toldOfUsers sync.Once

// warnOfUsers tells what is wrong with descriptions that nobody has asked for. It goes past the streams of the command, since who looks
// up a backend does not have them.
func warnOfUsers(broken []*backends.UserError) {
	toldOfUsers.Do(func() {
		for _, fault := range broken {
			fmt.Fprintf(os.Stderr, "acpctl: warning: %s\n", ui.Plain(fault.Error()))
		}
	})
}

// chosenFolder is the folder that an agent will work in, as the flags of a command say it; empty if they do not. A command checks
// --cwd itself.
func chosenFolder(cmd *cobra.Command) string {
	name := ""
	if flag := cmd.Flags().Lookup("cwd"); flag != nil {
		name = flag.Value.String()
	}
	dir, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	return dir
}

// backendFileFlag adds --backend-file to a command and, if it has any, to those below it.
func backendFileFlag(cmd *cobra.Command) {
	cmd.PersistentFlags().String("backend-file", "", "a JSON `FILE` that describes the agent, see docs/user-backends.md")
	_ = cmd.MarkPersistentFlagFilename("backend-file", "json")
}

// backendFile is --backend-file as it was given, false if it was not.
func backendFile(cmd *cobra.Command) (string, bool) {
	flag := cmd.Flags().Lookup("backend-file")
	if flag == nil || !flag.Changed {
		return "", false
	}
	return flag.Value.String(), true
}

// fileSubject returns the subject that a file describes. command replaces its command line if not empty.
func fileSubject(file string, command []string) (probe.Subject, error) {
	if file == "" {
		return probe.Subject{}, usageError("--backend-file is empty")
	}
	u, err := backends.LoadUserFile(file)
	if err != nil {
		return probe.Subject{}, &exitError{exitUsage, err}
	}
	return userSubject(u, command), nil
}

// userSubject returns the subject of a description.
func userSubject(u backends.UserBackend, command []string) probe.Subject {
	d := u.Descriptor
	if len(command) == 0 && u.Placeholders() {
		return probe.Subject{Name: d.ID, Connector: &userConnector{u}, Descriptor: &d}
	}
	return probe.Subject{Name: d.ID, Connector: provider.NewBackend(d, &provider.BackendOptions{Command: command}), Descriptor: &d}
}

// inFolder makes the command line of a subject whose folder is known before it is started, so that all of acpctl sees what will run.
func inFolder(s probe.Subject, cwd string) probe.Subject {
	c, ok := s.Connector.(*userConnector)
	if !ok || cwd == "" {
		return s
	}
	d := c.user.Descriptor
	home, _ := os.UserHomeDir() // without one there is nothing to put in
	d.Launch = c.user.Launch(cwd, home)
	return probe.Subject{Name: d.ID, Connector: provider.NewBackend(d, nil), Descriptor: &d}
}

// userConnector starts an agent from a description whose command line depends on where it is started.
type userConnector struct{ user backends.UserBackend }

// ID implements provider.Connector.
func (c *userConnector) ID() string { return c.user.Descriptor.ID }

// Connect implements provider.Connector.
func (c *userConnector) Connect(ctx context.Context, opts *provider.ConnectOptions) (provider.Provider, error) {
	d := c.user.Descriptor
	cwd := ""
	if opts != nil {
		cwd = opts.Dir
	}
	if dir, err := filepath.Abs(cwd); err == nil {
		cwd = dir
	}
	d.Launch = c.user.Launch(cwd, homeIn(provider.NewBackend(d, nil).Environ(opts)))
	return provider.NewBackend(d, nil).Connect(ctx, opts)
}

// homeIn is the home that an agent with this environment has: in isolation it is not the user's.
func homeIn(env []string) string {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	home := ""
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			home = value // the last one counts
		}
	}
	return home
}
