package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
)

// outcomes are the answers to permission requests that an agent received.
func outcomes(agent *acptest.Agent) []string {
	var out []string
	for _, e := range agent.Received() {
		if e.Kind != "response" || e.Method != "session/request_permission" {
			continue
		}
		var result struct {
			Outcome struct{ Outcome, OptionID string }
		}
		if e.Error != nil {
			out = append(out, e.Error.Error())
			continue
		}
		_ = json.Unmarshal(e.Result, &result)
		out = append(out, strings.TrimSuffix(result.Outcome.Outcome+" "+result.Outcome.OptionID, " "))
	}
	return out
}

func TestPermissionAnswers(t *testing.T) {
	const offered = `[{"optionId":"approved","name":"Yes","kind":"allow_once"},{"optionId":"abort","name":"No","kind":"reject_once"}]`
	handler := func(outcome acp.PermissionOutcome, err error) acp.PermissionHandler {
		return acp.PermissionFunc(func(context.Context, *acp.PermissionRequest) (acp.PermissionOutcome, error) { return outcome, err })
	}
	for _, tc := range []struct {
		name    string
		options string
		handler acp.PermissionHandler
		want    string
	}{
		{"no handler rejects, opencode#36762", offered, nil, "selected abort"},
		{"by exact id, avante.nvim#2886", offered, handler(acp.PermissionOutcome{OptionID: "approved"}, nil), "selected approved"},
		{"an option that was not offered, zero#915", offered, handler(acp.PermissionOutcome{OptionID: "x"}, nil), "selected abort"},
		{
			"an id that means yes and no, DeepSeek-Reasonix#5775", `[{"optionId":"x","kind":"allow_once"},{"optionId":"x","kind":"reject_once"},{"optionId":"n","kind":"reject_once"}]`,
			handler(acp.PermissionOutcome{OptionID: "x"}, nil), "selected n",
		},
		{"a kind that nobody knows, on purpose, DeepSeek-Reasonix#5775", `[{"optionId":"p","kind":"allow_persistent"}]`, handler(acp.PermissionOutcome{OptionID: "p"}, nil), "selected p"},
		{"an error rejects, agenthub#555", offered, handler(acp.PermissionOutcome{}, errors.New("nobody there")), "selected abort"},
		{"cancelled on purpose", offered, handler(acp.PermissionOutcome{}, nil), "cancelled"},
		{"a panic rejects", offered, acp.PermissionFunc(func(context.Context, *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			panic("handler broke")
		}), "selected abort"},
		{"reject_always when there is no reject_once", `[{"optionId":"a","kind":"allow_once"},{"optionId":"r","kind":"reject_always"}]`, nil, "selected r"},
		{"nothing to say no with", `[{"optionId":"a","kind":"allow_once"}]`, nil, "cancelled"},
		{"unknown kind is never chosen, DeepSeek-Reasonix#5775", `[{"optionId":"p","kind":"allow_persistent"}]`, nil, "cancelled"},
		{"no options", `[]`, nil, "cancelled"},
		{"null options", `null`, nil, "cancelled"},
		{"a bad option beside a good one", `[7,{"optionId":"n","kind":"reject_once"}]`, nil, "selected n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			script := &acptest.Script{PermissionOn: "prompt", PermissionOptions: json.RawMessage(tc.options)}
			session, agent := open(t, script, &acp.ClientOptions{Permission: tc.handler})
			_, result, err := play(t, session, "x")
			require.NoError(t, err)
			assert.Equal(t, acp.StopEndTurn, result.StopReason)
			assert.Equal(t, []string{tc.want}, outcomes(agent))
		})
	}
}

func TestAllowIsUnambiguousOrNothing_paseo1854(t *testing.T) {
	option := func(id string, kind acp.PermissionKind) acp.PermissionOption {
		return acp.PermissionOption{ID: id, Kind: kind}
	}
	for _, tc := range []struct {
		name    string
		options []acp.PermissionOption
		want    string
	}{
		{"one", []acp.PermissionOption{option("y", acp.AllowOnce), option("n", acp.RejectOnce)}, "y"},
		{"four of one kind are a question", []acp.PermissionOption{option("a", acp.AllowOnce), option("b", acp.AllowOnce), option("c", acp.AllowOnce), option("d", acp.AllowOnce)}, ""},
		{"always is not once", []acp.PermissionOption{option("y", acp.AllowAlways)}, ""},
		{"none", nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			outcome, ok := (&acp.PermissionRequest{Options: tc.options}).Allow()
			assert.Equal(t, tc.want, outcome.OptionID)
			assert.Equal(t, tc.want != "", ok)
		})
	}
}

func TestPermissionShowsTheWholeToolCall_geminicli21783(t *testing.T) {
	var seen acp.ToolCall
	handler := acp.PermissionFunc(func(_ context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
		seen = req.ToolCall
		return req.Reject(), nil
	})
	session, _ := open(t, &acptest.Script{}, &acp.ClientOptions{Permission: handler})
	_, _, err := play(t, session, "permission, please")
	require.NoError(t, err)
	assert.Equal(t, acp.ToolEdit, seen.Kind)
	require.NotNil(t, seen.Title)
	assert.NotEmpty(t, seen.Locations)
}

