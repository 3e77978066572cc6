package acp_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
)

func TestFlagsAndSuspicions(t *testing.T) {
	for _, tc := range []struct {
		name      string
		script    acptest.Script
		outcome   acp.Outcome
		reason    acp.StopReason
		suspicion acp.Suspicion
	}{
		{"plain", acptest.Script{}, acp.OutcomeCompleted, acp.StopEndTurn, ""},
		{"refusal, clawpatch#90", acptest.Script{Stop: json.RawMessage(`"refusal"`)}, acp.OutcomeRefused, acp.StopRefusal, ""},
		{"tokens, clawpatch#90", acptest.Script{Stop: json.RawMessage(`"max_tokens"`)}, acp.OutcomeMaxTokens, acp.StopMaxTokens, ""},
		{"requests, clawpatch#90", acptest.Script{Stop: json.RawMessage(`"max_turn_requests"`)}, acp.OutcomeMaxRequests, acp.StopMaxTurnRequests, ""},
		{"unknown, DeepSeek-Reasonix#8241", acptest.Script{Stop: json.RawMessage(`"error"`)}, acp.OutcomeOther, "error", ""},
		{"always cancelled, DeepSeek-Reasonix#3509", acptest.Script{Cancelled: true}, acp.OutcomeCancelled, acp.StopCancelled, acp.SuspectUnasked},
		{"empty, kimi-code#1865", acptest.Script{Empty: true}, acp.OutcomeCompleted, acp.StopEndTurn, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			session, _ := open(t, &tc.script, nil)
			_, result, err := play(t, session, "x")
			require.NoError(t, err)
			assert.Equal(t, tc.outcome, result.Outcome)
			assert.Equal(t, tc.reason, result.StopReason)
			assert.Equal(t, tc.suspicion, result.Suspicion)
			assert.Equal(t, tc.script.Empty, result.Empty())
		})
	}
}

func TestAnswerWithoutAStopReason_DeepSeekReasonix8241(t *testing.T) {
	for _, script := range []acptest.Script{{OmitStop: true}, {Stop: json.RawMessage(`null`)}, {Stop: json.RawMessage(`42`)}, {Stop: json.RawMessage(`""`)}} {
		session, _ := open(t, &script, nil)
		_, result, err := play(t, session, "x")
		require.ErrorIs(t, err, acp.ErrProtocol)
		assert.Equal(t, acp.OutcomeFailed, result.Outcome)
		_, _, err = play(t, session, "y")
		require.ErrorIs(t, err, acp.ErrProtocol, "the turn is over all the same")
	}
}

// An agent that answers the prompt after a cancel with what was left of the turn before is found out.
func TestDesync_claudeagentacp551(t *testing.T) {
	session, _ := open(t, &acptest.Script{Desync: true, PermissionOn: "word"}, nil)
	turn, err := session.Prompt(t.Context(), acp.Text("permission"), nil)
	require.NoError(t, err)
	require.NoError(t, turn.Cancel(t.Context()))
	_, err = turn.Wait(t.Context())
	require.NoError(t, err)
	_, result, err := play(t, session, "second")
	require.NoError(t, err)
	assert.True(t, result.Empty())
	assert.Equal(t, acp.SuspectStale, result.Suspicion)
	updates, result, err := play(t, session, "third")
	require.NoError(t, err)
	assert.Empty(t, result.Suspicion)
	assert.Contains(t, answer(updates), "second", "its work comes a turn late")
}

func TestEmptyTurnAfterALoad_hermesagent62780(t *testing.T) {
	conn, id := restarted(t, &acptest.Script{Empty: true}, "first")
	session, err := conn.LoadSession(t.Context(), id, "/", nil)
	require.NoError(t, err)
	_, result, err := play(t, session, "x")
	require.NoError(t, err)
	assert.Equal(t, acp.SuspectLoad, result.Suspicion)
	_, result, err = play(t, session, "y")
	require.NoError(t, err)
	assert.Empty(t, result.Suspicion)
}

func TestSecondAnswerSettlesNothing_claudeagentacp551(t *testing.T) {
	session, _ := open(t, &acptest.Script{SecondAnswer: true}, nil)
	for range 3 {
		_, result, err := play(t, session, "x")
		require.NoError(t, err)
		assert.False(t, result.Empty())
	}
	assert.Positive(t, session.Conn().Counters().Unmatched)
}

func TestEchoIsFlagged_opencode22468(t *testing.T) {
	session, _ := open(t, &acptest.Script{EchoPrompt: true}, nil)
	updates, _, err := play(t, session, "hello")
	require.NoError(t, err)
	echoes := 0
	for _, n := range updates {
		if _, ok := n.Update.(*acp.UserMessageChunk); ok {
			echoes++
			assert.True(t, n.Echo)
		} else {
			assert.False(t, n.Echo)
		}
	}
	assert.Positive(t, echoes)
}

func TestUsageOfASession(t *testing.T) {
	for _, cumulative := range []bool{false, true} {
		session, _ := open(t, nil, &acp.ClientOptions{CumulativeUsage: cumulative})
		_, result, err := play(t, session, "x")
		require.NoError(t, err)
		require.NotNil(t, result.Usage)
		assert.Equal(t, cumulative, result.Usage.Cumulative)
	}
	session, _ := open(t, &acptest.Script{Usage: json.RawMessage(`null`)}, nil)
	_, result, err := play(t, session, "x")
	require.NoError(t, err)
	assert.Nil(t, result.Usage, "absent is not zero")
}
