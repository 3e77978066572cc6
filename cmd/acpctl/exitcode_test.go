package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
	"github.com/acpharness/acpharness/parity/probe"
)

func TestExitCode(t *testing.T) {
	t.Parallel()
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	overdue, cancel := context.WithTimeoutCause(t.Context(), 0, &timeoutError{time.Second})
	defer cancel()
	auth := &acp.Error{Code: acp.CodeAuthRequired, Message: "sign in"}
	start := func(err error) error { return &acp.StartError{Phase: acp.PhaseInitialize, Err: err} }
	plain := errors.New("something else")
	for _, tc := range []struct {
		name string
		ctx  context.Context
		err  error
		want int
	}{
		{name: "no error", want: exitOK},
		{name: "no error, however it ended", ctx: interrupted, want: exitOK},
		{name: "any error", err: plain, want: exitFailed},
		{name: "an error answer", err: &acp.Error{Code: acp.CodeInternalError}, want: exitFailed},
		{name: "usage", err: usageError("no %s", "prompt"), want: exitUsage},
		{name: "usage, wrapped", err: fmt.Errorf("x: %w", usageError("y")), want: exitUsage},
		{name: "unknown backend", err: fmt.Errorf("x: %w", &backends.UnknownError{ID: "y"}), want: exitUsage},
		{name: "not started", err: start(plain), want: exitStart},
		{name: "not started in time", err: start(context.DeadlineExceeded), want: exitTimeout},
		{name: "not started in the time of --timeout", ctx: overdue, err: start(&timeoutError{time.Second}), want: exitTimeout},
		{name: "no session without a sign-in", err: &acp.StartError{Phase: acp.PhaseSession, Err: fmt.Errorf("x: %w", auth)}, want: exitAuth},
		{name: "no turn without a sign-in", err: fmt.Errorf("the turn failed: %w", auth), want: exitAuth},
		{name: "interrupted", ctx: interrupted, err: start(context.Canceled), want: exitInterrupted},
		{name: "interrupted, whatever it led to", ctx: interrupted, err: plain, want: exitInterrupted},
		{name: "said already", err: &exitError{exitRefused, nil}, want: exitRefused},
		{name: "said already and interrupted", ctx: interrupted, err: &exitError{exitTimeout, nil}, want: exitTimeout},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ctx := tc.ctx
			if ctx == nil {
				ctx = context.Background()
			}
			assert.Equal(t, tc.want, exitCode(ctx, tc.err))
		})
	}
}

func TestExitCodesAreExplained(t *testing.T) {
	t.Parallel()
	for _, code := range []int{
		exitOK, exitFailed, exitUsage, exitStart, exitAuth, exitTimeout, exitRefused, exitInterrupted,
	} {
		assert.Contains(t, exitCodesHelp, fmt.Sprintf("\n  %-4d ", code))
	}
	assert.Equal(t, 8, strings.Count(exitCodesHelp, "\n  "))
}

func TestRunExitCode(t *testing.T) {
	t.Parallel()
	turn := func(outcome acp.Outcome) *acp.TurnResult { return &acp.TurnResult{Outcome: outcome} }
	for _, tc := range []struct {
		name string
		run  runResult
		want int
	}{
		{name: "refusal", run: runResult{turn: turn(acp.OutcomeRefused)}, want: exitRefused},
		{name: "nothing done", run: runResult{turn: turn(acp.OutcomeCompleted)}, want: exitRefused},
		{name: "done", run: runResult{turn: &acp.TurnResult{Outcome: acp.OutcomeCompleted, Messages: 1}}, want: exitOK},
		{name: "cancelled by the agent", run: runResult{turn: turn(acp.OutcomeCancelled)}, want: exitFailed},
		{name: "too long", run: runResult{turn: turn(acp.OutcomeMaxTokens)}, want: exitFailed},
		{name: "too many requests", run: runResult{turn: turn(acp.OutcomeMaxRequests)}, want: exitFailed},
		{name: "a reason that nobody knows", run: runResult{turn: turn(acp.OutcomeOther)}, want: exitFailed},
		{name: "the agent went away", run: runResult{turn: turn(acp.OutcomeUnknown), err: errors.New("x")}, want: exitFailed},
		{name: "interrupted twice", run: runResult{turn: turn(acp.OutcomeUnknown), err: acp.ErrClosed, killed: true}, want: exitInterrupted},
		{name: "timeout", run: runResult{turn: turn(acp.OutcomeCancelled), cause: &timeoutError{time.Second}}, want: exitTimeout},
		{name: "interrupted", run: runResult{turn: turn(acp.OutcomeCompleted), cause: errors.New("interrupted")}, want: exitInterrupted},
		{name: "failed", run: runResult{err: errors.New("x")}, want: exitFailed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, tc.run.exitCode(t.Context()))
			if tc.want != exitOK && (tc.run.cause == nil || tc.run.turn != nil) {
				assert.NotEmpty(t, tc.run.problem(), "what is not ok is explained")
			}
		})
	}
}

func TestProbeFailure(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		outcome     probe.Outcome
		initialized bool
		want, all   int
	}{
		{outcome: probe.OK, initialized: true},
		{outcome: probe.AuthRequired, initialized: true},
		{outcome: probe.StartFailed, initialized: true},
		{outcome: probe.Timeout, initialized: true},
		{outcome: probe.NotFound, want: exitStart, all: exitOK},
		{outcome: probe.StartFailed, want: exitStart, all: exitStart},
		{outcome: probe.NotACP, want: exitStart, all: exitStart},
		{outcome: probe.Timeout, want: exitTimeout, all: exitTimeout},
		{outcome: "", want: exitStart, all: exitStart},
	} {
		seen := &probe.Observation{Outcome: tc.outcome, Initialized: tc.initialized}
		assert.Equal(t, tc.want, (&probeOptions{}).failure(seen), "%+v", tc)
		assert.Equal(t, tc.all, (&probeOptions{all: true}).failure(seen), "%+v under --all", tc)
	}
}
