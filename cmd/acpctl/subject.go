package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/cmd/acpctl/ui"
	"github.com/acpharness/acpharness/parity/probe"
	"github.com/acpharness/acpharness/provider"
)

// splitDash returns the arguments before and after "--". The second is nil if there is no "--".
func splitDash(cmd *cobra.Command, args []string) (before, after []string) {
	dash := cmd.ArgsLenAtDash()
	if dash < 0 {
		return args, nil
	}
	return args[:dash], args[dash:]
}

// backendSubject returns the subject of a backend, by id or alias, or by the id of a description of the user's. command replaces its
// command line if not empty.
func backendSubject(id string, command []string) (probe.Subject, error) {
	d, user, err := lookupBackend(id)
	if err != nil {
		return probe.Subject{}, err
	}
	if user != nil {
		return userSubject(*user, command), nil
	}
	opts := &provider.BackendOptions{Command: command}
	if d.Builtin {
		self, err := os.Executable()
		if err != nil {
			return probe.Subject{}, fmt.Errorf("cannot find the executable of acpctl, which the built-in agent is part of: %w", err)
		}
		opts.Self = []string{self, "mock", "agent"}
	}
	return probe.Subject{Name: d.ID, Connector: provider.NewBackend(d, opts), Descriptor: &d}, nil
}

// commandSubject returns the subject of a bare command line.
func commandSubject(command []string) (probe.Subject, error) {
	if len(command) == 0 || command[0] == "" {
		return probe.Subject{}, usageError("there is no command after --")
	}
	return probe.Subject{Name: filepath.Base(command[0]), Connector: provider.NewCommand(command)}, nil
}

// chosenSubject returns the subject of a backend, by default that of ACPCTL_BACKEND, of --backend-file, or of the
// command after "--". It returns false if there is none of them.
func chosenSubject(cmd *cobra.Command, backend string, command []string) (s probe.Subject, chosen bool, err error) {
	dash := cmd.ArgsLenAtDash() >= 0
	if file, given := backendFile(cmd); given {
		if backend != "" {
			return s, false, usageError("a backend and --backend-file exclude each other")
		}
		s, err = fileSubject(file, command)
		return inFolder(s, chosenFolder(cmd)), err == nil, err
	}
	if backend == "" && !dash {
		backend = os.Getenv("ACPCTL_BACKEND")
	}
	switch {
	case backend != "":
		s, err = backendSubject(backend, command)
		s = inFolder(s, chosenFolder(cmd))
	case dash:
		s, err = commandSubject(command)
	default:
		return s, false, nil
	}
	return s, err == nil, err
}

// completeBackends completes backend ids.
func completeBackends(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	for d := range backends.All() {
		ids = append(ids, d.ID+"\t"+d.Name)
	}
	users, _ := userBackends()
	for _, u := range users {
		ids = append(ids, u.Descriptor.ID+"\t"+ui.OneLine(u.Descriptor.Name, 0))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// ledger is the folder in which acpctl keeps the process trees that it has started, for acpctl ps and reap.
func (a *app) ledger() string {
	dir, err := stateDir()
	if err != nil {
		a.logger.Warn("no ledger of processes is kept", "err", err)
		return ""
	}
	return dir
}
