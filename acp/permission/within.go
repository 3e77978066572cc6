package permission

import (
	"context"
	"fmt"
	"time"

	"github.com/acpharness/acpharness/acp"
)

// DefaultLimit is how long a person is waited for.
const DefaultLimit = 2 * time.Minute

// Within gives a handler, such as a person, a time limit: after it the request is rejected, by an option that says no if
// there is one, and expired is called if it is not nil. A limit of 0 is DefaultLimit, a negative one is none.
//
// Next runs on a goroutine of its own for each request. Its ctx ends with the limit and with the request; it is not waited
// for after that, so that a window that nobody closes keeps no agent waiting.
func Within(next acp.PermissionHandler, limit time.Duration, expired func(*acp.PermissionRequest)) acp.PermissionHandler {
	switch {
	case limit < 0:
		return next
	case limit == 0:
		limit = DefaultLimit
	}
	return acp.PermissionFunc(func(ctx context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
		asking, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		answers := make(chan answer, 1) // so that a late one is dropped
		go func() { answers <- askSafely(asking, next, req) }()
		var a answer
		select {
		case a = <-answers:
		case <-asking.Done():
			select {
			case a = <-answers: // in the last moment
			default:
				a.err = asking.Err()
			}
		}
		switch {
		case a.outcome.OptionID != "" && a.err == nil:
			return a.outcome, nil
		case asking.Err() == nil, ctx.Err() != nil: // it is the handler's own doing, or the request is over
			return a.outcome, a.err
		}
		if expired != nil {
			expired(req)
		}
		return req.Reject(), nil
	})
}

// answer is what a handler returned.
type answer struct {
	outcome acp.PermissionOutcome
	err     error
}

// askSafely makes a panic an error: nobody above this goroutine could.
func askSafely(ctx context.Context, next acp.PermissionHandler, req *acp.PermissionRequest) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answer{err: fmt.Errorf("the handler panicked: %v", p)}
		}
	}()
	a.outcome, a.err = next.RequestPermission(ctx, req)
	return a
}
