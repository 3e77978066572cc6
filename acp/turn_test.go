package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

func TestTurnOfAGoodAgent(t *testing.T) {
	session, agent := open(t, nil, nil)
	updates, result, err := play(t, session, "hello")
	require.NoError(t, err)
	assert.Equal(t, acp.StopEndTurn, result.StopReason)
	assert.False(t, result.CancelRequested)
	assert.False(t, result.Empty())
	assert.Positive(t, result.Messages)
	assert.Positive(t, result.Thoughts)
	assert.Equal(t, 1, result.ToolCalls)
	assert.Equal(t, len(updates), result.Updates)
	require.NotNil(t, result.Usage)
	require.NotNil(t, result.Usage.Total)
	assert.Positive(t, *result.Usage.Total)
	assert.Nil(t, result.Usage.CachedRead, "absent is not zero")
	assert.Contains(t, answer(updates), "You said: hello")

	received := agent.Received()
	assert.JSONEq(t, `{"cwd":"/","mcpServers":[]}`, string(received[1].Params))
	assert.JSONEq(t, fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":"hello"}]}`, session.ID()), string(received[2].Params))
}

func TestUpdatesComeInOrderAndBeforeTheOutcome_kandev179(t *testing.T) {
	for range 20 {
		session, _ := open(t, &acptest.Script{Updates: 200, UpdatesPerWrite: 201}, nil)
		turn, err := session.Prompt(t.Context(), acp.Text("go"), nil)
		require.NoError(t, err)
		result, err := turn.Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 200, result.Messages)
		i := 0
		for n := range turn.Updates() { // adopted after the end: all is still there
			if n.Update.UpdateKind() == acp.KindAgentMessageChunk {
				require.Equal(t, fmt.Sprintf("chunk %d ", i), answer([]acp.SessionNotification{n}))
				i++
			}
		}
		assert.Equal(t, 200, i)
	}
}

func TestRelativeDirectoryIsRefusedLocally(t *testing.T) {
	conn, agent := connect(t, nil, nil)
	_, err := conn.NewSession(t.Context(), "some/where", nil)
	require.ErrorContains(t, err, "not absolute")
	assert.Len(t, agent.Received(), 1)
}

func TestOneTurnAtATime(t *testing.T) {
	session, _ := open(t, &acptest.Script{NeverEnd: true}, nil)
	turn, err := session.Prompt(t.Context(), acp.Text("one"), nil)
	require.NoError(t, err)
	_, err = session.Prompt(t.Context(), acp.Text("two"), nil)
	require.ErrorIs(t, err, acp.ErrTurnInProgress)
	require.NoError(t, turn.Cancel(t.Context()))
	result, err := turn.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, acp.StopCancelled, result.StopReason)
	assert.True(t, result.CancelRequested)
}

func TestCancel(t *testing.T) {
	for _, tc := range []struct {
		name string
		mode string
		stop acp.StopReason
	}{
		{"honoured", "honour", acp.StopCancelled},
		{"answered with end_turn, copilot-cli#4561", "end_turn", acp.StopEndTurn},
		{"late", "late", acp.StopCancelled},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script := &acptest.Script{NeverEnd: true, Updates: 3}
				require.NoError(t, json.Unmarshal(fmt.Appendf(nil, "%q", tc.mode), &script.Cancel))
				session, agent := open(t, script, nil)
				turn, err := session.Prompt(t.Context(), acp.Text("go"), nil)
				require.NoError(t, err)
				synctest.Wait()
				require.NoError(t, turn.Cancel(t.Context()))
				require.NoError(t, turn.Cancel(t.Context()), "a second cancel does nothing")
				result, err := turn.Wait(t.Context())
				require.NoError(t, err)
				assert.Equal(t, tc.stop, result.StopReason)
				assert.True(t, result.CancelRequested)
				require.NoError(t, turn.Cancel(t.Context()), "nor does one after the end")
				cancels := 0
				for _, e := range agent.Received() {
					if e.Method == "session/cancel" {
						cancels++
					}
				}
				assert.Equal(t, 1, cancels)
			})
		})
	}
}

func TestUpdatesBeforeTheSessionIsIntroduced_openclaw109961(t *testing.T) {
	conn, _ := connect(t, &acptest.Script{EarlyUpdates: 3}, nil)
	session, err := conn.NewSession(t.Context(), "/", nil)
	require.NoError(t, err)
	seen := take(session.Updates(), 4)
	require.Len(t, seen, 4)
	for i, n := range seen {
		assert.Equal(t, uint64(i+1), n.Seq)
		assert.True(t, n.Late)
		assert.Equal(t, session.ID(), n.SessionID)
	}
	assert.Zero(t, conn.Counters().Orphans)
}