func TestSessionHandlerOverridesTheClients(t *testing.T) {
	conn, agent := connect(t, &acptest.Script{PermissionOn: "prompt"}, nil)
	session, err := conn.NewSession(t.Context(), "/", &acp.SessionOptions{
		Permission: acp.PermissionFunc(func(_ context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			outcome, _ := req.Allow()
			return outcome, nil
		}),
	})
	require.NoError(t, err)
	_, _, err = play(t, session, "x")
	require.NoError(t, err)
	assert.Equal(t, []string{"selected opt-7"}, outcomes(agent))
}

func TestPermissionForAnUnknownSessionIsAnswered_KiroCrew3785(t *testing.T) {
	session, agent := open(t, &acptest.Script{PermissionOn: "prompt", PermissionSession: "child-1"}, &acp.ClientOptions{
		Permission: acp.PermissionFunc(func(context.Context, *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			t.Error("nobody here can speak for that session")
			return acp.PermissionOutcome{}, nil
		}),
	})
	_, _, err := play(t, session, "x")
	require.NoError(t, err)
	assert.Equal(t, []string{"selected opt-9"}, outcomes(agent))
}

func TestRequestsRunSideBySide_qwencode11795(t *testing.T) {
	const n = 8
	var together sync.WaitGroup
	together.Add(n)
	handler := acp.PermissionFunc(func(_ context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
		together.Done()
		together.Wait() // hangs unless all run at once
		return req.Reject(), nil
	})
	session, agent := open(t, &acptest.Script{PermissionOn: "prompt", PermissionParallel: n}, &acp.ClientOptions{Permission: handler})
	_, _, err := play(t, session, "x")
	require.NoError(t, err)
	assert.Len(t, outcomes(agent), n)
}

func TestCancelAnswersOpenPermissions_deepchat1881(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		handler := acp.PermissionFunc(func(_ context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			<-release // a handler that does not watch its context
			outcome, _ := req.Allow()
			return outcome, nil
		})
		script := &acptest.Script{PermissionOn: "prompt", PermissionParallel: 2, PermissionAfterCancel: 3}
		session, agent := open(t, script, &acp.ClientOptions{Permission: handler})
		turn, err := session.Prompt(t.Context(), acp.Text("x"), nil)
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, turn.Cancel(t.Context()))
		result, err := turn.Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, acp.StopCancelled, result.StopReason)
		synctest.Wait() // the agent need not have waited for the answers
		assert.Equal(t, []string{"cancelled", "cancelled", "cancelled", "cancelled", "cancelled"}, outcomes(agent))
		close(release)
	})
}

func TestHandlerMayCallBack_jsonrpc2_12(t *testing.T) {
	var conn *acp.Conn
	handler := acp.PermissionFunc(func(ctx context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
		other, err := conn.NewSession(ctx, "/", nil)
		if err != nil {
			return acp.PermissionOutcome{}, err
		}
		outcome, _ := req.Allow()
		return outcome, other.Close(ctx)
	})
	session, agent := open(t, &acptest.Script{PermissionOn: "prompt"}, &acp.ClientOptions{Permission: handler})
	conn = session.Conn()
	_, _, err := play(t, session, "x")
	require.NoError(t, err)
	assert.Equal(t, []string{"selected opt-7"}, outcomes(agent))
}

func TestCloseAnswersOpenRequests(t *testing.T) {
	agent := acptest.NewAgent(&acptest.Script{PermissionOn: "prompt"})
	defer agent.Close()
	asked := make(chan struct{})
	conn, err := acp.NewClient(testClient, &acp.ClientOptions{Permission: acp.PermissionFunc(
		func(ctx context.Context, _ *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			close(asked)
			<-ctx.Done()
			return acp.PermissionOutcome{}, ctx.Err()
		},
	)}).Connect(t.Context(), agent)
	require.NoError(t, err)
	session, err := conn.NewSession(t.Context(), "/", nil)
	require.NoError(t, err)
	turn, err := session.Prompt(t.Context(), acp.Text("x"), nil)
	require.NoError(t, err)
	<-asked
	assertClosed(t, conn)
	_, err = turn.Wait(t.Context())
	require.ErrorIs(t, err, acp.ErrClosed)
	agent.Close()
	assert.Equal(t, []string{"cancelled"}, outcomes(agent))
}

func TestSlowHandlerDelaysNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := acp.PermissionFunc(func(ctx context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			select {
			case <-time.After(time.Hour):
			case <-ctx.Done():
			}
			return req.Reject(), nil
		})
		conn, _ := connect(t, nil, &acp.ClientOptions{Permission: handler})
		asking, err := conn.NewSession(t.Context(), "/", nil)
		require.NoError(t, err)
		other, err := conn.NewSession(t.Context(), "/", nil)
		require.NoError(t, err)
		turn, err := asking.Prompt(t.Context(), acp.Text("permission"), nil)
		require.NoError(t, err)
		began := time.Now()
		_, _, err = play(t, other, "x")
		require.NoError(t, err)
		assert.Less(t, time.Since(began), time.Minute)
		_, err = turn.Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, time.Hour, time.Since(began))
	})
}
