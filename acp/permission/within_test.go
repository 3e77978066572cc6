package permission_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/permission"
)

func TestWithin(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	// after answers after a while, or at the end of ctx with what is left to say then.
	after := func(wait time.Duration, id string, err error) acp.PermissionHandler {
		return acp.PermissionFunc(func(ctx context.Context, _ *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			select {
			case <-time.After(wait):
				return acp.PermissionOutcome{OptionID: id}, err
			case <-ctx.Done():
				return acp.PermissionOutcome{}, ctx.Err()
			}
		})
	}
	yesOnly := offered("y", "allow_once")
	for _, tc := range []struct {
		name    string
		next    acp.PermissionHandler
		limit   time.Duration
		options []acp.PermissionOption
		want    string
		err     error
		took    time.Duration
		expired bool
	}{
		{"in time", after(time.Minute, "y", nil), 0, usual, "y", nil, time.Minute, false},
		{"not in time, hawkingrei/agenthub#555", after(time.Hour, "y", nil), 0, usual, "n", nil, 2 * time.Minute, true},
		{"a limit of its own", after(time.Hour, "y", nil), time.Second, usual, "n", nil, time.Second, true},
		{"no limit", after(time.Hour, "y", nil), -1, usual, "y", nil, time.Hour, false},
		{"nothing to say no with", after(time.Hour, "y", nil), 0, yesOnly, cancelled, nil, 2 * time.Minute, true},
		{"an error in time", after(time.Second, "", broken), 0, usual, cancelled, broken, time.Second, false},
		{"cancelled on purpose", after(time.Second, cancelled, nil), 0, usual, cancelled, nil, time.Second, false},
		{
			"one that does not look at its ctx", acp.PermissionFunc(func(context.Context, *acp.PermissionRequest) (acp.PermissionOutcome, error) {
				<-time.After(time.Hour)
				return acp.PermissionOutcome{OptionID: "y"}, nil
			}), 0, usual, "n", nil, 2 * time.Minute, true,
		},
		{
			"one that cancels at the end", acp.PermissionFunc(func(ctx context.Context, _ *acp.PermissionRequest) (acp.PermissionOutcome, error) {
				<-ctx.Done()
				return acp.PermissionOutcome{}, nil
			}), 0, usual, "n", nil, 2 * time.Minute, true,
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			expired := false
			handler := permission.Within(tc.next, tc.limit, func(req *acp.PermissionRequest) { expired = req.ToolCall.ID == "1" })
			began := time.Now()
			outcome, err := handler.RequestPermission(t.Context(), &acp.PermissionRequest{ToolCall: call("edit", ""), Options: tc.options})
			assert.Equal(t, tc.err, err, tc.name)
			assert.Equal(t, tc.want, outcome.OptionID, tc.name)
			assert.Equal(t, tc.took, time.Since(began), tc.name)
			assert.Equal(t, tc.expired, expired, tc.name)
			<-time.After(2 * time.Hour) // until the one that does not look has returned, too
		})
	}
}

func TestWithinEndsWithItsRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		release := make(chan struct{})
		defer close(release)
		handler := permission.Within(acp.PermissionFunc(func(context.Context, *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			<-release
			return acp.PermissionOutcome{}, nil
		}), 0, func(*acp.PermissionRequest) { t.Error("expired") })
		_, err := handler.RequestPermission(ctx, &acp.PermissionRequest{Options: usual})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestWithinTakesPanicsForErrors(t *testing.T) {
	t.Parallel()
	handler := permission.Within(acp.PermissionFunc(func(context.Context, *acp.PermissionRequest) (acp.PermissionOutcome, error) {
		panic("no window")
	}), 0, nil)
	_, err := handler.RequestPermission(t.Context(), &acp.PermissionRequest{Options: usual})
	require.ErrorContains(t, err, "no window")
}