func TestUpdatesAfterTheTurn_opencode17505(t *testing.T) {
	session, _ := open(t, &acptest.Script{LateUpdates: 2, Updates: 1}, nil)
	updates := session.Updates()
	_, result, err := play(t, session, "hello")
	require.NoError(t, err)
	assert.Equal(t, 1, result.Messages)
	var late int
	for n := range updates {
		if _, ok := n.Update.(*acp.AgentMessageChunk); ok && n.Late {
			late++
		}
		if late == 2 {
			break
		}
	}
	assert.Equal(t, 2, late)
}

func TestSessionStreamHasTheTurnsToo(t *testing.T) {
	session, _ := open(t, &acptest.Script{Updates: 5}, nil)
	stream := session.Updates()
	inTurn, _, err := play(t, session, "one")
	require.NoError(t, err)
	var got []acp.SessionNotification
	for n := range stream {
		if !n.Late {
			got = append(got, n)
		}
		if len(got) == len(inTurn) {
			break
		}
	}
	assert.Equal(t, answer(inTurn), answer(got))
	assert.Empty(t, take(session.Updates(), 1), "there is one consumer")
}

func TestStreamThatNobodyAdoptedIsDroppedAtThePrompt(t *testing.T) {
	session, _ := open(t, &acptest.Script{Updates: 1}, nil)
	first, err := session.Prompt(t.Context(), acp.Text("one"), nil)
	require.NoError(t, err)
	_, err = first.Wait(t.Context())
	require.NoError(t, err)
	second, err := session.Prompt(t.Context(), acp.Text("two"), nil)
	require.NoError(t, err)
	assert.Empty(t, take(first.Updates(), 1))
	assert.Len(t, take(second.Updates(), 1), 1)
}

func TestNoUpdates(t *testing.T) {
	conn, _ := connect(t, &acptest.Script{Updates: 3, EarlyUpdates: 2}, nil)
	session, err := conn.NewSession(t.Context(), "/", &acp.SessionOptions{NoUpdates: true})
	require.NoError(t, err)
	assert.Empty(t, take(session.Updates(), 1))
	turn, err := session.Prompt(t.Context(), acp.Text("x"), &acp.PromptOptions{NoUpdates: true})
	require.NoError(t, err)
	assert.Empty(t, take(turn.Updates(), 1))
	result, err := turn.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 3, result.Messages, "counters are kept all the same")
}

func TestStopReasonOfAnyShape_DeepSeekReasonix8241(t *testing.T) {
	for _, tc := range []struct {
		name, stop string
		want       acp.StopReason
		err        error
	}{
		{"unknown", `"error"`, "error", nil},
		{"refusal", `"refusal"`, acp.StopRefusal, nil},
		{"empty", `""`, "", acp.ErrProtocol},
		{"null", `null`, "", acp.ErrProtocol},
		{"number", `42`, "", acp.ErrProtocol},
	} {
		t.Run(tc.name, func(t *testing.T) {
			session, _ := open(t, &acptest.Script{Stop: json.RawMessage(tc.stop)}, nil)
			updates, result, err := play(t, session, "x")
			require.ErrorIs(t, err, tc.err)
			assert.Equal(t, tc.want, result.StopReason)
			assert.NotEmpty(t, answer(updates), "the text is kept whatever the stop reason")
			_, _, err = play(t, session, "the session goes on")
			require.ErrorIs(t, err, tc.err)
		})
	}
}

func TestEmptyTurn_kimicode1865(t *testing.T) {
	session, _ := open(t, &acptest.Script{Empty: true}, nil)
	_, result, err := play(t, session, "x")
	require.NoError(t, err)
	assert.True(t, result.Empty())
}

func TestTurnError(t *testing.T) {
	session, _ := open(t, &acptest.Script{Error: &acptest.RPCError{Code: -32603, Message: "quota", Data: json.RawMessage(`{"code":429}`)}}, nil)
	_, _, err := play(t, session, "x")
	rpc, ok := errors.AsType[*acp.Error](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, acp.CodeInternalError, rpc.Code)
	assert.JSONEq(t, `{"code":429}`, string(rpc.Data))
}

func TestUnknownThingsAreNeitherFatalNorLost_agenticnvim314(t *testing.T) {
	session, _ := open(t, &acptest.Script{UnknownUpdate: true, UnknownNotification: true, UnknownRequest: true, RequestID: json.RawMessage(`"v1"`)}, nil)
	updates, _, err := play(t, session, "x")
	require.NoError(t, err)
	assert.Contains(t, answer(updates), "-32601", "an unknown request is answered at once")
	var unknown *acp.Unknown
	for _, n := range updates {
		if u, ok := n.Update.(*acp.Unknown); ok {
			unknown = u
			assert.JSONEq(t, string(u.Raw), string(n.Raw))
		}
	}
	require.NotNil(t, unknown)
	assert.Equal(t, "future_update", unknown.Kind)
}

