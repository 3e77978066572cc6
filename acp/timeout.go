package acp

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// timeoutError is the cause of a call that was given too little time. It is a context.DeadlineExceeded.
type timeoutError struct{ limit time.Duration }

func (e *timeoutError) Error() string { return fmt.Sprintf("no answer within %v", e.limit) }

func (*timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// withTimeout bounds ctx by d, negative for no bound, with a cause that says so.
func withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d < 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d, &timeoutError{d})
}

// noAnswer is the error of a call whose context ended first.
func noAnswer(ctx context.Context) error {
	cause := context.Cause(ctx)
	if _, ok := errors.AsType[*timeoutError](cause); ok {
		return cause
	}
	return fmt.Errorf("no answer: %w", cause)
}
