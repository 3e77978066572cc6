package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
)

// The exit codes, see exitCodesHelp.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitStart       = 3
	exitAuth        = 4
	exitTimeout     = 5
	exitRefused     = 6
	exitInterrupted = 130
)

const exitCodesHelp = `The exit code says how a command ended:

  0    ok
  1    a turn or a check failed
  2    the command line was wrong; nothing was started
  3    the agent could not be started, is no agent, or does not have the session
  4    the agent wants a sign-in first
  5    timeout
  6    the agent refused the turn, or ended it without doing anything
  130  interrupted

acpctl probe exits with 0 if every subject that was named answered initialize, otherwise with the code of the first one
that did not, in the order given. A session/new that wants a sign-in is a result and no failure. With --all, a backend
that is not installed is a row and no failure.
`

// exitError carries an exit code. A nil err was reported already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usageError(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// exitCode returns the code that an error asks for.
func exitCode(ctx context.Context, err error) int {
	if err == nil {
		return exitOK
	}
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code
	}
	if _, ok := errors.AsType[*backends.UnknownError](err); ok {
		return exitUsage
	}
	switch {
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled):
		return exitInterrupted
	case errors.Is(err, context.DeadlineExceeded):
		return exitTimeout
	case acp.IsAuthRequired(err):
		return exitAuth
	}
	if _, ok := errors.AsType[*acp.StartError](err); ok {
		return exitStart
	}
	return exitFailed
}