func TestAgentIDsAreEchoedExactly_acp138(t *testing.T) {
	for _, id := range []string{`0`, `-1`, `1`, `9007199254740993`, `"perm-7f"`, `"1"`, `1.5`, `"ü\"x"`} {
		t.Run(id, func(t *testing.T) {
			session, agent := open(t, &acptest.Script{UnknownRequest: true, RequestID: json.RawMessage(id)}, nil)
			_, _, err := play(t, session, "x")
			require.NoError(t, err)
			var ids []string
			for _, e := range agent.Received() {
				if e.Kind == "response" {
					ids = append(ids, string(e.ID))
				}
			}
			assert.Equal(t, []string{id}, ids)
		})
	}
}

func TestLargeUpdates_kimicli831(t *testing.T) {
	for _, size := range []int{64<<10 - 1, 64 << 10, 64<<10 + 1, 1 << 20, 17 << 20} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			session, _ := open(t, &acptest.Script{Updates: 1, UpdateSize: size}, nil)
			updates, _, err := play(t, session, "x")
			require.NoError(t, err)
			assert.Len(t, answer(updates), size)
		})
	}
}

func TestLineAboveTheCapIsSkipped_rustsdk340(t *testing.T) {
	session, _ := open(t, &acptest.Script{Updates: 2, UpdateSize: 3 << 20, Tool: &acptest.Tool{}}, &acp.ClientOptions{MaxFrame: 2 << 20})
	updates, result, err := play(t, session, "x")
	require.NoError(t, err)
	assert.Equal(t, acp.StopEndTurn, result.StopReason)
	assert.Empty(t, answer(updates))
	assert.Equal(t, 1, result.ToolCalls)
}

func TestEndlessLineEndsTheConnection_rustsdk342(t *testing.T) {
	session, _ := open(t, &acptest.Script{Updates: 1, UpdateSize: 10 << 20}, &acp.ClientOptions{MaxFrame: 1 << 20})
	_, _, err := play(t, session, "x")
	death, ok := errors.AsType[*acp.DeathError](err)
	require.True(t, ok, "%v", err)
	assert.ErrorContains(t, death, "without a newline")
}

func TestManySessionsSideBySide(t *testing.T) {
	conn, _ := connect(t, &acptest.Script{Updates: 50}, nil)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			session, err := conn.NewSession(t.Context(), "/", nil)
			if !assert.NoError(t, err) {
				return
			}
			for range 3 {
				updates, _, err := play(t, session, "x")
				assert.NoError(t, err)
				assert.True(t, strings.HasSuffix(answer(updates), "chunk 48 chunk 49 "))
			}
			assert.NoError(t, session.Close(t.Context()))
			assert.NoError(t, session.Close(t.Context()))
			_, err = session.Prompt(t.Context(), acp.Text("x"), nil)
			assert.ErrorIs(t, err, acp.ErrSessionClosed)
		})
	}
	wg.Wait()
}

func TestLeavingTheLoopUnsubscribesAndCancelsNothing(t *testing.T) {
	session, _ := open(t, &acptest.Script{Updates: 100}, nil)
	turn, err := session.Prompt(t.Context(), acp.Text("x"), nil)
	require.NoError(t, err)
	assert.Len(t, take(turn.Updates(), 1), 1)
	result, err := turn.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 100, result.Messages)
}

func TestWaitObeysItsContext(t *testing.T) {
	session, _ := open(t, &acptest.Script{NeverEnd: true}, nil)
	turn, err := session.Prompt(t.Context(), acp.Text("x"), nil)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = turn.Wait(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestPromptHasNoLimit_agentcanvas1245(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		session, _ := open(t, &acptest.Script{Updates: 3, UpdateDelay: acptest.Duration(20 * time.Minute)}, nil)
		_, result, err := play(t, session, "x")
		require.NoError(t, err)
		assert.Equal(t, acp.StopEndTurn, result.StopReason)
		assert.Equal(t, 3, result.Messages)
	})
}

func TestEmptyPromptIsRefusedLocally(t *testing.T) {
	session, agent := open(t, nil, nil)
	_, err := session.Prompt(t.Context(), nil, nil)
	require.ErrorContains(t, err, "empty")
	for _, e := range agent.Received() {
		assert.NotEqual(t, "session/prompt", e.Method)
	}
}

func TestRawUpdateIsByteForByte(t *testing.T) {
	var frames []string
	session, _ := open(t, nil, &acp.ClientOptions{Tap: func(f acp.TapFrame) {
		if f.Dir == acp.FromAgent {
			frames = append(frames, string(f.Data))
		}
	}})
	updates, _, err := play(t, session, "€ \u2028 <html> & \x00")
	require.NoError(t, err)
	for _, n := range updates {
		assert.Contains(t, string(n.Params), string(n.Raw))
	}
	assertClosed(t, session.Conn())
	all := strings.Join(frames, "\n")
	for _, n := range updates {
		assert.Contains(t, all, string(n.Params))
	}
}

// take reads at most n updates and leaves.
func take(seq func(func(acp.SessionNotification) bool), n int) []acp.SessionNotification {
	var out []acp.SessionNotification
	for u := range seq {
		if out = append(out, u); len(out) == n {
			break
		}
	}
	return out
}
