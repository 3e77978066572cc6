package permission_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/permission"
)

// chooses is a handler that always chooses one option.
func chooses(id string, err error) acp.PermissionHandler {
	return acp.PermissionFunc(func(context.Context, *acp.PermissionRequest) (acp.PermissionOutcome, error) {
		return acp.PermissionOutcome{OptionID: id}, err
	})
}

// question has four options that say yes, getpaseo/paseo#1854.
var question = offered("a", "allow_once", "b", "allow_once", "skip", "reject_once")

func TestDecisions(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, tc := range []struct {
		name    string
		kind    acp.ToolKind
		options []acp.PermissionOption
		next    acp.PermissionHandler
		want    permission.Decision
		answer  acp.PermissionKind
	}{
		{
			"allowed by a rule", "read", usual, nil,
			permission.Decision{Rule: 0, Name: "reads", Action: allow, By: permission.ByRule, Outcome: acp.PermissionOutcome{OptionID: "y"}},
			acp.AllowOnce,
		},
		{
			"rejected by a rule", "delete", usual, chooses("y", nil),
			permission.Decision{Rule: 1, Action: reject, By: permission.ByRule, Outcome: acp.PermissionOutcome{OptionID: "n"}},
			acp.RejectOnce,
		},
		{
			"asked by the default", "edit", usual, chooses("ever", nil),
			permission.Decision{Rule: -1, Action: ask, By: permission.ByNext, Outcome: acp.PermissionOutcome{OptionID: "ever"}},
			acp.AllowAlways,
		},
		{
			"with nobody to ask, anomalyco/opencode#36762", "edit", usual, nil,
			permission.Decision{Rule: -1, Action: ask, By: permission.ByNobody, Outcome: acp.PermissionOutcome{OptionID: "n"}},
			acp.RejectOnce,
		},
		{
			"a question that would be allowed is asked, getpaseo/paseo#1854", "read", question, chooses("b", nil),
			permission.Decision{Rule: 0, Name: "reads", Action: allow, By: permission.ByNext, Outcome: acp.PermissionOutcome{OptionID: "b"}},
			acp.AllowOnce,
		},
		{
			"and rejected with nobody to ask", "read", question, nil,
			permission.Decision{Rule: 0, Name: "reads", Action: allow, By: permission.ByNobody, Outcome: acp.PermissionOutcome{OptionID: "skip"}},
			acp.RejectOnce,
		},
		{
			"an error", "edit", usual, chooses("", broken),
			permission.Decision{Rule: -1, Action: ask, By: permission.ByNext, Err: broken},
			"",
		},
	} {
		rules := &permission.Rules{
			Rules:   []permission.Rule{{Name: "reads", Action: allow, Kinds: []acp.ToolKind{"read"}}, {Action: reject, Kinds: []acp.ToolKind{"delete"}}},
			Default: ask,
		}
		var got []permission.Decision
		handler, err := rules.Handler(&permission.Options{Next: tc.next, Log: func(d permission.Decision) { got = append(got, d) }})
		require.NoError(t, err)
		req := &acp.PermissionRequest{ToolCall: call(tc.kind, ""), Options: tc.options}
		outcome, err := handler.RequestPermission(t.Context(), req)
		assert.Equal(t, tc.want.Err, err, tc.name)
		assert.Equal(t, tc.want.Outcome, outcome, tc.name)
		tc.want.Request = req
		assert.Equal(t, []permission.Decision{tc.want}, got, tc.name)
		assert.Equal(t, tc.answer, got[0].Answer(), tc.name)
	}
}

func TestDecisionShowsNoSecrets(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-t0ken"
	c := named(titled(call("execute", `{"command":"curl -H `+secret+`"}`, "/"+secret), "curl "+secret), "Bash")
	d := permission.Decision{
		Request: &acp.PermissionRequest{SessionID: "s-1", ToolCall: c, Options: usual, Raw: []byte(`{"x":"` + secret + `"}`)},
		Rule:    2, Name: "net", Action: allow, By: permission.ByRule, Outcome: acp.PermissionOutcome{OptionID: "y"},
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("decided", "decision", d)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("decided", "decision", d)
	for _, text := range []string{log.String(), d.String(), fmt.Sprintf("%v %+v %#v", d, d, d)} {
		assert.NotContains(t, text, secret)
		assert.Contains(t, text, "Bash")
		assert.Contains(t, text, "allow_once")
	}
	assert.Equal(t, `allow_once for a tool of kind "execute", name "Bash": rule 2 "net" says allow, answered by rule`, d.String())
	d.Rule, d.Outcome = -1, acp.PermissionOutcome{}
	assert.Contains(t, d.String(), "cancelled for")
	assert.Contains(t, d.String(), "the default says")
	d.Err = errors.New("x")
	assert.Contains(t, d.String(), "rejected by an error")
}

// TestRequestsSideBySide has one question unanswered while others are, of the same session too (QwenLM/qwen-code#11795).
func TestRequestsSideBySide(t *testing.T) {
	t.Parallel()
	asked, release := make(chan struct{}), make(chan struct{})
	person := acp.PermissionFunc(func(_ context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
		if req.ToolCall.ID == "slow" {
			close(asked)
			<-release
		}
		return acp.PermissionOutcome{OptionID: "y"}, nil
	})
	wire := permission.NewTripWire(&permission.TripWireOptions{AsksFor: []acp.ToolKind{"edit"}})
	handler, err := one(permission.Rule{Action: allow, Kinds: []acp.ToolKind{"read"}, Paths: []string{"**"}}).
		Handler(&permission.Options{Root: t.TempDir(), Next: permission.Within(person, 0, nil)})
	require.NoError(t, err)
	all := wire.Handler(handler)
	request := func(session acp.SessionID, id string, kind acp.ToolKind) {
		c := call(kind, "", "a")
		c.ID = id
		outcome, err := all.RequestPermission(context.Background(), &acp.PermissionRequest{SessionID: session, ToolCall: c, Options: usual})
		assert.NoError(t, err)
		assert.Equal(t, "y", outcome.OptionID)
		assert.Nil(t, wire.Note(acp.SessionNotification{
			SessionID: session, Update: &acp.ToolCallUpdate{ToolCall: acp.ToolCall{ID: id, Kind: "edit", Status: "completed"}},
		}))
	}
	var slow, others sync.WaitGroup
	slow.Go(func() { request("s1", "slow", "edit") })
	<-asked
	for i := range 20 {
		others.Go(func() {
			request(acp.SessionID(fmt.Sprint("s", i%3)), fmt.Sprint(i), []acp.ToolKind{"read", "edit"}[i%2])
		})
	}
	others.Wait()
	close(release)
	slow.Wait()
}
